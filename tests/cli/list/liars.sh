for lie in json keys long no-end protocol short name; do
    "$CKBENCH" list --subject "$SUBJECTS/liar-$lie/liar-$lie" 2>&1 | sed "s:$SUBJECTS/::"
    echo "$lie ${PIPESTATUS[0]}"
done

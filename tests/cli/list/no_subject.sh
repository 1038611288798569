for file in missing /bin/true "$SUBJECTS" /dev/null; do
    "$CKBENCH" list --subject "$file" 2>&1 | sed "s:$SUBJECTS:SUBJECTS:"
    echo "${PIPESTATUS[0]}"
done

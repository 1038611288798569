# needs: valgrind
# A subject that does not use the kit is measured by the same rules.
cp -r "$SUBJECTS/foreign" base
cd "$SUBJECTS/foreign" || exit
"$CKBENCH" ir --base "$OLDPWD/base" --layouts 2 |
    awk '/%/ { print $1, $4, $6, $7, $8, $NF } /PASS|prove/'
echo "exit ${PIPESTATUS[0]}"

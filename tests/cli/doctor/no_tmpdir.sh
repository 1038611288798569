TMPDIR=$PWD/missing "$CKBENCH" doctor | sed "s:$PWD:WORK:g" | grep -E '^(tmpdir|ckbench)'
echo "${PIPESTATUS[0]}"

"$CKBENCH" list 2>&1 | sed "s:$PWD:WORK:"
exit "${PIPESTATUS[0]}"

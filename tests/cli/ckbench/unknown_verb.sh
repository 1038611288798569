"$CKBENCH" lsit --json

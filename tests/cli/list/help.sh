"$CKBENCH" list --help

"$CKBENCH" time --help

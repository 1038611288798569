"$CKBENCH" report --help

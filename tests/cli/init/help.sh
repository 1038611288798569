"$CKBENCH" init --help

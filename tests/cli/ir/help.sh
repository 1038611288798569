"$CKBENCH" ir --help

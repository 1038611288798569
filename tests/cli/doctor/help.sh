"$CKBENCH" doctor --help

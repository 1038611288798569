"$CKBENCH" ab --help

"$CKBENCH" terrain --help

"$CKBENCH" --version

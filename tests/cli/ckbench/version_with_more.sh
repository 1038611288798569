"$CKBENCH" --version list

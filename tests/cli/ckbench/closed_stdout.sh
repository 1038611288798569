"$CKBENCH" --version >&-

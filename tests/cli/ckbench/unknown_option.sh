"$CKBENCH" --verison

"$CKBENCH" help list doctor

"$CKBENCH" help dcotor

touch file
"$CKBENCH" ir --base file
echo $?
"$CKBENCH" ir --base missing
echo $?

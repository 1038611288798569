mkdir empty
PATH=$PWD/empty "$CKBENCH" doctor
echo $?
PATH=$PWD/empty "$CKBENCH" doctor --json >out
echo $?
"$CKBENCH_SOURCE/tests/cli/valid" out

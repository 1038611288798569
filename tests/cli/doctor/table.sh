# needs: valgrind
"$CKBENCH" doctor

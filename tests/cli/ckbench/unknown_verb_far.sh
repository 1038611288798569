"$CKBENCH" '' ; echo $?
"$CKBENCH" "$(printf 'evil\033[2J\n%0200d' 7)"

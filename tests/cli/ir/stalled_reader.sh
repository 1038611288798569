# needs: valgrind
# Nobody reads the result: nothing of ours lies about while we wait, and a signal still ends us.
mkfifo pipe
exec 9<>pipe
head -c 65536 /dev/zero >&9
cp -r "$SUBJECTS/plant-0" head
cd head || exit
stall() {
    "$CKBENCH" "$@" >../pipe 2>/dev/null 9>&- &
    pid=$!
    for _ in {1..600}; do
        [[ $(cat /proc/$pid/wchan 2>/dev/null) != *pipe_w* ]] || break
        sleep 0.1
    done
    ls -A "$TMPDIR"
    kill -TERM $pid
    for _ in {1..50}; do
        kill -0 $pid 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL $pid 2>/dev/null && echo "$1 did not hear the first signal"
    { wait $pid; } 2>/dev/null
    echo "$1 $?"
}
stall list --json --subject "$SUBJECTS/misbehaving/misbehaving"
stall ir --base "$SUBJECTS/plant-1" --json
stall ir --base "$SUBJECTS/plant-1" --path plant_ir --layouts 1 --report ../pipe
stall doctor --json

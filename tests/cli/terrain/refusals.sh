story=$CKBENCH_SOURCE/tests/subjects/terrain_script.py
ours=$CKBENCH_BUILD/workloads/ck-workloads
run() {
    "$CKBENCH" terrain "$@" >out 2>err
    echo "$? $(cat out)$(sed "s:$CKBENCH_SOURCE:SOURCE:g; s:$CKBENCH_BUILD:BUILD:g; s:$PWD:HERE:g" err)"
}
run
run --subject "$story" --terrain story
run --subject "$story" --terrain story --l2-where ' '
run --subject "$story" --terrain other --l2-where x
run --subject "$story" --terrain story --l2 memory --l2-where x
run --subject "$story" --l2 nowhere --l2-where x
run --subject "$story" --l2 file:/nonexistent --l2-where x
run --subject "$story" --terrain story --l2-where x --out /nonexistent/t.json
run --subject "$story" --terrain story --l2-where x --html .
run --subject "$story" --terrain story --l2-where x --option nothing
cp "$story" bare
touch bare.unstamped
run --subject ./bare --terrain story --l2-where x
echo "what the subject refuses"
for wrong in --zipf=nan --zipf=-1 --zipf=inf --keys=0 --keys=4294967296 --rate=0 --callers=65 --stall=2s@1s --miss-ms=often:1 \
    --option=nope=1 --trace=/nonexistent --trace=/dev/null; do
    run --subject "$ours" --clock virtual --calls 10 --l2-where x "$wrong"
done
printf '\001\002\003' >cut
run --subject "$ours" --clock virtual --l2-where x --trace cut --format oracle
run --subject "$ours" --clock virtual --l2-where x --trace cut --format keys

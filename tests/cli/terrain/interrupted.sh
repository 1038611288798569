# The subject is asked to stop and heard to its end; the recording says that it is partial.
story=$CKBENCH_SOURCE/tests/subjects/terrain_script.py
"$CKBENCH" terrain --subject "$story" --terrain story --option lie=waits --l2-where x --out t.json >table &
pid=$!
until compgen -G "$TMPDIR/*/*/waiting" >/dev/null; do sleep 0.05; done
kill -TERM "$pid"
wait "$pid"
echo "exit $?"
head -1 table
"$CKBENCH_SOURCE/tests/cli/valid" t.json
grep -o '"is_stopped":[a-z]*,"reason":"[a-z]*"' t.json

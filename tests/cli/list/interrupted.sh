# A subject that never answers: the first signal ends it and us.
cat >slow <<'S'
#!/bin/sh
sleep 600
S
chmod +x slow
"$CKBENCH" list --subject ./slow &
pid=$!
sleep 1
kill -TERM $pid
wait $pid

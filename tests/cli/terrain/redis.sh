# needs: seconds
# A private server as the second layer and as a witness, to the last hit and miss, with locks and without;
# one that others use, one that wants a password, one that refuses to be read, one whose values are of
# another type, one that goes away or is restarted in mid-run, one that is not there. A terrain that
# pretends to ask it is found out.
ours=$CKBENCH_BUILD/workloads/ck-workloads
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
start() {
    redis-server --bind 127.0.0.1 --port "$port" --save "" --requirepass "$1" >/dev/null &
    server=$!
    until redis-cli -p "$port" ${1:+-a "$1"} --no-auth-warning ping 2>/dev/null | grep -q PONG; do sleep 0.05; done
}
stop() {
    kill "$server"
    wait "$server"
}
measure() {
    exec "$CKBENCH" terrain --subject "$subject" --l2 "redis://${1}127.0.0.1:$port/0" --minutes "$2" --miss-ms 1 --rate 400 --keys 300 \
        --l2-where "same host, TCP" --out "$3.json" "${@:4}" >out 2>err
}
tell() {
    echo "$1: exit $2"
    grep -E '^books|^server: the' out | sed 's/ [0-9]* equations,//'
    grep -E 'wrong:|unverified:' out | sed 's/: [0-9]*, [0-9n].*//'
    sed "s/$port/PORT/" err
}
run() {
    (measure "$@")
    tell "$3" $?
}
ask() {
    redis-cli -p "$port" --no-auth-warning "$@"
}
once_filled() {
    before=$(ask "$@" dbsize)
    for ((try = 0; try < 2000; try++)); do # against hangs
        [ "$(ask "$@" dbsize)" -le "$((before + 20))" ] || break
        sleep 0.02
    done
}
subject=$ours
patient=(--option deadline_ms=20000)
start ""
redis-cli -p "$port" set foreign "not ours" >/dev/null
run "" 0.03 alone "${patient[@]}"
redis-cli -p "$port" get foreign
run "" 1 locks "${patient[@]}" --option lock=on --callers 4 --arrivals closed --calls 2000 --warmup 100 --l1-keys 20 --ttl 5
(
    once_filled
    ask get foreign >/dev/null
) &
run "" 0.025 read "${patient[@]}"
wait $!
run "" 0.02 typed "${patient[@]}" --namespace typed
ask eval "for _, key in ipairs(redis.call('keys', '*typed*')) do redis.call('del', key) redis.call('rpush', key, 'x') end" 0 >/dev/null
run "" 0.02 types "${patient[@]}" --namespace typed
ask acl setuser default -get >/dev/null
run "" 0.02 unread "${patient[@]}"
ask acl setuser default +get >/dev/null
subject=$CKBENCH_SOURCE/tests/subjects/terrain_script.py
run "" 0.02 liar
subject=$ours
redis-cli -p "$port" subscribe nothing >/dev/null &
other=$!
until [ "$(redis-cli -p "$port" client list | grep -c .)" -ge 2 ]; do sleep 0.05; done
run "" 0.02 watched
kill "$other"
wait "$other" 2>/dev/null
stop
start secret
run ":secret@" 0.02 locked
run "" 0.02 refused
grep -c secret locked.json
(
    once_filled -a secret
    ask -a secret shutdown nosave
) &
run ":secret@" 0.03 gone
wait "$server"
start ""
measure "" 5 restarted --html restarted.html &
pid=$!
once_filled
stop
start ""
once_filled
kill -INT "$pid"
wait "$pid"
tell restarted $?
grep -oE 'Stopped before its end|The server was [^<]*' restarted.html
stop
run "" 0.02 absent
"$CKBENCH_SOURCE/tests/cli/valid" ./*.json
python3 - <<'END'
import json
for name in ("alone", "locks", "types", "unread"):
    body = json.load(open(name + ".json"))["body"]
    n = {r["layer"]: r["service"]["n"] for r in body["results"] if "service" in r}
    warm = dict(zip(body["layers"], body["warmup"]["n"]))
    told = {t["name"]: t["count"] for t in body["books"]["told"]}
    l2, miss = (n.get(layer, 0) + warm[layer] for layer in ("l2", "miss"))
    before, after = body["server"]["before"], body["server"]["after"]
    hits, misses = (after[key] - before[key] for key in ("keyspace_hits", "keyspace_misses"))
    answers = {"locks": f"answers of l2: {'l2' in n}", "unread": f"answers of l2: {'l2' in n}"}
    print(name, body["verdict"], answers.get(name, ""), "server:", body["server"]["doubt"])
    print("  hits less answers:", "releases" if 0 < hits - l2 == told["l2_released"] else "spoilt" if 0 < hits - l2 == told["l2_spoilt"] else hits - l2,
          "| misses less runs:", "second looks" if 0 < misses - miss == told["l2_again"] else
          "runs without a look" if miss - misses in (told["l2_blind"], told["l2_blind"] - told["l2_again"]) and miss > misses else misses - miss)
body = json.load(open("restarted.json"))["body"]
print("restarted", body["verdict"], body["is_stopped"], body["reason"], "failed:", body["totals"]["failed"], "|", body["server"]["doubt"])
END

# needs: seconds
# A private server as the second layer and as a witness; one with other clients, one that wants a
# password, one that is restarted and one that is not there.
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
run() {
    "$CKBENCH" terrain --subject "$ours" --l2 "redis://$1127.0.0.1:$port/0" --minutes "$2" --miss-ms 1 --rate 400 --keys 300 \
        --l2-where "same host, TCP" --out "$3.json" >out 2>err
    echo "$3: exit $?"
    grep -E '^books|^server: the|wrong|unverified:' out
    sed "s/$port/PORT/" err
    [ ! -e "$3.json" ] || "$CKBENCH_SOURCE/tests/cli/valid" "$3.json"
}
start ""
redis-cli -p "$port" set foreign "not ours" >/dev/null
run "" 0.04 alone
redis-cli -p "$port" get foreign
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
before=$(redis-cli -p "$port" -a secret --no-auth-warning dbsize)
(
    until [ "$(redis-cli -p "$port" -a secret --no-auth-warning dbsize)" -gt "$((before + 20))" ]; do sleep 0.05; done
    redis-cli -p "$port" -a secret --no-auth-warning shutdown nosave
) &
run ":secret@" 0.05 gone
wait "$server"
run "" 0.02 absent
python3 - <<'END'
import json
body = json.load(open("alone.json"))["body"]
n = {r["layer"]: r["service"]["n"] for r in body["results"] if "service" in r}
before, after = body["server"]["before"], body["server"]["after"]
print(after["keyspace_hits"] - before["keyspace_hits"] - n["l2"] in (0, 1), after["keyspace_misses"] - before["keyspace_misses"] >= n["miss"],
      min(n.values()) > 0)
END

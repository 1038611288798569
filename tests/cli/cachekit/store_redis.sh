# A real server, on a socket of its own and with a password.
redis-server --port 0 --unixsocket "$PWD/socket" --save '' --daemonize no --dir "$PWD" --logfile log --requirepass 'p@ss w0rd' &
server=$!
for _ in {1..100}; do
    [ -S socket ] && break
    sleep 0.05
done
ask() {
    redis-cli -s "$PWD/socket" --no-auth-warning -a 'p@ss w0rd' "$@"
}
export CACHEKIT_REDIS_URL="unix://:p%40ss%20w0rd@$PWD/socket?db=2"
echo '{"name": "alice", "age": 30}' | "$CACHEKIT" put --ttl-ms 90000 users:1
echo $?
"$CACHEKIT" get users:1
left=$("$CACHEKIT" ttl users:1)
[ "$left" -gt 60000 ] && [ "$left" -le 90000 ] && echo "less than 90 s"
ask -n 2 get users:1 | od -An -c
ask -n 2 persist users:1
"$CACHEKIT" ttl users:1
# Written by somebody else.
ask -n 2 set other "$(printf '\x91\x01')"
"$CACHEKIT" get other
ask -n 2 lpush list 1
"$CACHEKIT" get list
echo $?
"$CACHEKIT" del other
echo $?
"$CACHEKIT" get other
echo $?
# --backend goes before the environment; no password, the wrong one, no server.
"$CACHEKIT" get --backend "unix://$PWD/socket?db=2" users:1
echo $?
"$CACHEKIT" get --backend "unix://:secret@$PWD/socket?db=2" users:1
echo $?
kill "$server"
wait "$server"
"$CACHEKIT" get users:1
echo $?
"$CACHEKIT" get --timeout-ms 100 --backend "unix://:secret@$PWD/none" users:1
echo $?

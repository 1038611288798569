# The file backend: what was put lies there as the layout says, and comes back.
store=file:$PWD/cache
key=users:get_user:61598716255080080f6456eb065c2e51badfaa4320b0efe97469c29cffee8875
put() {
    "$CACHEKIT" put --backend "$store" "$@"
}
get() {
    "$CACHEKIT" get --backend "$store" "$@"
    echo "$?"
}
echo '{"name": "alice", "age": 30}' | put --ttl-ms none "$key"
get "$key"
get --format msgpack "$key"
get --format raw "$key" | od -An -v -tx1
get --format envelope "$key"
"$CACHEKIT" ttl --backend "$store" "$key"
# The name of the file is that of the vectors, the header says for ever.
echo '"hello"' | put --ttl-ms none test-key
od -An -v -tx1 cache/0e2a03b49262c15a063c04d5a29c0158
echo '[1]' | put --ttl-ms 60000 --format envelope "$key"
get --format envelope "$key"
left=$("$CACHEKIT" ttl --backend "$store" "$key")
[ "$left" -gt 0 ] && [ "$left" -le 60000 ] && echo "less than a minute"
# Any bytes, and any key that a command line can say.
printf '\x00\xff\n' | put --format raw --ttl-ms none 'a key, é'
get --format raw 'a key, é' | od -An -v -tx1
get 'a key, é'
export CACHEKIT_MASTER_KEY=6161616161616161616161616161616161616161616161616161616161616161
echo '["secret"]' | put --encrypt --tenant t --ttl-ms none sealed
get --encrypt --tenant t sealed
get --encrypt --tenant t --cache-key sealed sealed
get --encrypt --tenant t --cache-key other sealed
get --encrypt sealed
get sealed 2>/dev/null
! grep -rq secret cache || echo "in plain"
# A copy under another key does not open there, but with the key that it is bound to.
get --format raw sealed | head -c -2 >bytes
put --format raw --ttl-ms none moved <bytes
get --encrypt --tenant t moved
get --encrypt --tenant t --cache-key sealed moved
# A life that is over, gone, and never there.
printf 'CK\1\0\0\0\0\0\0\0\0\0\1\x91\1' >cache/0e2a03b49262c15a063c04d5a29c0158
get test-key
"$CACHEKIT" del --backend "$store" "$key"
echo $?
"$CACHEKIT" del --backend "$store" "$key"
echo $?
"$CACHEKIT" ttl --backend "$store" "$key"
echo $?
get "$key"

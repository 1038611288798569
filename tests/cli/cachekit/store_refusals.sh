# What is wrong with the words, and with where they point.
mkdir -m 700 own
mkdir -m 777 open
chmod 777 open
run() {
    "$CACHEKIT" "$@" </dev/null
    echo "$?"
}
for verb in get del ttl; do
    run $verb
    run $verb key
    run $verb --backend file:own
    run $verb --backend file:own a b
    run $verb --backend file:missing key
    run $verb --backend file:open key
    run $verb --backend memory: key
    run $verb --backend secret key
    run $verb --backend redis://localhost:99999 key
    run $verb --backend 'redis://user:secret@host:x' key
    run $verb --backend rediss://user:secret@localhost key
    run $verb --backend file:own --timeout-ms 0 key
    run $verb --backend file:own --timeout-ms 600001 key
    run $verb --backend file:own ''
done
run del --backend file:own --format raw key
run ttl --backend file:own --encrypt key
run get --backend file:own --ttl-ms 1 key
run get --backend file:own --cache-key secret key
run get --backend file:own --tenant secret key
run get --backend file:own --format raw --encrypt key
for ttl in 0 -1 +1 1.5 1s ' 1' 1e3 315360000001 18446744073709551617 never '' NONE 0x10; do
    run put --backend file:own "--ttl-ms=$ttl" key
done
run put --backend file:own key
run put --backend file:own --ttl-ms 315360000000 key
run put --backend file:own --ttl-ms 1 key
echo '{"a": 1, "a": 2}' | "$CACHEKIT" put --backend file:own --ttl-ms none key
echo $?
ls own
[ ! -e missing ] || echo "made a directory"
CACHEKIT_REDIS_URL=redis://:secret@localhost:1 run get key
CACHEKIT_REDIS_URL='' run get key

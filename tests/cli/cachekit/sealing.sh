# What is sealed opens again with the same options, in every format, and never looks the same twice.
export CACHEKIT_MASTER_KEY=007f80ffa55ac33c1ee12dd24bb469968778f00f01102332455467768998abba
seal=(--encrypt --tenant acme --cache-key users:1)
for format in interop envelope msgpack; do
    echo '{"a":1,"b":"secret"}' | "$CACHEKIT" encode --format "$format" "${seal[@]}" >one
    echo '{"a":1,"b":"secret"}' | "$CACHEKIT" encode --format "$format" "${seal[@]}" >two
    "$CACHEKIT" decode --format "$format" "${seal[@]}" <one
    ! cmp -s one two || echo "the same twice"
    ! grep -q secret one || echo "in plain"
    "$CACHEKIT" inspect one | grep -o '"kind":"[a-z]*"\|"if_sealed_payload_bytes":[0-9]*'
done
echo 'moved:' >&2
"$CACHEKIT" decode --format msgpack --encrypt --tenant acme --cache-key users:2 <one || echo $?
"$CACHEKIT" decode --format msgpack --encrypt --cache-key users:1 <one || echo $?
"$CACHEKIT" decode --format envelope "${seal[@]}" <one || echo $?
# Plaintext where ciphertext is expected, and the reverse.
echo '[1]' | "$CACHEKIT" encode --format msgpack | "$CACHEKIT" decode "${seal[@]}" || echo $?
seq 30 | tr '\n' , | sed 's/.*/[&0]/' | "$CACHEKIT" encode | "$CACHEKIT" decode "${seal[@]}" || echo $?
"$CACHEKIT" decode <one >/dev/null 2>&1 || echo $?
# A replaced key: the retired one opens, the current one seals.
old=$CACHEKIT_MASTER_KEY
export CACHEKIT_MASTER_KEY=2222222222222222222222222222222222222222222222222222222222222222
"$CACHEKIT" decode --format msgpack "${seal[@]}" <one 2>/dev/null || echo $?
export CACHEKIT_PREVIOUS_MASTER_KEYS=3333333333333333333333333333333333333333333333333333333333333333,$old
"$CACHEKIT" decode --format msgpack "${seal[@]}" <one
"$CACHEKIT" decode --format msgpack "${seal[@]}" <one | "$CACHEKIT" encode "${seal[@]}" >three
unset CACHEKIT_PREVIOUS_MASTER_KEYS
"$CACHEKIT" decode "${seal[@]}" <three

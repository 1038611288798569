# Keys that are refused: exit 3, one line, and no digit of a key in it.
good=007f80ffa55ac33c1ee12dd24bb469968778f00f01102332455467768998abba
try() {
    printf '%s: ' "$1" >&2
    shift
    echo '[1]' | env "$@" "$CACHEKIT" encode --encrypt --cache-key k 2>said | wc -c
    echo "${PIPESTATUS[1]}"
    cat said >&2
    ! grep -q '[0-9a-f]\{7\}' said || echo "digits of a key"
}
key() {
    try "$1" "CACHEKIT_MASTER_KEY=$2"
}
old() {
    try "retired: $1" CACHEKIT_MASTER_KEY=$good "CACHEKIT_PREVIOUS_MASTER_KEYS=$2"
}
try unset -u CACHEKIT_MASTER_KEY
key empty ''
key '63 digits' "${good%?}"
key '65 digits' "${good}0"
key '66 digits' "${good}00"
key 'a sign' "+${good#?}"
key 'a minus' "-${good#?}"
key '0x' "0x${good#??}"
key '0x and 64 digits' "0x$good"
key 'g at the end' "${good%?}g"
key 'a space before' " ${good#?}"
key 'a space behind' "${good%?} "
key 'spaces within' "${good:0:30}  ${good:32}"
key 'CR LF' "${good%??}"$'\r\n'
key 'LF behind' "$good"$'\n'
key '31 bytes' "${good%??}"
key '24 bytes' "${good:0:48}"
key '16 bytes' "${good:0:32}"
key 'full-width digits' "${good:0:61}０"
key quotes "\"${good:2}\""
key 'a comma' "${good:0:32},${good:33}"
a=$(printf '1%.0s' {1..64})
b=$(printf '2%.0s' {1..64})
c=$(printf '3%.0s' {1..64})
d=$(printf '4%.0s' {1..64})
old blank ','
old 'blank first' ",$a"
old 'blank last' "$a,"
old 'blank within' "$a,,$b"
old 'spaces' " "
old 'a space' "$a, $b"
old '63 digits' "$a,${b%?}"
old 'four' "$a,$b,$c,$d"
old 'the current one' "$a,$good"
old 'the current one in capitals' "${good^^}"
old 'one twice' "$a,$b,$a"
old 'semicolon' "$a;$b"
printf 'three: ' >&2
echo '[1]' | CACHEKIT_MASTER_KEY=$good CACHEKIT_PREVIOUS_MASTER_KEYS=$a,$b,$c "$CACHEKIT" encode --encrypt --cache-key k | wc -c
printf 'empty list: ' >&2
echo '[1]' | CACHEKIT_MASTER_KEY=$good CACHEKIT_PREVIOUS_MASTER_KEYS= "$CACHEKIT" encode --encrypt --cache-key k | wc -c
# Without --encrypt nobody looks at the keys.
echo '[1]' | CACHEKIT_MASTER_KEY=bad "$CACHEKIT" encode | wc -c

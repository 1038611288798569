# Input over 512 MiB: a file is refused by its length, a stream one byte after the limit.
# (Memory for the stream is address space until it is written to.)
truncate -s 513M file
for verb in encode decode inspect; do
    "$CACHEKIT" "$verb" <file
    echo $?
done
"$CACHEKIT" inspect file
echo $?
CACHEKIT_MASTER_KEY=$(printf '61%.0s' {1..32}) "$CACHEKIT" decode --encrypt --cache-key k <file
echo $?
"$CACHEKIT" decode </dev/zero
echo $?

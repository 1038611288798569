"$CACHEKIT" --help
for verb in key encode decode inspect get put del ttl; do
    echo "--- $verb"
    "$CACHEKIT" help "$verb"
    "$CACHEKIT" "$verb" --help >again
    "$CACHEKIT" help "$verb" | cmp - again
done
"$CACHEKIT" -h | cmp - <("$CACHEKIT" help)
for verb in "" key encode decode inspect get put del ttl; do
    # shellcheck disable=SC2086 # one word or none
    "$CACHEKIT" help $verb | awk 'length > 80 { print "too wide: " $0 }'
done

# Options of encode and decode that mean nothing together; words that could be secrets are not
# repeated.
for verb in encode decode; do
    for words in --encrypt '--encrypt --tenant t' '--tenant t' '--cache-key k' --allow-unlocked '--format interpo' '--format raw' \
        '--format' '--format=' '-f interop -f msgpack' secret '-- secret' '--encrypt secret' '--key secret' '--master-key=secret' \
        '--encrypt --cache-key='; do
        # shellcheck disable=SC2086 # words are split
        "$CACHEKIT" "$verb" $words </dev/null
        echo $?
    done
done
long=$(printf 't%.0s' {1..1025})
echo 1 | CACHEKIT_MASTER_KEY=$(printf '61%.0s' {1..32}) "$CACHEKIT" encode --encrypt --cache-key k --tenant "$long"
echo $?
echo 1 | CACHEKIT_MASTER_KEY=$(printf '61%.0s' {1..32}) "$CACHEKIT" encode --encrypt --cache-key k --tenant $'\xff'
echo $?

# The words before the verb. They are not repeated: one of them may be a key or a value.
for words in '' kye decdoe '[42]' 616161616161 -x --verison '--version --help' '--help key' 'help keys' 'help key encode' 'help 6161' -- ; do
    # shellcheck disable=SC2086 # words are split
    "$CACHEKIT" $words
    echo $?
done
"$CACHEKIT" --version | sed 's/[0-9][0-9]*\.[0-9][0-9]*\.[0-9][0-9]*$/N/'

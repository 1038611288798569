# The manual pages hold the help texts, word for word, and groff finds nothing to say of them.
words() { tr -d : | tr '[:upper:]' '[:lower:]' | tr -s '[:space:]' '\n'; }
told() {
    "$1" help | sed 1,2d
    echo VERBS IN FULL
    "$1" help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\)  .*/\1/p' | while read -r verb; do
        "$1" help "$verb" | sed '1s/^usage: //; /^options:$/d'
        [ "$verb" != terrain ] || "$1" terrain diff --help | sed '1s/^usage: //; /^options:$/d'
        for part in '^exit status:$' '^example:$'; do
            "$1" help "$verb" | grep -q "$part" || echo "$verb has no $part"
        done
    done
}
for program in "$CKBENCH" "$CACHEKIT"; do
    name=$(basename "$program")
    groff -man -ww -Tascii -P-cbou -rHY=0 -rLL=78n "$CKBENCH_BUILD/tools/man/$name.1" >page 2>&1
    sed '1,/^DESCRIPTION/d; $d' page | words | grep . >shown
    told "$program" | words | grep . >wanted
    diff wanted shown | head -n 20
    [ "$(wc -l <wanted)" -gt 500 ] || echo "$name says little"
done

# The command as its manual shows it, line by line.
say() {
    "$CACHEKIT" "$@"
}
say key --namespace users --operation get_user '[42, "en"]'
say key --auto --function app.get_user '[42]'
say key --auto --function app.get_user --kwargs '{"lang": "en"}' --serializer orjson --no-integrity --namespace test '[42]'
echo '{"id": 42}' | say encode --format envelope >entry
say inspect entry
say decode --format envelope <entry
echo '{"name": "alice", "age": 30}' | say encode | od -An -tx1 | tr -d ' \n'
echo
export CACHEKIT_MASTER_KEY=6161616161616161616161616161616161616161616161616161616161616161
key=users:get_user:61598716255080080f6456eb065c2e51badfaa4320b0efe97469c29cffee8875
echo '{"name": "alice", "age": 30}' | say encode --encrypt --tenant T --cache-key "$key" >sealed
wc -c <sealed
say inspect sealed | grep -o '"kind":.*noise"'
say decode --encrypt --tenant T --cache-key "$key" <sealed
say decode --encrypt --tenant U --cache-key "$key" <sealed
echo $?

# What else an argument and an option may be. The keys are those of the vectors that spell the same
# arguments otherwise; codes of serializers are those of the behaviour sheet.
users=(--namespace users --operation get_user)
get() {
    "$CACHEKIT" key "$@" || echo "exit $?"
}
get "${users[@]}" '[42]'
get -n users -o get_user ' [ 42 ] '
get --namespace=users --operation=get_user '[{"$int": "42"}]'
get "${users[@]}" '[42.0]'
get "${users[@]}" '[{"$float": "42"}]'
get --namespace users --operation get_all
get --namespace users --operation get_all '[]'
get -n t -o op '[{"$set": [{"$float": "2.0"}, 2]}]'
get -n t -o op '[{"$map": [["b", 2], ["a", 1], ["A", 3]]}]'
get -n t -o op '[{"$bytes": "DEADbeef"}]'
get -n users -o get_by_uuid '[{"$uuid": "550e8400-e29b-41d4-a716-446655440000"}]'
get -n events -o get_by_time '[{"$datetime": "2024-01-01T12:30:45.123456Z"}]'
for code in default std auto orjson arrow local cbor s x23d5; do
    get --auto --function app.get_user --serializer "$code" '[42]' | sed 's/.*://'
done
get --auto --function app.get_user --no-integrity '[42]' | sed 's/.*://'
get --auto --function 'a b..c' --namespace 'my space' | sed 's/:args:.*//'

# A wrong argument is exit 2 with one line, whatever is wrong with it, and nothing of it is repeated.
refuse() {
    "$CACHEKIT" key "$@"
    echo "$?"
}
long=$(printf 'a%.0s' {1..65})
refuse
refuse --namespace users '[]'
refuse --operation get '[]'
refuse -n users -o get '[]' '[]'
refuse -n users -o get --kwargs '{}' '[]'
refuse -n users -o get --no-integrity '[]'
refuse --auto '[]'
refuse --auto --function f -o get '[]'
refuse --auto --function f --kwargs '[]' '[]'
refuse --auto --function f --kwargs '{"a": {"$uuid": "secret"}}' '[]'
refuse --auto --function f --serializer '' '[]'
refuse --auto --function f --namespace ck '[]'
refuse --auto --function f '[{"$set": []}]'
refuse --nmaespace users '[]'
echo names
for name in Users 'users ' ' users' "users"$'\n' "users"$'\r' -users _users .users us:ers usérs 'us..ers' ns nsapi ck "$long"; do
    refuse "--namespace=$name" -o get '[]'
done
for name in get:user get/user GET 'get user' '..' 'a..b' "get"$'\n' "$long"; do
    refuse -n users "--operation=$name" '[]'
done
echo arguments
for json in '' '[' '{}' '42' '[]]' '[1,]' '[01]' '[nan]' "['a']" $'["\xff"]' '["\ud800"]' '[18446744073709551616]' '[1e999]' \
    '[{"$float": "nan"}]' '[{"$float": "secret"}]' '[{"$float": 1}]' '[{"$int": "1.0"}]' '[{"$int": "18446744073709551616"}]' \
    '[{"$bytes": "0"}]' '[{"$bytes": "0g"}]' '[{"$set": {}}]' '[{"$map": [[1]]}]' '[{"$map": [[1, 2]]}]' '[{"$secret": 1}]' '[{"$": 1}]' \
    '[{"$uuid": "550e8400e29b41d4a716446655440000"}]' '[{"$uuid": "550e8400-e29b-41d4-a716-44665544000g"}]' \
    '[{"$datetime": "2024-01-01T00:00:00"}]' '[{"$datetime": 0}]' '[0, {"$datetime": "secret"}]' '[{"a": 1, "a": 2}]' '[0, [[{"$set": 1}]]]'; do
    refuse -n users -o get "$json"
done
refuse -n users -o get "$(printf '[%.0s' {1..1025})$(printf ']%.0s' {1..1025})"

# What each kind of bytes is called, with its sizes. Bytes are those of the protocol's documents.
hex() {
    od -An -v -tx1 | tr -d ' \n'
}
look() {
    printf '%s\n' "$1"
    # shellcheck disable=SC2001 # a pattern of two characters
    printf %b "$(sed 's/../\\x&/g' <<<"$2")" | "$CACHEKIT" inspect
    echo "$?"
}
users=94c422f01183a7757365725f69642aa46e616d65a863616368656b6974a6616374697665c398ccdaccf46861cc8e624bccfe20a76d73677061636b
document=82a36167651ea46e616d65a5616c696365
header() {
    printf '434b03%08x' "$(printf %s "$1" | wc -c)"
    printf %s "$1" | hex
}
plain='{"s": "default", "m": {"format": "msgpack", "encoding": "utf-8", "compressed": true, "original_type": "msgpack"}, "v": "2.0"}'
sealed='{"s": "auto", "m": {"format": "msgpack", "encoding": "utf-8", "compressed": true, "original_type": "numpy", "encrypted": true, "tenant_id": "secret", "encryption_algorithm": "AES-256-GCM", "key_fingerprint": "96179a9bc881aa7ca83f04b78a66afd3"}, "v": "2.0"}'
orjson='{"s": "orjson", "m": {"format": "orjson", "encoding": "utf-8", "compressed": false, "original_type": "orjson"}, "v": "2.0"}'
json=$(printf '{"user_id":12345,"name":"Alice","email":"alice@example.com","active":true}' | hex)
checked=876736619c4ba820$json
strange='{"s": "secret", "m": {"format": "secret", "compressed": "secret"}}'
look 'interop document' $document
look 'sentinel' 82ac5f5f6461746574696d655f5fc3a576616c7565d920323032342d30312d30315431323a33303a34352e3132333435362b30303a3030
look 'order of keys' 82a46e616d65a5616c696365a36167651e
look 'wide integer' cd002a
look 'binary32' ca3fc00000
look 'key of another type' 8101a161
look 'infinity' cb7ff0000000000000
look 'a key twice' 82a16101a16102
look 'one integer' 43
look 'envelope' $users
look 'envelope, legacy' 94dc0012ccf00168656c6c6f2c2063616368656b697421986dcc8a34ccb63a3c52ccd310a76d73677061636b
look 'envelope, wrong checksum' ${users/ccdaccf4/ccdaccf5}
look 'envelope, wrong length' ${users/fe20a7/fe21a7}
look 'envelope, bomb' ${users/fe20a7/fece1fffffffa7}
look 'envelope, empty block' 94c40098000000000000000000a76d73677061636b
look 'envelope of arrow' 94c40100982d06cc800538ccd3cc94ccc200a56172726f77
look 'envelope of json' 94c40100982d06cc800538ccd3cc94ccc200a66f726a736f6e
look 'envelope of bytes' 94c40100982d06cc800538ccd3cc94ccc200a56279746573
look 'frame' "$(header "$plain")$users"
look 'frame without integrity' "$(header "$plain")$document"
look 'frame, sealed' "$(header "$sealed")000102030405060708090a0b033caf732820ce189e1506f842aebf8cdb6a242eb08c55b6f5a91eb9007b3bd657"
look 'frame of orjson' "$(header "$orjson")$checked"
look 'frame of orjson without integrity' "$(header "$orjson")$json"
look 'frame of arrow, wrong checksum' "$(header "${orjson//orjson/arrow}")0000000000000000$(printf ARROW1 | hex)"
look 'frame of arrow, cut' "$(header "${orjson//orjson/arrow}")00"
look 'frame, strange words' "$(header "$strange")$document"
look 'frame, header no JSON' "$(header 'secret')$document"
look 'frame, cut' 434b03
look 'frame, version 4' 434b04000000027b7d
look 'frame, header too long' 434b03000000ff7b7d
look 'frame, header over the bound' "434b0300010001$(printf '20%.0s' {1..65537})"
look 'two letters' 434b
look 'file entry for ever' 434b010000000000000000000000${document}
look 'file entry of noise' 434b01000000000000000000000068656c6c6f
look 'file entry, expired' 434b01000000000000003b9aca0065787069726564
look 'file entry, flags' 434b010000010000000000000000667574757265
look 'file entry, reserved' 434b0102000000000000000000007265736572766564
look 'file entry, cut' 434b0100000000000000000000
look 'file entry of a frame' "434b010000000000000000000000$(header "$plain")$users"
look 'file entry of a file entry' 434b010000000000000000000000434b01000000000000000000000000
look 'json' "$(printf '[1, {"a": "secret"}]' | hex)"
look 'legacy container' "$(printf '{"data": "c2VjcmV0", "metadata": {}, "serializer": "default"}' | hex)"
look 'json with checksum' $checked
look 'json with a wrong checksum' "0102030405060708$(printf '{"a": 1}' | hex)"
look 'container of v2' c102930005c40141
look 'sealed' 000102030405060708090a0b033caf732820ce189e1506f842aebf8cdb6a242eb08c55b6f5a91eb9007b3bd657
look 'noise' 68656c6c6f
look 'noise that ends in a digit' a1b2c3d4e5f6071835
look 'nothing' ''
look 'cut document' ${document%65}

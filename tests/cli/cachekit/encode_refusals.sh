# JSON that no bytes are made of.
refuse() {
    printf '%s %s: ' "$1" "$2" >&2
    printf %b "$3" | "$CACHEKIT" encode --format "$1" | od -An -tx1
    echo "${PIPESTATUS[1]}"
}
refuse interop empty ''
refuse interop 'not JSON' 'secret'
refuse interop trailed '1 2'
refuse interop 'byte order mark' '\xef\xbb\xbf1'
refuse interop 'not UTF-8' '"ab\xff"'
refuse interop 'a surrogate' '"\\ud800"'
refuse interop 'NUL in text is fine' '"\\u0000"'
refuse interop set '{"$set": [1]}'
refuse interop uuid '{"$uuid": "550e8400-e29b-41d4-a716-446655440000"}'
refuse interop 'unknown tag' '{"$secret": 1}'
refuse interop 'naive moment' '{"$datetime": "2024-01-01T00:00:00"}'
refuse interop 'too large' '18446744073709551616'
refuse interop 'infinite' '1e999'
refuse interop nan '{"$float": "nan"}'
refuse interop infinity '[{"$float": "-inf"}]'
refuse interop 'key that is no text' '{"$map": [[1, 2]]}'
refuse interop 'a key twice' '{"a": 1, "a": 2}'
refuse interop 'a key twice, deep' '[[{"b": {"a": 1, "\\u0061": 2}}]]'
refuse interop 'too deep' "$(printf '[%.0s' {1..1025})$(printf ']%.0s' {1..1025})"
refuse msgpack 'too deep' "$(printf '[%.0s' {1..1025})$(printf ']%.0s' {1..1025})"
refuse envelope 'too deep' "$(printf '[%.0s' {1..1025})$(printf ']%.0s' {1..1025})"
refuse msgpack 'unknown tag' '{"$secret": 1}'
refuse msgpack 'a key twice is fine' '{"a": 1, "a": 2}'

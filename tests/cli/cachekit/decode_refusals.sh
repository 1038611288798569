# Stored bytes that are refused: one line, the class, a length or a place, and nothing of the bytes.
# Each row: what is wrong, the format, the bytes in hexadecimal (python's, where they are many).
refuse() {
    printf '%s: ' "$1" >&2
    python3 -c 'import sys; sys.stdout.buffer.write(eval(sys.argv[1]))' "$3" |
        "$CACHEKIT" decode --format "$2"
    echo "$?"
}
h='bytes.fromhex'
for format in interop msgpack; do
    refuse empty $format 'b""'
    refuse 'too deep' $format 'b"\x91" * 1025 + b"\xc0"'
    refuse 'array of 100 million' $format "$h('dd05f5e100')"
    refuse 'map of 100 million' $format "$h('df05f5e100')"
    refuse 'text of 4 GiB' $format "$h('dbffffffff')"
    refuse 'bytes of 4 GiB' $format "$h('c6ffffffff00')"
    refuse 'over-claim in sum' $format "$h('dc07d0') * 2048"
    refuse 'cut map' $format "$h('82a36167651ea46e616d65a5616c6963')"
    refuse 'cut integer' $format "$h('cd01')"
    refuse trailed $format "$h('82a36167651ea46e616d65a5616c69636500')"
    refuse 'not UTF-8' $format "$h('a5616263ff64')"
    refuse 'a surrogate' $format "$h('a3eda080')"
    refuse 'overlong' $format "$h('a2c0af')"
    refuse reserved $format "$h('92c0c1')"
    refuse extension $format "$h('d40161')"
done
refuse 'a frame of auto mode' interop "$h('434b03000000027b7d')"
refuse 'a container of v2' interop "$h('c102930005c40141')"
refuse 'an envelope of bytes that are no document' envelope "$h('94c412f00168656c6c6f2c2063616368656b697421986dcc8a34ccb63a3c52ccd310a76d73677061636b')"
e='94c422f01183a7757365725f69642aa46e616d65a863616368656b6974a6616374697665c398ccdaccf46861cc8e624bccfe20a76d73677061636b'
refuse 'no envelope' envelope "$h('82a36167651ea46e616d65a5616c696365')"
refuse 'empty envelope' envelope 'b""'
refuse 'cut envelope' envelope "$h('$e')[:-1]"
refuse 'trailed envelope' envelope "$h('$e') + b'\\0'"
refuse 'flipped bit in the payload' envelope "$h('$e'.replace('63616368', '62616368'))"
refuse 'flipped bit in the checksum' envelope "$h('$e'.replace('ccdaccf4', 'ccdaccf5'))"
refuse 'a length too short' envelope "$h('${e/fe20a7/fe1fa7}')"
refuse 'a length too long' envelope "$h('${e/fe20a7/fe21a7}')"
refuse 'a bomb' envelope "$h('${e/fe20a7/fece1fffffffa7}')"
refuse 'over 512 MiB by claim' envelope "$h('${e/fe20a7/fece20000001a7}')"
refuse 'an empty block' envelope "$h('94c40098') + bytes(8) + $h('00a76d73677061636b')"
refuse 'an unknown format' envelope "$h('$e'[:-14]) + b'msgpack'[::-1]"
refuse 'arrow' envelope "$h('94c40100982d06cc800538ccd3cc94ccc200a56172726f77')"

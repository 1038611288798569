# Stored bytes that are refused: exit 3, one line, the class, a length or a place, and nothing of the
# bytes. Each row: what is wrong, the bytes.
python3 - <<'PY'
import os, subprocess

h = bytes.fromhex


def refuse(what, form, raw):
    words = [os.environ["CACHEKIT"], "decode", "--format", form]
    done = subprocess.run(words, input=raw, capture_output=True)
    print(form, what, done.returncode, done.stdout, done.stderr.decode(), sep=": ", end="")


for form in "interop", "msgpack":
    for what, raw in [
        ("empty", b""),
        ("too deep", b"\x91" * 1025 + b"\xc0"),
        ("array of 100 million", h("dd05f5e100")),
        ("map of 100 million", h("df05f5e100")),
        ("text of 4 GiB", h("dbffffffff")),
        ("bytes of 4 GiB", h("c6ffffffff00")),
        ("over-claim in sum", h("dc07d0") * 2048),
        ("cut map", h("82a36167651ea46e616d65a5616c6963")),
        ("cut integer", h("cd01")),
        ("trailed", h("82a36167651ea46e616d65a5616c69636500")),
        ("not UTF-8", h("a5616263ff64")),
        ("a surrogate", h("a3eda080")),
        ("overlong", h("a2c0af")),
        ("reserved", h("92c0c1")),
        ("extension", h("d40161")),
    ]:
        refuse(what, form, raw)
refuse("a frame of auto mode", "interop", h("434b03000000027b7d"))
refuse("a container of v2", "interop", h("c102930005c40141"))

whole = (
    "94c422f01183a7757365725f69642aa46e616d65a863616368656b6974a6616374697665c398ccdaccf46861cc8e62"
    "4bccfe20a76d73677061636b"
)
for what, raw in [
    ("bytes that are no document", h("94c412f00168656c6c6f2c2063616368656b697421986dcc8a34ccb63a3c52ccd310a76d73677061636b")),
    ("no envelope", h("82a36167651ea46e616d65a5616c696365")),
    ("empty", b""),
    ("cut", h(whole)[:-1]),
    ("trailed", h(whole) + b"\0"),
    ("flipped bit in the payload", h(whole.replace("63616368", "62616368"))),
    ("flipped bit in the checksum", h(whole.replace("ccdaccf4", "ccdaccf5"))),
    ("a length too short", h(whole.replace("fe20a7", "fe1fa7"))),
    ("a length too long", h(whole.replace("fe20a7", "fe21a7"))),
    ("a bomb", h(whole.replace("fe20a7", "fece1fffffffa7"))),
    ("over 512 MiB by claim", h(whole.replace("fe20a7", "fece20000001a7"))),
    ("an empty block", h("94c40098") + bytes(9) + h("a76d73677061636b")),
    ("an unknown format", h(whole[:-14]) + b"kcapgsm"),
    ("arrow", h("94c40100982d06cc800538ccd3cc94ccc200a56172726f77")),
]:
    refuse(what, "envelope", raw)
PY

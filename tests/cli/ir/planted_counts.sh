# needs: valgrind
# One allocation or system call more per call fails whatever it costs; a longer memcpy and a harder
# LZ4 search under unchanged code of the library are no matter of layout.
for side in allocating syscalling copying searching; do
    cd "$SUBJECTS/plant-$side" || exit
    "$CKBENCH" ir --base ../plant-0 --layouts 3 --report "$TMPDIR/r.json" >/dev/null
    echo "$side exit $?"
    python3 - "$TMPDIR/r.json" <<'PY'
import json, sys
for path in json.load(open(sys.argv[1]))["body"]["paths"]:
    if path["verdict"] != "ok":
        print(" ", path["name"], path["verdict"], path["class"],
              *("%s %s -> %s" % (what, path[f"base_{what}_per_op"], path[f"head_{what}_per_op"])
                for what in ("allocs", "syscalls")))
PY
done
rm -f "$TMPDIR/r.json"

# On a terminal there is a line for each slice but the last, on stderr; elsewhere there is none. Slices
# without a call are slices too, and no figure comes of them.
cat >watch.py <<'END'
import os, pty, re, subprocess, sys
terminal, stderr = pty.openpty()
done = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=stderr, env={**os.environ, "TERM": "xterm"})
os.close(stderr)
text = b""
try:
    while piece := os.read(terminal, 65536):
        text += piece
except OSError:
    pass
for line in text.decode().splitlines():
    print(re.sub(r"\b[0-9.]+ [num]?s\b|\d+", lambda m: m[0] if m[0].isdigit() else "T", line))
print("exit", done.wait())
END
run() {
    "$@" terrain --subject "$CKBENCH_BUILD/workloads/ck-workloads" --clock virtual --l2 memory --l2-where "in process" --rate 0.2 --slice 2 \
        --minutes 0.2 --arrivals constant --keys 1 --out t.json
}
run python3 watch.py "$CKBENCH"
run "$CKBENCH" >out
grep -E '^overall|^busiest' out
"$CKBENCH_SOURCE/tests/cli/valid" t.json
grep -ciE '[:,[](-?nan|-?inf)' t.json out
grep -oE '"asked":[0-9]+' t.json | tr '\n' ' '

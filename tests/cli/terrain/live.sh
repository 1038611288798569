# On a terminal there is a line for each slice but the last, on stderr; elsewhere there is none.
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
    "$@" terrain --subject "$CKBENCH_SOURCE/tests/subjects/terrain_script.py" --terrain story --option slices=3 --l2-where "in a script"
}
run python3 watch.py "$CKBENCH"
run "$CKBENCH" >out

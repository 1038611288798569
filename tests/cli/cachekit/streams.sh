# Results arrive whole or not at all, and what cannot be written is never exit 0.
key=(key --namespace users --operation get_user '[42]')
"$CACHEKIT" "${key[@]}" >/dev/full || echo "key $?"
echo '[1]' | "$CACHEKIT" encode >/dev/full || echo "encode $?"
printf '\x91\x01' | "$CACHEKIT" decode >/dev/full || echo "decode $?"
printf '\x91\x01' | "$CACHEKIT" inspect >/dev/full || echo "inspect $?"
"$CACHEKIT" --help >/dev/full || echo "help $?"
"$CACHEKIT" --version >/dev/full || echo "version $?"
"$CACHEKIT" key --help >/dev/full || echo "key help $?"
"$CACHEKIT" "${key[@]}" >&- || echo "closed $?"
printf '\x91\x01' | "$CACHEKIT" decode >&- || echo "closed $?"
"$CACHEKIT" decode <&- || echo "closed stdin $?"
"$CACHEKIT" decode <. || echo "folder $?"
# A reader that has gone: 1 MB does not fit into a pipe.
python3 -c 'print("[" + "1," * 500000 + "1]")' >json
{
    "$CACHEKIT" encode --format msgpack <json
    echo "gone $?" >&2
} | true
"$CACHEKIT" encode <json | "$CACHEKIT" decode | cmp - json && echo "a megabyte both ways"
# Bytes are not for terminals; JSON is.
python3 - <<'PY'
import os, pty, sys

for verb, data in (("encode", b"[1]"), ("decode", b"\x91\x01")):
    pid, terminal = pty.fork()
    if pid == 0:
        reading, writing = os.pipe()
        os.write(writing, data)
        os.close(writing)
        os.dup2(reading, 0)
        os.execv(os.environ["CACHEKIT"], ["cachekit", verb])
    said = b""
    try:
        while chunk := os.read(terminal, 4096):
            said += chunk
    except OSError:
        pass
    print(verb, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode().strip())
PY
# Descriptors that somebody made non-blocking, a slow writer, and a limit on file sizes.
python3 - <<'PY'
import os, subprocess, time

reading, writing = os.pipe()
os.set_blocking(reading, False)
child = subprocess.Popen([os.environ["CACHEKIT"], "decode"], stdin=reading, stdout=subprocess.PIPE)
for byte in b"\x92\x01\x02":
    time.sleep(0.02)
    os.write(writing, bytes([byte]))
os.close(writing)
print(child.communicate()[0].decode(), end="")
PY
(
    ulimit -f 1
    "$CACHEKIT" encode <json 2>&1 >short | cat
    echo "limit ${PIPESTATUS[0]}"
)

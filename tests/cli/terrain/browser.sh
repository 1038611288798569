# needs: seconds
# The page in a browser without a network: it obeys its own policy, its script runs and reads out what
# the recording says, its table stands without scripting. The screenshot stays in the build directory.
"$CKBENCH" terrain --subject "$CKBENCH_SOURCE/tests/subjects/terrain_script.py" --terrain story --option slices=40 \
    --l2-where "in a script" --out t.json --html t.html >out || cat out
mkdir tmp
# A namespace of users gives the right to one of networks; whoever is root has it, and may not have the former.
[ "$(id -u)" = 0 ] && as_root="" || as_root=-r
# shellcheck disable=SC2086 # none or one
TMPDIR=$PWD/tmp unshare $as_root -n python3 - "$PWD" "$CKBENCH_BUILD/terrain.png" <<'END'
import base64, json, os, subprocess, sys

where, screenshot = sys.argv[1:]
to_browser, from_browser = os.pipe(), os.pipe()


def plumb():
    """The browser reads commands from descriptor 3 and answers on 4."""
    reads, answers = os.dup(to_browser[0]), os.dup(from_browser[1])
    os.dup2(reads, 3)
    os.dup2(answers, 4)


browser = subprocess.Popen(
    ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--window-size=1000,2000",
     f"--user-data-dir={where}/tmp/profile"],
    preexec_fn=plumb, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
os.close(to_browser[0])
os.close(from_browser[1])
answers = os.fdopen(from_browser[0], "rb")
events, number = [], 0


def message():
    text = bytearray()
    while (byte := answers.read(1)) != b"\0":
        assert byte, "the browser is gone"
        text += byte
    return json.loads(text)


def ask(method, session=None, **parameters):
    global number
    number += 1
    command = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
    os.write(to_browser[1], json.dumps(command).encode() + b"\0")
    while (answer := message()).get("id") != number:
        events.append(answer)
    assert "result" in answer, answer
    return answer["result"]


def page(url, has_script=True):
    target = ask("Target.createTarget", url="about:blank")["targetId"]
    session = ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Log", "Network", "Runtime"):
        ask(domain + ".enable", session)
    ask("Emulation.setScriptExecutionDisabled", session, value=not has_script)
    ask("Page.navigate", session, url=url)
    while not any(e.get("method") == "Page.loadEventFired" and e["sessionId"] == session for e in events):
        events.append(message())
    return session


def value(session, expression):
    answer = ask("Runtime.evaluate", session, expression=expression, awaitPromise=True, returnByValue=True)
    assert "exceptionDetails" not in answer, answer
    return answer["result"].get("value")


TABLE = """JSON.stringify([...document.querySelectorAll('tr[data-layer]')].map(r => [r.dataset.layer, r.dataset.time,
    ...['n', 'p50', 'p99', 'max'].map(k => +r.querySelector(`[data-${k}]`).dataset[k])]))"""
MOVE = """(() => { const image = document.querySelector('figure[data-row="1"][data-time="0"] image');
    const box = image.getBoundingClientRect(), out = document.getElementById('readout'), told = {};
    for (let y = 0; y < 256; y++) {
        image.dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + box.width * 7.5 / 40, clientY: box.top + box.height * (y + 0.5) / 256}));
        const found = out.textContent.match(/: ([0-9]+) of ([0-9]+) calls, ([0-9.]+) %/);
        told[out.textContent.split(',')[3].split(':')[0]] = found.slice(1).map(Number); // pixels are whole, rows are not
    }
    return JSON.stringify([out.textContent.split(',').slice(0, 3), told]); })()"""

body = json.load(open(f"{where}/t.json"))["body"]
told = [[r["layer"], t, r[t]["n"], r[t]["p50"]["ns"], r[t]["p99"]["ns"], r[t]["raw_p50_p99_max_sum_ns"][2]]
        for r in body["results"] for t in ("service", "response") if t in r]
plain = page(f"file://{where}/t.html", has_script=False)
# What is asked from outside the page runs all the same once scripting is allowed again.
print("without scripting:", value(plain, "String(document.documentElement.dataset.ready)"), end=" ")
print(json.loads(value(plain, TABLE)) == told, value(plain, "getComputedStyle(document.getElementById('bar')).display"))
session = page(f"file://{where}/t.html")
while value(session, "document.documentElement.dataset.ready") != "1":
    pass
print("with scripting:", json.loads(value(session, TABLE)) == told, value(session, "getComputedStyle(document.getElementById('bar')).display"))
print("pictures:", value(session, """Promise.all([...document.querySelectorAll('image')].map(i => { const m = new Image(); m.src =
    i.getAttribute('href'); return m.decode().then(() => m.naturalWidth + 'x' + m.naturalHeight); })).then(s => s.join(' '))"""))
words, rows = json.loads(value(session, MOVE))
cells = [c for c in body["slices"][7]["cells"] if (c["layer"], c["time"]) == ("l2", "service")][0]
print("read out:", *words, sum(n for n, _, _ in rows.values()) == sum(cells["count"]), {all for _, all, _ in rows.values()} == {sum(cells["count"])},
      min(share for _, _, share in rows.values()), max(share for _, _, share in rows.values()))
value(session, "document.querySelector('#bar input[value=response]').click()")
print("switched off:", value(session, "[...document.querySelectorAll('figure.response')].every(f => getComputedStyle(f).display == 'none')"))
asked = {e["params"]["request"]["url"].split(":")[0] for e in events if e.get("method") == "Network.requestWillBeSent"}
print("asked for:", sorted(asked))
print("forbidden:", value(session, """new Promise(done => { document.addEventListener('securitypolicyviolation', e => done(e.effectiveDirective));
    const i = new Image(); i.src = 'http://127.0.0.1:9/'; document.body.append(i); })"""))
faults = [e["params"]["entry"]["text"] for e in events if e.get("method") == "Log.entryAdded" and "127.0.0.1" not in e["params"]["entry"]["text"]]
print("complaints:", faults)
with open(screenshot, "wb") as file:
    file.write(base64.b64decode(ask("Page.captureScreenshot", session)["data"]))
ask("Browser.close")
print("ended:", browser.wait(20))
END
rm -rf tmp

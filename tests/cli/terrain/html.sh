# needs: seconds
# One page without help from outside: its policy names its own style and script, its pictures decode,
# its table and its cells are the recording's. It stays under 100,000 bytes however many slices there are.
story=$CKBENCH_SOURCE/tests/subjects/terrain_script.py
noisy=(--subject "$CKBENCH_BUILD/workloads/ck-workloads" --clock virtual --l2-ms lognormal:0.05:0.8 --miss-ms lognormal:20:0.5
    --slice 1 --minutes 5 --rate 400)
for which in 40 2000 noisy; do
    what=(--subject "$story" --terrain story --option "slices=$which")
    [ "$which" != noisy ] || what=("${noisy[@]}")
    "$CKBENCH" terrain "${what[@]}" --l2-where '<script>alert(1)</script> & "x"' --out t.json --html t.html >out || cat out
    python3 - <<'END'
import base64, hashlib, html.parser, json, re, struct, zlib
text = open("t.html").read()
body = json.load(open("t.json"))["body"]
assert len(text) < 100000


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.texts, self.images, self.rows, self.policy, self.view = [None], {}, [], [], "", {}

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert not any(name == "style" or name.startswith("on") for name in attributes), attributes
        if tag == "meta" and "http-equiv" in attributes:
            self.policy = attributes["content"]
        if tag == "image":
            self.images.append(attributes["href"])
        if tag == "tr" and "data-layer" in attributes:
            self.rows.append([attributes["data-layer"], attributes["data-time"]])
        for name in ("data-n", "data-p50", "data-p99", "data-max"):
            if name in attributes:
                self.rows[-1].append(int(attributes[name]))
        if attributes.get("id") == "cells":
            self.view = json.loads(attributes["data-view"])
        self.open = [tag, attributes.get("type")]

    def handle_data(self, data):
        if self.open[0] in ("style", "script"):
            self.texts.setdefault(tuple(self.open), data)
            self.open = [None]


page = Page()
page.feed(text)
digest = lambda data: "'sha256-" + base64.b64encode(hashlib.sha256(data.encode()).digest()).decode() + "'"
wanted = f"default-src 'none'; img-src data:; style-src {digest(page.texts['style', None])}; script-src {digest(page.texts['script', None])}"
assert page.policy == wanted, page.policy
assert "<script>alert" not in text and "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;" in text
assert not re.search(r"(?:https?:)?//(?!www)[a-z]", re.sub(r"[A-Za-z0-9+/=]{60,}", "", text))
sizes = []
for uri in page.images:
    png = base64.b64decode(uri.removeprefix("data:image/png;base64,"), validate=True)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        data = png[at + 8:at + 8 + size]
        assert struct.unpack(">I", png[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + data)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[:8])
        pixels += data if kind == b"IDAT" else b""
        at += 12 + size
    raw = zlib.decompress(pixels)
    assert len(raw) == (width + 1) * height and (any(raw) or len(sizes) == 8)  # a host without noise
    sizes.append((width, height))
print(len(body["slices"]), page.view if body["terrain"] == "story" else page.view["columns"] < len(body["slices"]), set(sizes) if len(sizes) < 9 else len(sizes))
told = [[r["layer"], t, r[t]["n"], r[t]["p50"]["ns"], r[t]["p99"]["ns"], r[t]["raw_p50_p99_max_sum_ns"][2]]
        for r in body["results"] for t in ("service", "response") if t in r]
assert page.rows == told, (page.rows, told)
factor = int(re.search(r"columns of (\d+) slice", text)[1])
assert page.view["columns"] == -(-len(body["slices"]) // factor)
for row, time, columns in json.loads(zlib.decompress(base64.b64decode(page.texts["script", "text/plain"]))):
    layer, name = body["layers"][row], ("service", "wait", "response")[time]
    for x, column in enumerate(columns):
        here, at, told = {}, 0, {}
        for step, count in zip(column[::2], column[1::2]):
            at += step
            here[at] = count
        for piece in body["slices"][x * factor:(x + 1) * factor]:
            for cells in piece["cells"]:
                if (cells["layer"], cells["time"]) == (layer, name):
                    for cell, count in zip(cells["cell"], cells["count"]):
                        told[cell] = told.get(cell, 0) + count
        assert here == told
print("the cells of all columns are the recording's")
END
done
"$CKBENCH" terrain --subject "$story" --terrain story --l2-where x --option slices=0 --html none.html >out || cat out
grep -c '<figure' none.html

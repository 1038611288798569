#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Malformed and odd but valid reports before `ckbench report`. No malformed one may give a verdict, no
odd one may be refused, and a refusal is one line that names the file and the place or cause.

Usage: tests/reports/test_hostile.py CKBENCH [KEEP-DIR]"""

import copy
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from honest import (FAIL_REASON, Spelled, document, dumps, equal, milli, path, seal, side)  # noqa: E402

BAD_NAMES = ["", "a b", "a|b", "`a`", "<img src=x>", "@everyone", "#1", "a\nb", "<!-- m -->", "\u202eevil",
             "x" * 65, "../../x", "--flag", "A", "\u00e9", "a.b", "$(id)", "a;b", "a&b", "\u2028", "%n", "a\tb",
             "\\", "[x](http://y)", "http://x", "a'b", 'a"b', "null\u0001", "\ufeffa", "{{7*7}}"]


def honest():
    slow = path("key", side(1020, own=420), side(1000, own=400), [FAIL_REASON])
    return document([equal("decode"), equal("encode", 5000), slow], run="77-1")


def passing():
    return document([equal("decode"), equal("encode", 5000)], run="77-1")


def at(made, where):
    for step in where:
        made = made[step]
    return made


def changed(where, value):
    made = passing()
    at(made, where[:-1])[where[-1]] = value
    return seal(made)


def removed(where):
    made = passing()
    del at(made, where[:-1])[where[-1]]
    return seal(made)


NULLABLE = ("reason", "build_id", "run")
FIRST = ("body", "paths", 0)
ROW = FIRST + ("head", "layouts", 0)
MEMBERS = [("body", k) for k in ("schema", "verdict", "complete", "adoption", "mode", "proof",
                                 "fingerprint_id", "fingerprint", "settings", "shard", "paths")]
MEMBERS += [("body", "proof", k) for k in ("holds", "reason")]
MEMBERS += [("body", "fingerprint", k) for k in ("arch", "valgrind", "cpuid", "tunables", "producers",
                                                 "objects", "ifuncs")]
MEMBERS += [("body", "settings", k) for k in ("layouts", "repeat", "fail_pct", "warn_pct", "accept_flags",
                                              "cache_sim", "heap_moved")]
MEMBERS += [FIRST + (k,) for k in ("name", "verdict", "class", "reasons", "head_ir_per_op",
                                   "head_own_ir_per_op", "head_allocs_per_op", "head_syscalls_per_op",
                                   "base_ir_per_op", "base_own_ir_per_op", "base_allocs_per_op",
                                   "base_syscalls_per_op", "delta_pct", "spread_ir", "spread_own_ir", "error",
                                   "facts", "policy", "head", "base")]
MEMBERS += [FIRST + ("facts", k) for k in ("incomparable", "gone", "has_base", "reads_input", "same_edges",
                                           "only_libc_moved")]
MEMBERS += [FIRST + ("policy", k) for k in ("fail_pct", "warn_pct", "accept_total", "accept_allocs",
                                            "accept_syscalls", "accept_gone")]
MEMBERS += [FIRST + ("head", "layouts")]
MEMBERS += [ROW + (k,) for k in ("layout", "ops", "total_ir", "own_ir", "allocs", "syscalls", "empty_ir")]
MEMBERS += [("provenance", k) for k in ("head", "base", "run")]
MEMBERS += [("provenance", "head", k) for k in ("commit", "dirty", "subject", "build_id")]


def malformed():
    """(label, bytes, what the line must hold beside the file's name)"""
    text = seal(honest()).encode()
    whole = text.rstrip()
    for i in range(60):
        cut = i * (len(whole) - 1) // 59
        yield f"cut at {cut}", whole[:cut], ""
    for where in MEMBERS:
        yield "without " + ".".join(map(str, where)), removed(where), where[-1] if where[-1] != "fail_pct" else "pct"
        kind = type(at(passing(), where))
        for value in (17.5, "\u0007x", [[]], {"x": 1}):
            fits = kind is Spelled and value == 17.5 and where[-1].endswith("_pct") or (
                where[-1] in NULLABLE and isinstance(value, str))
            if type(value) is not kind and not fits:
                yield f"{'.'.join(map(str, where))} is {value!r}", changed(where, value), str(where[-1])
    for name in BAD_NAMES:
        made = passing()
        made["body"]["paths"] = [path(name, side(1000), side(1000))]
        yield f"name {name!r}", seal(made), "name"
    numbers = ["NaN", "Infinity", "-Infinity", "1e999", "9007199254740992", "9007199254740993", "-1", "0123", "1.",
               ".5", "+1", "0x10", "1e2", "100.0", "--1", "1e", "-", "99999999999999999999999999", "1_0", "-0.5"]
    for number in numbers:
        yield f"total {number}", changed(ROW + ("total_ir",), Spelled(number)), ""
    yield "ops 0", changed(ROW + ("ops",), 0), "ops"
    yield "ops differ", changed(ROW + ("ops",), 99), "layouts"
    yield "own in one layout only", changed(ROW + ("own_ir",), None), "layouts"
    yield "no layouts", changed(FIRST + ("head", "layouts"), []), "layouts"
    yield "65 layouts", changed(FIRST + ("head",), side(1000, own=400, layouts=65)), "layouts"
    for value in ("ckbench/ir/2", "ckbench/ir/0", "ckbench/IR/1", "", "ckbench/list/1", "ckbench/ir/1 "):
        yield f"schema {value!r}", changed(("body", "schema"), value), "schema"
    for value in ("0/1", "2/1", "1", "1/1/1", "1/0", "01/1", "1/1001", "-1/1", "1/ 1", "a/b", "1/99999"):
        yield f"shard {value!r}", changed(("body", "shard"), value), "shard"
    for value in ("FAIL", "INCOMPLETE", "pass", "ok", ""):
        yield f"verdict {value!r}", changed(("body", "verdict"), value), "verdict"
    for value in ("error", "incomparable", "new", "gone", "no budget", "FAIL", "WARN", "LOWER", "OK", ""):
        yield f"path's verdict {value!r}", changed(FIRST + ("verdict",), value), "decode"
    yield "complete is false", changed(("body", "complete"), False), "complete"
    yield "adoption is true", changed(("body", "adoption"), True), "adoption"
    yield "another proof", changed(("body", "proof", "holds"), False), "verdict"
    made = passing()
    for row in made["body"]["paths"][0]["head"]["layouts"]:
        row["total_ir"] = 200007
    yield "greater totals", seal(made), "decode"
    for key in ("head_ir_per_op", "base_own_ir_per_op", "delta_pct"):
        yield f"{key} is off by a thousandth", changed(FIRST + (key,), Spelled("1000.001")), "decode"
    yield "class", changed(FIRST + ("class",), "layout"), "decode"
    yield "fail_pct beyond bounds", changed(FIRST + ("policy", "fail_pct"), Spelled("1000.001")), "fail_pct"
    yield "fail_pct with four decimals", changed(FIRST + ("policy", "fail_pct"), Spelled("1.0001")), "fail_pct"
    yield "fail_pct 0", changed(FIRST + ("policy", "fail_pct"), 0), "fail_pct"
    for fact in ("incomparable", "gone", "reads_input"):
        yield f"fact {fact}", changed(FIRST + ("facts", fact), True), ""
    yield "13 reasons", changed(FIRST + ("reasons",), ["x"] * 13), "reasons"
    yield "a reason of 5,000 bytes", changed(FIRST + ("reasons",), ["x" * 5000]), "reasons"
    yield "an error with figures of ok", changed(FIRST + ("error",), "crashed"), "decode"
    for value in ("a" * 39, "a" * 65, "A" * 40, "g" * 40, "../" + "a" * 40):
        yield f"commit {value[:8]}", changed(("provenance", "head", "commit"), value), "commit"
    made = passing()
    made["body"]["paths"].reverse()
    yield "not sorted", seal(made), "sorted"
    made = passing()
    made["body"]["paths"][1] = made["body"]["paths"][0]
    yield "a path twice", seal(made), "sorted"
    made = passing()
    made["body"]["paths"] = []
    yield "no paths, and a PASS", seal(made), "verdict"
    sealed = seal(passing())
    yield "another hash", sealed.replace('"body_sha256":"', '"body_sha256":"0')[:-4] + '"}\n', "sha256"
    yield "a changed body", sealed.replace('"total_ir":100007', '"total_ir":100008', 1), "sha256"
    yield "an unknown member of the frame", sealed.replace('"body_sha256"', '"more":1,"body_sha256"'), "more"
    for key in ("body", "provenance", "body_sha256"):
        one = json.loads(sealed)
        del one[key]
        yield f"no {key}", json.dumps(one), ""
    for key, value in (("verdict", '"PASS"'), ("Verdict", '"PASS"'), ("schema", '"x"'), ("paths", "[]")):
        yield f"{key} twice", sealed.replace('"mode"', f'"{key}":{value},"mode"', 1), "twice"
    raw = sealed.encode()
    for label, what in (("empty", b""), ("blank", b" \n\t"), ("a mark", b"\xef\xbb\xbf" + raw),
                        ("UTF-16", sealed.encode("utf-16")), ("trailing", raw + b"x"), ("two", raw + raw),
                        ("NUL at the end", raw + b"\0"), ("NUL inside", raw.replace(b"decode", b"dec\0de")),
                        ("an array", b"[" + raw + b"]"), ("a text", b'"PASS"'), ("null", b"null"),
                        ("deep arrays", b"[" * 1000000), ("deep objects", b'{"a":' * 100000),
                        ("a comment", b"/* */" + raw), ("a comma", raw.replace(b"}\n", b",}\n")),
                        ("single quotes", raw.replace(b'"', b"'")), ("not UTF-8", raw.replace(b"decode", b"dec\xffde")),
                        ("overlong", raw.replace(b"decode", b"dec\xc0\xafe")), ("binary", bytes(range(256)) * 40),
                        ("HTML", b"<html><body>404</body></html>"), ("a pickle", b"\x80\x04\x95."),
                        ("a tab in a text", raw.replace(b"decode", b"dec\tde")),
                        ("escaped NUL", raw.replace(b"decode", b"dec\\u0000")),
                        ("lone surrogate", raw.replace(b"x86-64", b"\\ud800")),
                        ("swapped surrogates", raw.replace(b"x86-64", b"\\udc00\\ud800")),
                        ("bad escape", raw.replace(b"x86-64", b"\\x41")), ("half escape", raw.replace(b"x86-64", b"\\u12")),
                        ("only a brace", b"{"), ("zip", b"PK\x03\x04" + raw)):
        yield label, what, ""


def odd():
    """(label, text, exit status, verdict)"""
    sealed = seal(honest())
    body = honest()
    yield "a failure", sealed, 1, "FAIL"
    yield "CRLF", sealed.replace(',"', ',\r\n"'), 1, "FAIL"
    yield "blanks everywhere", sealed.replace('":', '" \t: \n').replace(",\"", " ,\n \""), 1, "FAIL"
    yield "no newline at the end", sealed.rstrip(), 1, "FAIL"
    yield "frame in another order", '{"body_sha256":' + sealed.split('"body_sha256":')[1][:66] + "," + \
        sealed[1:].split(',"body_sha256"')[0] + "}", 1, "FAIL"
    made = honest()
    made["body"] = dict(reversed(made["body"].items()))
    made["body"]["paths"] = [dict(reversed(p.items())) for p in made["body"]["paths"]]
    yield "members in another order", seal(made), 1, "FAIL"
    yield "escaped letters", sealed.replace('"arch":"x86-64"', '"arch":"\\u00788\\u0036-64"').replace(
        sealed[-67:-3], rehash(sealed.replace('"arch":"x86-64"', '"arch":"\\u00788\\u0036-64"'))), 1, "FAIL"
    made = copy.deepcopy(body)
    made["body"]["later"] = {"x": [1, 2.5, None]}
    made["body"]["paths"][0]["later"] = "x"
    made["provenance"]["later"] = True
    yield "members of a later version", seal(made), 1, "FAIL"
    for label, text in (("accents", "d\u00e9j\u00e0: +1"), ("control characters", "a\u0001\u001b[31mb"),
                        ("a turned text", "a\u202eb"), ("markup", "<img src=x> | `a` @everyone #1 <!-- x -->"),
                        ("4,096 bytes", "x" * 4096), ("none", "")):
        made = copy.deepcopy(body)
        made["body"]["paths"][2]["reasons"] = [text] * 12
        yield f"a reason: {label}", seal(made), 1, "FAIL"
    yield "a compiler in other letters", seal(document(
        [equal("decode")], fingerprint={"producers": ["\u7f16\u8bd1\u5668 12 <b>", "a|b"]})), 0, "PASS"
    yield "many dirty files", seal({**passing(), "provenance": {
        **passing()["provenance"], "head": {**passing()["provenance"]["head"], "dirty": ["x<y"] * 100}}}), 0, "PASS"
    yield "no commits", seal(document([equal("decode")], head=None, base=None)), 0, "PASS"
    yield "commits of 64 digits", seal(document([equal("decode")], head="0" * 64, base="f" * 64)), 0, "PASS"
    yield "one layout", seal(document([path("a", side(10, own=4, layouts=1), side(10, own=4, layouts=1))])), 0, "PASS"
    yield "64 layouts", seal(document([path("a", side(10, own=4, layouts=64), side(10, own=4, layouts=64))])), 0, "PASS"
    yield "own unknown", seal(document([path("a", side(10), side(10))])), 0, "PASS"
    yield "own unknown in base", seal(document([path("a", side(10, own=4), side(10))])), 0, "PASS"
    yield "names of 64 letters", seal(document([equal("_" * 64), equal("z" * 64)])), 0, "PASS"
    yield "a new path", seal(document([equal("a"), path("b", side(10), None)])), 0, "PASS"
    yield "only new paths", seal(document([path("b", side(10), None)])), 3, "INCOMPLETE"
    yield "an error", seal(document([equal("a"), path("b", None, None, error="SIGILL <x>")])), 3, "INCOMPLETE"
    yield "gone, accepted", seal(document([equal("a"), path("b", None, side(10), policy={"accept_gone": True})])), 0, "PASS"
    yield "gone", seal(document([equal("a"), path("b", None, side(10))])), 1, "FAIL"
    yield "accepted", seal(document([path("a", side(1020), side(1000), policy={"accept_total": True})])), 0, "PASS"
    yield "base costs nothing", seal(document([path("a", side(1), side(0)), equal("b")])), 1, "FAIL"
    yield "both cost nothing", seal(document([path("a", side(0), side(0))])), 0, "PASS"
    yield "less than the loop", seal(document([path("a", side(0), side(-1, empty=100))])), 1, "FAIL"
    most = 2 ** 53 - 1
    yield "greatest integers", seal(document([path("a", side(most - 7, ops=1, own=most, allocs=most, layouts=1),
                                                   side(most - 7, ops=1, own=most, allocs=most, layouts=1))])), 0, "PASS"
    yield "a layout's move", seal(document([path(
        "a", side(1015, own=4), side(1000, own=4, spread=2000),
        facts={"same_edges": True, "only_libc_moved": True})])), 0, "PASS"
    yield "reads the clock", seal(document([path("a", side(1020), side(1000), facts={"reads_input": True})])), 1, "FAIL"
    yield "limits of its own", seal(document([path("a", side(1020), side(1000), policy={
        "fail_pct": milli(5), "warn_pct": Spelled("2.5")})])), 0, "PASS"
    yield "budgets", seal(document([path("a", side(10), side(12, layouts=1))], mode="budget")), 0, "PASS"
    yield "no budget", seal(document([equal("a"), path("b", side(1), None, facts={"has_base": False})],
                                     mode="budget")), 3, "INCOMPLETE"
    yield "not proven", seal(document([equal("a")], unproven="a planted <b> read +2")), 3, "INCOMPLETE"
    yield "a thousand paths", seal(document([equal(f"p{i:04d}") for i in range(1000)])), 0, "PASS"
    yield "a shard alone", seal(document([equal("a")], shard="2/4")), 3, "INCOMPLETE"
    yield "repeats and cycles", seal(document([path("a", side(10), side(10), spread=3, cycles=(
        Spelled("1.5"), Spelled("2")))], settings={"repeat": 3, "cache_sim": True})), 0, "PASS"


def manifests():
    """Manifests that `ckbench list` must refuse."""
    good = {"schema": "ckbench/manifest/1", "subject": "build/subject", "build": "make", "own": ["lib.so"],
            "gate": {"fail_pct": 1, "warn_pct": 0.2, "paths": {"decode": {"fail_pct": 2}},
                     "accept": [{"path": "key", "metric": "total", "reason": "new digest", "expires": "2027-01-31"}]}}
    text = json.dumps(good)
    for i in range(15):
        yield f"cut at {i}", text[:i * (len(text) - 1) // 14]
    for old, new in (("1,", "NaN,"), ("0.2", "1e999"), ("0.2", "-1"), ("0.2", "0.0001"), ("0.2", "5"), ('"make"', "7"),
                     ("decode", "de|code"), ("total", "speed"), ("2027-01-31", "2027-02-30"), ("2027", "27"),
                     ('"own"', '"subject"'), ('"own"', '"Gate"'), ("manifest/1", "manifest/2"), ("build/subject", "../x"),
                     ("build/subject", "/bin/sh"), ("lib.so", "a\\u0000"), ("make", "a\\u001bb"), ('"own"', '"owned"')):
        yield f"{old} is {new}", text.replace(old, new, 1)
    yield "a mark", "\ufeff" + text
    yield "trailing", text + "{}"


def judge_manifest(ckbench, file, label):
    done = subprocess.run([ckbench, "list"], cwd=file.parent, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60, check=False)
    line = done.stderr.decode()
    if done.returncode != 3 or done.stdout or line.count("\n") != 1 or "ckbench.json" not in line:
        return f"manifest {label}: exit {done.returncode}: {line!r}"
    return None


def rehash(text):
    body = text[len('{"body":'):text.index(',"provenance"')]
    return hashlib.sha256(body.encode()).hexdigest()


def run(ckbench, file, *more):
    return subprocess.run([ckbench, "report", file.name, *more], cwd=file.parent, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60, check=False)


def judge_malformed(ckbench, file, label, mention):
    done = run(ckbench, file)
    line = done.stderr.decode()
    if done.returncode != 3 or done.stdout:
        return f"FALSE VERDICT: {label}: exit {done.returncode}: {done.stdout[-80:]!r}"
    if line.count("\n") != 1 or file.name not in line or mention not in line or not line.isascii():
        return f"poor message: {label}: {line!r} lacks {mention!r}"
    return None


def judge_odd(ckbench, file, label, status, verdict):
    done = run(ckbench, file)
    text = done.stdout.decode()
    if done.returncode != status or not text or not text.rstrip().splitlines()[-1].startswith(verdict):
        return f"FALSE {verdict}: {label}: exit {done.returncode}: {text[-80:]!r} {done.stderr!r}"
    if not text.isascii() or any(ord(c) < 32 and c != "\n" for c in text):
        return f"odd bytes shown: {label}"
    return None


def judge_merges(ckbench, folder, bad):
    """What cannot be read is a shard without a result, beside good ones and however many there are."""
    good = folder / "good.json"
    good.write_text(seal(document([equal("a")], shard="1/3", run="77-1")))
    second = folder / "second.json"
    second.write_text(seal(document([equal("b")], shard="2/3", run="77-1")))
    wrong = []
    for chunk in [[file] for file in bad[::40]] + [bad[i:i + 200] for i in range(0, len(bad), 200)]:
        done = subprocess.run([ckbench, "report", good.name, second.name, *(f.name for f in chunk), "--expect-shards", "3",
                               "--markdown"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        text = done.stdout.decode()
        if (done.returncode != 3 or not text.startswith("**INCOMPLETE**") or len(text) > 65000 or not text.isascii()
                or "no result" not in text or "<!--" in text or done.stderr):
            wrong.append(f"merge of {len(chunk)}, {chunk[0].name}: exit {done.returncode}: {text[:80]!r} {done.stderr!r}")
    return wrong


def main():
    ckbench = os.path.realpath(sys.argv[1])
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="hostile-"))
    folder.mkdir(exist_ok=True)
    jobs = []
    counts = [0, 0]
    for i, (label, content, mention) in enumerate(malformed()):
        file = folder / f"bad-{i}.json"
        file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        jobs.append((judge_malformed, file, label, mention))
        counts[0] += 1
    for i, (label, content, status, verdict) in enumerate(odd()):
        file = folder / f"odd-{i}.json"
        file.write_text(content, newline="")
        jobs.append((judge_odd, file, label, status, verdict))
        counts[1] += 1
    for i, (label, content) in enumerate(manifests()):
        file = folder / f"m{i}" / "ckbench.json"
        file.parent.mkdir()
        file.write_text(content)
        jobs.append((judge_manifest, file, label))
        counts[0] += 1
    with ThreadPoolExecutor(2) as pool:
        wrong = [w for w in pool.map(lambda j: j[0](ckbench, *j[1:]), jobs) if w]
    wrong += judge_merges(ckbench, folder, [job[1] for job in jobs if job[0] is judge_malformed])
    if len(sys.argv) <= 2:
        shutil.rmtree(folder)
    print(*wrong, sep="\n")
    print(f"{counts[0]} malformed, {counts[1]} odd, {len(wrong)} wrong")
    sys.exit(1 if wrong or counts[0] < 300 or counts[1] < 30 else 0)


main()

# SPDX-License-Identifier: MIT
"""What a stranger may leave as the artifact of the third of four shards: EVIL names, and by ARTIFACTS and
FOLDERS acts on a Bench whose other shards are honest. None of them may ever read PASS."""

import os
import socket

from comment_bench import ATTEMPT, HEAD, RUN, honest
from shard_reports import a_path, text

EVIL = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "@everyone", "[a](http://evil.example)",
        "evil|cell", "a`b", "``` \n# all paths are fine", "<!-- evil -->", "\u202egnirts", "../../x", "--json", "",
        "A", "a b", "a\nb", "x" * 65, "x" * 10240, "\x1b[31m", "javascript:alert(1)", "#1", "</code><b>", "a\0b"]


def link_to(target):
    return lambda bench: bench.file(3).symlink_to(target)


def write(data):
    return lambda bench: bench.put(3, data)


def lie(change):
    """A report that is well formed and says something else."""
    def act(bench):
        document = honest(3)
        change(document)
        bench.put(3, document)
    return act


def set_at(*keys):
    *way, last, value = keys

    def change(document):
        for key in way:
            document = document[key]
        document[last] = value
    return change


def replaced(old, new):
    def act(bench):
        data = text(honest(3))
        assert old in data, old
        bench.put(3, data.replace(old, new))
    return act


def extra(name, data=b"by another hand", shard=3):
    def act(bench):
        bench.put(shard)
        path = bench.reports / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return act


def sparse(size):
    def act(bench):
        with open(bench.file(3), "wb") as file:
            file.truncate(size)
    return act


def a_socket(bench):
    was = os.getcwd()
    os.chdir(bench.folder(3))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("shard-3.json")
    os.chdir(was)


def a_good_report_elsewhere(bench):
    place = bench.work / "good"
    place.mkdir(exist_ok=True)
    (place / "shard-3.json").write_bytes(text(honest(3)))
    return place


def file_is_a_link(bench):
    bench.file(3).symlink_to(a_good_report_elsewhere(bench) / "shard-3.json")


def folder_is_a_link(bench):
    (bench.reports / "instruction-budget-shard-3").symlink_to(a_good_report_elsewhere(bench))


def two_files(bench):
    bench.put(3)
    (bench.folder(3) / "body.md").write_text("**PASS** by another hand")


def nested(bench):
    deep = bench.folder(3) / "tmp" / "x"
    deep.mkdir(parents=True)
    (deep / "shard-3.json").write_bytes(text(honest(3)))


def named(name):
    return lambda bench: (bench.folder(3) / name).write_bytes(text(honest(3)))


def cheaper(document):
    """Integers of a path that got 5 % dearer, told as `ok`."""
    path = a_path("path_3_0", 1050, 1000, ["f: called"])
    document["body"]["paths"][0] = path | {"verdict": "ok"}


ARTIFACTS = {
    "nothing came": lambda bench: None,
    "an empty folder": lambda bench: bench.folder(3),
    "a link to a system file": link_to("/etc/passwd"),
    "a link to another shard's report": link_to("../instruction-budget-shard-2/shard-2.json"),
    "a link to the environment": link_to("/proc/self/environ"),
    "a link to a device that never ends": link_to("/dev/zero"),
    "a link to a good report": file_is_a_link,
    "a link to nothing": link_to("nowhere"),
    "a folder that is a link": folder_is_a_link,
    "a FIFO": lambda bench: os.mkfifo(bench.file(3)),
    "a socket": a_socket,
    "a folder named as the report": lambda bench: bench.file(3).mkdir(),
    "a body that is rendered already": two_files,
    "the report in a folder below": nested,
    "another name": named("report.json"),
    "a name that climbs": named("..\\..\\shard-3.json"),
    "a name that climbs, encoded": named("..%2f..%2fshard-3.json"),
    "a name with a line end": named("shard-3.json\n**PASS**"),
    "a name in Markdown": named("<img src=x>](http:)|`.json"),
    "a name that is an option": named("--markdown"),
    "another shard's name": named("shard-2.json"),
    "nine megabytes of nothing": sparse(9 << 20),
    "two gigabytes of nothing": sparse(2 << 30),
    "an empty file": write(b""),
    "zeroes": write(b"\0" * 4096),
    "a file of another kind": write(b"\x7fELF" + b"\0" * 100),
    "a rendered body instead of JSON": write(b"**PASS** by another hand"),
    "half a report": lambda bench: bench.put(3, text(honest(3))[:-200]),
    "no object": write(b"[]"),
    "no report": write(b'{"schema":"ckbench/ir/1"}'),
    "depth": write(b"[" * 100000),
    "depth in a member": write(b'{"body":' + b'{"a":' * 50000),
    "a key twice": replaced(b'"body":{', b'"body":{"verdict":"PASS",'),
    "text after the end": lambda bench: bench.put(3, text(honest(3)) + b"{}"),
    "a byte order mark": lambda bench: bench.put(3, b"\xef\xbb\xbf" + text(honest(3))),
    "UTF-16": lambda bench: bench.put(3, text(honest(3)).decode().encode("utf-16")),
    "no UTF-8": replaced(b'"mode":"base"', b'"mode":"\xff\xfe"'),
    "NaN": replaced(b'"jobs":2', b'"jobs":NaN'),
    "infinity": replaced(b'"ops":100', b'"ops":1e999'),
    "more than a double holds": replaced(b'"ops":100', b'"ops":9007199254740993'),
    "a negative count": replaced(b'"ops":100', b'"ops":-1000'),
    "no calls at all": replaced(b'"ops":100', b'"ops":0'),
    "a fraction": replaced(b'"ops":100', b'"ops":100.5'),
    "a text for a number": replaced(b'"ops":100', b'"ops":"1000"'),
    "another hash": lambda bench: bench.put(3, honest(3), hashed="0" * 64),
    "figures changed after the hash": replaced(b'"total_ir":300007', b'"total_ir":200007'),
    "a verdict that its figures do not bear": lie(cheaper),
    "another head": lie(set_at("provenance", "head", "commit", "9" * 40)),
    "the pull request's head, not its merge": lie(set_at("provenance", "head", "commit", HEAD)),
    "no head": lie(set_at("provenance", "head", "commit", None)),
    "another base": lie(set_at("provenance", "base", "commit", "9" * 40)),
    "no base": lie(set_at("provenance", "base", None)),
    "another run": lie(set_at("provenance", "run", f"{RUN + 1}-1")),
    "another attempt": lie(set_at("provenance", "run", f"{RUN}-{ATTEMPT + 1}")),
    "no run": lie(set_at("provenance", "run", None)),
    "another shard's report": lambda bench: bench.put(3, honest(2)),
    "a shard of three": lie(set_at("body", "shard", "3/3")),
    "shard 5 of 4": lie(set_at("body", "shard", "5/4")),
    "shard 0 of 4": lie(set_at("body", "shard", "0/4")),
    "a shard in Markdown": lie(set_at("body", "shard", "<script>/4")),
    "paths of another shard": lambda bench: bench.put(3, honest(3, [a_path("path_2_0", 5, 5)])),
    "a path twice": lambda bench: bench.put(3, honest(3, [a_path("aa", 5, 5), a_path("aa", 5, 5)])),
    "no paths": lie(set_at("body", "paths", [])),
    "against budgets": lie(set_at("body", "mode", "budget")),
    "a self-test": lie(set_at("body", "mode", "self-test")),
    "another schema": lie(set_at("body", "schema", "ckbench/ir/2")),
    "a schema of another verb": lie(set_at("body", "schema", "ckbench/time/1")),
    "a body beside the body": lie(set_at("body_md", "**PASS** by another hand")),
    "a member too few": lie(lambda document: document["body"].pop("proof")),
    "not proven": lie(set_at("body", "proof", {"holds": False, "reason": EVIL[0] + EVIL[2] + EVIL[4]})),
    "errors in Markdown": lie(lambda document: document["body"]["paths"].__setitem__(
        0, a_path("path_3_0", None, 5) | {"verdict": "error", "error": "".join(EVIL[:8])})),
    **{f"a path called {name[:20]!r}": lie(set_at("body", "paths", 0, "name", name)) for name in EVIL},
}
# Artifacts that cannot all be hostile and yet measured: no shard is taken.
FOLDERS = {
    "a fifth shard": extra("instruction-budget-shard-5/shard-5.json"),
    "an artifact of another name": extra("instruction-budget-shard-comment/comment"),
    "a file beside the artifacts": extra("shard-3.json"),
    "a hidden file": extra(".hidden"),
    "more artifacts than are read": lambda bench: [bench.folder(f"x{n}") for n in range(1100)],
}

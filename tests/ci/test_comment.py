#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ci/comment and `ckbench report` against a fake GitHub: hostile artifacts, honest but odd ones, and
everything that GitHub may answer. Usage: test_comment.py SOURCE_DIR CKBENCH"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import fake_github
from comment_bench import ATTEMPT, BASE, HEAD, KEY, MERGE, NUMBER, OWNER, RUN, SERVER, SHARDS, TOKEN, USER, Bench, honest
from hostile_artifacts import ARTIFACTS, EVIL, FOLDERS
from shard_reports import a_path, report, text

SOURCE = pathlib.Path(sys.argv[1]).resolve()
CKBENCH = pathlib.Path(sys.argv[2]).resolve()
NEVER = ["\u202e", "root:x:", "ghs_", "<!-- evil", "\n# all", "by another hand", "\x1b["]
ACTIVE = ["<img", "<script", "@everyone", "](http://evil", "javascript:", "evil|cell", "<b>"]  # but in code
CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)")
failures = []


def check(holds, name, what, bench):
    if not holds:
        failures.append(f"{name}: {what}\n--- said:\n{bench.out}\n--- comments:\n" + "\n".join(bench.github.bodies(NUMBER)))


def check_body(name, body, bench):
    """What no comment may hold, whatever the artifacts held."""
    first, _, rest = body.partition("\n")
    check(re.fullmatch(rf"<!-- ckbench instruction budget: run \d+ attempt \d+ head {HEAD} -->", first), name, "no marker", bench)
    check(len(body) <= 65536, name, f"{len(body)} characters", bench)
    check("<!--" not in rest, name, "a second marker", bench)
    bare = CODE.sub("", body)
    for canary in NEVER:
        check(canary not in body, name, f"holds {canary!r}", bench)
    for canary in ACTIVE:
        check(canary not in bare, name, f"holds {canary!r} outside code", bench)
    for row in body.splitlines():
        check(not row.startswith("|") or row.count("|") - row.count("\\|") == 9, name, f"a row of other cells: {row}", bench)
    check(not re.search(r"[\0-\x09\x0b-\x1f]", body), name, "control characters", bench)
    for element in re.findall(r"<(/?\w+)", bare):
        check(element.strip("/") in ("sub", "code", "details", "summary"), name, f"an element {element}", bench)
    for link in re.findall(r"\]\(([^)]*)\)", bare):
        check(link.startswith(f"{SERVER}/{OWNER}/actions/runs/{RUN}"), name, f"a link to {link}", bench)


def verdict_in(body):
    """The word that the comment gives as its verdict."""
    found = re.search(r"^\*\*(PASS|FAIL|INCOMPLETE)\*\*", body, re.M)
    return found[1] if found else None


def expect(name, bench, code, word, *phrases, **how):
    got, bodies = bench.run(**how)
    check(got == code, name, f"exit status {got}, not {code}", bench)
    check(len(bodies) == 1, name, f"{len(bodies)} comments", bench)
    for body in bodies:
        check_body(name, body, bench)
        check(verdict_in(body) == word, name, f"{verdict_in(body)}, not {word}", bench)
        for phrase in phrases:
            check(phrase in body, name, f"does not say {phrase!r}", bench)


# ---- hostile artifacts: three good shards, and the third as the row says ----


def hostile(bench):
    for name, act in ARTIFACTS.items():
        bench.reset()
        bench.put_all(but=(3,))
        act(bench)
        expect(name, bench, 3, "INCOMPLETE", "re-run **all** jobs")
    for name, act in FOLDERS.items():
        bench.reset()
        bench.put_all()
        act(bench)
        expect(name, bench, 3, "INCOMPLETE", "artifacts beside the expected ones")
    bench.reset()
    bench.put_all()
    bench.reports.rename(bench.work / "elsewhere")
    bench.reports.symlink_to(bench.work / "elsewhere")
    expect("the folder of all artifacts is a link", bench, 3, "INCOMPLETE", "no shard has a result")
    bench.reports.unlink()
    (bench.work / "elsewhere").rename(bench.reports)
    for reasons in ([one for one in EVIL if "\0" not in one and len(one) < 300], ["x" * 399] * 12):
        bench.reset()
        bench.put_all(but=(3,))
        bench.put(3, honest(3, [a_path("aa", 1050, 1000, reasons[:12])]))
        got, bodies = bench.run()
        check(got in (1, 3), "reasons in Markdown", f"exit status {got}", bench)
        for body in bodies:
            check_body("reasons in Markdown", body, bench)
    bench.reset()
    bench.put_all(but=(3,))
    bench.put(3, honest(3, [a_path(f"a_long_path_name_that_goes_on_and_on_{n:05}", 1050, 1000, ["x" * 300] * 5) for n in range(1500)]))
    got, bodies = bench.run()
    check(got in (1, 3) and len(bodies) == 1, "thousands of failures", f"exit status {got}", bench)
    check_body("thousands of failures", bodies[0], bench)


# ---- honest, but odd ----


def odd(bench):
    def case(name, code, word, *phrases, reports=None, change=None, **how):
        bench.reset()
        bench.put_all(but=reports or ())
        for shard, document in (reports or {}).items():
            bench.put(shard, document)
        if change:
            change()
        expect(name, bench, code, word, *phrases, **how)

    case("all is well", 0, "PASS", "12 ok", f"Head {HEAD}", f"merge {MERGE}", f"base {BASE}", "accepted by whoever merges")
    check("Read this first" not in bench.github.bodies(NUMBER)[0], "all is well", "warns", bench)
    case("a path is new", 0, "PASS", "new", reports={3: honest(3, [a_path("newcomer", 5, None), a_path("old", 7, 7)])})
    case("two warnings", 0, "PASS", "2 WARN", reports={3: honest(3, [a_path("a", 1003, 1000), a_path("b", 2009, 2000)])})
    case("cheaper", 0, "PASS", "LOWER", reports={3: honest(3, [a_path("a", 900, 1000)])})
    case("one path in a shard", 0, "PASS", "10 ok", reports={3: honest(3, [a_path("a", 900, 900)])})
    case("exactly 1 %", 1, "FAIL", "1 FAIL", "called twice", "`a`", reports={
        3: honest(3, [a_path("a", 1010, 1000, ["hash: called twice"])])})
    case("just below 1 %", 0, "PASS", "1 WARN", reports={3: honest(3, [a_path("a", 100999, 100000)])})
    case("an allocation more", 1, "FAIL", reports={3: honest(3, [a_path("a", 1000, 1000, allocs=(2, 1))])})
    case("the largest counts", 0, "PASS", reports={3: honest(3, [a_path("a", 9 * 10**12, 9 * 10**12)])})
    case("names of 64 characters", 0, "PASS", "_" * 64, reports={3: honest(3, [a_path("_" * 64, 5, 5)])})
    case("a shard that failed and one that is missing", 3, "INCOMPLETE", "1 FAIL", "no result", f"/actions/runs/{RUN}/job/502", reports={
        3: honest(3, [a_path("a", 1010, 1000)])}, change=lambda: bench.file(2).unlink() or bench.folder(2).rmdir())
    case("line ends of another system", 0, "PASS", reports={3: text(honest(3)).replace(b',"', b',\r\n"')})
    case("white space", 0, "PASS", reports={3: b"\n \t" + text(honest(3)).replace(b":{", b" : {\n") + b"\n\n"})
    case("a report of two megabytes", 0, "PASS", reports={3: honest(3, [a_path(f"p{n}", n, n) for n in range(1, 400)])})
    other = honest(3)
    other["body"]["fingerprint"]["cpuid"] = "f" * 16
    case("a machine of another kind for one shard", 0, "PASS", reports={3: other})
    known = honest(3)
    known["body"]["body_md"] = "**PASS** by another hand"
    case("a member that this ckbench does not know", 0, "PASS", reports={3: known})
    strange = honest(3)
    strange["provenance"]["host"]["cpu"] = "<b>@everyone</b> \u202e|cell"
    bench.reset()
    bench.put_all(but=(3,))
    bench.put(3, strange)
    got, bodies = bench.run()
    check(got in (0, 3), "a strange processor", f"exit status {got}", bench)
    check_body("a strange processor", bodies[0], bench)
    bench.reset()
    bench.put(1, report("1/1", MERGE, BASE, KEY, [a_path("a", 5, 5)]))
    bench.github.jobs[(RUN, ATTEMPT)] = []
    expect("one shard alone", bench, 0, "PASS", shards=1)
    bench.reset()
    bench.put_all()
    bench.environment["GITHUB_RUN_ATTEMPT"] = "2"
    for shard in (1, 2, 3):
        bench.put(shard, honest(shard, run=f"{RUN}-2"))
    expect("failed jobs alone were re-run", bench, 3, "INCOMPLETE", "re-run **all** jobs", "1 shard without a result")
    bench.reset()
    bench.environment["BASE_COMMIT"] = ""
    expect("no base was chosen", bench, 3, "INCOMPLETE", "no base could be chosen")
    bench.reset()
    expect("no artifact at all", bench, 3, "INCOMPLETE", "no shard has a result", f"/actions/runs/{RUN}/job/501")


# ---- what the pull request touches ----


def touching(bench):
    rows = {
        "tools/ckbench/stats/judge.c": "ckbench or the subject kit", "tools/subject/main.c": "ckbench or the subject kit",
        "workloads/paths/a.c": "the subjects", "baselines/ir.json": "budgets", "ckbench.json": "budgets",
        ".github/workflows/ci.yml": "workflows", "ci/comment": "workflows", "ci/gate-shard": "workflows",
        "CMakeLists.txt": "how it is built", "lib/CMakeLists.txt": "how it is built", "CMakePresets.json": "how it is built",
    }
    for name, words in rows.items():
        for file in ({"filename": name}, {"filename": "lib/x.c", "previous_filename": name}):
            bench.reset()
            bench.put_all()
            bench.github.files[NUMBER] = [{"filename": f"docs/{n}.md"} for n in range(120)] + [file]
            expect(f"touches {file}", bench, 0, "PASS", "Read this first", words)
            body = bench.github.bodies(NUMBER)[0]
            check(body.index("Read this first") < body.index("**PASS**"), name, "says so below the verdict", bench)
    bench.reset()
    bench.put_all()
    bench.github.files[NUMBER] = [{"filename": "docs/<img src=x>@everyone.md"}, {"filename": "tools/ckbench/<script>.c"}]
    expect("touches files with odd names", bench, 0, "PASS", "Read this first")
    bench.github.comments.clear()
    bench.github.files[NUMBER] = [{"filename": f"{n}"} for n in range(3000)]
    expect("touches more than is listed", bench, 0, "PASS", "could not be listed")
    bench.github.comments.clear()
    bench.github.fail("GET", "/files", *[(500, {}, b"")] * 4)
    expect("files are not listed", bench, 0, "PASS", "could not be listed")


# ---- one comment, updated in place ----


def one_comment(bench):
    bench.put_all()
    for n in range(150):
        bench.github.add_comment(NUMBER, f"remark {n}", USER)
    expect("first push", bench, 0, "PASS")
    marker = bench.github.bodies(NUMBER)[0].splitlines()[0]
    first = bench.github.comments[-1]["id"]
    bench.github.add_comment(NUMBER, marker + "\n**PASS** by me", USER)
    bench.environment["GITHUB_RUN_ID"], was = str(RUN + 5), RUN
    bench.put_all()
    got, bodies = bench.run()
    check((got, len(bodies)) == (3, 1), "second push, reports of the first", f"{got}, {len(bodies)} comments", bench)
    for shard in range(1, SHARDS + 1):
        bench.put(shard, honest(shard, run=f"{RUN + 5}-1"))
    got, bodies = bench.run()
    check((got, len(bodies)) == (0, 1) and f"run {RUN + 5} " in bodies[0], "second push", f"{got}", bench)
    check(bench.github.writes() == ["POST", "PATCH", "PATCH"], "second push", f"{bench.github.writes()}", bench)
    check([one["id"] for one in bench.github.comments if one["user"]["id"] == 41898282] == [first], "second push", "another comment", bench)
    check(bench.github.bodies(NUMBER, USER)[-1].endswith("by me"), "second push", "a user's comment was changed", bench)

    bench.environment["GITHUB_RUN_ID"] = str(was)
    got, bodies = bench.run()
    check(got in (0, 3) and f"run {RUN + 5} " in bodies[0], "an older run ends later", f"{got}", bench)
    check("newer run" in bench.out, "an older run ends later", "says nothing of it", bench)

    for user, body in ((USER, marker), ({"login": "github-actions[bot]", "id": 5, "type": "Bot"}, marker),
                       ({"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}, "> " + marker), (None, marker)):
        bench.reset()
        bench.put_all()
        bench.github.add_comment(NUMBER, body, user)
        code, _ = bench.run()
        check(code == 0 and bench.github.writes() == ["POST"], f"a comment of {user}", "was taken for ours", bench)


def silence(bench):
    bench.put_all()
    bench.github.heads[NUMBER] = "8" * 40
    got, bodies = bench.run()
    check((got, bodies, bench.github.writes()) == (0, [], []), "a stale head", f"{got}", bench)

    bench.reset()
    bench.put_all()
    bench.github.after = lambda method, path: bench.github.heads.update({NUMBER: "8" * 40}) if "/files" in path else None
    got, bodies = bench.run()
    check((got, bodies, bench.github.writes()) == (0, [], []), "a head that is pushed over meanwhile", f"{got}", bench)

    for repo in ({"full_name": "stranger/some.thing"}, None, {"full_name": OWNER + "x"}, "x"):
        bench.reset()
        bench.put_all()
        bench.event["pull_request"]["head"]["repo"] = repo
        got, bodies = bench.run()
        check((got, bodies, bench.github.requests) == (0, [], []), f"a fork {repo}", f"{got}", bench)


# ---- what GitHub may answer ----


def answers(bench):
    broken = (500, {}, b"")

    def case(name, code, writes, *faults):
        bench.reset()
        bench.put_all()
        for fault in faults:
            bench.github.fail(*fault)
        got, bodies = bench.run()
        check(got == code, name, f"exit status {got}, not {code}", bench)
        check(bench.github.writes() == writes, name, f"{bench.github.writes()}", bench)
        check(len(bodies) == (code == 0), name, f"{len(bodies)} comments", bench)
        check(len(bench.github.requests) < 20, name, f"{len(bench.github.requests)} requests", bench)

    case("500 twice", 0, ["POST"], ("GET", "pulls/7$", broken, broken))
    case("500 for ever", 3, [], ("GET", "pulls/7$", *[broken] * 99))
    case("503 for the POST", 0, ["POST", "POST"], ("POST", "", (503, {}, b"")))
    case("429", 0, ["POST"], ("GET", "comments", (429, {"retry-after": "999"}, b"{}")))
    case("403, a limit", 0, ["POST"], ("GET", "comments", (403, {"x-ratelimit-remaining": "0"}, b"{}")))
    case("403, not permitted", 3, ["POST"], ("POST", "", *[(403, {}, b"{}")] * 9))
    case("401", 3, [], ("GET", "", *[(401, {}, b"{}")] * 99))
    case("422", 3, ["POST"], ("POST", "", *[(422, {}, b"{}")] * 9))
    case("no answer", 0, ["POST"], ("GET", "pulls/7$", fake_github.drop))
    case("a POST whose answer is lost", 0, ["POST", "PATCH"], ("POST", "", fake_github.do_and_drop))
    case("no JSON", 0, ["POST"], ("GET", "pulls/7$", (200, {}, b"<html>")))
    case("another form", 3, [], ("GET", "pulls/7$", *[(200, {}, b"[]")] * 9))
    case("comments of another form", 3, [], ("GET", "comments", *[(200, {}, b'{"a":1}')] * 9))
    case("jobs of another form", 0, ["POST"], ("GET", "jobs", *[(200, {}, b'[1]')] * 9))
    case("no right to list jobs", 0, ["POST"], ("GET", "jobs", (403, {}, b"{}")))
    case("a redirect", 3, [], ("GET", "pulls/7$", *[(302, {"location": bench.github.url + "/elsewhere"}, b"")] * 9))
    check(all("elsewhere" not in path for _, path in bench.github.requests), "a redirect", "was followed", bench)

    bench.reset()
    bench.put_all()
    bench.run()
    bench.github.fail("PATCH", "", (404, {}, b"{}"))
    known = bench.github.comments.pop()
    bench.github.fail("GET", "comments", lambda handler, _: fake_github.send(
        handler, 200, {}, json.dumps([known]).encode()))
    got, bodies = bench.run()
    check((got, len(bodies)) == (0, 1), "the comment was deleted meanwhile", f"{got}", bench)
    check(bench.github.writes() == ["POST", "PATCH", "POST"], "the comment was deleted meanwhile", f"{bench.github.writes()}", bench)


def usage(bench):
    for name, value in (("GITHUB_TOKEN", ""), ("GITHUB_TOKEN", "a\nb"), ("GITHUB_SHA", "HEAD"), ("GITHUB_RUN_ID", "x"),
                        ("GITHUB_REPOSITORY", "a/b/c"), ("GITHUB_API_URL", "http://evil.example"), ("BASE_COMMIT", "main"),
                        ("GITHUB_EVENT_PATH", "/nowhere"), ("GITHUB_SERVER_URL", "javascript:x")):
        bench.reset()
        bench.put_all()
        bench.environment[name] = value
        got, _ = bench.run()
        check((got, bench.github.requests) == (2, []), f"{name}={value!r}", f"exit status {got}", bench)
    for number, head in ((0, HEAD), ("7", HEAD), (True, HEAD), (NUMBER, "main"), (NUMBER, None), (-7, HEAD)):
        bench.reset()
        bench.event["pull_request"] |= {"number": number, "head": {"sha": head, "repo": {"full_name": OWNER}}}
        got, _ = bench.run()
        check((got, bench.github.requests) == (2, []), f"event {number} {head}", f"exit status {got}", bench)


# ---- the renderer ----


def renderers(bench):
    """Stand-ins for a renderer that is ill, and one that tells what it was given."""
    ill = {
        "ends by a signal": "kill -SEGV $$", "says usage": "exit 2", "says nothing": "exit 0",
        "writes no UTF-8": r"printf '**PASS** \377'", "writes a marker": "echo '**PASS**<!-- evil -->'",
        "writes control characters": r"printf '**PASS** \033[31m'", "writes without end": "yes '**PASS**' | head -c 9000000",
    }
    for name, line in ill.items():
        bench.reset()
        bench.put_all()
        path = bench.work / "ill"
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)
        expect(f"a renderer that {name}", bench, 3, "INCOMPLETE", ckbench=path)
    bench.reset()
    bench.put_all()
    (bench.work / "ill").write_text("#!/bin/sh\necho '**PASS**'\nyes 'a row of ten' | head -n 5000\n")
    expect("a renderer that fills the comment", bench, 0, "PASS", "Cut here", "accepted by whoever merges", ckbench=bench.work / "ill")
    bench.reset()
    bench.put_all()
    expect("a renderer that is missing", bench, 3, "INCOMPLETE", ckbench=bench.work / "nowhere")
    bench.reset()
    bench.put_all(but=(3,))
    (bench.work / "ill").write_text("#!/bin/sh\necho '**PASS**: 12 ok'\n")
    expect("a renderer that passes three of four", bench, 3, "INCOMPLETE", ckbench=bench.work / "ill")

    bench.reset()
    bench.put_all()
    spy = bench.work / "spy"
    spy.write_text("#!/bin/sh\n{ echo \"$@\"; pwd; ls; env; cat /proc/$$/environ | tr '\\0' '\\n'; } >'%s'\necho '**PASS**'\n" % (bench.work / "seen"))
    spy.chmod(0o755)
    expect("a renderer that looks about", bench, 0, "PASS", ckbench=spy)
    seen = (bench.work / "seen").read_text()
    wanted = ["report shard-1.json shard-2.json shard-3.json shard-4.json --markdown", "--expect-shards 4",
              f"--expect-head {MERGE}", f"--expect-base {BASE}", f"--expect-run {KEY}",
              f"--shard-link 2={SERVER}/{OWNER}/actions/runs/{RUN}/job/502"]
    check(all(one in seen for one in wanted), "the renderer's arguments", seen, bench)
    check(TOKEN not in seen and "GITHUB" not in seen, "the renderer's environment", seen, bench)


def alone(bench):
    """The file by itself, as the workflow runs it: no checkout, Python isolated, its verdict as exit status."""
    bench.reset()
    bench.put_all()
    bench.run()  # writes the event
    bench.github.comments.clear()
    place = bench.work / "place"
    place.mkdir()
    (place / "comment").write_bytes((SOURCE / "ci" / "comment").read_bytes())
    done = subprocess.run([sys.executable, "-I", "comment", *bench.arguments()], cwd=place, capture_output=True,
                          env=bench.environment, text=True, check=False)
    bench.out = done.stdout + done.stderr
    bench.said += bench.out
    check((done.returncode, len(bench.github.bodies(NUMBER))) == (0, 1), "alone", f"{done.returncode}", bench)
    check(os.listdir(place) == ["comment"], "alone", "something was left", bench)


def main():
    parts = [hostile, odd, touching, one_comment, silence, answers, usage, renderers, alone]
    with tempfile.TemporaryDirectory(prefix="test comment.") as work:
        bench = Bench(SOURCE, CKBENCH, work)
        for part in parts:
            bench.reset()
            part(bench)
        bench.github.close()
        if TOKEN in bench.said:
            failures.append("the token was printed")
    print("\n".join(failures))
    print(f"{len(ARTIFACTS) + len(FOLDERS) + 4} hostile artifacts, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())

# SPDX-License-Identifier: MIT
"""Runs subjects as the protocol says and reads what they answer and what callgrind wrote."""

import json
import os
import re
import subprocess
import tempfile

VALGRIND = (
    "valgrind --command-line-only=yes -q --vgdb=no --sigill-diagnostics=yes --tool=callgrind "
    "--instr-atstart=no --separate-threads=yes --combine-dumps=yes --dump-line=no "
    "--compress-strings=no --compress-pos=no --collect-systime=nsec"
).split()

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C",
    "TZ": "UTC0",
    "LD_BIND_NOW": "1",
    "GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=1073741824:"
    "glibc.malloc.trim_threshold=1073741824:glibc.malloc.top_pad=16777216:"
    "glibc.malloc.arena_max=1:glibc.cpu.hwcaps=-ERMS,-FSRM",
}

LIMIT_S = 300


def strict(pairs):
    """JSON objects with a key twice are refused."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key twice in {keys}")
    return dict(pairs)


class Answer:
    """Exit status, the raw bytes of the answers, stdout and stderr, and the lines as objects."""

    def __init__(self, status, raw, err):
        self.status = status
        self.raw = raw
        self.err = err

    @property
    def lines(self):
        assert self.raw.endswith(b"\n") or self.raw == b"", self.raw[-80:]
        return [json.loads(line, object_pairs_hook=strict) for line in self.raw.splitlines()]

    def of(self, kind, path=None):
        return [
            line
            for line in self.lines
            if line["type"] == kind and path in (None, line.get("path"))
        ]


def run(command, env=None):
    """Runs a command with a pipe as its answer descriptor, which is not number 3."""
    read_end, write_end = os.pipe()
    environment = dict(ENVIRONMENT if env is None else env)
    environment.setdefault("CKBENCH_FD", str(write_end))
    with tempfile.TemporaryFile() as err:
        with subprocess.Popen(
            command,
            env=environment,
            pass_fds=[write_end],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=err,
        ) as process:
            os.close(write_end)
            with os.fdopen(read_end, "rb") as answers:
                raw = answers.read()
            status = process.wait(LIMIT_S)
        err.seek(0)
        # A path may print more than anybody wants to read.
        return Answer(status, raw, err.read(4096).decode("utf-8", "replace"))


class Counted(Answer):
    """What a run under callgrind left: a file for every process."""

    def __init__(self, answer, folder):
        super().__init__(answer.status, answer.raw, answer.err)
        names = os.listdir(folder)
        self.dumps = {}
        for name in names:
            if name.endswith(".out"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.dumps[int(name[: -len(".out")])] = file.read()

    def windows(self, pid):
        """Events and calls of the n1 and n2 window of one process, each there exactly once."""
        found = {}
        for part in self.dumps[pid].split("\npart: ")[1:]:
            trigger = re.search(r"^desc: Trigger: (.*)$", part, re.M).group(1)
            if trigger not in ("dump n1", "dump n2"):
                assert trigger == "Program termination", trigger
                continue
            assert trigger not in found, f"{trigger} twice"
            found[trigger] = read_part(part)
        assert set(found) == {"dump n1", "dump n2"}, sorted(found)
        return found["dump n1"], found["dump n2"]

    def per_window(self, path, layout=0):
        line = [one for one in self.of("counted", path) if one["layout"] == layout]
        assert len(line) == 1, (path, layout, self.raw)
        return self.windows(line[0]["pid"])


def read_part(part):
    events = re.search(r"^events: (.*)$", part, re.M).group(1).split()
    totals = re.search(r"^totals: (.*)$", part, re.M).group(1).split()
    figures = dict.fromkeys(events, 0)
    figures.update(zip(events, map(int, totals)))
    figures["mallocs"] = sum(map(int, re.findall(r"^cfn=malloc\ncalls=(\d+) ", part, re.M)))
    return figures


def count(program, requests, pad=0):
    """Counts under callgrind; `pad` bytes lie in the environment beside the fixed ones."""
    env = dict(ENVIRONMENT)
    if pad > 0:
        env["PAD"] = "x" * (pad - len("PAD=") - 1)
    with tempfile.TemporaryDirectory() as folder:
        files = [f"--callgrind-out-file={folder}/%p.out", f"--log-file={folder}/%p.log"]
        answer = run([*VALGRIND, *files, program, "count", *requests], env)
        return Counted(answer, folder)

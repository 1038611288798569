# SPDX-License-Identifier: MIT
"""Runs ckbench in a folder of its own and looks at what it leaves: processes, files, bytes on the
terminal. A process counts as left when it works in that folder, holds a file of it open, runs a program
of it, names it in its arguments, or carries the mark in its environment."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

CKBENCH = os.environ.get("CKBENCH", "")
SUBJECTS = pathlib.Path(os.environ.get("SUBJECTS", "/nonexistent"))
DEADLINE_S = 300  # against hangs, not a budget
ROW = re.compile(r"^([a-z0-9_]{1,64}) +.* (error|incomparable|new|gone|no budget|FAIL|WARN|LOWER|ok)$")
VERDICT = re.compile(r"^(PASS|FAIL|INCOMPLETE)[ (:]")

problems = []


def complain(text):
    problems.append(text)
    print(text, flush=True)


def expect(is_so, text):
    if not is_so:
        complain(text)
    return is_so


class Place:
    """A scratch folder with an empty TMPDIR, removed at the end."""

    def __init__(self, *folders):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="hostile.")).resolve()
        self.tmp = self.dir / "tmp"
        self.tmp.mkdir()
        self.mark = f"HOSTILE_MARK={self.dir.name}"
        for folder, name in folders:
            shutil.copytree(SUBJECTS / folder, self.dir / name, symlinks=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.wait_gone("at the end")
        shutil.rmtree(self.dir, ignore_errors=True)

    def env(self, extra=()):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.dir), "TMPDIR": str(self.tmp), "LC_ALL": "C"}
        env.update(self.mark.split("=", 1) for _ in [0])
        env.update(extra)
        return env

    def start(self, args, cwd="head", env=None, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen([CKBENCH, *map(str, args)], cwd=self.dir / cwd, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.env() if env is None else env, **more)

    def run(self, args, **more):
        """The exit status (negative: a signal), stdout and stderr."""
        process = self.start(args, **more)
        try:
            out, err = process.communicate(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            complain(f"{args[0]}: no end within {DEADLINE_S} s")
        self.check_after(args[0], out, err)
        return process.returncode, out.decode(), err.decode()

    def check_after(self, what, out, err):
        self.wait_gone(what)
        left = sorted(path.name for path in self.tmp.iterdir())
        expect(not left, f"{what}: left in TMPDIR: {left}")
        dirty = re.findall(rb"[^\n\x20-\x7e]", out + err)
        expect(not dirty, f"{what}: bytes for no terminal: {dirty[:8]}")

    def living(self):
        inside = str(self.dir)
        return [pid for pid in filter(str.isdigit, os.listdir("/proc"))
                if int(pid) != os.getpid() and self._is_ours(pid, inside)]

    def _is_ours(self, pid, inside):
        base = f"/proc/{pid}"
        try:
            with open(f"{base}/environ", "rb") as env, open(f"{base}/cmdline", "rb") as cmdline:
                if self.mark.encode() in env.read() or inside.encode() in cmdline.read():
                    return True
            links = [f"{base}/cwd", f"{base}/exe", *(f"{base}/fd/{fd}" for fd in os.listdir(f"{base}/fd"))]
            return any(os.readlink(link).startswith(inside) for link in links)
        except OSError:
            return False

    def wait_gone(self, what, patience_s=5.0):
        end = time.monotonic() + patience_s
        left = self.living()
        while left and time.monotonic() < end:
            time.sleep(0.02)
            left = self.living()
        if left:
            complain(f"{what}: left alive: {[self.describe(pid) for pid in left]}")
            for pid in left:
                os.kill(int(pid), signal.SIGKILL)

    @staticmethod
    def describe(pid):
        try:
            return pid + " " + pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("latin-1")[:120]
        except OSError:
            return pid


def rows_of(out):
    """path -> (verdict, its line, its reasons) of a table of `ckbench ir`."""
    rows = {}
    path = None
    for line in out.splitlines():
        found = ROW.match(line)
        if found:
            rows[found[1]] = (found[2], line, [])
        elif re.match(r"^[a-z0-9_]+: ", line):
            path = line.split(":")[0]
        elif line.startswith("  ") and path in rows:
            rows[path][2].append(line.strip())
    return rows


def verdict_of(out):
    found = [line for line in out.splitlines() if VERDICT.match(line)]
    return found[-1] if found else ""


def told_of(out):
    """What is printed but for the host's own line, which comes before anything is measured."""
    return "".join(line for line in out.splitlines(keepends=True) if not line.startswith("host: "))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Paths that misbehave are caught by name, and the next one is measured all the same.
Arguments: MISBEHAVING"""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

from subject_run import ENVIRONMENT, VALGRIND, count, run

MISBEHAVING = sys.argv[1]

OTHER_PROCESSES = "the calls started or ended other processes"

# Path: the step and the reason of its `failed` line, and the signal of its `exit`.
FAILING = {
    "aborts": ("call", "ended by signal 6", 6),
    "closes_fds": ("answer", "the answer could not be written", 0),
    "crashes": ("call", "ended by signal 11", 11),
    "crashes_in_setup": ("setup", "ended by signal 11", 11),
    "crashes_in_teardown": ("teardown", "ended by signal 11", 11),
    "crashes_in_verify": ("verify", "ended by signal 11", 11),
    "daemonises": ("children", OTHER_PROCESSES, 0),
    "eats_memory": ("call", "ended by signal 6", 6),
    "execs": ("call", "ended with status 0 before it could answer", 0),
    "exits_early": ("call", "ended with status 0 before it could answer", 0),
    "exits_quietly": ("call", "ended with status 0 before it could answer", 0),
    "fails_setup": ("setup", "setup returned NULL", 0),
    "fails_verify": ("verify", "verify returned 7", 0),
    "forks_and_leaves": ("children", OTHER_PROCESSES, 0),
    "forks_and_waits": ("children", OTHER_PROCESSES, 0),
    "leaves_child": ("children", "a process that the path started was still alive", 0),
    "leaves_daemon": ("children", "a process that the path started was still alive", 0),
    "raises_sigpipe": ("call", "ended by signal 13", 13),
    "sigill_avx512": ("call", "ended by signal 4", 4),
    "sigill_sha": ("call", "ended by signal 4", 4),
    "sigill_ud2": ("call", "ended by signal 4", 4),
    "stops_itself": ("call", "stopped itself", 9),
}

# These do odd things and are measured; what the dump of `limits_files` holds is not theirs to say.
COUNTED = (
    "changes_everything",
    "grows",
    "leaves_thread",
    "limits_files",
    "prints_escapes",
    "prints_gigabyte",
    "starts_server",
    "unblocks_answers",
)


def offered():
    return {line["name"] for line in run([MISBEHAVING, "list"]).of("path")}


def processes_of_subject():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if MISBEHAVING.encode() in file.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return [pid for pid in found if pid != os.getpid()]


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


class Faults(unittest.TestCase):
    def test_every_fault_is_caught_and_harms_nobody_else(self):
        failing = [path for path in FAILING if path in offered()]
        paths = []
        for path in [*failing, *COUNTED]:
            paths += [path, "behaves"]
        answer = count(MISBEHAVING, [f"{path},1,3,4,8" for path in paths])
        self.assertEqual(answer.status, 0, answer.err)
        outcomes = [line for line in answer.lines if line["type"] in ("counted", "failed")]
        exits = answer.of("exit")
        self.assertEqual([line["path"] for line in outcomes], paths)
        self.assertEqual([line["path"] for line in exits], paths)
        for path in failing:
            with self.subTest(path=path):
                step, reason, number = FAILING[path]
                (line,) = answer.of("failed", path)
                self.assertEqual(line["step"], step)
                self.assertTrue(line["reason"].startswith(reason), line["reason"])
                (end,) = answer.of("exit", path)
                self.assertEqual((end["signal"], end["status"]), (number, 0))
        for path in COUNTED:
            self.assertEqual(len(answer.of("counted", path)), 1, path)
        figures = {self.figure(answer, line) for line in answer.of("counted", "behaves")}
        self.assertEqual(len(figures), 1, figures)
        self.assertEqual(processes_of_subject(), [])

    @staticmethod
    def figure(answer, line):
        return tuple(window["Ir"] for window in answer.windows(line["pid"]))

    def test_an_unsteady_path_shows_in_its_windows(self):
        answer = count(MISBEHAVING, ["grows,0,0,10,20", "behaves,0,0,10,20"])
        small, large = answer.per_window("grows")
        self.assertGreater(large["Ir"], 3 * small["Ir"])

    def test_garbage_on_all_descriptors_reaches_nobody_but_the_listener(self):
        answer = run([MISBEHAVING, "count", "writes_garbage,0,0,1,1", "zz_behaves,0,0,1,1"])
        self.assertEqual(answer.status, 0, answer.err)
        self.assertIn(b'{"type":"counted","path":"zz_behaves"', answer.raw)

    def test_a_starter_that_ignores_its_children_changes_nothing(self):
        launcher = (
            "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
            "os.execv(sys.argv[1], sys.argv[1:])"
        )
        requests = ["exits_with_9,0,0,1,1", "behaves,0,0,1,1"]
        answer = run([sys.executable, "-c", launcher, MISBEHAVING, "count", *requests])
        self.assertEqual(answer.status, 0, answer.err)
        self.assertEqual([line["status"] for line in answer.of("exit")], [9, 0])

    def test_a_measured_child_dies_with_its_parent(self):
        for command in ([MISBEHAVING], [*VALGRIND, "--callgrind-out-file=/dev/null", MISBEHAVING]):
            with self.subTest(command=command[0]):
                self.kill_parent([*command, "count", "hangs_aloud,0,0,1,1"])

    def kill_parent(self, command):
        read_end, write_end = os.pipe()
        env = dict(ENVIRONMENT, CKBENCH_FD=str(write_end))
        quiet = subprocess.DEVNULL
        with subprocess.Popen(
            command, env=env, pass_fds=[write_end], stdout=quiet, stderr=subprocess.PIPE
        ) as process:
            os.close(write_end)
            with os.fdopen(read_end, encoding="utf-8") as answers:
                child = next(
                    json.loads(line)["pid"] for line in answers if '"type":"start"' in line
                )
                # In the very call, where nothing but the signal can end it.
                self.assertTrue(any(b"hanging" in line for line in process.stderr))
                process.send_signal(signal.SIGKILL)
                process.wait()
                deadline = time.monotonic() + 30
                while not is_gone(child) and time.monotonic() < deadline:
                    time.sleep(0.02)
                if not is_gone(child):
                    os.kill(child, signal.SIGKILL)
                    self.fail("it lived on")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

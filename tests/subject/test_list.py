#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`list`, and every request that must be refused. Arguments: MISBEHAVING READER FOREIGN"""

import fcntl
import os
import re
import subprocess
import sys
import time
import unittest

from subject_run import ENVIRONMENT, run

MISBEHAVING, READER, FOREIGN = sys.argv[1:4]

WORDS = {"shapes", "operations", "phases"}
SUBJECT = {"type", "protocol", "kit", "self", "compiler", "flags", "commit", "dirty", "build_id"}
PATH = {"type", "name", "about", "threads"} | WORDS

BAD_REQUESTS = [
    [],
    ["time"],
    ["lists"],
    ["list", "behaves"],
    ["count"],
    ["count", ""],
    ["count", "behaves"],
    ["count", "behaves,0,1,1"],
    ["count", "behaves,0,1,1,1,1"],
    ["count", "behaves,0,1,1,1,"],
    ["count", "behaves,0,1,1,0"],
    ["count", "behaves,0,1,0,1"],
    ["count", "behaves,-1,1,1,1"],
    ["count", "behaves,+1,1,1,1"],
    ["count", "behaves, 1,1,1,1"],
    ["count", "behaves,0x1,1,1,1"],
    ["count", "behaves,0,1,1,18446744073709551616"],
    ["count", "behaves,0,1,1,20000000000000000000"],
    ["count", "behave,0,1,1,1"],
    ["count", "behavess,0,1,1,1"],
    ["count", ",0,1,1,1"],
    ["count", "ckbench_self_,0,1,1,1"],
    ["count", "behaves,0,1,1,1", "absent,0,1,1,1"],
]


class List(unittest.TestCase):
    def check(self, program):
        answer = run([program, "list"])
        self.assertEqual(answer.status, 0, answer.err)
        lines = answer.lines
        self.assertLessEqual(max(map(len, answer.raw.splitlines(keepends=True))), 4096)
        self.assertEqual(lines[0]["type"], "subject")
        self.assertEqual(lines[-1], {"type": "end", "lines": len(lines) - 1})
        self.assertLessEqual(SUBJECT, set(lines[0]))
        self.assertEqual((lines[0]["protocol"], lines[0]["self"]), (1, 1))
        for path in lines[1:-1]:
            self.assertEqual(set(path), PATH)
            self.assertRegex(path["name"], r"\A[a-z0-9_]{1,64}\Z")
            self.assertFalse(path["name"].startswith("ckbench_self_"))
            for key in WORDS:
                for word in path[key]:
                    self.assertRegex(word, r"\A[a-z0-9-]{1,32}\Z")
        return lines

    def test_answers_follow_the_protocol(self):
        for program in (MISBEHAVING, READER, FOREIGN):
            with self.subTest(program=program):
                self.check(program)

    def test_paths_are_sorted_and_complete(self):
        names = [line["name"] for line in self.check(READER)[1:-1]]
        self.assertEqual(names, ["lays_out", "reads", "reads_in_program", "reads_nothing", "reads_oddly"])

    def test_build_id_is_that_of_the_file(self):
        notes = subprocess.run(["readelf", "-n", READER], capture_output=True, text=True, check=True)
        build_id = re.search(r"Build ID: ([0-9a-f]+)", notes.stdout).group(1)
        self.assertEqual(self.check(READER)[0]["build_id"], build_id)

    def test_without_a_stamp_the_commit_is_unknown(self):
        subject = self.check(READER)[0]
        self.assertIsNone(subject["commit"])
        self.assertRegex(subject["compiler"], r"^(gcc|clang) \d+\.\d+\.\d+$")


class Refusals(unittest.TestCase):
    def test_what_is_not_understood_is_status_2_and_one_line(self):
        for request in BAD_REQUESTS:
            with self.subTest(request=request):
                answer = run([MISBEHAVING, *request])
                self.assertEqual((answer.status, answer.raw), (2, b""))
                self.assertRegex(answer.err, r"\Asubject: [^\n]+\n\Z")

    def test_a_descriptor_that_is_none_is_refused(self):
        for number in ("", "x", "-1", "3x", " 3", "99999999999999999999", "77"):
            with self.subTest(number=number):
                answer = run([READER, "list"], dict(ENVIRONMENT, CKBENCH_FD=number))
                self.assertEqual((answer.status, answer.raw), (2, b""))
                self.assertIn("CKBENCH_FD=1", answer.err)

    def test_without_a_number_it_is_descriptor_3(self):
        shell = f'"{READER}" list 3>&1 >/dev/null'
        done = subprocess.run(["sh", "-c", shell], env=ENVIRONMENT, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(b'{"type":"subject"'))

    def test_a_full_pipe_that_does_not_block_loses_nothing(self):
        whole = run([MISBEHAVING, "list"]).raw
        read_end, write_end = os.pipe()
        fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)
        fcntl.fcntl(write_end, fcntl.F_SETFL, os.O_NONBLOCK)
        env = dict(ENVIRONMENT, CKBENCH_FD=str(write_end))
        with subprocess.Popen([MISBEHAVING, "list"], env=env, pass_fds=[write_end]) as process:
            os.close(write_end)
            # Time enough to fill the pipe; too short a time only makes the test easier.
            time.sleep(0.3)
            with os.fdopen(read_end, "rb") as answers:
                self.assertEqual(answers.read(), whole)
        self.assertEqual(process.returncode, 0)
        self.assertGreater(len(whole), 4096)

    def test_answers_that_nobody_can_read_are_no_success(self):
        full = os.open("/dev/full", os.O_WRONLY)
        done = subprocess.run(
            [READER, "list"],
            env=dict(ENVIRONMENT, CKBENCH_FD=str(full)),
            pass_fds=[full],
            check=False,
        )
        os.close(full)
        self.assertEqual(done.returncode, 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

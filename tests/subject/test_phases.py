#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`phases`: steps of known length and buffers at known places. Arguments: STEPPING WORKLOADS"""

import sys
import unittest

from subject_run import run

STEPPING, WORKLOADS = sys.argv[1:3]

BAD_REQUESTS = [
    ["alone", "--calls", "2", "--batches", "1"],
    ["steps", "--calls", "0", "--batches", "1"],
    ["steps", "--calls", "2"],
    ["steps", "--calls", "2", "--batches", "65"],
    ["absent", "--calls", "2", "--batches", "1"],
    ["steps", "--calls", "2", "--batches", "1", "--shape", "small"],
]


def phases(*words):
    answer = run([STEPPING, "phases", *words])
    return answer, [line for line in answer.lines if line["type"] in ("phases", "phase")]


class Phases(unittest.TestCase):
    def test_steps_last_as_long_as_they_do(self):
        for path in ("steps", "hides"):
            answer, (whole, begin, end) = phases(path, "--calls", "3", "--batches", "4", "--warmup", "1")
            self.assertEqual(answer.status, 0, answer.err)
            self.assertEqual((whole["path"], whole["calls"], len(whole["wall_ns"])), (path, 3, 4))
            self.assertEqual([begin["name"], end["name"]], ["begin", "end"])
            self.assertGreaterEqual(min(begin["wall_ns"]), 3 * 20000)
            self.assertGreaterEqual(min(end["wall_ns"]), 3 * 60000)
            self.assertGreaterEqual(min(whole["wall_ns"]), 3 * (80000 if path == "steps" else 140000))
            self.assertLess(whole["clock_ps"], 20000 * 1000)

    def test_buffers_lie_where_they_are(self):
        _, (_, begin, end) = phases("steps", "--calls", "2", "--batches", "3")
        self.assertNotIn("from", begin)
        self.assertEqual((end["from"], end["to"]), ([100] * 3, [350] * 3))

    def test_what_cannot_be_taken_apart_is_refused(self):
        for words in BAD_REQUESTS:
            with self.subTest(words=words):
                answer = run([STEPPING, "phases", *words])
                self.assertEqual((answer.status, answer.raw), (2, b""))
                self.assertEqual(answer.err.count("\n"), 1)

    def test_threads_want_a_path_that_has_them(self):
        one = ["--calls", "1", "--batches", "3"]
        for words, status in [
            (["alone", *one, "--threads", "2", "--rate", "9000"], 2),
            (["shared", *one, "--threads", "2"], 2),
            (["shared", *one, "--threads", "65", "--rate", "9000"], 2),
            (["shared", "--calls", "2", "--batches", "3", "--threads", "2", "--rate", "9000"], 2),
            (["alone", *one, "--threads", "1", "--rate", "9000"], 0),
            (["shared", *one, "--threads", "2", "--rate", "9000"], 0),
        ]:
            with self.subTest(words=words):
                self.assertEqual(run([STEPPING, "time", *words]).status, status)

    def test_steps_of_a_real_call_are_that_call(self):
        # verify() counts calls and reads back what was written: steps that are no whole call fail it.
        for path in ("payload", "payload_seed"):
            for operation in ("get", "set"):
                words = ["--shape", "json-1k", "--op", operation, "--calls", "3", "--batches", "2"]
                answer = run([WORKLOADS, "phases", path, *words])
                self.assertNotIn("failed", [line["type"] for line in answer.lines], answer.raw)
                self.assertEqual(answer.status, 0, answer.err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

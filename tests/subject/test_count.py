#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counting under callgrind: windows, exactness, pins, layouts.
Arguments: READER FOREIGN PLANTED-FOLDER ('' where there is none)"""

import os
import shutil
import sys
import tempfile
import unittest

from subject_run import count

READER, FOREIGN, PLANTED = sys.argv[1:4]

LOOPS = (7, 50, 200)
PADS = (0, 17, 333, 1000, 4096, 8000)


def request(path, layout=0, loops=LOOPS):
    return ",".join([path, *map(str, [layout, *loops])])


def self_requests():
    kinds = ("empty", "ir", "alloc", "syscall", "pinned", "unpinned")
    return [request(f"ckbench_self_{kind}") for kind in kinds]


def more_per_call(run, path, event):
    """How much more of an event a path has per call than the empty one, as (n1, n2) totals."""
    windows = zip(run.per_window(path), run.per_window("ckbench_self_empty"))
    return [one[event] - empty[event] for one, empty in windows]


def places_in_an_empty_heap():
    """What `lays_out` computes where each block begins at the end of the one before."""
    places = 0
    at = 0
    for i in range(8):
        places = (places * 1000003 + at) % 2**64
        at += ((24 << i) + 8 + 15) & ~15
    return places


class Windows(unittest.TestCase):
    def test_lines_and_files_follow_the_protocol(self):
        for program, path in ((READER, "reads_nothing"), (FOREIGN, "foreign_add")):
            with self.subTest(program=program):
                run = count(program, [request(path, 0), request(path, 3), request(path, 0)])
                self.assertEqual(run.status, 0, run.err)
                kinds = [line["type"] for line in run.lines]
                once = ["start", "counted", "exit"]
                self.assertEqual(kinds, ["subject", "guest", *once * 3, "end"])
                self.assertEqual(run.lines[-1]["lines"], len(kinds) - 1)
                self.assertRegex(run.lines[1]["cpuid"], r"\A([0-9a-f]{2})+\Z")
                pids = [line["pid"] for line in run.of("counted")]
                self.assertEqual(pids, [line["pid"] for line in run.of("start")])
                self.assertEqual(pids, [line["pid"] for line in run.of("exit")])
                self.assertEqual(len(set(pids)), 3)
                # A file for each child and one for the parent, whose windows are none.
                self.assertEqual(len(run.dumps), 4)
                for line in run.of("counted"):
                    self.assertEqual((line["warmup"], line["n1"], line["n2"]), LOOPS)
                    self.assertIn(f"\npid: {line['pid']}\n", run.dumps[line["pid"]])
                    small, large = run.windows(line["pid"])
                    self.assertGreater(small["Ir"], 0)
                    self.assertGreater(large["Ir"], small["Ir"])
                for line in run.of("exit"):
                    self.assertEqual((line["status"], line["signal"]), (0, 0))


class SelfPaths(unittest.TestCase):
    def test_known_costs_are_exact(self):
        for program in (READER, FOREIGN):
            with self.subTest(program=program):
                run = count(program, self_requests())
                self.assertEqual(run.status, 0, run.err)
                _, small, large = LOOPS
                self.assertEqual(more_per_call(run, "ckbench_self_ir", "Ir"), [small, large])
                for kind, event in (("alloc", "mallocs"), ("syscall", "sysCount")):
                    path = f"ckbench_self_{kind}"
                    self.assertEqual(more_per_call(run, path, event), [small, large])
                for event in ("mallocs", "sysCount"):
                    self.assertEqual(run.per_window("ckbench_self_empty")[1][event], 0)

    def test_the_pin_holds_and_its_control_moves(self):
        for program in (READER, FOREIGN):
            seen = {"pinned": [], "unpinned": [], "ir": []}
            for pad in PADS:
                run = count(program, self_requests(), pad)
                for kind, totals in seen.items():
                    totals.append(run.per_window(f"ckbench_self_{kind}")[1]["Ir"])
            with self.subTest(program=program, seen=seen):
                self.assertEqual(len(set(seen["pinned"])), 1)
                self.assertEqual(len(set(seen["ir"])), 1)
                # 0 and 17 may round to one place; every other step moves by itself.
                self.assertGreaterEqual(len(set(seen["unpinned"])), len(PADS) - 1)
                self.assertNotEqual(seen["unpinned"][0], seen["unpinned"][-1])

    def test_a_longer_path_of_the_program_moves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            deep = os.path.join(folder, "d" * 150)
            shutil.copytree(os.path.dirname(READER), deep)
            requests = [request("ckbench_self_pinned"), request("ckbench_self_alloc", 3)]
            requests.append(request("reads", 2))
            near = count(READER, requests)
            far = count(os.path.join(deep, os.path.basename(READER)), requests)
            for path, layout in (("ckbench_self_pinned", 0), ("ckbench_self_alloc", 3), ("reads", 2)):
                one, other = near.per_window(path, layout), far.per_window(path, layout)
                self.assertEqual([window["Ir"] for window in one], [w["Ir"] for w in other], path)


class Layouts(unittest.TestCase):
    def test_a_layout_is_the_same_every_time_and_unlike_another(self):
        requests = [request("lays_out", layout) for layout in (0, 1, 2, 1)]
        run = count(READER, requests)
        self.assertEqual(run.status, 0, run.err)
        digests = [line["digest"] for line in run.of("counted")]
        self.assertEqual(len(set(digests)), 3)
        self.assertEqual(digests[1], digests[3])
        # Nothing lies in the heap before layout 0: the blocks follow one another.
        self.assertEqual(digests[0], f"{places_in_an_empty_heap():016x}")


class Pins(unittest.TestCase):
    def test_reads_in_shared_libraries_are_answered_and_counted(self):
        run = count(READER, [request("reads", layout) for layout in (0, 4)])
        self.assertEqual(run.status, 0, run.err)
        lines = run.of("counted")
        self.assertEqual(len(lines), 2, run.raw)
        for line in lines:
            reads = (line["clock_reads"], line["entropy_reads"], line["pid_reads"])
            self.assertEqual(reads, (5 * LOOPS[2], 5 * LOOPS[2], LOOPS[2]))
            self.assertRegex(line["digest"], r"\A[0-9a-f]{16}\Z")
        self.assertEqual(lines[0]["digest"], lines[1]["digest"])

    def test_only_reads_of_the_counted_calls_count(self):
        run = count(READER, [request("reads_in_program"), request("reads_nothing")])
        lines = run.of("counted")
        keys = ("clock_reads", "entropy_reads", "pid_reads")
        self.assertEqual([lines[0][key] for key in keys], [2 * LOOPS[2], 0, LOOPS[2]])
        self.assertEqual([lines[1][key] for key in keys], [0, 0, 0])

    def test_what_must_be_refused_is_refused(self):
        run = count(READER, [request("reads_oddly")])
        self.assertEqual(len(run.of("counted")), 1, run.raw)


@unittest.skipUnless(PLANTED, "the library of known cost is for x86-64")
class Planted(unittest.TestCase):
    def figures(self, folder, path, event):
        program = os.path.join(PLANTED, folder, "planted")
        run = count(program, [request(path), request("ckbench_self_empty")])
        self.assertEqual(run.status, 0, run.err)
        return more_per_call(run, path, event)

    def test_planted_costs_are_read_exactly(self):
        _, small, large = LOOPS
        for folder, more in (("0", 0), ("1", 1), ("1000", 1000), ("minus-200", -200)):
            read = self.figures(f"plant-{folder}", "plant_ir", "Ir")
            self.assertEqual(read, [small * (10000 + more), large * (10000 + more)], folder)

    def test_planted_allocations_and_calls_are_read_exactly(self):
        _, small, large = LOOPS
        table = (
            ("plant-0", "plant_alloc", "mallocs", 1),
            ("plant-allocating", "plant_alloc", "mallocs", 2),
            ("plant-0", "plant_syscall", "sysCount", 1),
            ("plant-syscalling", "plant_syscall", "sysCount", 2),
        )
        for folder, path, event, each in table:
            self.assertEqual(self.figures(folder, path, event), [small * each, large * each], folder)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

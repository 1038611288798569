# SPDX-License-Identifier: MIT
"""The terrain loop against truths from elsewhere: queueing theory, Che's approximation, a model of
an LRU cache. In virtual time, so that the machine has no say. Arguments: TERRAINS WORKLOADS.
With CKBENCH_TERRAIN_CALLS=10000000 the queues run as long as their tightest bound needs."""

import collections
import math
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from subject_run import run

CALLS = int(os.environ.get("CKBENCH_TERRAIN_CALLS", "300000"))
NS = 1000000000
LINE_BYTES = 4096


def terrain(name, *options, program=None, clock="virtual"):
    answer = run([program or sys.argv[1], "terrain", name, f"clock={clock}", *options])
    return Recording(answer)


class Recording:
    """The lines of one run, and what must hold in each."""

    def __init__(self, answer):
        self.answer = answer
        assert answer.status == 0, (answer.status, answer.err)
        self.lines = answer.lines
        assert all(len(line) < LINE_BYTES for line in answer.raw.splitlines())
        assert self.lines[-1] == {"type": "end", "lines": len(self.lines) - 1}
        self.start = self.one("terrain_start")
        self.end = self.one("terrain_end")
        self.layers = self.start["layers"]
        self.exact = {(x["layer"], x["time"]): x for x in self.of("exact")}
        self.check_sums()

    def of(self, kind):
        return [line for line in self.lines if line["type"] == kind]

    def one(self, kind):
        (line,) = self.of(kind)
        return line

    def n(self, layer):
        return sum(line["n"][self.layers.index(layer)] for line in self.of("slice"))

    def check_sums(self):
        cells = collections.Counter()
        for line in self.of("cells"):
            assert len(line["cell"]) == len(line["count"]) <= 128
            assert line["cell"] == sorted(set(line["cell"]))
            cells[line["slice"], line["layer"], line["time"]] += sum(line["count"])
        slices = self.of("slice")
        assert [line["index"] for line in slices] == list(range(self.end["slices"]))
        for line in slices:
            started = sum(line["n"]) + line["unattributed"]
            assert line["asked"] == started + line["dropped"], line
            of_layer = [*zip(self.layers, line["n"]), ("unattributed", line["unattributed"])]
            for layer, n in of_layer:
                assert cells[line["index"], layer, "service"] == n, (line, layer)
        for key in ("dropped", "late", "failed", "unattributed"):
            assert sum(line[key] for line in slices) == self.end[key], key
        for before, after in zip(slices, slices[1:]):
            assert before["end_ns"] == after["start_ns"]
        for (layer, what), line in self.exact.items():
            assert line["n"] == sum(cells[i, layer, what] for i in range(len(slices)))
            assert line["p50_ns"] <= line["p99_ns"] <= line["max_ns"] <= line["sum_ns"]
            if what == "response":
                service = self.exact[layer, "service"]
                assert line["sum_ns"] == service["sum_ns"] + self.exact[layer, "wait"]["sum_ns"]
                for quantile in ("p50_ns", "p99_ns", "max_ns"):
                    assert line[quantile] >= service[quantile]


def cell_bounds(cell):
    if cell < 64:
        return cell, cell
    exponent = cell // 32 + 4
    width = 1 << (exponent - 5)
    low = (1 << exponent) + (cell % 32) * width
    return low, low + width - 1


class Queues(unittest.TestCase):
    """Mean waits: M/M/1 load/(1-load), M/D/1 half of it, in units of the mean service."""

    def wait(self, law, load):
        service_ns = 1000000
        found = terrain(
            "server", f"miss_law={law}:1ms", f"rate={load * NS / service_ns:.6f}", "late=queue",
            f"calls={CALLS}", "call_ns=0", "slice=1000", "keys=100", "seed=20",
        )  # fmt: skip
        self.assertEqual(found.end["calls"], CALLS)
        return found.exact["miss", "wait"]["sum_ns"] / CALLS / service_ns

    def test_mean_waits(self):
        for load in (0.3, 0.5, 0.8):
            # The asymptotic variance of the mean wait of M/M/1 (unit service); M/D/1 has less.
            variance = load * (2 + 5 * load - 4 * load**2 + load**3) / (1 - load) ** 4
            theory = load / (1 - load)
            bound = 4 * math.sqrt(variance / CALLS) / theory
            if CALLS >= 10**7:
                bound = 0.01
            for law, share in (("exponential", 1), ("constant", 0.5)):
                found = self.wait(law, load) / (theory * share)
                print(f"{law} at load {load}: {found:.4f} of theory, bound {bound:.4f}")
                self.assertLess(abs(found - 1), bound, (law, load))


class Stalls(unittest.TestCase):
    OPTIONS = (
        "miss_law=constant:10us", "rate=20000", "arrivals=poisson", "call_ns=0", "seconds=20",
        "slice=20", "keys=100",
    )  # fmt: skip

    def test_a_queue_shows_a_stall_in_its_response(self):
        calm = terrain("server", *self.OPTIONS, "late=queue")
        stalled = terrain("server", *self.OPTIONS, "late=queue", "stall=20ms@1s")
        self.assertLess(calm.exact["miss", "response"]["p99_ns"], 1000000)
        self.assertGreater(stalled.exact["miss", "response"]["p99_ns"], 5000000)
        self.assertEqual(stalled.end["dropped"], 0)

    def test_dropping_shows_it_in_the_maximum_and_the_drops_alone(self):
        calm = terrain("server", *self.OPTIONS, "late=drop")
        stalled = terrain("server", *self.OPTIONS, "late=drop", "stall=20ms@1s")
        found = stalled.exact["miss", "service"]
        self.assertGreater(found["max_ns"], 15000000)
        self.assertLessEqual(found["max_ns"], 20010000)
        self.assertEqual(found["p99_ns"], 10000)
        # 19 stalls of 20 ms at 20,000 calls a second.
        more = stalled.end["dropped"] - calm.end["dropped"]
        self.assertGreater(more, 19 * 400 * 0.8)
        self.assertLess(more, 19 * 400 * 1.2)


class Caches(unittest.TestCase):
    KEYS, L1, CALLS, WARMUP = 10000, 1000, 200000, 50000
    OPTIONS = (f"l1_keys={L1}", "late=queue", "miss_law=constant:1us", "slice=100000")

    def play(self, *options):
        return terrain("memory", *self.OPTIONS, *options, program=sys.argv[2])

    def che(self):
        """The share of an LRU cache of L1 keys: the characteristic time by bisection."""
        weights = [k**-0.99 for k in range(1, self.KEYS + 1)]
        total = math.fsum(weights)
        shares = [w / total for w in weights]
        low, high = 0.0, 1e9
        for _ in range(200):
            middle = (low + high) / 2
            if sum(1 - math.exp(-p * middle) for p in shares) < self.L1:
                low = middle
            else:
                high = middle
        return sum(p * (1 - math.exp(-p * low)) for p in shares)

    def test_shares_are_those_of_an_lru_cache(self):
        calls = 10**6 if CALLS >= 10**7 else self.CALLS
        warmup = 10**5 if CALLS >= 10**7 else self.WARMUP
        found = self.play(
            "value_p50=500", "value_p95=500", f"calls={calls}", f"warmup={warmup}", "rate=1000"
        )
        share, theory = found.n("l1") / calls, self.che()
        print(f"share of l1 {share:.4f}, by Che {theory:.4f}")
        self.assertLess(abs(share - theory), 0.005)
        self.assertEqual(sum(found.one("warmup")["n"]), warmup)
        for line in found.of("books"):
            self.assertEqual(line["calls"], line["counted"])

    def model(self, keys):
        near, far, n = collections.OrderedDict(), set(), collections.Counter()
        for key in keys:
            if key in near:
                near.move_to_end(key)
                n["l1"] += 1
                continue
            n["l2" if key in far else "miss"] += 1
            far.add(key)
            near[key] = None
            if len(near) > self.L1:
                near.popitem(last=False)
        return n

    def test_a_model_of_the_cache_counts_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            dump = os.path.join(folder, "keys")
            found = self.play(f"dump={dump}", "calls=100000", "rate=1000")
            with open(dump, encoding="ascii") as file:
                keys = file.read().split()
            again = self.play(f"trace={dump}", "rate=1000")
        expected = self.model(keys)
        self.assertEqual(len(keys), 100000)
        for layer in found.layers:
            self.assertEqual(found.n(layer), expected[layer], layer)
            self.assertEqual(again.n(layer), expected[layer], layer)

    def test_lives_end_in_virtual_time(self):
        found = terrain(
            "memory", "keys=1", "ttl=10", "rate=1", "arrivals=constant", "calls=100",
            "miss_law=constant:1us", program=sys.argv[2],
        )  # fmt: skip
        # Bytes from the second layer may live in the first for a whole life more: 5 to 10 times.
        self.assertIn(found.n("miss"), range(5, 12))
        self.assertIn(found.n("l2"), range(4, 12))

    def test_sizes_are_those_asked_for(self):
        values = terrain("memory", "calls=100000", program=sys.argv[2]).one("values")
        self.assertLess(abs(values["p50_bytes"] / 900 - 1), 1 / 32)
        self.assertLess(abs(values["p95_bytes"] / 4400 - 1), 1 / 16)

    def test_equal_seeds_give_equal_lines_and_others_do_not(self):
        options = ("calls=20000", "l2_law=lognormal:100us:0.7", "miss_law=exponential:5ms")
        one, two, three = [
            terrain("memory", *options, f"seed={seed}", program=sys.argv[2]) for seed in (5, 5, 6)
        ]
        self.assertEqual(one.answer.raw, two.answer.raw)
        self.assertNotEqual(one.of("slice"), three.of("slice"))


class Books(unittest.TestCase):
    OPTIONS = ("calls=20000", "late=queue", "miss_law=constant:1us", "keys=2000", "rate=1000")

    def differences(self, found):
        return {x["layer"]: x["calls"] - x["counted"] for x in found.of("books")}

    def test_the_truth_balances(self):
        found = terrain("honest", *self.OPTIONS)
        self.assertEqual(set(self.differences(found).values()), {0})
        self.assertEqual(found.end["unattributed"], 0)
        loader = found.one("loader")
        self.assertEqual(loader["calls"], loader["runs"])
        self.assertEqual(loader["ns"], loader["runs"] * 1000)
        self.assertTrue(all(found.n(layer) > 0 for layer in found.layers))

    def test_four_lies_show(self):
        lies = {}
        for name in ("lies_hit", "lies_miss", "lies_near", "lies_nowhere"):
            found = terrain(name, *self.OPTIONS)
            lies[name] = (found.end["unattributed"], self.differences(found), found)
        self.assertGreater(lies["lies_hit"][0], 50)
        self.assertGreater(lies["lies_miss"][0], 50)
        self.assertEqual(lies["lies_near"][0], 0)
        self.assertGreater(lies["lies_near"][1]["l1"], 50)
        self.assertEqual(lies["lies_nowhere"][0], 2000)
        self.assertEqual(lies["lies_nowhere"][2].end["failed"], 200)
        for name, (_, differences, _) in lies.items():
            self.assertNotEqual(set(differences.values()), {0}, name)

    def test_cells_hold_what_was_measured(self):
        found = terrain("server", "calls=1000", "miss_law=constant:12345ns", "call_ns=0")
        cells = [x for x in found.of("cells") if x["time"] == "service"]
        self.assertEqual({c for x in cells for c in x["cell"]}, {304})
        low, high = cell_bounds(304)
        self.assertTrue(low <= 12345 <= high, (low, high))
        exact = found.exact["miss", "service"]
        self.assertEqual((exact["p50_ns"], exact["max_ns"]), (12345, 12345))
        for ns in (0, 1, 63):
            found = terrain("server", "calls=10", f"miss_law=constant:{ns}ns", "call_ns=0")
            (line,) = [x for x in found.of("cells") if x["time"] == "service"]
            self.assertEqual(line["cell"], [ns])

    def test_quantiles_are_nearest_ranks(self):
        """Times of 1, 2, ... hours do not fit into four bytes; the model is the queue itself."""
        found = terrain(
            "server", "calls=150", "miss_law=constant:3600s", "call_ns=0", "late=queue",
            "arrivals=constant", "rate=1", "slice=1000000",
        )  # fmt: skip
        waits = sorted((i - 1) * 3599 * NS for i in range(1, 151))
        exact = found.exact["miss", "wait"]
        self.assertEqual(exact["p50_ns"], waits[75 - 1])
        self.assertEqual(exact["p99_ns"], waits[149 - 1])
        self.assertEqual(exact["sum_ns"], sum(waits))

    def test_a_terrain_that_does_not_open_is_said_so(self):
        for option, reason in (([], "it never opens"), (["why=tired"], "tired")):
            answer = run([sys.argv[1], "terrain", "never", *option])
            self.assertEqual(answer.status, 0)
            failed = answer.lines[1]
            self.assertEqual((failed["type"], failed["step"]), ("failed", "setup"))
            self.assertEqual((failed["path"], failed["reason"]), ("never", reason))


class RealTime(unittest.TestCase):
    """Books and shapes only: speed is the machine's."""

    def test_a_paced_run(self):
        found = terrain(
            "memory", "clock=real", "seconds=1", "slice=0.25", "rate=500", "miss_law=constant:1ms",
            "l2_law=constant:100us", "keys=300", "l1_keys=20", program=sys.argv[2], clock="real",
        )  # fmt: skip
        # Few keys: all layers answer, however few calls a busy machine lets happen.
        self.assertEqual(found.end["reason"], "time")
        self.assertEqual(found.end["slices"], 4)
        self.assertEqual(found.start["regime"], "paced")
        self.assertGreater(found.start["granule_ns"], 0)
        self.assertGreater(found.start["clock_cost_ps"], 0)
        self.assertTrue(all(found.n(layer) > 0 for layer in found.layers))
        self.assertTrue(all(x["calls"] == x["counted"] for x in found.of("books")))
        self.assertGreaterEqual(found.exact["miss", "service"]["p50_ns"], 1000000)
        self.assertEqual(len(found.start["namespace"]), 16)

    def test_callers_that_wait_for_one_another_are_in_the_books(self):
        found = terrain(
            "memory", "callers=8", "keys=5", "arrivals=closed", "calls=20000",
            "miss_law=constant:20ms", program=sys.argv[2], clock="real",
        )  # fmt: skip
        self.assertEqual(found.one("loader")["runs"], 5)
        self.assertEqual(found.end["calls"], 20000)
        self.assertTrue(all(x["calls"] == x["counted"] for x in found.of("books")))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            options = (f"directory={folder}/l2", "arrivals=closed", "calls=300", "keys=100",
                       "l1_keys=10", "miss_law=constant:0ns")  # fmt: skip
            found = terrain("file", *options, program=sys.argv[2], clock="real")
            self.assertEqual(len(os.listdir(f"{folder}/l2")), found.n("miss"))
            again = terrain("file", *options, program=sys.argv[2], clock="real")
            self.assertEqual(again.n("miss"), found.n("miss"), "the namespace is not fresh")
        self.assertTrue(all(found.n(layer) > 0 for layer in found.layers))
        self.assertTrue(all(x["calls"] == x["counted"] for x in found.of("books")))

    def test_a_server(self):
        listed = [x["name"] for x in run([sys.argv[2], "list"]).of("terrain")]
        if "redis" not in listed:
            self.skipTest("built without Redis")
        with tempfile.TemporaryDirectory() as folder:
            url = f"url=unix://{folder}/socket"
            answer = run([sys.argv[2], "terrain", "redis", url])
            self.assertEqual(answer.lines[1]["type"], "failed")
            command = ["redis-server", "--port", "0", "--save", "", "--unixsocket",
                       f"{folder}/socket", "--dir", folder]  # fmt: skip
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
                while not os.path.exists(f"{folder}/socket"):
                    self.assertIsNone(server.poll())
                    time.sleep(0.01)
                self.hold_against(folder, url)
                server.terminate()

    def hold_against(self, folder, url):
        """Hits and misses of the server are those of the terrain, locks and second looks included."""
        command = ["redis-cli", "-s", f"{folder}/socket"]
        options = ("arrivals=closed", "calls=2000", "keys=100", "l1_keys=10", "callers=2",
                   "deadline_ms=60000", "miss_law=constant:0ns")  # fmt: skip
        before = [0, 0]
        for more in (["lock=off"], ["lock=on", "warmup=50"], ["unread", "calls=100"]):
            if more[0] == "unread":
                subprocess.run([*command, "acl", "setuser", "default", "-get"], check=True,
                               stdout=subprocess.DEVNULL)  # fmt: skip
                more = more[1:]
            found = terrain("redis", url, *options, *more, program=sys.argv[2], clock="real")
            (line,) = found.of("counts")
            told = dict(zip(line["name"], line["count"]))
            warm = found.of("warmup")[0]["n"] if found.of("warmup") else [0, 0, 0]
            l2, miss = (found.n(layer) + warm[i] for i, layer in ((1, "l2"), (2, "miss")))
            info = subprocess.run([*command, "info", "stats"], check=True, stdout=subprocess.PIPE)
            now = [int(info.stdout.split(name)[1].split()[0])
                   for name in (b"keyspace_hits:", b"keyspace_misses:")]  # fmt: skip
            hits, misses = now[0] - before[0], now[1] - before[1]
            before = now
            self.assertEqual(hits, l2 + told["l2_released"])
            self.assertEqual(misses, miss + told["l2_again"] - told["l2_blind"])
            self.assertEqual((told["l2_found"], told["l2_absent"]), (l2, misses))
            self.assertEqual(told["l2_blind"] > 0, "calls=100" in more)
            self.assertEqual(told["l2_again"] > 0, "lock=on" in more)
            self.assertEqual((told["l2_unsure"], told["l2_spoilt"]), (0, 0))
            self.assertTrue(all(x["calls"] == x["counted"] for x in found.of("books")))
            self.assertNotIn("unix:", str(found.start))
            self.assertEqual(l2 > 0, "calls=100" not in more)

    def test_several_callers_share_one_schedule(self):
        found = terrain(
            "shared", "callers=4", "seconds=0.6", "slice=0.2", "rate=300", "late=queue",
            "miss_law=constant:8ms", clock="real",
        )  # fmt: skip
        loader = found.one("loader")
        self.assertEqual(loader["runs"], found.end["calls"])
        # One caller could make 75 calls in that time; the schedule asks for 180.
        self.assertGreater(found.end["calls"], 100)
        self.assertEqual([x["counted"] for x in found.of("books")], [None])

    def test_the_null_terrain_back_to_back(self):
        found = terrain("ckbench_self_null", "arrivals=closed", "calls=100000", clock="real")
        self.assertEqual(found.start["regime"], "saturated")
        self.assertEqual(set(found.exact), {("null", "service")})
        self.assertFalse(found.start["has_counters"])
        self.assertEqual(found.end["calls"], 100000)

    def stop(self, number, close):
        read_end, write_end = os.pipe()
        env = {"CKBENCH_FD": str(write_end)}
        command = [sys.argv[1], "terrain", "server", "seconds=300", "slice=0.2", "rate=1000",
                   "miss_law=constant:0ns"]  # fmt: skip
        with subprocess.Popen(command, env=env, pass_fds=[write_end]) as process:
            os.close(write_end)
            answers = os.fdopen(read_end, "rb")
            for line in answers:
                if b'"slice","index":1' in line:
                    break
            if close:
                answers.close()
            else:
                time.sleep(0.05)
                process.send_signal(number)
            rest = b"" if close else answers.read()
            status = process.wait(60)
            answers.close()
        return status, rest

    def test_signals_end_a_run_that_says_so(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            status, rest = self.stop(number, False)
            self.assertEqual(status, 0)
            self.assertIn(b'"terrain_end","stopped":true,"reason":"signal"', rest)
            self.assertTrue(rest.splitlines()[-1].startswith(b'{"type":"end"'))

    def test_nobody_listening_ends_it_too(self):
        status, _ = self.stop(0, True)
        self.assertEqual(status, 3)


def twitter(key, size):
    return f"0,{key},{len(key)},{size},1,get,0\n".encode()


class Traces(unittest.TestCase):
    KEYS = [7, 8, 7, 9, 7, 8, 4000000000]

    def play(self, text, form, *more):
        with tempfile.TemporaryDirectory() as folder:
            trace, dump = os.path.join(folder, "trace"), os.path.join(folder, "dump")
            with open(trace, "wb") as file:
                file.write(text)
            options = (f"trace={trace}", f"format={form}", "clock=virtual", "late=queue", *more)
            answer = run([sys.argv[1], "terrain", "honest", *options, f"dump={dump}"])
            if answer.status == 0:
                with open(dump, encoding="ascii") as file:
                    self.keys = [int(line) for line in file]
            return answer

    def test_four_formats_of_one_trace(self):
        names = [f"k,{key}" for key in self.KEYS]
        forms = {
            "keys": b"".join(f"{key}\n".encode() for key in self.KEYS),
            "cache2k": b"".join(struct.pack(">I", key) for key in self.KEYS),
            "oracle": b"".join(struct.pack("<IQIq", 0, key, 77, -2) for key in self.KEYS),
            "twitter": b"".join(twitter(name, 77) for name in names),
        }
        for form, text in forms.items():
            found = Recording(self.play(text, form))
            self.assertEqual([found.n(x) for x in found.layers], [3, 0, 4], form)
            self.assertEqual(found.end["reason"], "trace")
            self.assertEqual(found.of("zipf"), [])
            self.assertEqual(self.keys == self.KEYS, form != "twitter", form)
            if form in ("oracle", "twitter"):
                self.assertEqual(found.one("values")["p50_bytes"], 77)

    def test_requests_come_when_they_came(self):
        seconds = [100] * 50 + [101] * 30 + [104] * 20
        text = b"".join(struct.pack("<IQIq", at, i, 77, -2) for i, at in enumerate(seconds))
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace")
            with open(trace, "wb") as file:
                file.write(text)
            options = (f"trace={trace}", "format=oracle", "arrivals=trace", "slice=1", "call_ns=0",
                       "late=queue", "miss_law=constant:0ns")  # fmt: skip
            found = terrain("server", *options)
            self.assertEqual([x["n"] for x in found.of("slice")], [[50], [30], [0], [0], [20]])
            self.assertEqual(found.end["reason"], "trace")
            self.assertEqual(found.exact["miss", "wait"]["max_ns"], 0)
            # Uniform in their seconds: of ten parts of a second most have some.
            parts = terrain("server", *options, "slice=0.1")
            of_part = [x["n"][0] for x in parts.of("slice")][:10]
            self.assertEqual(sum(of_part), 50)
            self.assertGreater(sum(n > 0 for n in of_part), 6)
            warm = terrain("server", *options, "warmup=80")
            self.assertEqual([x["n"] for x in warm.of("slice")], [[20]])
            late = terrain("server", *options, "late=drop", "miss_law=constant:100ms")
            self.assertEqual(late.end["calls"] + late.end["dropped"], 100)
            self.assertLess(late.end["calls"], 40)

    def test_a_trace_that_is_none_is_refused(self):
        bad = [
            (b"", "keys", "is empty"), (b"", "oracle", "is empty"), (b"\n\n", "keys", "is empty"),
            (b"abc", "cache2k", "is cut"), (b"x" * 25, "oracle", "is cut"),
            (b"1\n2\n\x00\x01\n", "keys", "(line 3) holds bytes that are no text"),
            (twitter("a", 5) + b"0,b,1,5,1,g", "twitter", "(line 2) is not of seven columns"),
            (b"key\n", "twitter", "is not of seven columns"),
        ]  # fmt: skip
        for text, form, reason in bad:
            answer = self.play(text, form)
            self.assertEqual((answer.status, answer.raw), (2, b""), (form, reason))
            self.assertIn(reason, answer.err)
            self.assertEqual(answer.err.count("\n"), 1)
        back = b"5" + twitter("a", 5)[1:] + b"4" + twitter("a", 5)[1:]
        self.assertEqual(self.play(back, "twitter").status, 0)
        for text, form, reason in (
            (back, "twitter", "goes back in time"), (b"1\n", "keys", "with times"),
        ):  # fmt: skip
            answer = self.play(text, form, "arrivals=trace")
            self.assertEqual((answer.status, answer.raw), (2, b""))
            self.assertIn(reason, answer.err)

    def test_standard_input(self):
        read_end, write_end = os.pipe()
        done = subprocess.run(
            [sys.argv[1], "terrain", "honest", "trace=-", "clock=virtual"],
            input=b"1\n1\n", env={"CKBENCH_FD": str(write_end)}, pass_fds=[write_end],
            check=True,
        )  # fmt: skip
        os.close(write_end)
        with os.fdopen(read_end, "rb") as file:
            self.assertIn(b'"trace"', file.read())
        self.assertEqual(done.returncode, 0)


class Refusals(unittest.TestCase):
    BAD = [
        "zipf=nan", "zipf=-1", "zipf=inf", "zipf=3.01", "zipf=", "zipf=0x1", "keys=0",
        "keys=4294967296", "keys=-1", "rate=0", "rate=0.0", "rate=nan", "rate=1e9", "late=never",
        "arrivals=uniform", "arrivals=trace", "clock=wall", "seconds=0", "slice=0", "calls=0", "callers=0",
        "callers=65", "miss_law=constant:5", "miss_law=constant:-5ms", "miss_law=lognormal:5ms",
        "l2_law=gamma:1ms", "stall=1s@1s", "stall=1s", "l1_keys=0", "value_p95=10", "ttl=0",
        "trace=/nonexistent/file", "dump=/nonexistent/file", "namespace=A", "foo=1", "foo", "=1",
        "seed=9223372036854775808", "seconds=1000000", "why=1",
    ]  # fmt: skip

    def test_one_line_and_status_2(self):
        for word in self.BAD:
            more = ["slice=0.001"] if word == "seconds=1000000" else []
            answer = run([sys.argv[1], "terrain", "honest", word, *more])
            self.assertEqual((answer.status, answer.raw), (2, b""), word)
            self.assertEqual(answer.err.count("\n"), 1, word)
        full = run([sys.argv[1], "terrain", "honest", "dump=/dev/full", "calls=9", "clock=virtual"])
        self.assertEqual((full.status, full.err.count("\n")), (3, 1))
        for words in ([], ["nobody"], ["honest", "clock=virtual", "callers=2"]):
            self.assertEqual(run([sys.argv[1], "terrain", *words]).status, 2, words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

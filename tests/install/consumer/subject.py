#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A stranger's subject in Python, without the kit: it answers `list`, `time` and `terrain` by the
protocol. Its terrain is a dictionary of at most 100 keys before a loader that sleeps. Counting is for
compiled programs: callgrind would count the interpreter."""

import collections
import hashlib
import json
import math
import os
import random
import resource
import sys
import time

LAYERS = ["l1", "miss"]
SLICE_NS = 100_000_000
TEXT = json.dumps(list(range(100)))
sent = []


def say(kind, **members):
    line = json.dumps({"type": kind, **members}, separators=(",", ":")) + "\n"
    os.write(int(os.environ.get("CKBENCH_FD", "3")), line.encode())
    sent.append(kind)


def introduce():
    with open(__file__, "rb") as source:  # what it was built from: this file
        own = hashlib.sha1(source.read()).hexdigest()
    say("subject", protocol=1, kit="none", self=0, compiler="python", flags="", commit=own, dirty=[], build_id=None)


def say_end():
    say("end", lines=len(sent))


def show():
    introduce()
    say("path", name="parse_list", about="parse a list of 100 numbers", shapes=[], operations=[], phases=[], threads=False)
    say("terrain", name="dictionary", about="a dictionary before a loader", layers=LAYERS)
    say_end()


def usage_of(what):
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {"minor_faults": used.ru_minflt, "major_faults": used.ru_majflt, "voluntary_switches": used.ru_nvcsw,
            "involuntary_switches": used.ru_nivcsw}[what]


def measure(path, options):
    if path != "parse_list":
        sys.exit(2)
    calls, warmup = int(options["--calls"]), int(options.get("--warmup", "0"))
    batches = int(options.get("--batches", "0"))
    for _ in range(warmup):
        json.loads(TEXT)
    counts = ["minor_faults", "major_faults", "voluntary_switches", "involuntary_switches"]
    before, samples = {what: usage_of(what) for what in counts}, []
    cpu, wall = time.process_time_ns(), time.monotonic_ns()
    for _ in range(max(1, batches)):
        start = time.monotonic_ns()
        for _ in range(calls):
            json.loads(TEXT)
        samples.append(time.monotonic_ns() - start)
    wall, cpu = time.monotonic_ns() - wall, time.process_time_ns() - cpu
    introduce()
    say("timed", path=path, shape=None, operation=None, pid=os.getpid(), warmup=warmup, calls=calls * len(samples),
        cpu_ns=cpu, wall_ns=wall, peak_rss_kib=None, digest=None,
        **{what: usage_of(what) - before[what] for what in counts})
    for first in range(0, len(samples) if batches else 0, 150):
        say("samples", first=first, wall_ns=samples[first:first + 150])
    say_end()


def cell_of(ns):
    if ns < 64:
        return ns
    e = ns.bit_length() - 1
    return 32 * (e - 4) + ((ns - (1 << e)) >> (e - 5))


def run_calls(seconds, seed):
    """Calls, back to back, as (slice, layer, service_ns)."""
    draw, kept, begin = random.Random(seed), collections.OrderedDict(), time.monotonic_ns()
    while (start := time.monotonic_ns()) < begin + seconds * 1e9:
        key = int(draw.paretovariate(1.0))
        layer = 0 if key in kept else 1
        if layer == 1:
            time.sleep(0.0005)
            kept[key] = key
            if len(kept) > 100:
                kept.popitem(last=False)
        yield (start - begin) // SLICE_NS, layer, time.monotonic_ns() - start


def tell_slice(index, calls):
    n = [sum(layer == row for _, layer, _ in calls) for row in range(len(LAYERS))]
    say("slice", index=index, start_ns=index * SLICE_NS, end_ns=(index + 1) * SLICE_NS, asked=len(calls), dropped=0,
        late=0, failed=0, unattributed=0, steal_ticks=0, run_delay_ns=0, kit_ns=0, n=n)
    for row, layer in enumerate(LAYERS):
        cells = collections.Counter(cell_of(ns) for _, at, ns in calls if at == row)
        for first in range(0, len(cells), 128):
            some = sorted(cells)[first:first + 128]
            say("cells", slice=index, layer=layer, time="service", cell=some, count=[cells[cell] for cell in some])
    return n


def roam(name, options):
    if name != "dictionary":
        sys.exit(2)
    seconds, seed = float(options.get("seconds", "60")), int(options.get("seed", "1"))
    introduce()
    say("terrain_start", terrain=name, layers=LAYERS, pid=os.getpid(), clock="real", regime="saturated", granule_ns=1,
        clock_cost_ps=0, seed=seed, namespace=options.get("namespace", "none"), keys=int(options.get("keys", "10000")),
        sampler="alias", has_counters=True, floor_p50_ns=0, floor_p99_ns=0, settings=["arrivals=closed", "callers=1", "l1_keys=100", f"seconds={seconds}", f"seed={seed}"])
    say("warmup", calls=0, dropped=0, unattributed=0, n=[0, 0])
    calls = list(run_calls(seconds, seed))
    slices = math.ceil(seconds * 1e9 / SLICE_NS)
    for index in range(slices):
        tell_slice(index, [call for call in calls if call[0] == index])
    for row, layer in enumerate(LAYERS):
        times = sorted(ns for _, at, ns in calls if at == row)
        if times:
            say("exact", layer=layer, time="service", **{"from": "samples"}, n=len(times),
                p50_ns=times[math.ceil(len(times) * 0.5) - 1], p99_ns=times[math.ceil(len(times) * 0.99) - 1],
                max_ns=times[-1], sum_ns=sum(times))
    counted = [sum(at == row for _, at, _ in calls) for row in range(len(LAYERS))]
    for layer, count in zip(LAYERS, counted):
        say("books", layer=layer, calls=count, counted=count)
    say("loader", layer="miss", calls=counted[1], runs=counted[1], elsewhere=0,
        ns=sum(ns for _, at, ns in calls if at == 1))
    say("terrain_end", stopped=False, reason="time", slices=slices, calls=len(calls), dropped=0, late=0, failed=0,
        unattributed=0, unserved=0, wall_ns=round(seconds * 1e9), kit_ns=0)
    say_end()


def main():
    request, words = sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]
    if request == "list":
        show()
    elif request == "time" and words:
        measure(words[0], dict(zip(words[1:], words[2:])))
    elif request == "terrain" and words:
        roam(words[0], dict(word.split("=", 1) for word in words[1:]))
    else:
        sys.exit(2)


main()

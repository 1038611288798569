#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A subject whose terrain tells a story that is known to the last call, and lies on request. Its own
options: lie=WORD, slices=N, percent=P (service times of l2, of what they were). It speaks the protocol
of tools/subject/README.md without the kit; as the terrain `redis` it never asks the server that it names; cells and ranks are computed here a second time."""

import json
import math
import os
import signal
import sys
import time

LAYERS = ["l1", "l2", "miss"]
TIMES = ["service", "wait", "response"]
SLICE_NS = 1_000_000_000


def cell_of(ns):
    if ns < 64:
        return ns
    e = ns.bit_length() - 1
    return 32 * (e - 4) + ((ns - (1 << e)) >> (e - 5))


def rank(values, permille):
    return sorted(values)[max(1, math.ceil(len(values) * permille / 1000)) - 1]


def calls_of(index, percent):
    """(layer, service, wait) of the calls of a slice."""
    for i in range(60):
        jitter = (index * 37 + i * 101) % 97
        if i < 30:
            yield 0, 800 + jitter * 3, 0
        elif i < 50:
            yield 1, (20000 + jitter * 40) * percent // 100, 1000 * (i % 3)
        else:
            yield 2, 20_000_000 + jitter * 1000, 50_000


class Story:
    def __init__(self, out, options):
        self.out, self.lines, self.options = out, 0, options
        self.lie = options.get("lie", "")
        self.samples = {(layer, what): [] for layer in range(4) for what in TIMES}
        self.stopped = False
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, *_):
        self.stopped = True

    def say(self, kind, /, **members):
        self.out.write(json.dumps({"type": kind, **members}, separators=(",", ":")) + "\n")
        self.out.flush()
        self.lines += kind != "end"

    def introduce(self):
        self.say("subject", protocol=1, kit="none", self=0, compiler="python", flags="",
                 commit=None if os.path.exists(sys.argv[0] + ".unstamped") else "ab" * 20, dirty=["a file.c"], build_id=None)

    def start(self):
        self.say("terrain_start", terrain=sys.argv[2], layers=LAYERS, pid=os.getpid(), clock="virtual", regime="paced",
                 granule_ns=1, clock_cost_ps=0, seed=1, namespace="story", keys=10, sampler="alias",
                 has_counters=True, floor_p50_ns=0, floor_p99_ns=0,
                 settings=["keys=10", "zipf=0.99", "namespace=story"])
        self.say("warmup", calls=3, dropped=0, unattributed=0, n=[1, 1, 1])

    def slice(self, index):
        cells = {}
        n = [0, 0, 0, 0]
        for at, (layer, service, wait) in enumerate(calls_of(index, int(self.options.get("percent", "100")))):
            if self.lie == "unattributed" and index == 1 and at == 7:
                layer = 3
            n[layer] += 1
            for what, ns in zip(TIMES, (service, wait, service + wait)):
                self.samples[layer, what].append(ns)
                row = cells.setdefault((layer, what), {})
                row[cell_of(ns)] = row.get(cell_of(ns), 0) + 1
        if self.lie == "cells" and index == 1:
            row = cells[0, "service"]
            row[min(row)] += 1
        self.say("slice", index=index, start_ns=index * SLICE_NS, end_ns=(index + 1) * SLICE_NS, asked=62, dropped=2,
                 late=5, failed=0, unattributed=n[3], steal_ticks=int(index == 1), run_delay_ns=0, kit_ns=9, n=n[:3])
        for (layer, what), row in sorted(cells.items()):
            self.say("cells", slice=index, layer=(LAYERS + ["unattributed"])[layer], time=what,
                     cell=sorted(row), count=[row[cell] for cell in sorted(row)])

    def books(self):
        for layer, name in enumerate(LAYERS + ["unattributed"]):
            for what in TIMES:
                values = self.samples[layer, what]
                if values:
                    p99 = rank(values, 990)
                    if self.lie == "quantile" and (name, what) == ("l2", "service"):
                        p99 //= 2
                    self.say("exact", layer=name, time=what, **{"from": "samples"}, n=len(values),
                             p50_ns=rank(values, 500), p99_ns=p99, max_ns=max(values),
                             sum_ns=sum(values) + (self.lie == "response" and what == "response"))
        for layer, name in enumerate(LAYERS):
            calls = len(self.samples[layer, "service"])
            counted = calls + (1 if name == "l1" else -1 if name == "l2" else 0) * (self.lie == "layer")
            self.say("books", layer=name, calls=calls, counted=None if self.lie == "silent" else counted)
        calls = len(self.samples[2, "service"])
        self.say("loader", layer="miss", calls=calls, runs=calls - (self.lie == "loader"), elsewhere=0, ns=calls * 20_000_000)

    def counts(self):
        """Looks into the second layer, by the terrain's own books; one of each layer was in the warm-up."""
        found, runs = (len(self.samples[layer, "service"]) + 1 for layer in (1, 2))
        self.say("counts", name=["l2_found", "l2_absent", "l2_again", "l2_blind", "l2_released", "l2_unreleased", "l2_unsure", "l2_spoilt"],
                 count=[found - (self.lie == "found"), runs + 2 - 1 + (self.lie == "absent"), 2, 1, 3, 0, 0, 0])

    def tell(self):
        slices = int(self.options.get("slices", "3"))
        self.introduce()
        if self.lie == "refuses":
            self.say("failed", path="story", layout=0, pid=1, step="setup", reason="no server \x1b[31m there")
            self.say("end", lines=self.lines)
            return
        self.start()
        done = 0
        while done < slices and not self.stopped:
            self.slice(done)
            done += 1
            if self.lie == "dies":
                sys.exit("the story breaks off")
            if self.lie == "waits":
                open("waiting", "w").close()
            while self.lie == "waits" and not self.stopped:
                time.sleep(0.02)
        self.books()
        if self.lie != "untold":
            self.counts()
        calls = sum(len(self.samples[layer, "service"]) for layer in range(4))
        self.say("terrain_end", stopped=self.stopped, reason="signal" if self.stopped else "time", slices=done, calls=calls,
                 dropped=2 * done + (self.lie == "dropped"), late=5 * done, failed=0,
                 unattributed=len(self.samples[3, "service"]), unserved=0, wall_ns=0, kit_ns=9 * done)
        self.say("end", lines=self.lines)


def main():
    out = os.fdopen(int(os.environ.get("CKBENCH_FD", "3")), "w")
    if sys.argv[1:] == ["list"]:
        story = Story(out, {})
        story.introduce()
        for name in ("redis", "story"):
            story.say("terrain", name=name, about="told by a script", layers=LAYERS)
        story.say("end", lines=story.lines)
        return
    if sys.argv[1:2] != ["terrain"] or sys.argv[2] not in ("story", "redis"):
        sys.exit(2)
    Story(out, dict(word.split("=", 1) for word in sys.argv[3:])).tell()


main()

#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""Runs the README's function in Redis against a server of its own, kills that in the middle of the
loop and starts it again. Results never change; the server's own commandstats say what it was asked.
Usage: example.py PROGRAM"""

import subprocess
import sys
import threading
import time

from kept import Kept

PATIENCE_S = 120


class Program:
    def __init__(self, path, url):
        self.slowest_s = 0.0
        self.process = subprocess.Popen([path, url], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def call(self):
        """Who answered; that the result is right is demanded of every call."""
        begun = time.monotonic()
        self.process.stdin.write("42\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        self.slowest_s = max(self.slowest_s, time.monotonic() - begun)
        assert line.startswith("42 Alice: "), f"the program said {line!r}"
        return line[len("42 Alice: ") :].strip()

    def call_until(self, layer, pause_s):
        """How many calls it took, the one that this layer answered included."""
        end = time.monotonic() + PATIENCE_S
        calls = 1
        while self.call() != layer:
            assert time.monotonic() < end, f"never answered by {layer}"
            time.sleep(pause_s)
            calls += 1
        return calls

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0, "the program failed at its end"


def check_hits(keeper, layers):
    """On a machine that does much else a question may miss its deadline, not most of them."""
    hits = layers.count("Redis")
    counts = keeper.calls("get"), keeper.calls("set")
    assert hits >= 10 and counts[0] >= hits and counts[1] >= 1, f"{hits} hits; GETs and SETs: {counts}"


def check_fresh(keeper, program):
    assert program.call() == "computed"
    check_hits(keeper, [program.call() for _ in range(19)])


def check_kill(keeper, program):
    """The server dies while calls are under way."""
    death = threading.Timer(0.2, keeper.tell, ["kill"])
    death.start()
    program.call_until("computed", 0)
    death.join()
    layers = [program.call() for _ in range(20)]  # enough for the breaker to open
    assert layers == ["computed"] * 20, layers
    print(f"example: dead: every call computed, the slowest took {program.slowest_s * 1000:.0f} ms")


def check_return(keeper, program):
    keeper.tell("start")
    begun = time.monotonic()
    program.call_until("Redis", 0.1)
    took_s = time.monotonic() - begun
    check_hits(keeper, [program.call() for _ in range(19)])
    print(f"example: hits come from Redis again after {took_s:.1f} s")


def main():
    keeper = Kept()
    program = Program(sys.argv[1], keeper.url)
    check_fresh(keeper, program)
    check_kill(keeper, program)
    check_return(keeper, program)
    program.close()
    keeper.close()


if __name__ == "__main__":
    main()

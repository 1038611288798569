# SPDX-License-Identifier: MIT
"""By hand: what the terrain loop costs beside a null terrain, in readings of the clock: back to back,
paced at more than it can make, and paced with a backlog of waits that are kept one by one. Prints and
judges nothing; the least of many short slices, because a busy machine only ever adds.
Arguments: PROGRAM [RUNS [OPTION=VALUE ...]]."""

import sys

from subject_run import run

REGIMES = {
    "back to back": ["arrivals=closed"],
    "paced, dropping": ["arrivals=poisson", "rate=10000000", "late=drop"],
    "paced, in a queue": ["arrivals=constant", "rate=10000000", "late=queue"],
}


def show(regime, answer):
    (start,) = answer.of("terrain_start")
    slices = [line for line in answer.of("slice") if line["n"][0] > 0]
    read_ns = start["clock_cost_ps"] / 1000
    loop = min((line["end_ns"] - line["start_ns"]) / line["n"][0] for line in slices[:-1])
    books = min(line["kit_ns"] / line["n"][0] for line in slices if line["kit_ns"] > 0)
    print(
        f"{regime}: a reading {read_ns:.2f} ns; a call {loop:.2f} ns, {loop / 2 / read_ns:.3f} of two"
        f" readings; its books {books:.2f} ns, {books / read_ns:.3f} of one"
    )


def main():
    program, runs, options = sys.argv[1], int((sys.argv[2:] or ["5"])[0]), sys.argv[3:]
    for _ in range(runs):
        for regime, words in REGIMES.items():
            show(
                regime,
                run([program, "terrain", "ckbench_self_null", *words, "seconds=1.5", "slice=0.004", *options]),
            )


if __name__ == "__main__":
    main()

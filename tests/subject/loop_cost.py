# SPDX-License-Identifier: MIT
"""By hand: what the terrain loop costs beside a null terrain, back to back, in readings of the clock.
Prints and judges nothing; the least of many short slices, because a busy machine only ever adds.
Arguments: PROGRAM [RUNS [OPTION=VALUE ...]]."""

import sys

from subject_run import run


def main():
    program, runs, options = sys.argv[1], int((sys.argv[2:] or ["5"])[0]), sys.argv[3:]
    for _ in range(runs):
        answer = run(
            [program, "terrain", "ckbench_self_null", "arrivals=closed", "seconds=1.5",
             "slice=0.004", *options]
        )  # fmt: skip
        (start,) = answer.of("terrain_start")
        slices = [line for line in answer.of("slice") if line["n"][0] > 0]
        read_ns = start["clock_cost_ps"] / 1000
        loop = min((line["end_ns"] - line["start_ns"]) / line["n"][0] for line in slices[:-1])
        books = min(line["kit_ns"] / line["n"][0] for line in slices if line["kit_ns"] > 0)
        print(
            f"a reading {read_ns:.2f} ns; a call {loop:.2f} ns, {loop / 2 / read_ns:.3f} of two"
            f" readings; its books {books:.2f} ns, {books / read_ns:.3f} of one"
        )


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Honest reports of `ckbench ir`, made without ckbench: figures and verdicts are worked out here from
the rules as they are written (FAIL from fail_pct, WARN from warn_pct, LOWER at minus warn_pct, one more
allocation or system call per call FAIL), so that a reader that takes them agrees with another reckoning.

Usage: tests/reports/honest.py DIR    writes the files that the golden cases read"""

import hashlib
import json
import pathlib
import sys
from fractions import Fraction

HEAD, BASE = "a" * 40, "b" * 40
NAMES = ("ir_per_op", "own_ir_per_op", "allocs_per_op", "syscalls_per_op")


class Spelled:
    """A number as it is to be spelled."""

    def __init__(self, text):
        self.text = text


def milli(value):
    """Thousandths, cut towards zero."""
    scaled = int(value * 1000)
    return Spelled(f"{'-' if scaled < 0 else ''}{abs(scaled) // 1000}.{abs(scaled) % 1000:03d}")


def dumps(value):
    if isinstance(value, Spelled):
        return value.text
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k) + ":" + dumps(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(dumps(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def side(total, own=None, allocs=0, syscalls=0, ops=100, empty=7, layouts=3, spread=0):
    """Figures per call; the totals of `layouts` layouts lie `spread` apart around the first's."""
    def whole(figure):
        return None if figure is None else int(figure * ops)
    return {"layouts": [{"layout": i, "ops": ops, "total_ir": whole(total) + empty + spread * (i - layouts // 2),
                         "own_ir": whole(own), "allocs": whole(allocs), "syscalls": whole(syscalls),
                         "empty_ir": empty} for i in range(layouts)]}


def figures(one):
    if one is None:
        return None
    rows = one["layouts"]
    at = sorted(rows, key=lambda r: r["total_ir"] - r["empty_ir"])[(len(rows) - 1) // 2]
    own = sorted(rows, key=lambda r: -1 if r["own_ir"] is None else r["own_ir"])[(len(rows) - 1) // 2]
    ops = at["ops"]
    return {"total": Fraction(at["total_ir"] - at["empty_ir"], ops),
            "own": None if own["own_ir"] is None else Fraction(own["own_ir"], own["ops"]),
            "allocs": Fraction(at["allocs"], ops), "syscalls": Fraction(at["syscalls"], ops)}


def judge(head, base, facts, policy, error):
    h, b = figures(head), figures(base)
    if error is not None:
        return "error", "none"
    for fact, word in (("incomparable", "incomparable"), ("gone", "gone")):
        if facts[fact]:
            return word, "none"
    if not facts["has_base"]:
        return "no budget", "none"
    if base is None:
        return "new", "none"
    known = h["own"] is not None and b["own"] is not None
    same_counts = h["allocs"] == b["allocs"] and h["syscalls"] == b["syscalls"]
    nets = [Fraction(r["total_ir"] - r["empty_ir"], r["ops"]) for r in base["layouts"]]
    if facts["reads_input"]:
        sort = "input"
    elif (known and h["own"] != b["own"]) or not same_counts:
        sort = "own"
    elif h["total"] == b["total"]:
        sort = "equal"
    elif (known and facts["same_edges"] and facts["only_libc_moved"]
          and min(nets) <= h["total"] <= max(nets)):
        sort = "layout"
    else:
        sort = "outside"
    fail, warn = (Fraction(policy[k].text) / 100 for k in ("fail_pct", "warn_pct"))

    def over(key, share):
        return h[key] > b[key] and h[key] >= b[key] * (1 + share)
    fails = {"total": over("total", fail) and sort != "layout",
             "allocs": h["allocs"] >= b["allocs"] + 1, "syscalls": h["syscalls"] >= b["syscalls"] + 1}
    if any(fails[k] and not policy["accept_" + k] for k in fails):
        return "FAIL", sort
    more = h["allocs"] > b["allocs"] or h["syscalls"] > b["syscalls"]
    if any(fails.values()) or over("total", warn) or (known and over("own", warn)) or more:
        return "WARN", sort
    if h["total"] < b["total"] and h["total"] <= b["total"] * (1 - warn):
        return "LOWER", sort
    return "ok", sort


def path(name, head, base, reasons=(), error=None, facts=(), policy=(), spread=None, cycles=(None, None)):
    all_facts = {"incomparable": False, "gone": head is None and error is None, "has_base": True,
                 "reads_input": False, "same_edges": False, "only_libc_moved": False, **dict(facts)}
    all_policy = {"fail_pct": milli(Fraction(1)), "warn_pct": milli(Fraction(1, 5)), "accept_total": False,
                  "accept_allocs": False, "accept_syscalls": False, "accept_gone": False, **dict(policy)}
    verdict, sort = judge(head, base, all_facts, all_policy, error)
    out = {"name": name, "verdict": verdict, "class": sort, "reasons": list(reasons)}
    h, b = figures(head), figures(base)
    for who, figure in (("head", h), ("base", b)):
        for key, short in zip(NAMES, ("total", "own", "allocs", "syscalls")):
            known = figure is not None and figure[short] is not None
            out[f"{who}_{key}"] = milli(figure[short]) if known else None
    comparable = h is not None and b is not None and b["total"] > 0
    # The change in percent is cut to thousandths.
    out["delta_pct"] = milli((h["total"] - b["total"]) * 100 / b["total"]) if comparable else None
    out["spread_ir"], out["spread_own_ir"] = (spread, spread) if spread is not None else (None, None)
    out["head_cycles_per_op"], out["base_cycles_per_op"] = cycles
    out.update(error=error, facts=all_facts, policy=all_policy, head=head, base=base)
    return out


def overall(paths, proven=True):
    verdicts = [p["verdict"] for p in paths]
    failed = any(p["verdict"] == "FAIL" or (p["verdict"] == "gone" and not p["policy"]["accept_gone"])
                 for p in paths)
    complete = (proven and any(v in ("FAIL", "WARN", "LOWER", "ok") for v in verdicts)
                and not any(v in ("error", "incomparable", "no budget") for v in verdicts))
    return ("FAIL" if failed else "PASS" if complete else "INCOMPLETE"), complete


def document(paths, shard="1/1", mode="base", head=HEAD, base=BASE, run=None, unproven=None, settings=(),
             fingerprint=(), adoption=False):
    verdict, complete = overall(paths, unproven is None)
    conditions = {"arch": "x86-64", "valgrind": "3.19.0", "cpuid": "c0ffee", "tunables": "",
                  "producers": ["GNU C11 12.2.0 -O2 -g"],
                  "objects": [{"name": "libc.so", "build_id": "0123456789abcdef"}],
                  "ifuncs": [{"function": "memcpy", "variant": "__memmove_avx_unaligned"}],
                  **dict(fingerprint)}
    body = {"schema": "ckbench/ir/1", "verdict": verdict, "complete": complete, "adoption": adoption, "mode": mode,
            "proof": {"holds": unproven is None, "reason": unproven},
            "fingerprint_id": hashlib.sha256(dumps(conditions).encode()).hexdigest()[:16],
            "fingerprint": conditions,
            "settings": {"layouts": 3, "repeat": 1, "fail_pct": milli(Fraction(1)),
                         "warn_pct": milli(Fraction(1, 5)), "accept_flags": False, "cache_sim": False,
                         "heap_moved": False, **dict(settings)},
            "shard": shard, "paths": paths}

    def identity(commit):
        return {"commit": commit, "dirty": [], "subject": "build/subject", "build_id": "feed"}
    provenance = {"tool": {"name": "ckbench", "version": "0.1.0", "commit": None, "valgrind": None},
                  "argv": ["ir"], "head": identity(head),
                  "base": identity(base) if mode == "base" else None, "run": run,
                  "host": {"cpu": None, "cores": 2, "kernel": None, "libc": None, "governor": None,
                           "virtualisation": None, "load_milli": -1, "steal_milli": -1}, "jobs": 2}
    return {"body": body, "provenance": provenance}


def seal(made):
    """The document's text, with the hash of its body."""
    digest = hashlib.sha256(dumps(made["body"]).encode()).hexdigest()
    return dumps({**made, "body_sha256": digest}) + "\n"


def equal(name, total=1000):
    return path(name, side(total, own=400), side(total, own=400), facts={"same_edges": True})


FAIL_REASON = "hash: called +0.93 per op from ht_get (table.c:120), 87.9 instructions each (hash.c:33)"


def shards(run="77-1", **more):
    """Four shards of one run: a failure, a warning, a new and a lower path among equal ones."""
    parts = [
        [equal("decode"), path("key", side(1020, own=420), side(1000, own=400),
                               ["total +20 instructions per call, at or over 1 % more", FAIL_REASON])],
        [equal("encode"), path("hit", side(1002, own=402), side(1000, own=400),
                               ["total +2 instructions per call, at or over 0.2 % more"])],
        [path("fresh", side(500, own=100), None)],
        [path("miss", side(900, own=300), side(1000, own=400)), equal("put")],
    ]
    return [document(part, shard=f"{k}/4", run=run, **more) for k, part in enumerate(parts, 1)]


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    for number, made in enumerate(shards(), 1):
        (folder / f"shard-{number}.json").write_text(seal(made))
    for number, name in enumerate(("decode", "encode"), 1):
        made = document([path(name, side(500, own=100), None)], shard=f"{number}/2", adoption=True)
        (folder / f"adopted-{number}.json").write_text(seal(made))
    for number, made in enumerate(shards(run="77-2"), 1):
        (folder / f"later-{number}.json").write_text(seal(made))
    for number, made in enumerate(shards(head="c" * 40), 1):
        (folder / f"foreign-{number}.json").write_text(seal(made))
    (folder / "good.json").write_text(seal(document([equal("decode"), equal("encode", 5000)])))
    lying = document([path("key", side(1020, own=420), side(1000, own=400))], shard="1/4", run="77-1")
    lying["body"]["paths"][0]["verdict"] = "ok"
    (folder / "lying.json").write_text(seal(lying))

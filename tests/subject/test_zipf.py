# SPDX-License-Identifier: MIT
"""Zipf's law, judged from outside: the shares that the kit's samplers should have are summed here,
chi-square and its p value are computed here, and p values of many runs must be uniform.
Arguments: DRAWS-PROGRAM."""

import math
import subprocess
import sys
import unittest

KEYS = 10000
LEAST_EXPECTED = 20


def gamma_above(a, x):
    """The upper regularised incomplete gamma function."""
    head = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > 1e-16 * total:
            n += 1
            term *= x / n
            total += term
        return 1 - head * total
    # The continued fraction by backward recurrence: no stopping rule to get wrong.
    fraction = 0.0
    for k in range(2000, 0, -1):
        fraction = k * (a - k) / (x + 2 * k + 1 - a + fraction)
    return head / (x + 1 - a + fraction)


def p_value(counts, shares):
    draws = sum(counts)
    chi2 = expected = seen = 0.0
    cells = 0
    left = draws
    for count, share in zip(counts, shares):
        expected += share * draws
        left -= share * draws
        seen += count
        if expected >= LEAST_EXPECTED and left >= LEAST_EXPECTED:
            chi2 += (seen - expected) ** 2 / expected
            cells += 1
            expected = seen = 0.0
    if expected > 0:
        chi2 += (seen - expected) ** 2 / expected
        cells += 1
    return gamma_above((cells - 1) / 2, chi2 / 2) if cells > 1 else None


def ks_distance(values):
    values = sorted(values)
    n = len(values)
    return max(max((i + 1) / n - v, v - i / n) for i, v in enumerate(values))


class Zipf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = subprocess.run(
            [sys.argv[1]], stdout=subprocess.PIPE, check=True, text=True
        ).stdout.splitlines()
        cls.ends = [int(word) for word in text[0].split()[1:]]
        cls.faults = int(text[-1].split()[1])
        cls.found = {}
        shares = {}
        for line in text[1:-1]:
            sampler, exponent, _, *counts = line.split()
            if exponent not in shares:
                shares[exponent] = cls.shares(float(exponent))
            p = p_value([int(count) for count in counts], shares[exponent])
            cls.found.setdefault((sampler, exponent), []).append(p)

    @classmethod
    def shares(cls, exponent):
        weights = [k**-exponent for k in range(1, KEYS + 1)]
        total = math.fsum(weights)
        starts = [0, *cls.ends[:-1]]
        return [math.fsum(weights[a:b]) / total for a, b in zip(starts, cls.ends)]

    def test_p_values_of_a_thousand_runs_are_uniform(self):
        values = [p for (name, _), ps in self.found.items() if name == "alias" for p in ps]
        self.assertEqual(len(values), 1000)
        # The distance that one in ten thousand uniform samples exceeds: 2.23 / sqrt(n).
        self.assertLess(ks_distance(values), 2.23 / math.sqrt(len(values)))
        for (name, exponent), ps in self.found.items():
            if name == "alias":
                self.assertLess(ks_distance(ps), 2.23 / math.sqrt(len(ps)), exponent)

    def test_the_sampler_of_large_ranges_has_the_same_law(self):
        values = [p for (name, _), ps in self.found.items() if name == "rejection" for p in ps]
        self.assertEqual(len(values), 40)
        self.assertLess(ks_distance(values), 2.23 / math.sqrt(len(values)))

    def test_wrong_formulas_are_found_out(self):
        for name in ("gray", "scrambled"):
            values = [p for (which, _), ps in self.found.items() if which == name for p in ps]
            self.assertEqual(len(values), 10)
            self.assertLess(max(values), 1e-6, name)

    def test_scattering_loses_no_key_and_every_key_can_come(self):
        self.assertEqual(self.faults, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

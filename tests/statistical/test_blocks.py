"""Blocks: every kind of noise and population keeps delta, and a control with smaller radii does not.

The cells of benchmarks/blocks.py with fewer runs. Null hypothesis of a cell: at most a share delta of the answers is
wrong at the epsilon stated for it. Sequential tests with fixed seeds at level 1e-4 (power against a rate of 0.5: 0.99).
"""

from __future__ import annotations

import numpy as np
import pytest
from shared.binomial import rejected

from benchmarks import blocks
from benchmarks.batches import Batch

LEVEL = 1e-4


CELLS = [(kind, population) for kind in blocks.KINDS[:3] for population in blocks.POPULATIONS]
CELLS += [(kind, blocks.POPULATIONS[1]) for kind in blocks.KINDS[3:]]
CELLS += [("mixed", blocks.POPULATIONS[0]), ("mixed", blocks.POPULATIONS[2])]


@pytest.mark.parametrize(("kind", "population"), CELLS)
def test_delta_is_kept(kind, population):
    assert not rejected(blocks.judge(kind, population, 1.0), blocks.DELTA, LEVEL)


@pytest.mark.parametrize("kind", [*blocks.KINDS[:4], "mixed", "mixed, wide cone"])
def test_the_test_has_power(kind):
    assert rejected(blocks.judge(kind, blocks.POPULATIONS[1], 1 / blocks.divisor(kind)), blocks.DELTA, LEVEL)


@pytest.mark.parametrize(("epsilon", "most"), [(0.1, 0.35), (0.02, 0.6)])
def test_correlated_answers_need_a_part_of_the_calls(epsilon, most):
    values = blocks.matrix((40, 500, 2), np.random.default_rng([blocks.SEED, 40, 500, 2, 0]))
    share, right = blocks.calls(values, epsilon, seed=0)
    assert right
    assert share <= most
    assert blocks.unpaired_undecided(values, epsilon) > 0


def test_the_page_says_what_was_measured():
    name = blocks.named("0/1, a level", "unlimited")
    kept = [Batch(name, False, 0, 50, 2), Batch(name, True, 0, 50, 30)]
    calls = [blocks.Call(5, 0.1, number, share, True, 20) for number, share in enumerate((0.3, 0.4))]
    section = blocks.calls_section(calls, [(0.1, 0.25, 0.25)], 2)
    text = blocks.page(section, blocks.failures(kept))
    assert blocks.earlier_calls(text).strip() == section.strip()
    assert "| 0/1, a level | unlimited | 50 | 2 | yes | 30 of 50 | yes |" in text
    assert "| 50 | 800 | 2 | 0.5, traded off | 0.1 | 35.0% | 40.0% | 2 of 2 | 20 |" in text
    assert len(list(blocks.missing_calls(1, calls))) == len(blocks.MATRICES) * len(blocks.EPSILONS) - 1

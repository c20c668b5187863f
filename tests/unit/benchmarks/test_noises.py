"""Mixed kinds of noise keep delta, measured: the cells of `benchmarks.noises` that take one look, in fewer runs.

Null hypothesis of a cell: the answer is wrong with probability at most DELTA. Exact binomial test at LEVEL, fixed
seeds; every radius divided by 16 must be rejected.
"""

from __future__ import annotations

import pytest
from scipy.stats import binom

from benchmarks import noises
from benchmarks.batches import Batch

LEVEL, RUNS, CONTROL = 1e-3, 60, 1 / 16


@pytest.mark.parametrize("way", noises.WAYS[2:])
@pytest.mark.parametrize("mixture", noises.MIXTURES, ids=lambda mixture: mixture.name)
def test_at_most_a_delta_fraction_of_answers_is_wrong(mixture, way):
    most = binom.isf(LEVEL, RUNS, noises.DELTA)
    assert sum(map(noises.judge(mixture, way, 1.0), range(RUNS))) <= most
    assert sum(map(noises.judge(mixture, way, CONTROL), range(RUNS))) > most


def test_the_page_says_what_was_measured():
    name = noises.named(noises.MIXTURES[1], "one look")
    kept = [Batch(name, False, 0, 50, 2), Batch(name, False, 50, 50, 1), Batch(name, True, 0, 50, 30)]
    price = noises.Price(0.03, "cover", 40, 840.0, 500.0, 0)
    text = noises.page(noises.failures(kept), [price])
    assert "| 0/1, known | orthant:2 | one look | 100 | 3 | yes | 8 | 30 of 50 | yes |" in text
    assert "| 0.03 | cover | 40 | 840 | 500 | 1.68 | 0 |" in text

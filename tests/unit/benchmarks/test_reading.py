"""What somebody who knows everything would read: by hand for one pair, and monotone in what claims may spend."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import blocks, reading


def test_the_blocks_until_a_radius_is_a_distance():
    g = reading.blocks_until(2.0, np.array(0.25), np.array(0.1), 400)
    assert 2.0 * np.sqrt(0.25 * (1 / g - 1 / 400)) == pytest.approx(0.1)
    assert reading.blocks_until(2.0, np.array(0.25), np.array(-0.1), 400) == 400


def test_who_may_spend_more_reads_less_and_identical_models_read_all_at_epsilon_0():
    values = blocks.matrix((8, 100, 2), np.random.default_rng(0))
    assert reading.share(values, 0.1, 0.05, 0.05) < reading.share(values, 0.1, 1e-4, 1e-4) < 1
    twins = np.concatenate([values[:1], values[:1]])
    assert reading.share(twins, 0.0, 0.05, 0.05) == pytest.approx(1.0)

"""Tables of zeros and ones whose columns share the difficulty of their blocks."""

from __future__ import annotations

import numpy as np

import conewise as cw

FLAT = cw.Cone.orthant(2)
RATES = [[0.9, 0.3], [0.4, 0.8], [0.35, 0.25], [0.88, 0.28], [0.2, 0.2]]


def answers(rates, blocks, seed, shared=True):
    """0/1 values with these rates that share the difficulty of their block."""
    rng = np.random.default_rng(seed)
    rates = np.asarray(rates, dtype=float)
    draws = rng.random((1, blocks, 1)) if shared else rng.random((len(rates), blocks, rates.shape[1]))
    mixed = np.where(rng.random((len(rates), blocks, rates.shape[1])) < 0.7, draws, rng.random(draws.shape))
    return (mixed < rates[:, None, :]).astype(float)

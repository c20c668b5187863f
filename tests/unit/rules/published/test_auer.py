"""Auer's elimination, round by round, against a literal reading of the paper."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shared.published import DELTA, columns_of, rounds_of

import conewise as cw
from conewise.noise import Gaussian
from conewise.rules.published.auer import AuerElimination


def auer_by_hand(values: np.ndarray, epsilon: float, delta: float) -> tuple[list[set[int]], set[int]]:
    """Auer et al. 2016, Algorithm 1, componentwise with unit noise, word for word."""
    _, k, d = values.shape
    active, accepted, history = set(range(k)), set(), []
    for t in range(1, len(values) + 1):
        mean = values[:t].mean(axis=0)
        beta = 2 * math.sqrt(2 * math.log(4 * k * d * t**2 / delta) / t)

        def m(i, j, mean=mean):
            return max(0.0, min(mean[j] - mean[i]))

        def big_m(i, j, mean=mean):
            return max(0.0, max(mean[i] + epsilon - mean[j]))

        a1 = {i for i in active if all(m(i, j) <= beta for j in active)}
        p1 = {i for i in a1 if all(big_m(i, j) >= beta for j in a1 - {i})}
        p2 = {j for j in p1 if not any(big_m(i, j) <= beta for i in a1 - p1)}
        active, accepted = a1 - p2, accepted | p2
        history.append(set(active))
        if not active:
            break
    return history, accepted


@pytest.mark.parametrize("seed", range(4))
def test_auer_round_by_round(seed):
    means = np.random.default_rng(seed).normal(size=(8, 3)) * 2
    values = columns_of(means, 1.0, 3000, seed)
    by_hand = auer_by_hand(values, 1.0, DELTA)
    assert len(by_hand[0]) > 20
    assert rounds_of(AuerElimination(cw.Question(cw.Cone.orthant(3), 1.0, DELTA, Gaussian(1.0)), 8), values) == by_hand

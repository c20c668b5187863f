"""AdaHedge: weights on experts that follow their gains, without a learning rate to tune.

de Rooij, van Erven, Grünwald & Koolen, "Follow the leader if you can, hedge if you must", Journal of Machine Learning
Research 15, 2014.
"""

from __future__ import annotations

import math

import numpy as np

from conewise.border import Floats


def ada_hedge(gains: Floats) -> Floats:
    """Return (K,): the weights after these gains (R, K), one row a round.

    >>> ada_hedge(np.array([[1.0, 0.0], [1.0, 0.0]])).round(2).tolist()
    [0.92, 0.08]
    """
    losses, mixability, rate = np.zeros(gains.shape[1]), 0.0, 0.0
    weights = np.full(len(losses), 1 / len(losses))
    for gain in gains:
        # The mixability gap: the loss of the weights less their mix loss.
        mixability += max(0.0, float(weights @ -gain) - (_mix(losses - gain, rate) - _mix(losses, rate)))
        losses = losses - gain
        rate = math.log(len(losses)) / mixability if mixability > 0 else 0.0  # 0 while all losses are equal
        weights = np.exp(-rate * (losses - losses.min()))
        weights /= weights.sum()
    return weights


def _mix(losses: Floats, rate: float) -> float:
    """Return -log(sum exp(-rate losses)) / rate; before there is a rate, the smallest loss."""
    least = float(losses.min())
    return least - math.log(np.exp(-rate * (losses - least)).sum()) / rate if rate else least

"""The maximum over directions behind "covered by", the slow way: `conewise.order.directions` never falls below it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from .twins import nearest_combination

Floats = NDArray[np.float64]


def width(W: Floats, a: Floats) -> float:
    """alpha(a) = max{ a.u : u in C, |u| <= 1 }: the distance of a from -C+."""
    return float(np.linalg.norm(a + W.T @ nearest_combination(W, -a)))


def covered_from(W: Floats, gain: Floats, covariance: Floats, z: float, seed: int = 0, starts: int = 60) -> float:
    """Max over a in C+ of (z sd(a) - a.gain)^+ / alpha(a): what random directions and local searches from them find.

    No more than the truth, which is enough to catch a bound that is too low. Directions a = W'l, l >= 0.
    """
    rng = np.random.default_rng(seed)

    def value(weights: Floats) -> float:
        a = W.T @ np.abs(weights)
        length = float(np.linalg.norm(a))
        if length < 1e-12:
            return 0.0
        a = a / length
        return float((z * np.sqrt(max(a @ covariance @ a, 0.0)) - a @ gain) / width(W, a))

    tries = [*np.eye(len(W)), np.ones(len(W))]
    tries += [rng.exponential(size=len(W)) ** rng.uniform(0.3, 6) for _ in range(starts)]
    values = [value(one) for one in tries]
    best = max(0.0, *values)
    for place in np.argsort(values)[-2:]:
        found = minimize(lambda x: -value(x), tries[place], method="Nelder-Mead", options={"maxfev": 150})
        best = max(best, -float(found.fun))
    return best

"""Simulate an experiment to rehearse with; the trial.toml of `conewise study init` uses it until you replace it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

SIGMA = (0.4, 0.1)
"""Standard deviations of the yield and of the cost in one evaluation."""


def evaluate(design: Mapping[str, Any], seed: int) -> dict[str, float]:
    """Return the noisy yield of a reaction in percent and its cost in EUR, at a temperature and after some hours.

    >>> evaluate({"temperature": 60, "hours": 2}, seed=1) == evaluate({"temperature": 60, "hours": 2}, seed=1)
    True
    """
    noise = np.random.default_rng(seed).standard_normal(2) * SIGMA
    temperature, hours = float(design["temperature"]), float(design["hours"])
    amount = 90 - (temperature - 70) ** 2 / 50 - 20 / hours
    cost = 2 + 0.02 * (temperature - 20) + 0.5 * hours
    return {"yield": float(amount + noise[0]), "cost": float(cost + noise[1])}

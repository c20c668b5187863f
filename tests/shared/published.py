"""Problems on which the published rules are tried, the rules by what they promise, and runs of them."""

from __future__ import annotations

import numpy as np

import conewise as cw
from conewise.data.observations import Observations
from conewise.problems import SimulatedBandit
from conewise.rules import Algorithm, Result
from conewise.rules.published.ape import LeaderChallenger
from conewise.rules.published.auer import AuerElimination
from conewise.rules.published.paveba import PaVeBa
from conewise.rules.published.psips import PosteriorSampling
from conewise.studies.loop import run

LEVEL, DELTA, EPSILON, SIGMA = 1e-4, 0.1, 0.4, 0.3
ELIMINATIONS = [AuerElimination, PaVeBa]
PROVEN = [LeaderChallenger, *ELIMINATIONS]
CONFIDENT = [*PROVEN, PosteriorSampling]

POINTS = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [1.5, 1.5], [-1.0, 1.0], [0.2, -0.5], [-0.8, -0.9]]
PROBLEMS = {
    "one objective": (cw.Cone.orthant(1), [[0.0], [1.0], [3.0], [2.2]]),
    "right angle": (cw.Cone.orthant(2), POINTS),
    "narrow": (cw.Cone.planar(45), POINTS),
    "wide": (cw.Cone.planar(135), POINTS),
    "three objectives, five facets": (
        cw.Cone.ice_cream(60, facets=5),
        np.random.default_rng(3).normal(size=(6, 3)) * 3,
    ),
}


def name(value: object) -> str:
    return getattr(value, "__name__", str(value))


def play(algorithm: Algorithm, means, seed: int, noise=None) -> Result:
    return run(algorithm, SimulatedBandit(means, noise or algorithm.noise), rng=seed)


def columns_of(means, sigma: float, rounds: int, seed: int) -> np.ndarray:
    """(rounds, K, D): observation t of every design, so that a twin and the rule see the same."""
    return np.asarray(means) + sigma * np.random.default_rng(seed).normal(size=(rounds, *np.shape(means)))


def rounds_of(algorithm: Algorithm, values: np.ndarray) -> tuple[list[set[int]], set[int]]:
    state, history = algorithm.start(), []
    while (pulls := algorithm.ask(state)).total:
        assert (pulls.counts == 1).all()
        state = algorithm.tell(state, Observations.single(pulls.designs, values[len(history), pulls.designs]))
        history.append(set(algorithm.ask(state).designs.tolist()))
    return history, set(algorithm.recommend(state).indices)

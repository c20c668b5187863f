"""VOPy itself on a table of ours, asked in its own environment (`make bench-peers`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import conewise as cw
from benchmarks.elsewhere import Peer, peer_versions

VERSION = "0.2.0"
"""Of all runs that are kept; another one would begin files of its own."""
LONGEST = 6 * 3600.0
"""Seconds by the clock after which a question is given up: it stops by itself after so much CPU time, in one thread."""


@dataclass(frozen=True)
class Asked:
    """A question that VOPy can be asked: means (standardised), features, and what is wanted; componentwise."""

    means: np.ndarray
    features: np.ndarray
    sigma: float
    epsilon: float
    delta: float


@dataclass(frozen=True)
class Answer:
    evaluations: int
    returned: np.ndarray
    """(K,): a mask."""
    seconds: float
    """CPU time."""
    ended: bool

    def right(self, asked: Asked) -> bool:
        """Ended, and successful."""
        orthant = cw.Cone.orthant(asked.means.shape[1])
        return self.ended and bool(cw.verdict(self.returned, asked.means, orthant, asked.epsilon))


@cache
def peer() -> Peer:
    """One process for all questions: importing VOPy takes longer than many of its runs."""
    found = peer_versions({"VOPy": "vopy"})["VOPy"]
    if found != VERSION:
        raise RuntimeError(f"the runs that are kept are of VOPy {VERSION}, and VOPy {found} is installed")
    return Peer("VOPy", "vopy_runs.py", patience=LONGEST)


def run(rule: str, asked: Asked, contraction: float | None, seed: int, patience: float) -> Answer:
    """One run, stopped after `patience` CPU seconds; a contraction divides the radius, None is for rules without."""
    vopy = peer()
    said = vopy.ask(
        rule=rule,
        points=vopy.keep("points", asked.means),
        features=vopy.keep("features", asked.features),
        variance=asked.sigma**2,
        epsilon=asked.epsilon,
        delta=asked.delta,
        contraction=contraction,
        seed=seed,
        seconds=patience,
    )
    if said is None:
        raise RuntimeError(f"VOPy {vopy.trouble}")
    mask = np.isin(np.arange(len(asked.means)), said["returned"])
    return Answer(said["evaluations"], mask, said["seconds"], said["ended"])

"""The instances on which evaluations are counted: `benchmarks.samples`.

Everything random comes from seeds from SEED on. Constants of our own rules are tuned with the seeds 0 to 999 only, so
that nothing reported here was used to choose them. Fixed data (SNW, disc brake) can only have new noise, not new means.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

import conewise as cw
from benchmarks.characteristic import Characteristic, TooLargeError, characteristic_time
from conewise.noise import Gaussian, GaussianUnknown
from conewise.problems import GaussianNoise

SEED = 70_000

_VOPY = "VOPy 0.2.0: PaVeBa, proven radius, as counted there"


@dataclass(frozen=True)
class Case:
    name: str
    problem: cw.SimulatedBandit
    cone: cw.Cone
    epsilon: float
    delta: float
    success: str = "cover"
    at_most: float | None = None
    """Evaluations that our best rule may need; for `contain` at most half of what APE needs."""
    aim: float | None = None
    peer: tuple[str, int] | None = None
    """Somebody else's count, not measured here."""
    quick: bool = False
    """Small enough for a look in passing."""
    hidden: Gaussian | None = None
    """What the noise really is, where rules are told no more than that it is normal."""

    @property
    def seed(self) -> int:
        return zlib.crc32(self.name.encode())

    @property
    def hardness(self) -> float:
        """sigma^2 H log(1/delta), a rate (docs/theory, section 6)."""
        noise = self.problem.assumption if self.hidden is None else self.hidden
        scale = float(noise.largest_scale(self.problem.dim)) ** 2
        return scale * cw.hardness(self.problem.means, self.cone, self.epsilon) * np.log(1 / self.delta)

    @cached_property
    def characteristic(self) -> Characteristic | None:
        """Of exact identification; None where another question is asked, or it is not cheap."""
        if self.epsilon > 0:
            return None
        try:
            covariance = self.problem.assumption.covariance(self.problem.dim)
            return characteristic_time(self.problem.means, self.cone, covariance, gap=2e-3, steps=300)
        except TooLargeError:
            return None

    @property
    def asymptotic(self) -> float | None:
        """T* log(1/delta)."""
        found = self.characteristic
        return None if found is None else found.lower * float(np.log(1 / self.delta))

    def right(self, returned: np.ndarray) -> bool:
        """Success in the sense of the case."""
        found = cw.verdict(returned, self.problem.means, self.cone, self.epsilon)
        return found.success and (self.success == "cover" or not len(found.missed))


def _untold(noise: Gaussian) -> GaussianNoise:
    """Normal noise of which rules know nothing but that."""
    source = GaussianNoise(noise)
    source.assumption = GaussianUnknown()
    return source


@cache
def cases() -> tuple[Case, ...]:
    snw = cw.problems.load("snw")
    figures = {
        (45, 0.1): (4.4e5, 3.4e5),
        (90, 0.1): (1.6e5, 1.3e5),
        (135, 0.1): (5.0e4, 4.0e4),
        (90, 0.01): (3.6e6, 2.9e6),
    }
    found = [
        Case(
            f"SNW, planar:{angle}, eps {epsilon:g}, sigma 1, delta 0.01",
            snw,
            cw.Cone.planar(angle),
            epsilon,
            0.01,
            "cover",
            *figures[angle, epsilon],
        )
        for angle, epsilon in figures
    ]
    found.append(
        Case(
            "SNW, planar:90, eps 0.1, noise unknown (sigma 1), delta 0.01",
            cw.SimulatedBandit(snw.means, _untold(Gaussian(1.0))),
            cw.Cone.planar(90),
            0.1,
            0.01,
            "cover",
            2.3e5,
            1.9e5,
            hidden=Gaussian(1.0),
        )
    )
    counted = {
        "standardised SNW": (snw.means, {45: 214_976, 90: 90_263, 135: 45_420}),
        "disc brake": (disc_brake(), {45: 114_120, 90: 26_759, 135: 10_389}),
    }
    for name, (means, by_angle) in counted.items():
        easy = cw.SimulatedBandit((means - means.mean(axis=0)) / means.std(axis=0), Gaussian(0.1))
        found += [
            Case(
                f"{name}, planar:{angle}, eps 0.1, sigma 0.1, delta 0.05",
                easy,
                cw.Cone.planar(angle),
                0.1,
                0.05,
                at_most=theirs / 20,
                peer=(_VOPY, theirs),
                quick=angle == 135,
            )
            for angle, theirs in by_angle.items()
        ]
    for number in range(3):
        found.append(
            Case(
                f"two leaders, number {number + 1}: 20 designs, 3 objectives, smallest gap 0.07, eps 0, delta 0.01",
                two_leaders(SEED + number),
                cw.Cone.orthant(3),
                0.0,
                0.01,
                "contain",
                quick=number == 0,
            )
        )
    for k, dim in ((20, 2), (20, 4), (50, 3), (100, 2), (200, 3), (500, 4)):
        found.append(
            Case(
                f"random normal, {k} designs, {dim} objectives, gaps from 0.1, eps 0, delta 0.01",
                random_family(k, dim, SEED + k + dim),
                cw.Cone.orthant(dim),
                0.0,
                0.01,
                "contain",
                quick=(k, dim) == (20, 2),
            )
        )
    return tuple(found)


def two_leaders(seed: int) -> cw.SimulatedBandit:
    """Twenty designs with three objectives: two Pareto designs, the others behind one of them by 0.07 to 1.6 sd.

    The leaders differ by 0.15 to 0.9 sd in each objective. One objective of each other design, drawn at random, is
    behind by exactly its gap, the others by more. Objectives are correlated.
    """
    rng = np.random.default_rng(seed)
    leaders = np.vstack([np.zeros(3), rng.permutation([1, -1, rng.choice([1, -1])]) * rng.uniform(0.15, 0.9, 3)])
    gaps = 0.07 * (1.6 / 0.07) ** np.concatenate([[0.0], np.sort(rng.uniform(size=16)), [1.0]])
    more = 1 + rng.exponential(1.0, size=(18, 3))
    more[np.arange(18), rng.integers(0, 3, 18)] = 1.0
    behind = leaders[rng.permutation(np.arange(18) % 2)] - gaps[:, None] * more
    covariance = np.array([[1.0, 0.5, 0.3], [0.5, 1.0, 0.4], [0.3, 0.4, 1.0]])
    return cw.SimulatedBandit(np.vstack([leaders, behind]), Gaussian(cov=covariance), about="two leaders")


def random_family(n_designs: int, dim: int, seed: int, smallest: float = 0.1) -> cw.SimulatedBandit:
    """Standard normal means with unit noise; designs whose status hangs on less than `smallest` are drawn anew."""
    rng = np.random.default_rng(seed)
    cone = cw.Cone.orthant(dim)
    means = rng.normal(size=(n_designs, dim))
    while True:
        off = cw.suboptimality_gaps(means, cone)
        escape = (means[:, None] - means[None, :]).max(axis=2)  # how far i is from being dominated by j
        np.fill_diagonal(escape, np.inf)
        close = np.where(off > 0, off, escape.min(axis=1)) < smallest
        if not close.any():
            return cw.SimulatedBandit(means, Gaussian(1.0), about="a random family")
        means[close] = rng.normal(size=(int(close.sum()), dim))


def disc_brake() -> np.ndarray:
    """128 disc brakes: (negated) mass and stopping time.

    The formulas and bounds are those of problem RE33 of Tanabe & Ishibuchi (2020); the designs, points 44 to 171 of the
    Sobol sequence, which gives the data of VOPy's `DiscBrake` (MIT licence) to 2e-15.
    """
    from scipy.stats import qmc

    low, high = np.array([55.0, 75.0, 1000.0, 11.0]), np.array([80.0, 110.0, 3000.0, 20.0])
    points = qmc.Sobol(4, scramble=False).fast_forward(44)
    inner, outer, force, surfaces = (low + (high - low) * points.random(128)).T
    area, reach = outer**2 - inner**2, outer**3 - inner**3
    mass = 4.9e-5 * area * (surfaces - 1)
    time = 9.82e6 * area / (force * surfaces * reach)
    return -np.column_stack([mass, time])

"""Which function grows along what: the cases of the growth curves, each a piece of work at a given size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

import conewise as cw
from benchmarks import data
from conewise.data.observations import Observations, Statistics
from conewise.rules.adaptive.fixed import FixedSample

Along = Literal["K", "|P*|", "D", "N"]
Work = Callable[[], Any]

THOUSAND_TO_MILLION = (1000, 3000, 10**4, 30_000, 10**5, 300_000, 10**6)
FRONTS = (10, 30, 100, 300, 1000, 3000, 10**4, 30_000, 10**5)
FIXED_DESIGNS = 10**5
"""Designs where something else grows."""
PAIRS = 400
"""Designs whose K x K gaps are computed where something else grows."""
CONTENDERS = 100
"""Designs that are not clearly beaten, in the certificate of a sample whose front stays small."""


@dataclass(frozen=True)
class Curve:
    """One function along one size; `work(x)` prepares everything and returns what is timed."""

    function: str
    case: str
    along: Along
    sizes: tuple[int, ...]
    work: Callable[[int], Work]
    bound: Callable[[int], float] | None
    """K log K + K |P*| at a size, where that is the yardstick; along D a curve is fitted by a factor an objective."""

    @property
    def name(self) -> str:
        return f"{self.function}, {self.case}, along {self.along}"

    @property
    def exponential(self) -> bool:
        return self.along == "D"


def curves() -> tuple[Curve, ...]:
    """Every curve: along K first, then along the size of the front, the objectives and the facets."""
    return (*_along_designs(), *_along_front(), *_along_objectives(), *_along_facets())


def steps(designs: int, front: int) -> float:
    """K log K + K |P*|: what a part of the library may cost before it needs an explanation."""
    return designs * (np.log2(designs) + front)


def _bound(kind: str, dim: int) -> Callable[[int], float]:
    """The steps for a cloud; the front of a cube is counted."""
    if kind == "cube":
        return lambda size: steps(size, int(cw.pareto_mask(data.cloud(kind, size, dim), cw.Cone.orthant(dim)).sum()))
    return lambda size: steps(size, size // 2 if kind == "nested" else size)


def _along_designs() -> list[Curve]:
    found = []
    for words, kind in (("small front", "cube"), ("all on the front", "sphere")):
        for dim in (2, 3, 5):
            work, bound = partial(_mask, kind, dim), _bound(kind, dim)
            found.append(Curve("pareto_mask", f"{words}, D = {dim}", "K", THOUSAND_TO_MILLION, work, bound))
    for function, make in (("suboptimality_gaps", _suboptimality), ("verdict", _verdict)):
        for words, kind in (("small front", "cube"), ("half on the front", "nested")):
            work, bound = partial(make, kind, 3), _bound(kind, 3)
            found.append(Curve(function, f"{words}, D = 3", "K", THOUSAND_TO_MILLION, work, bound))
    few, crowd, everyone = "small front, D = 3", "all on the front, D = 3", _bound("sphere", 3)
    work = partial(_separation, "sphere")
    found.append(Curve("separation_gaps", crowd, "K", THOUSAND_TO_MILLION, work, everyone))
    sizes = (100, 200, 400, 800, 1600, 3200)
    found.append(Curve("cover_gaps", "K x K, D = 3", "K", sizes, lambda k: _cover(data.ORTHANT, k), everyone))
    contenders = partial(steps, front=CONTENDERS)
    found.append(Curve("FixedSample.claims", few, "K", THOUSAND_TO_MILLION, _claims_of_few, contenders))
    found.append(Curve("FixedSample.claims", crowd, "K", (300, 1000, 3000, 10**4), _claims_of_all, everyone))
    return found


def _along_front() -> list[Curve]:
    cases: dict[str, Callable[[np.ndarray], Work]] = {
        "pareto_mask": lambda points: partial(cw.pareto_mask, points, data.ORTHANT),
        "suboptimality_gaps": lambda points: partial(cw.suboptimality_gaps, points, data.ORTHANT),
        "separation_gaps": lambda points: partial(cw.separation_gaps, points, data.ORTHANT),
        "verdict": _half_returned,
    }
    bound = partial(steps, FIXED_DESIGNS)
    return [
        Curve(function, "K = 10^5, D = 3", "|P*|", FRONTS, lambda front, make=make: make(_with_front(front)), bound)
        for function, make in cases.items()
    ]


def _along_objectives() -> list[Curve]:
    dimensions = (2, 3, 4, 5, 6, 7, 8)
    return [
        Curve("pareto_mask", "K = 10^5, cube", "D", dimensions, lambda dim: _mask("cube", dim, FIXED_DESIGNS), None),
        Curve(
            "suboptimality_gaps",
            "K = 10^4, cube",
            "D",
            dimensions,
            lambda dim: _suboptimality("cube", dim, 10**4),
            None,
        ),
        Curve("cover_gaps", "400 x 400", "D", dimensions[:6], lambda dim: _cover(cw.Cone.orthant(dim), PAIRS), None),
    ]


def _along_facets() -> list[Curve]:
    facets = (3, 4, 6, 8, 12, 16, 24, 32, 48)
    points = partial(data.cloud, "Gaussian", dim=3)
    return [
        Curve("Cone with widths and beta", "D = 3", "N", facets, _cone, None),
        Curve(
            "pareto_mask", "K = 10^5, D = 3", "N", facets, lambda n: _mask_by(_round(n), points(FIXED_DESIGNS)), None
        ),
        Curve("cover_gaps", "400 x 400, D = 3", "N", facets, lambda n: _cover(_round(n), PAIRS), None),
        Curve("suboptimality_gaps", "K = 10^4, D = 3", "N", facets, lambda n: _gaps_by(_round(n), points(10**4)), None),
    ]


def _mask(kind: str, dim: int, size: int) -> Work:
    return _mask_by(cw.Cone.orthant(dim), data.cloud(kind, size, dim))


def _mask_by(cone: cw.Cone, points: np.ndarray) -> Work:
    return partial(cw.pareto_mask, points, cone)


def _suboptimality(kind: str, dim: int, size: int) -> Work:
    return _gaps_by(cw.Cone.orthant(dim), data.cloud(kind, size, dim))


def _gaps_by(cone: cw.Cone, points: np.ndarray) -> Work:
    return partial(cw.suboptimality_gaps, points, cone)


def _separation(kind: str, size: int) -> Work:
    return partial(cw.separation_gaps, data.cloud(kind, size, 3), data.ORTHANT)


def _verdict(kind: str, dim: int, size: int) -> Work:
    return _half_returned(data.cloud(kind, size, dim))


def _half_returned(points: np.ndarray) -> Work:
    """Every second design is returned: half of the front is missed and much of what is returned is far from it."""
    return partial(cw.verdict, np.arange(0, len(points), 2), points, cw.Cone.orthant(points.shape[1]), 0.05)


def _with_front(size: int) -> np.ndarray:
    return data.front_of(size, FIXED_DESIGNS, 3)


def _cover(cone: cw.Cone, size: int) -> Work:
    return partial(cw.cover_gaps, data.cloud("Gaussian", size, cone.dim), cone)


def _round(facets: int) -> cw.Cone:
    return cw.Cone.ice_cream(60, facets=facets)


def _cone(facets: int) -> Work:
    matrix = np.array(_round(facets).facets)

    def work() -> None:
        cone = cw.Cone(matrix)
        _ = cone.widths, cone.complexity.beta

    return work


def _claims_of_few(size: int) -> Work:
    return _claims(data.mostly_beaten_means(size, CONTENDERS))


def _claims_of_all(size: int) -> Work:
    return _claims(data.cloud("sphere", size, 3))


def _claims(means: np.ndarray, each: int = 100) -> Work:
    """What a finished sample certifies: every design seen as often as told, with the averages at the means."""
    noise = cw.noise.Gaussian(data.SIGMA)
    certificate = FixedSample(cw.Question(data.ORTHANT, data.EPSILON, data.DELTA, noise), len(means))
    counts = np.full(len(means), each)
    seen = Observations(np.arange(len(means)), means, counts, np.zeros((*means.shape, means.shape[1])))
    sample = Statistics.empty(len(means), means.shape[1]).add(seen)
    return partial(certificate.claims, sample)

"""Ratios of `pareto_mask` that are promised: to moocore's compiled filter, and to VOPy.

`masks.py` has the sizes in between and the other peers; here the cones are oblique too. Without VOPy the brute-force
twin stands in, and the row says so.
"""

from __future__ import annotations

from collections.abc import Iterator

import moocore
import numpy as np

import conewise as cw
from benchmarks import data
from benchmarks.elsewhere import Peer
from benchmarks.masks import same
from benchmarks.measure import Row, alternate, cpu_seconds, share, side_by_side, speed_up
from conewise.order.dominance import pareto_mask_by_definition


def rows() -> Iterator[Row]:
    for kind in ("cube", "Gaussian"):
        values = data.cloud(kind, 10**6, 3)
        yield _against_moocore(f"K = 10^6, {kind}, orthant:3", values, data.ORTHANT, at_most=0.15)
        general = data.with_facet_values(values, data.GENERAL)
        yield _against_moocore(f"K = 10^6, {kind} of facet values, general cone", general, data.GENERAL, at_most=0.15)
        yield _against_moocore(f"K = 10^6, {kind}, narrow cone", values, data.NARROW)
    values = data.cloud("sphere", 10**5, 3)
    general = data.with_facet_values(values, data.GENERAL)
    yield _against_moocore("K = 10^5, all on the front, orthant:3", values, data.ORTHANT, at_most=1.2)
    yield _against_moocore("K = 10^5, all on the front, general cone", general, data.GENERAL, at_most=1.2)
    snw, planar = cw.problems.load("snw").means, cw.Cone.planar(135)
    yield _against_moocore("K = 206, SNW, planar:135", snw, planar, at_most=3, repeats=20, number=50)
    for name, cone in (("orthant:3", data.ORTHANT), ("general cone", data.GENERAL)):
        values = data.cloud("cube", 206, 3)
        yield _against_moocore(f"K = 206, cube, {name}", values, cone, at_most=3, repeats=20, number=50)
    with Peer("VOPy", "filters.py", "vopy") as vopy:
        for kind, cone, name in (
            ("cube", cw.Cone.planar(135), "planar:135"),
            ("cube", data.GENERAL, "general cone"),
            ("Gaussian", data.ORTHANT, "orthant:3"),
            ("ball", cw.Cone.planar(90), "planar:90"),
        ):
            yield _against_vopy(f"K = 10^4, {kind}, {name}", data.cloud(kind, 10**4, cone.dim), cone, vopy)


def _against_moocore(
    case: str, points: np.ndarray, cone: cw.Cone, at_most: float | None = None, *, repeats: int = 5, number: int = 1
) -> Row:
    """moocore is handed the facet values for nothing; ours starts from the points."""
    mapped = data.facet_values(points, cone)

    def ours() -> np.ndarray:
        return cw.pareto_mask(points, cone)

    def peer() -> np.ndarray:
        return moocore.is_nondominated(mapped, maximise=True, keep_weakly=True)

    mask = ours()
    same(case, mask, peer())
    seconds = side_by_side(ours, peer, repeats=repeats, number=number)
    return share(f"pareto_mask, {case} (front {int(mask.sum())})", seconds, "moocore", at_most)


def _against_vopy(case: str, points: np.ndarray, cone: cw.Cone, vopy: Peer) -> Row:
    mask = cw.pareto_mask(points, cone)
    case = f"pareto_mask, {case} (front {int(mask.sum())})"
    question = {"points": vopy.keep(f"{hash(case)}", points), "facets": cone.facets.tolist()}
    answer = vopy.ask(**question)
    if answer is None:
        seconds = side_by_side(
            lambda: cw.pareto_mask(points, cone), lambda: pareto_mask_by_definition(points, cone), repeats=1
        )
        return speed_up(case, seconds, f"VOPy {vopy.trouble} (make bench-peers); brute-force twin")
    same(case, mask, np.load(answer["mask"]))

    def ours() -> float:
        return min(cpu_seconds(lambda: cw.pareto_mask(points, cone)) for _ in range(20))

    seconds = alternate(ours, lambda: vopy.seconds(**question), (ours(), answer["seconds"]), repeats=2)
    return speed_up(case, seconds, "VOPy", at_least=1000)

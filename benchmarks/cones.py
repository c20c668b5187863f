"""Making a cone with its widths and its exact ordering complexity, beside VOPy's alpha and beta.

VOPy solves a second-order cone programme a facet for alpha when the cone is made; its beta is known for planar cones
only, so for others ours stands alone. Values are compared before times count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import conewise as cw
from benchmarks import data
from benchmarks.elsewhere import Peer
from benchmarks.measure import Row, absent, alone, alternate, cpu_seconds, speed_up, stated

SOLVER_PRECISION = 1e-3


def rows() -> Iterator[Row]:
    round_cone = cw.Cone.ice_cream(60, facets=40)
    for case, cone in (("D = 5, N = 12", data.random_cone(5, 12)), ("D = 3, N = 40", round_cone)):
        matrix = np.array(cone.facets)
        seconds = min(cpu_seconds(lambda m=matrix: _whole(m)) for _ in range(3))
        yield stated(f"cone, widths, rays and exact complexity, {case}", seconds, "s", below=1)
    with Peer("VOPy", "solvers.py", "vopy") as vopy:
        for case, cone in (
            ("D = 2, N = 2", cw.Cone.planar(60)),
            ("D = 3, N = 8", cw.Cone.ice_cream(60, facets=8)),
            ("D = 5, N = 8", data.random_cone(5, 8)),
            ("D = 3, N = 64", cw.Cone.ice_cream(60, facets=64)),
        ):
            yield _widths(vopy, f"cone and widths alpha, {case}", np.array(cone.facets))
        for degrees in (45, 135):
            yield beta_beside(vopy, degrees)


def _whole(matrix: np.ndarray) -> None:
    cone = cw.Cone(matrix)
    if len(cone.widths) != len(matrix) or not len(cone.rays) or not cone.complexity.exact:
        raise RuntimeError("a row was removed, or the complexity is only a bracket")


def _widths(vopy: Peer, case: str, matrix: np.ndarray) -> Row:
    def ours() -> np.ndarray:
        return cw.Cone(matrix).widths

    return _beside(vopy, case, ours, {"what": "cone", "facets": matrix.tolist()})


def beta_beside(vopy: Peer, degrees: float) -> Row:
    """VOPy's beta is a formula of the angle, but its cone solves for alpha first; ours is the general, exact beta."""

    def ours() -> np.ndarray:
        return np.array([cw.Cone.planar(degrees).complexity.beta])

    return _beside(vopy, f"planar cone of {degrees} degrees and beta", ours, {"what": "beta", "degrees": degrees})


def _beside(vopy: Peer, case: str, ours: Callable[[], np.ndarray], question: dict[str, Any]) -> Row:
    number = 5
    seconds = cpu_seconds(ours, number)
    answer = vopy.ask(**question)
    if answer is None:
        missing = vopy.trouble == "absent"
        return absent(case, seconds, vopy.name) if missing else alone(case, seconds, f"{vopy.name} {vopy.trouble}")
    apart = np.abs(ours() - np.array(answer["values"])).max()
    if apart > SOLVER_PRECISION:
        raise RuntimeError(f"{case}: ours and VOPy's differ by {apart:.1e}")
    pair = alternate(lambda: cpu_seconds(ours, number), lambda: vopy.seconds(**question), (seconds, answer["seconds"]))
    return speed_up(case, pair, "VOPy")

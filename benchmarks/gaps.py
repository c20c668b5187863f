"""`cover_gaps` against one solved problem a pair, `suboptimality_gaps` against VOPy's and against the matrix of pairs.

A pair's M(i, j) is a least-distance problem. Its peers are scipy's nnls with the problem formed by hand, cvxpy with a
parametrised problem that is compiled once, and VOPy's own function. Each is timed on a sample of the pairs; its time
for all of them is in proportion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.optimize import nnls

import conewise as cw
from benchmarks import data
from benchmarks.elsewhere import Peer
from benchmarks.measure import Row, absent, alone, alternate, cpu_seconds, share, side_by_side, speed_up, stated

SAMPLE = 2000
"""Pairs that nnls is timed on; its time for all of them is in proportion."""
SOLVED = 100
"""Pairs for cvxpy and VOPy."""
SOLVER_PRECISION = 1e-3
"""How far a solver with its own tolerances may be from the closed form and still count as the same answer."""
DESIGNS = 200
"""Designs for VOPy's Delta*, which looks at every pair in Python."""


def rows() -> Iterator[Row]:
    yield _cover(3, 6, at_least=30)
    for dim, n_facets in ((2, 2), (3, 3), (4, 6), (4, 8), (5, 8)):
        yield _cover(dim, n_facets, at_least=1)
    for kind in ("Gaussian", "nested"):
        for name, cone in (("orthant:3", data.ORTHANT), ("general cone", data.GENERAL)):
            points = data.cloud(kind, 10**5, 3)
            seconds = min(cpu_seconds(lambda p=points, c=cone: cw.suboptimality_gaps(p, c)) for _ in range(3))
            yield stated(f"suboptimality_gaps, K = 10^5, {kind}, {name}", seconds, "s", below=5)
        yield _suboptimality(kind)
    yield from _beside_solvers()


def _cover(dim: int, n_facets: int, at_least: float) -> Row:
    """10^6 pairs; b is formed for each pair because a user of nnls must form it too."""
    cone = data.random_cone(dim, n_facets)
    means, rivals = data.cloud("Gaussian", 1000, dim), data.cloud("Gaussian", 1001, dim)[:1000]
    facets, pairs = cone.facets, np.random.default_rng(0).integers(1000, size=(SAMPLE, 2))

    def ours() -> np.ndarray:
        return cw.cover_gaps(means, cone, rivals=rivals)

    def peer() -> np.ndarray:
        return np.array([_by_least_squares(facets, means[i] - rivals[j]) for i, j in pairs])

    apart = np.abs(ours()[tuple(pairs.T)] - peer()).max()
    if apart > 1e-9:
        raise RuntimeError(f"D = {dim}, N = {n_facets}: cover_gaps and nnls differ by {apart:.1e}")
    mine, theirs = side_by_side(ours, peer, repeats=2)
    seconds = mine, theirs * 10**6 / SAMPLE
    return speed_up(f"cover_gaps, 10^6 pairs, D = {dim}, N = {n_facets}", seconds, "nnls a pair", at_least)


def _by_least_squares(facets: np.ndarray, deficit: np.ndarray) -> float:
    """min{ |u| : W u >= (W deficit)^+ } by least distance programming (Lawson & Hanson 1974, chapter 23)."""
    b = np.maximum(facets @ deficit, 0.0)
    if not b.any():
        return 0.0
    target = np.zeros(facets.shape[1] + 1)
    target[-1] = 1.0
    _, distance = nnls(np.vstack([facets.T, b]), target)
    # The residual r has r_last = |r|^2 and u = -r_rest / r_last, so |u|^2 = (|r|^2 - |r|^4) / |r|^4.
    return float(np.sqrt(max(0.0, 1 / distance**2 - 1)))


def _suboptimality(kind: str) -> Row:
    points = data.cloud(kind, 4000, 3)

    def matrix() -> np.ndarray:
        return cw.escape_gaps(points, data.ORTHANT, rivals=cw.pareto_mask(points, data.ORTHANT)).max(axis=1)

    def ours() -> np.ndarray:
        return cw.suboptimality_gaps(points, data.ORTHANT)

    if not np.array_equal(ours(), matrix()):
        raise RuntimeError("suboptimality_gaps differ from the largest entries of the matrix")
    seconds = side_by_side(ours, matrix)
    return share(f"suboptimality_gaps, K = 4000, {kind}, orthant:3", seconds, "matrix to the front")


def _beside_solvers() -> Iterator[Row]:
    with Peer("cvxpy", "solvers.py", "cvxpy") as cvxpy, Peer("VOPy", "solvers.py", "vopy") as vopy:
        for dim, n_facets in ((2, 2), (3, 6), (5, 8)):
            for peer in (cvxpy, vopy):
                yield cover_beside(peer, dim, n_facets)
        points, cone = data.cloud("Gaussian", DESIGNS, 3), data.ORTHANT
        question = {"what": "delta", "facets": cone.facets.tolist(), "alpha": cone.widths.tolist()}
        yield _beside(
            vopy,
            f"suboptimality_gaps, K = {DESIGNS}, Gaussian, orthant:3",
            lambda: cw.suboptimality_gaps(points, cone),
            {**question, "points": points.tolist()},
        )


def cover_beside(peer: Peer, dim: int, n_facets: int) -> Row:
    """10^6 pairs of ours, of which the peer solves a few."""
    cone = data.random_cone(dim, n_facets)
    means, rivals = data.cloud("Gaussian", 1000, dim), data.cloud("Gaussian", 1001, dim)[:1000]
    first, second = np.random.default_rng(0).integers(1000, size=(2, SOLVED))
    question = {
        "what": "cover",
        "facets": cone.facets.tolist(),
        "differences": (means[first] - rivals[second]).tolist(),
    }
    return _beside(
        peer,
        f"cover_gaps, 10^6 pairs, D = {dim}, N = {n_facets}",
        lambda: cw.cover_gaps(means, cone, rivals=rivals),
        question,
        chosen=lambda values: values[first, second],
        scale=10**6 / SOLVED,
    )


def _beside(
    peer: Peer,
    case: str,
    ours: Callable[[], np.ndarray],
    question: dict[str, Any],
    *,
    chosen: Callable[[np.ndarray], np.ndarray] = np.asarray,
    scale: float = 1.0,
) -> Row:
    seconds = cpu_seconds(ours)
    answer = peer.ask(**question)
    if answer is None:
        missing = peer.trouble == "absent"
        return absent(case, seconds, peer.name) if missing else alone(case, seconds, f"{peer.name} {peer.trouble}")
    apart = np.abs(chosen(ours()) - answer["values"]).max()
    if apart > SOLVER_PRECISION:
        raise RuntimeError(f"{case}: ours and {peer.name}'s differ by {apart:.1e}")
    mine, theirs = alternate(
        lambda: cpu_seconds(ours), lambda: peer.seconds(**question), (seconds, answer["seconds"]), repeats=3
    )
    return speed_up(case, (mine, theirs * scale), f"{peer.name}{' a pair' if scale != 1 else ''}")

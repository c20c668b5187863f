"""`pareto_mask` against moocore's compiled filter and against VOPy (or the brute-force twin where VOPy is absent)."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import moocore
import numpy as np

import conewise as cw
from benchmarks import data
from benchmarks.measure import PEERS_PYTHON, Row, cpu_seconds, share, side_by_side, speed_up
from conewise.order import pareto_mask_by_definition


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
    yield _against_moocore("K = 206, SNW, planar:135", snw, planar, at_most=3, repeats=50, number=50)
    for name, cone in (("orthant:3", data.ORTHANT), ("general cone", data.GENERAL)):
        values = data.cloud("cube", 206, 3)
        yield _against_moocore(f"K = 206, cube, {name}", values, cone, at_most=3, repeats=50, number=50)
    for kind, cone, name in (
        ("cube", cw.Cone.planar(135), "planar:135"),
        ("cube", data.GENERAL, "general cone"),
        ("Gaussian", data.ORTHANT, "orthant:3"),
        ("ball", cw.Cone.planar(90), "planar:90"),
    ):
        yield _against_vopy(f"K = 10^4, {kind}, {name}", data.cloud(kind, 10**4, cone.dim), cone)


def _against_moocore(
    case: str, points: np.ndarray, cone: cw.Cone, at_most: float | None = None, *, repeats: int = 7, number: int = 1
) -> Row:
    """moocore is handed the facet values for nothing; ours starts from the points."""
    mapped = data.facet_values(points, cone)

    def ours() -> np.ndarray:
        return cw.pareto_mask(points, cone)

    def peer() -> np.ndarray:
        return moocore.is_nondominated(mapped, maximise=True, keep_weakly=True)

    front = int(ours().sum())
    _same(case, front, int(peer().sum()))
    seconds = side_by_side(ours, peer, repeats=repeats, number=number)
    return share(f"pareto_mask, {case} (front {front})", seconds, "moocore", at_most)


def _against_vopy(case: str, points: np.ndarray, cone: cw.Cone, *, rounds: int = 3) -> Row:
    front = int(cw.pareto_mask(points, cone).sum())
    case = f"pareto_mask, {case} (front {front})"
    if not PEERS_PYTHON.exists():
        seconds = side_by_side(
            lambda: cw.pareto_mask(points, cone), lambda: pareto_mask_by_definition(points, cone), repeats=2
        )
        return speed_up(case, seconds, "VOPy absent (make bench-peers); brute-force twin", at_least=None)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(min(cpu_seconds(lambda: cw.pareto_mask(points, cone)) for _ in range(20)))
        seconds, found = _vopy(points, cone)
        _same(case, front, found)
        theirs.append(seconds)
    return speed_up(case, (min(ours), min(theirs)), "VOPy", at_least=1000)


def _vopy(points: np.ndarray, cone: cw.Cone) -> tuple[float, int]:
    """CPU seconds of VOPy's get_pareto_set, in its own environment, and how many designs it found."""
    script = Path(__file__).parent / "peers" / "vopy_pareto.py"
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "points.npy", points)
        command = [PEERS_PYTHON, script, Path(folder) / "points.npy", json.dumps(cone.facets.tolist())]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(answer[0]), int(answer[1])


def _same(case: str, ours: int, theirs: int) -> None:
    if ours != theirs:
        raise RuntimeError(f"{case}: {ours} designs on our front, {theirs} on the peer's; times say nothing then.")

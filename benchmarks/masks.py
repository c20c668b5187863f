"""`pareto_mask` from a thousand designs to ten million, beside five peers: small fronts, and everything on the front.

Every mask is compared with ours before its time counts. Peers other than moocore live in their own environment and
answer from there (`elsewhere.py`); each stops where its next size would take longer than the limit, judged by its own
growth so far, and the row says so.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import moocore
import numpy as np

import conewise as cw
from benchmarks import data
from benchmarks.elsewhere import Peer
from benchmarks.measure import Row, absent, alone, alternate, cpu_seconds, duration, speed_up

SIZES = tuple(10**power for power in range(3, 8))
DIMENSIONS = (2, 3, 5)
KINDS = {"small front": "cube", "all on the front": "sphere"}
PEERS = {"pymoo": "pymoo", "paretoset": "paretoset", "BoTorch": "botorch", "VOPy": "vopy"}
LIMIT = 5.0
"""CPU seconds that one call of a peer may be expected to take."""
IN_PROCESS_LIMIT = 12.0
"""The same for moocore and for ours: the largest sizes are the point of the table."""
FORESEEN = 1000.0
"""Beyond so many seconds the row only says that it would be longer."""
PAIRWISE = ("paretoset", "BoTorch", "VOPy")
"""Peers that compare every design with every member of the front: a hundredfold for ten times the size."""


@dataclass
class Growth:
    """What a side has taken so far at growing sizes, and what the next one would take."""

    assumed: float
    """Factor from one size to the next, where it is not yet seen."""
    seconds: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def add(self, size: int, seconds: float) -> None:
        self.sizes.append(size)
        self.seconds.append(seconds)

    def expected(self, size: int) -> float:
        """Seconds at this size, by the steeper of the assumed and the seen growth; 0 before anything was seen."""
        if not self.seconds:
            return 0.0
        per_decade = self.assumed
        if len(self.seconds) > 1 and self.seconds[-2] > 1e-3:  # below it overheads hide the growth
            per_decade = max(per_decade, self.seconds[-1] / self.seconds[-2])
        return float(self.seconds[-1] * per_decade ** np.log10(size / self.sizes[-1]))


def rows(sizes: Sequence[int] = SIZES, dimensions: Sequence[int] = DIMENSIONS) -> Iterator[Row]:
    with ExitStack() as stack:
        peers = [stack.enter_context(Peer(name, "filters.py", word)) for name, word in PEERS.items()]
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for words, kind in KINDS.items():
            for dim in dimensions:
                yield from _curve(words, kind, dim, sizes, peers, folder)


def _curve(words: str, kind: str, dim: int, sizes: Sequence[int], peers: Sequence[Peer], folder: Path) -> Iterator[Row]:
    """One kind of cloud at growing sizes."""
    all_front = kind == "sphere"
    sweep = 20.0 if all_front and dim > 3 else 13.0  # K log K, or K log^3 K
    ours_growth, moocore_growth = Growth(sweep), Growth(sweep)
    growths = {peer.name: Growth(100.0 if all_front and peer.name in PAIRWISE else sweep) for peer in peers}
    cone = cw.Cone.orthant(dim)
    for size in sizes:
        case = f"pareto_mask, {words}, D = {dim}, K = 10^{np.log10(size):.3g}"
        if (expected := max(ours_growth.expected(size), moocore_growth.expected(size))) > IN_PROCESS_LIMIT:
            yield alone(case, "not run", f"not run: {_foreseen(expected)} by the growth so far", "moocore")
            continue
        points = data.cloud(kind, size, dim)
        seconds, mask = _ours(points, cone)
        case += f", front {int(mask.sum())}"
        yield _beside_moocore(case, points, cone, mask, seconds, moocore_growth)
        ours_growth.add(size, seconds)
        path = None
        for peer in peers:
            growth = growths[peer.name]
            if peer.trouble:
                yield (
                    absent(case, seconds, peer.name)
                    if peer.trouble == "absent"
                    else alone(case, seconds, f"{peer.name} {peer.trouble}", peer.name)
                )
            elif (expected := growth.expected(size)) > LIMIT:
                yield alone(case, seconds, f"{peer.name} not run: {_foreseen(expected)} by its growth", peer.name)
            else:
                if path is None:
                    path = folder / f"{kind}{dim}-{size}.npy"
                    np.save(path, points)
                yield _beside_peer(case, path, points, cone, mask, seconds, peer, growth)
        if path is not None:
            path.unlink()


def _foreseen(seconds: float) -> str:
    """Not more than an extrapolation over a decade or two can carry."""
    return f"about {duration(seconds)}" if seconds < FORESEEN else f"over {FORESEEN:g} s"


def _ours(points: np.ndarray, cone: cw.Cone) -> tuple[float, np.ndarray]:
    found: list[np.ndarray] = []
    seconds = cpu_seconds(lambda: found.append(cw.pareto_mask(points, cone)))
    if seconds < 0.5:
        number = max(1, int(2e-3 / max(seconds, 1e-6)))
        seconds = min(seconds, *(cpu_seconds(lambda: cw.pareto_mask(points, cone), number) for _ in range(3)))
    return seconds, found[0]


def _beside_moocore(
    case: str, points: np.ndarray, cone: cw.Cone, mask: np.ndarray, seconds: float, growth: Growth
) -> Row:
    found: list[np.ndarray] = []

    def peer() -> None:
        found[:] = [moocore.is_nondominated(points, maximise=True, keep_weakly=True)]

    first = seconds, cpu_seconds(peer)
    same(case, mask, found[0])
    pair = _again(points, cone, first, lambda number: cpu_seconds(peer, number))
    growth.add(len(points), pair[1])
    return speed_up(case, pair, "moocore")


def _beside_peer(
    case: str,
    path: Path,
    points: np.ndarray,
    cone: cw.Cone,
    mask: np.ndarray,
    seconds: float,
    peer: Peer,
    growth: Growth,
) -> Row:
    question = {"points": str(path), "facets": cone.facets.tolist()}
    answer = peer.ask(**question)
    if answer is None:
        return alone(case, seconds, f"{peer.name} {peer.trouble}", peer.name)
    same(case, mask, np.load(answer["mask"]))

    def again(number: int) -> float:
        return min(peer.seconds(**question) for _ in range(number))

    pair = _again(points, cone, (seconds, answer["seconds"]), again)
    growth.add(len(points), pair[1])
    return speed_up(case, pair, peer.name)


def _again(
    points: np.ndarray, cone: cw.Cone, first: tuple[float, float], peer: Callable[[int], float]
) -> tuple[float, float]:
    """Both in alternation while that is quick; short calls several at a time, so that the clock's steps do not show."""
    number = max(1, min(20, int(2e-3 / max(first[0], 1e-6))))
    return alternate(
        lambda: cpu_seconds(lambda: cw.pareto_mask(points, cone), number), lambda: peer(min(number, 5)), first
    )


def same(case: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    if not np.array_equal(ours, theirs):
        raise RuntimeError(f"{case}: {(ours != theirs).sum()} designs are judged differently; times say nothing then.")

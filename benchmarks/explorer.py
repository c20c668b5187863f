"""How long the explorer's server thinks about one move of a control, for 10^5 designs: promised below 100 ms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import conewise as cw
from benchmarks import data
from benchmarks.measure import Row, cpu_seconds, duration, stated
from conewise.dashboard.desk import Desk
from conewise.dashboard.sources import Designs, Fixed

_CLOUDS = {"cube": "cube", "Gaussian": "Gaussian", "ball": "ball", "sphere": "all on the front"}
_DESIGNS = 10**5
_MOVES = 4
_REPEATS = 3
_PROMISED = 0.1  # seconds


def rows() -> Iterator[Row]:
    """What the page asks while a control moves, every move to a cone that was not asked for before."""
    for dim in (2, 3, 5):
        for kind, words in (
            ("cube", "cube"),
            ("Gaussian", "Gaussian"),
            ("ball", "ball"),
            ("sphere", "all on the front"),
        ):
            source = _source(kind, dim)
            seconds, front, estimated = _slowest_move(source, dim)
            said = "about " if estimated else ""
            case = f"explorer, one move, K = 10^5, D = {dim}, {words} (front {said}{front})"
            yield stated(case, seconds, "s", below=_PROMISED)
            if estimated:
                yield _counted(source, dim, words)


def _source(kind: str, dim: int) -> Fixed:
    values = data.cloud(kind, _DESIGNS, dim)
    names = [f"design {k}" for k in range(_DESIGNS)]
    designs = Designs(1, names, tuple(f"f{d}" for d in range(dim)), (), values)
    return Fixed(kind, designs, cw.Cone.orthant(dim), None)


def _slowest_move(source: Fixed, dim: int) -> tuple[float, int, bool]:
    """The slowest of some moves, the least CPU time of several desks for each; the last answer's size, and its kind."""
    times: list[list[float]] = []
    last: dict[str, Any] = {}
    for _ in range(_REPEATS):
        desk = Desk(source)
        desk.front(_asked(dim, 0))  # the page has been opened: its first answer is counted, however long it takes
        times.append([])
        for move in range(1, _MOVES + 1):

            def answer(move: int = move, desk: Desk = desk) -> None:
                last.update(desk.front(_asked(dim, move, quick=True)))
                json.dumps(last)

            times[-1].append(cpu_seconds(answer))
    return max(min(repeats) for repeats in zip(*times, strict=True)), last["first"]["pareto"], last["estimated"]


def _counted(source: Fixed, dim: int, words: str) -> Row:
    """What follows when the control rests; no promise, and shown for orientation."""
    last: dict[str, Any] = {}

    def answer() -> None:
        last.update(Desk(source).front(_asked(dim, _MOVES)))
        json.dumps(last)

    seconds = min(cpu_seconds(answer) for _ in range(_REPEATS))
    case = f"explorer, counted at rest, K = 10^5, D = {dim}, {words} (front {last['first']['pareto']})"
    return Row(case, duration(seconds), "", "", "", None)


def _asked(dim: int, move: int, **more: Any) -> dict[str, Any]:
    first: dict[str, Any] = {"degrees": 85 + 5 * move} if dim == 2 else {"shares": [2 * move, move, *[0] * (dim - 2)]}
    return {"first": first, "table": None, **more}

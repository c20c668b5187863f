"""One measurement: two callables side by side, and the row of the table that comes out of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PEERS_PYTHON = Path(__file__).parents[1] / ".venv-peers" / "bin" / "python"
"""Made by `make bench-peers`; VOPy brings torch and fifty other packages, so peers are optional and live apart."""


@dataclass(frozen=True)
class Row:
    """A line of the table; `met` is None where no target is set."""

    case: str
    ours: str
    peer: str
    ratio: str
    target: str
    met: bool | None

    @property
    def verdict(self) -> str:
        return {None: "", True: "met", False: "MISSED"}[self.met]


def cpu_seconds(work: Callable[[], Any], number: int = 1) -> float:
    """CPU seconds of one call, the mean of `number` calls in a row: what other processes do counts less."""
    start = time.process_time()
    for _ in range(number):
        work()
    return (time.process_time() - start) / number


def side_by_side(
    ours: Callable[[], Any], peer: Callable[[], Any], *, repeats: int = 5, number: int = 1
) -> tuple[float, float]:
    """The least CPU seconds of each, in alternation after one call of each that is not timed."""
    ours(), peer()
    pairs = [(cpu_seconds(ours, number), cpu_seconds(peer, number)) for _ in range(repeats)]
    return min(first for first, _ in pairs), min(second for _, second in pairs)


def share(case: str, seconds: tuple[float, float], peer: str, at_most: float | None = None) -> Row:
    """Our time as a multiple of the peer's: the smaller the better."""
    ratio = seconds[0] / seconds[1]
    target = "" if at_most is None else f"<= {at_most:g} x"
    met = None if at_most is None else ratio <= at_most
    return Row(case, duration(seconds[0]), f"{peer} {duration(seconds[1])}", f"{ratio:.2f} x", target, met)


def speed_up(case: str, seconds: tuple[float, float], peer: str, at_least: float | None = None) -> Row:
    """How many times faster than the peer: the larger the better."""
    ratio = seconds[1] / seconds[0]
    target = "" if at_least is None else f">= {at_least:g} x faster"
    met = None if at_least is None else ratio >= at_least
    shown = f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.3g}"
    return Row(case, duration(seconds[0]), f"{peer} {duration(seconds[1])}", f"{shown} x faster", target, met)


def stated(case: str, value: float, unit: str, below: float) -> Row:
    """A figure that is promised as such, without a peer."""
    shown = duration(value) if unit == "s" else f"{value:.0f} {unit}"
    return Row(case, shown, "", "", f"< {below:g} {unit}", value < below)


def duration(seconds: float) -> str:
    """Three digits in the unit that suits: 1.23 s, 45.6 ms, 789 us."""
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"

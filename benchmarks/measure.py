"""One measurement: two callables side by side, and the row of the table that comes out of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PEERS_PYTHON = Path(__file__).parents[1] / ".venv-peers" / "bin" / "python"
"""Made by `make bench-peers`; peers bring torch and fifty other packages, so they are optional and live apart."""
VOPY_PYTHON = Path(__file__).parents[1] / ".venv-vopy" / "bin" / "python"
"""VOPy's own, made with it: it admits only old versions of what other peers are."""


@dataclass(frozen=True)
class Row:
    """A line of the table; `met` is None where no target is set, `against` the peer's name where a grid needs it."""

    case: str
    ours: str
    peer: str
    ratio: str
    target: str
    met: bool | None
    against: str = ""

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


def alternate(
    ours: Callable[[], float], theirs: Callable[[], float], first: tuple[float, float], *, repeats: int = 5
) -> tuple[float, float]:
    """The least seconds of two sides that time themselves, from `first` on; slow ones are not asked again."""
    mine, peer = first
    turns = 0
    while turns < repeats and (turns + 1) * max(first) < 1.0:
        mine, peer = min(mine, ours()), min(peer, theirs())
        turns += 1
    return mine, peer


def share(case: str, seconds: tuple[float, float], peer: str, at_most: float | None = None) -> Row:
    """Our time as a multiple of the peer's: the smaller the better."""
    ratio = seconds[0] / seconds[1]
    target = "" if at_most is None else f"<= {at_most:g} x"
    met = None if at_most is None else bool(ratio <= at_most)
    return Row(case, duration(seconds[0]), f"{peer} {duration(seconds[1])}", f"{ratio:.2f} x", target, met, peer)


def speed_up(case: str, seconds: tuple[float, float], peer: str, at_least: float | None = None) -> Row:
    """How many times faster than the peer: the larger the better."""
    ratio = seconds[1] / seconds[0]
    target = "" if at_least is None else f">= {at_least:g} x faster"
    met = None if at_least is None else bool(ratio >= at_least)
    shown = f"{times(ratio)} x faster"
    return Row(case, duration(seconds[0]), f"{peer} {duration(seconds[1])}", shown, target, met, peer)


def stated(case: str, value: float, unit: str, below: float) -> Row:
    """A figure that is promised as such, without a peer."""
    shown = duration(value) if unit == "s" else f"{value:.0f} {unit}"
    return Row(case, shown, "", "", f"< {below:g} {unit}", bool(value < below))


def alone(case: str, ours: float | str, note: str = "", against: str = "") -> Row:
    """Our own figure without a ratio; the note says why there is none."""
    return Row(case, ours if isinstance(ours, str) else duration(ours), note, "", "", None, against)


def absent(case: str, ours: float, peer: str) -> Row:
    """The peer is not installed."""
    return alone(case, ours, f"{peer} absent (make bench-peers)", peer)


def times(ratio: float) -> str:
    """Three digits, and all of them in front of the point."""
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.3g}"


def duration(seconds: float) -> str:
    """Three digits in the unit that suits: 1.23 s, 45.6 ms, 789 us, 12 ns."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.0f} {unit}" if seconds * scale >= 1000 else f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"

"""How time and memory grow with K, |P*|, D and N: `python -m benchmarks.growth --write`.

Every curve runs in a process of its own, one size after another, until the next would take too long. Time is the
least CPU time of a few calls. Memory is what the first call adds to the process at its peak, by the kernel's own
high-water mark. An exponent is fitted by least squares on logarithms over the upper half of the sizes; along D, where
the cost is a power of log K or a sum over subsets, it is a factor an objective. `--write` keeps growth.csv beside this
file and docs/_static/growth.png; `--draw` only draws what growth.csv holds.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.curves import Curve, Work, curves
from benchmarks.footprint import STATUS, peak_mebibytes
from benchmarks.measure import Row, alone, cpu_seconds, duration

TABLE = Path(__file__).parent / "growth.csv"
PICTURE = Path(__file__).parents[1] / "docs" / "_static" / "growth.png"
MARKERS = "osD^vPX"  # with six colours, no two of a panel are the same
RESET = Path("/proc/self/clear_refs")
"""Where Linux lets a process set its high-water mark back; elsewhere memory is left out."""
POINT_SECONDS = 2.0
"""A size is left out when it is expected to take longer, by the growth so far."""
REPEAT_SECONDS = 0.4
PATIENCE = 90.0
SLACK = 0.15
"""What caches and noise may add to the exponent of K log K + K |P*| before the row says MISSED."""
LEAST_MEBIBYTES = 4.0
"""Memory below this is not fitted: the allocator's own steps are larger."""


@dataclass(frozen=True)
class Point:
    """One size of one curve."""

    curve: str
    along: str
    size: int
    seconds: float
    mebibytes: float | None
    bound: float | None
    """K log K + K |P*|."""


@dataclass(frozen=True)
class Fit:
    """size^rate, or rate^size where `exponential`."""

    rate: float
    exponential: bool

    def words(self, symbol: str) -> str:
        return f"x {self.rate:.2f} for each" if self.exponential else f"{symbol}^{self.rate:.2f}"


def rows(*, keep: bool = False) -> Iterator[Row]:
    """One row a curve: the exponents of time and memory, and what they are at the largest size."""
    found: list[Point] = []
    for curve in curves():
        points = in_a_process(curve)
        if isinstance(points, str):
            yield alone(f"{curve.name}", "not measured", points)
            continue
        found += points
        yield row(curve, points)
    if keep:
        write(found)


def row(curve: Curve, points: Sequence[Point]) -> Row:
    last = points[-1]
    time_fit = fit([p.size for p in points], [p.seconds for p in points], curve.exponential)
    memory = [(p.size, p.mebibytes) for p in points if p.mebibytes is not None and p.mebibytes >= LEAST_MEBIBYTES]
    memory_fit = fit([size for size, _ in memory], [m for _, m in memory], curve.exponential)
    case = f"{curve.name} = {points[0].size}..{last.size}"
    ours = "too few sizes" if time_fit is None else time_fit.words(curve.along)
    peak = "" if last.mebibytes is None else f", {last.mebibytes:.0f} MiB"
    space = "" if memory_fit is None else f"memory {memory_fit.words(curve.along)}"
    at_the_end = f"{duration(last.seconds)}{peak} at {last.size}"
    bound_fit = fit([p.size for p in points], [p.bound for p in points if p.bound is not None])
    if bound_fit is None or time_fit is None:
        return Row(case, ours, at_the_end, space, "", None)
    met = bool(time_fit.rate <= bound_fit.rate + SLACK)
    return Row(case, ours, at_the_end, space, f"<= {bound_fit.words(curve.along)} (+ {SLACK:g})", met)


def fit(sizes: Sequence[float], values: Sequence[float], exponential: bool = False) -> Fit | None:
    """Least squares on logarithms over the upper half of the sizes (three at least); None with fewer than three."""
    if len(sizes) < 3 or len(values) != len(sizes):
        return None
    start = min(len(sizes) // 2, len(sizes) - 3)
    x = np.array(sizes[start:], dtype=float)
    slope = float(np.polyfit(x if exponential else np.log(x), np.log(np.array(values[start:], dtype=float)), 1)[0])
    return Fit(float(np.exp(slope)) if exponential else slope, exponential)


def in_a_process(curve: Curve) -> list[Point] | str:
    """The curve measured, or why it is not."""
    command = [sys.executable, "-m", "benchmarks.growth", "--curve", curve.name]
    try:
        ran = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"not ended after {PATIENCE:g} s"
    if ran.returncode:
        return (ran.stderr.strip().splitlines() or ["nothing said"])[-1]
    return [Point(**point) for point in json.loads(ran.stdout)]


def measured(curve: Curve, *, point_seconds: float = POINT_SECONDS) -> Iterator[Point]:
    """Sizes in order, until the next is expected to take longer than told."""
    history: list[tuple[int, float]] = []
    for size in curve.sizes:
        if len(history) > 1 and _expected(history, size) > point_seconds:
            return
        work = curve.work(size)
        if not history:
            work()  # what is imported at the first call belongs to no size
        seconds, mebibytes = _first_call(work)
        began = time.monotonic()
        turns = 0
        while turns < 5 and time.monotonic() - began < REPEAT_SECONDS:
            number = max(1, int(2e-3 / max(seconds, 1e-6)))
            seconds, turns = min(seconds, cpu_seconds(work, number)), turns + 1
        history.append((size, seconds))
        bound = None if curve.bound is None else float(curve.bound(size))
        yield Point(curve.name, curve.along, size, seconds, mebibytes, bound)


def _expected(history: Sequence[tuple[int, float]], size: int) -> float:
    (before, earlier), (last, seconds) = history[-2:]
    slope = max(1.0, np.log(seconds / earlier) / np.log(last / before))
    return float(seconds * (size / last) ** slope)


def _first_call(work: Work) -> tuple[float, float | None]:
    """CPU seconds, and the mebibytes that the process needs at its peak beyond what it held before."""
    if not STATUS.exists() or not RESET.exists():
        return cpu_seconds(work), None
    RESET.write_text("5")
    before = peak_mebibytes()
    seconds = cpu_seconds(work)
    return seconds, peak_mebibytes() - before


def write(points: Iterable[Point]) -> None:
    """The table beside this file, and the picture of the documentation."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["curve", "along", "size", "seconds", "mebibytes", "bound"])
        for p in points:
            space, bound = ("" if value is None else f"{value:.4g}" for value in (p.mebibytes, p.bound))
            writer.writerow([p.curve, p.along, p.size, f"{p.seconds:.4g}", space, bound])
    draw(read())


def read() -> list[Point]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [
            Point(
                r["curve"],
                r["along"],
                int(r["size"]),
                float(r["seconds"]),
                _number(r["mebibytes"]),
                _number(r["bound"]),
            )
            for r in csv.DictReader(file)
        ]


def _number(text: str) -> float | None:
    return float(text) if text else None


def draw(points: Sequence[Point]) -> None:
    """Six panels: time along K (masks, the rest), |P*|, N and D, memory along K; a grey line of slope one beside."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from conewise.report.grounds import PAPER

    along_k = [p for p in points if p.along == "K"]
    masks, others = ([p for p in along_k if p.curve.startswith("pareto_mask") is wanted] for wanted in (True, False))
    panels = {
        "designs K: Pareto sets": masks,
        "designs K: gaps, verdicts, claims": others,
        "size of the front |P*|": [p for p in points if p.along == "|P*|"],
        "facets N": [p for p in points if p.along == "N"],
        "objectives D": [p for p in points if p.along == "D"],
        "designs K: memory": [p for p in along_k if p.mebibytes is not None and p.mebibytes >= LEAST_MEBIBYTES],
    }
    with mpl.rc_context(PAPER):
        figure, axes = plt.subplots(6, 1, figsize=(8.4, 25), layout="constrained")
        for panel, (title, shown) in zip(axes, panels.items(), strict=True):
            panel.set_xlabel(title)
            if shown:
                _panel(panel, shown, memory="memory" in title)
        figure.savefig(PICTURE, dpi=110, metadata={"Software": None})
        plt.close(figure)


def _panel(panel: Any, shown: Sequence[Point], *, memory: bool) -> None:
    def height(point: Point) -> float:
        return (point.mebibytes or np.nan) if memory else point.seconds

    from conewise.report.grounds import COLOURS

    for number, name in enumerate(dict.fromkeys(p.curve for p in shown)):
        mine = [p for p in shown if p.curve == name]
        panel.plot(
            [p.size for p in mine],
            [height(p) for p in mine],
            linestyle="--" if "on the front" in name else "-",
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            linewidth=1.4,
            color=COLOURS[number % len(COLOURS)],
            label=name.rsplit(", along", 1)[0],
        )
    if shown[0].along != "D":
        panel.set_xscale("log")
        sizes = np.array(sorted({p.size for p in shown}), dtype=float)
        least = min(height(p) for p in shown)
        panel.plot(sizes, least * sizes / sizes[0], color="0.8", linewidth=3, zorder=0, label="slope one")
    if shown[0].along == "N":
        panel.set_xticks(ticks := sorted({p.size for p in shown}), [str(size) for size in ticks], minor=False)
        panel.minorticks_off()
    panel.set_yscale("log")
    panel.set_ylabel("mebibytes at the peak" if memory else "CPU seconds")
    panel.grid(True, which="major", color="0.9")
    panel.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)  # beside what it explains


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--curve", help="measure one curve and print its points as JSON")
    parser.add_argument("--write", action="store_true", help="measure all, write growth.csv and the picture")
    parser.add_argument("--draw", action="store_true", help="draw what growth.csv holds")
    options = parser.parse_args()
    if options.curve is not None:
        chosen = next((curve for curve in curves() if curve.name == options.curve), None)
        if chosen is None:
            parser.error(f"no curve is called {options.curve!r}.")
        print(json.dumps([point.__dict__ for point in measured(chosen)]))
        return
    if options.draw:
        draw(read())
        return
    for line in rows(keep=options.write):
        print(f"{line.case:<78} {line.ours:>14}  {line.peer:<32} {line.ratio:<18} {line.verdict}", flush=True)


if __name__ == "__main__":
    main()

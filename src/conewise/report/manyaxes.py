"""Points and lines by status on one, two or many axes: objectives in their own sign, or scores under weightings."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Floats, Indices, check_names
from conewise.cone.cone import Cone, as_cone
from conewise.errors import InputError
from conewise.report.grounds import Palette, clear, finish, literal, literals, palette
from conewise.report.plots import new_figure
from conewise.report.words import weightings
from conewise.rules import Result, Status
from conewise.tables.designs import signs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Space = Literal["objectives", "facets"]

DRAWN: Final = 5_000
"""Points of one kind; an even sample of more."""
MISSING: Final = (0, (6, 2))
"""Dashes of lines for designs that miss a level: beaten ones have their shade."""
_LINES: Final = 400  # lines of parallel coordinates, of one kind
_ROUND: Final = 4.0  # pixels around a point that are its marker
_BESIDE: Final = (  # where a name may stand, the best place first: its alignment, and how many points it is away
    ("left", "bottom", 5, 3),
    ("left", "top", 5, -3),
    ("right", "bottom", -5, 3),
    ("right", "top", -5, -3),
    ("center", "bottom", 0, 7),
    ("center", "top", 0, -7),
)
NAMED: Final = 12
"""Designs whose names are written."""


def styles(hues: Palette) -> dict[str, dict[str, Any]]:
    """Colour and marker of each status, in the order of drawing."""
    return {
        Status.MISSES.value: {"color": hues.out, "marker": "+", "s": 16, "linewidths": 0.9, "zorder": 1},
        Status.BEATEN.value: {"color": hues.out, "marker": "x", "s": 16, "linewidths": 0.9, "zorder": 1},
        Status.COVERED.value: {"color": hues.soft, "marker": "o", "s": 18, "linewidths": 0, "zorder": 1.5},
        Status.UNDECIDED.value: {"color": hues.undecided, "marker": "D", "s": 24, "linewidths": 0, "zorder": 2},
        Status.KEPT.value: {"color": hues.pareto, "marker": "o", "s": 34, "linewidths": 0, "zorder": 3},
    }


class Shown:
    """Values in the space that is shown, with labels."""

    def __init__(self, values: Floats, labels: list[str], turn: Floats) -> None:
        self.values, self.labels, self.signs = values, labels, turn

    @classmethod
    def of(
        cls,
        means: ArrayLike,
        cone: Cone | None,
        objectives: Sequence[str] | None,
        minimised: Sequence[str],
        space: Space,
        units: Sequence[float] = (),
    ) -> Shown:
        """From means in which larger is better, in steps where there are units."""
        points = np.asarray(means, dtype=np.float64)
        if points.ndim != 2:
            raise InputError(f"means must have shape (K, D), got {points.shape}.")
        if space == "facets":
            if cone is None:
                raise InputError('space="facets" needs the cone whose weightings are meant.')
            scores = as_cone(cone).facet_values(points)
            sums = [""] * scores.shape[1]
            if objectives is not None:
                per = {name: f"{name} / {unit:.6g}" for name, unit in zip(objectives, units, strict=False) if unit != 1}
                names, small = ([per.get(name, name) for name in group] for group in (objectives, minimised))
                sums = [f"\n= {literal(text, 48)}" for text in weightings(cone, names, small)]
            labels = [f"score under w{n}{text}" for n, text in enumerate(sums, start=1)]
            return cls(scores, labels, np.ones(scores.shape[1]))
        if space != "objectives":
            raise InputError(f'space must be "objectives" or "facets", got {space!r}.')
        dim = points.shape[1]
        named = [f"objective {d + 1}" for d in range(dim)] if objectives is None else list(objectives)
        if len(named) != dim:
            raise InputError(f"there are {dim} objectives, but {len(named)} names for them.")
        turn = signs(tuple(named), tuple(minimised))
        labels = [
            f"{literal(n)} ({'smaller' if s < 0 else 'larger'} is better)" for n, s in zip(named, turn, strict=True)
        ]
        return cls(points * (turn * units if len(units) else turn) + 0.0, labels, turn)


def scatter(axis: Any, values: Floats, status: Any, hues: Palette, legend: bool = True) -> None:
    """Points in the plane, each status with a colour and a marker of its own."""
    for kind, style in styles(hues).items():
        chosen = np.flatnonzero((status == kind) & ~np.isnan(values).any(axis=1))
        some = sampled(chosen, DRAWN)
        if len(some):
            label = labelled(kind, len(chosen), len(some)) if legend else None
            axis.scatter(*values[some].T, label=label, rasterized=len(some) > 1000, **style)


def strip(axes: Shown, result: Result, transparent: bool) -> Figure:
    """One axis: points on a line."""
    figure = clear(new_figure(6.4, 2.4), transparent)
    axis = figure.subplots()
    scatter(axis, np.column_stack([axes.values[:, 0], np.zeros(len(axes.values))]), result.status, palette(transparent))
    axis.set(xlabel=axes.labels[0], yticks=[])
    axis.legend(frameon=False)
    return finish(figure)


def matrix(axes: Shown, status: Any, transparent: bool) -> Figure:
    """A panel for every pair of axes."""
    n = len(axes.labels)
    if not 2 <= n <= 8:
        raise InputError(f"a scatter matrix shows 2 to 8 axes, got {n}: use parallel coordinates.")
    figure = clear(new_figure(2.3 * (n - 1) + 1.2, 2.1 * (n - 1) + 1.0), transparent)
    panels, hues = figure.subplots(n - 1, n - 1, squeeze=False, sharex="col", sharey="row"), palette(transparent)
    for row in range(1, n):
        for column in range(n - 1):
            panel = panels[row - 1, column]
            if column >= row:
                panel.set_visible(False)
                continue
            scatter(panel, axes.values[:, [column, row]], status, hues)
            if row == n - 1:
                panel.set_xlabel(_two_lines(axes.labels[column], 26), fontsize=9)
            if column == 0:
                panel.set_ylabel(_two_lines(axes.labels[row], 26), fontsize=9)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", frameon=False)
    return finish(figure)


def parallel(axes: Shown, status: Any, transparent: bool) -> Figure:
    """A line for every design, better upwards."""
    n = len(axes.labels)
    if n < 2:
        raise InputError("parallel coordinates need at least 2 axes.")
    figure, hues = clear(new_figure(max(6.0, 1.5 * n), 4.4), transparent), palette(transparent)
    axis = figure.subplots()
    seen = ~np.isnan(axes.values).any(axis=1)
    shown = axes.values[seen] if seen.any() else np.array([np.zeros(n), np.ones(n)])
    low, high = shown.min(axis=0), shown.max(axis=0)
    spread = np.where(high > low, high - low, 1.0)
    heights = (axes.values - low) / spread
    heights = np.where(axes.signs < 0, 1 - heights, heights)  # better upwards
    for kind, style in styles(hues).items():
        chosen = np.flatnonzero((status == kind) & seen)
        some = sampled(chosen, _LINES)
        if not len(some):
            continue
        width, alpha = (0.7, 0.35) if kind not in (Status.KEPT.value, Status.UNDECIDED.value) else (1.4, 0.85)
        dash = MISSING if kind == Status.MISSES.value else "-"
        look = {"color": style["color"], "linestyle": dash, "linewidth": width, "alpha": alpha}
        lines = axis.plot(heights[some].T, zorder=style["zorder"], **look)
        lines[0].set_label(labelled(kind, len(chosen), len(some)))
    for d in range(n):
        axis.axvline(d, color=hues.soft, linewidth=0.8, zorder=0)
        ends = (low[d], high[d]) if axes.signs[d] > 0 else (high[d], low[d])
        for height, value, place in ((-0.02, ends[0], "top"), (1.02, ends[1], "bottom")):
            axis.text(d, height, f"{value:.3g}", ha="center", va=place, fontsize=8)
    axis.set(ylim=(-0.12, 1.12), yticks=[], ylabel="better ↑")
    axis.set_xticks(range(n), [_two_lines(label, 20) for label in axes.labels], fontsize=8)
    legend = axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    for handle in legend.get_lines():
        handle.set(alpha=1.0, linewidth=2.0)  # lines of many designs are faint
    return finish(figure, grid=False)


def name_points(axis: Any, values: Floats, designs: Indices, names: Sequence[str] | None) -> None:
    """Names beside a few points, clear of other points and names as far as there is room; none where there are many.

    After this nothing may move the axes.
    """
    if names is not None:
        check_names(names, len(values))
    if names is None or len(designs) > NAMED:
        return
    axis.figure.draw_without_rendering()  # or nobody knows where points are
    points = axis.transData.transform(values[~np.isnan(values).any(axis=1)])
    taken: list[Any] = []
    for k, name in zip(designs, literals([names[k] for k in designs]), strict=True):
        if np.isnan(values[k]).any():
            continue
        text = axis.annotate(name, values[k], (0, 0), textcoords="offset points", fontsize=8)

        def crossed(place: tuple[str, str, int, int], text: Any = text) -> int:
            """What a name would lie on; its own point is not among that."""
            ha, va, x, y = place
            text.set(ha=ha, va=va, position=(x, y))
            box = text.get_window_extent()
            inside = (points > [box.x0 - _ROUND, box.y0 - _ROUND]) & (points < [box.x1 + _ROUND, box.y1 + _ROUND])
            return int(inside.all(axis=1).sum()) + sum(bool(box.overlaps(other)) for other in taken)

        crossed(min(_BESIDE, key=crossed))
        taken.append(text.get_window_extent())


def _two_lines(label: str, width: int) -> str:
    """The direction, or the sum, below the name."""
    if "\n" in label:
        head, text = label.split("\n", 1)
        return f"{head}\n{fill(text, width)}"
    name, bracket, direction = label.rpartition(" (")
    return f"{name}\n({direction}" if bracket else label


def labelled(what: str, total: int, drawn: int) -> str:
    """How many there are, and how many of them are drawn where that is not all."""
    return f"{what}: {total:,}" + (f" ({drawn:,} drawn)" if drawn < total else "")


def sampled(designs: Indices, most: int) -> Indices:
    """At most so many, evenly taken."""
    if len(designs) <= most:
        return designs
    return designs[np.linspace(0, len(designs) - 1, most).round().astype(np.intp)]

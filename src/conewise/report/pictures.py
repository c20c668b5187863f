"""Pictures of answers (matplotlib, extra `plot`): Pareto sets, regions, progress, and many objectives.

Every function gives a Figure without a window. Status is told by colour and by marker, names are written at a few
designs only, and what lies behind the points is the reader's own: style sheets hold, and `transparent=True` lets a
dark notebook shine through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike

from conewise._arrays import Floats, as_points
from conewise.algorithms import Result
from conewise.cones import Cone, as_cone
from conewise.errors import InputError
from conewise.gaps import suboptimality_gaps
from conewise.order import pareto_mask
from conewise.problems.tables import signs
from conewise.report.answer import STATUS_WORDS, answer
from conewise.report.manyaxes import (
    DRAWN,
    STYLES,
    Shown,
    Space,
    clear,
    finish,
    matrix,
    name_points,
    parallel,
    sampled,
    scatter,
    short,
    strip,
)
from conewise.report.plots import COLOURS, MARKERS, new_figure
from conewise.report.subject import Moment, Subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BARS: Final = 60  # designs that get a bar each


def plot_result(
    result: Result,
    *,
    cone: Cone | None = None,
    names: Sequence[str] | None = None,
    objectives: Sequence[str] | None = None,
    minimised: Sequence[str] = (),
    space: Space = "objectives",
    transparent: bool = False,
) -> Figure:
    """The averages by status: a plane for two objectives, a scatter matrix for three, parallel lines for more.

    With a cone, `space="facets"` shows the scores under its weightings instead of the objectives.
    """
    axes = Shown.of(result.means, cone, objectives, minimised, space)
    if len(axes.labels) == 1:
        return strip(axes, result, transparent)
    if len(axes.labels) == 2:
        figure = clear(new_figure(5.6, 4.6), transparent)
        axis = figure.subplots()
        scatter(axis, axes.values, result.status)
        name_points(axis, axes.values, np.flatnonzero(result.pareto), names)
        axis.set(xlabel=axes.labels[0], ylabel=axes.labels[1])
        axis.legend(frameon=False)
        return finish(figure)
    if len(axes.labels) == 3:
        return matrix(axes, result.status, transparent)
    return parallel(axes, result.status, transparent)


def scatter_matrix(
    means: ArrayLike,
    status: ArrayLike,
    *,
    cone: Cone | None = None,
    objectives: Sequence[str] | None = None,
    minimised: Sequence[str] = (),
    space: Space = "objectives",
    transparent: bool = False,
) -> Figure:
    """Every pair of objectives, or of scores under the cone's weightings."""
    return matrix(Shown.of(means, cone, objectives, minimised, space), np.asarray(status), transparent)


def parallel_coordinates(
    means: ArrayLike,
    status: ArrayLike,
    *,
    cone: Cone | None = None,
    objectives: Sequence[str] | None = None,
    minimised: Sequence[str] = (),
    space: Space = "objectives",
    transparent: bool = False,
) -> Figure:
    """A line for each design over all objectives (or weightings), each scaled to its own range, better upwards."""
    return parallel(Shown.of(means, cone, objectives, minimised, space), np.asarray(status), transparent)


def pareto_under_cones(
    means: ArrayLike,
    cones: Sequence[Cone],
    *,
    objectives: Sequence[str] | None = None,
    minimised: Sequence[str] = (),
    transparent: bool = False,
) -> Figure:
    """The Pareto sets of the same means under several cones, side by side; larger is better in `means`."""
    points = as_points(means, "means")
    if points.shape[1] != 2:
        raise InputError(f"Pareto sets are drawn for 2 objectives, got {points.shape[1]}: use parallel_coordinates.")
    if not 1 <= len(cones) <= len(COLOURS):
        raise InputError(f"between 1 and {len(COLOURS)} cones fit side by side, got {len(cones)}.")
    axes = Shown.of(points, None, objectives, minimised, "objectives")
    figure = clear(new_figure(3.4 * len(cones) + 0.4, 3.7), transparent)
    panels = figure.subplots(1, len(cones), sharex=True, sharey=True, squeeze=False)[0]
    for panel, cone, colour, marker in zip(panels, cones, COLOURS, MARKERS, strict=False):
        front = pareto_mask(points, as_cone(cone))
        rest = sampled(np.flatnonzero(~front), DRAWN)
        panel.scatter(*axes.values[rest].T, s=8, color="0.6", linewidths=0, label=f"others: {(~front).sum():,}")
        some = sampled(np.flatnonzero(front), DRAWN)
        label = f"Pareto: {front.sum():,}"
        panel.scatter(*axes.values[some].T, s=26, color=colour, marker=marker, linewidths=0, label=label)
        panel.set(title=str(cone), xlabel=axes.labels[0])
        panel.legend(frameon=False)
    panels[0].set_ylabel(axes.labels[1])
    return finish(figure)


def dominance_regions(
    means: ArrayLike,
    cone: Cone,
    design: int,
    *,
    names: Sequence[str] | None = None,
    objectives: Sequence[str] | None = None,
    minimised: Sequence[str] = (),
    transparent: bool = False,
) -> Figure:
    """For one design of two objectives: where everything that it beats lies, and everything that beats it."""
    points = as_points(means, "means")
    if points.shape[1] != 2 or as_cone(cone).dim != 2:
        raise InputError(f"dominance regions are drawn for 2 objectives, got {points.shape[1]}.")
    if not 0 <= design < len(points):
        raise InputError(f"design must be an index below {len(points)}, got {design}.")
    axes = Shown.of(points, None, objectives, minimised, "objectives")
    figure = clear(new_figure(5.2, 4.8), transparent)
    from matplotlib.patches import Polygon

    axis = figure.subplots()
    some = axes.values[sampled(np.arange(len(points)), DRAWN)]
    axis.scatter(some[:, 0], some[:, 1], s=12, color="0.6", linewidths=0, zorder=2)
    low, high = axes.values.min(axis=0), axes.values.max(axis=0)
    margin = 0.08 * np.maximum(high - low, 1e-9)
    axis.set(xlim=(low[0] - margin[0], high[0] + margin[0]), ylim=(low[1] - margin[1], high[1] + margin[1]))
    far = 4 * float(np.linalg.norm(high - low + 2 * margin))
    edges = cone.rays / np.linalg.norm(cone.rays, axis=1, keepdims=True)
    middle = edges.sum(axis=0)
    rim = np.array([edges[0], middle / np.linalg.norm(middle), edges[1]]) * far
    for turn, colour, words, hatch in ((1, COLOURS[5], "beats it", "//"), (-1, COLOURS[1], "is beaten by it", "")):
        outline = axes.values[design] + turn * axes.signs * np.vstack([[0, 0], rim])
        region = Polygon(outline, facecolor=colour, alpha=0.22, hatch=hatch, edgecolor=colour, label=words, zorder=1)
        axis.add_patch(region)
    here = axes.values[design]
    axis.scatter([here[0]], [here[1]], s=110, color=COLOURS[2], marker="*", zorder=3)
    name_points(axis, axes.values, np.array([design]), names)
    axis.set(xlabel=axes.labels[0], ylabel=axes.labels[1], title=f"under {cone}")
    axis.legend(frameon=False)
    return finish(figure)


def confidence_regions(subject: Subject, *, most: int = 60, transparent: bool = False) -> Figure:
    """How well the averages of two objectives are known: what the certificate allows around each listed design."""
    if subject.cone.dim != 2:
        raise InputError(f"confidence regions are drawn for 2 objectives, this answer has {subject.cone.dim}.")
    if subject.evidence is None:
        raise InputError("this answer comes without confidence for single designs: make it from a study or a table.")
    rows = [row for row in answer(subject, most=most)["rows"] if None not in (*row["means"], *row["half_widths"])]
    turn = signs(subject.objectives, subject.minimised)
    figure = clear(new_figure(5.8, 4.8), transparent)
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Polygon

    axis = figure.subplots()
    words = {word: status for status, word in STATUS_WORDS.items()}
    status = np.array([words[row["status"]] for row in rows])
    values = np.array([row["means"] for row in rows]).reshape(-1, 2)
    for row, kind in zip(rows, status, strict=True):
        outline = np.array(row["means"]) + turn * _parallelogram(subject.cone, np.array(row["half_widths"]))
        colour = STYLES[str(kind)]["color"]
        axis.add_patch(Polygon(outline, facecolor=(*to_rgb(colour), 0.12), edgecolor=(*to_rgb(colour), 0.7), zorder=0))
    scatter(axis, values, status)
    kept = np.flatnonzero([row["returned"] for row in rows])
    name_points(axis, values, kept, [row["name"] for row in rows])
    axes = Shown.of(subject.result.means, None, subject.objectives, subject.minimised, "objectives")
    axis.set(xlabel=axes.labels[0], ylabel=axes.labels[1])
    axis.autoscale_view()
    axis.legend(frameon=False)
    return finish(figure)


def status_over_evaluations(history: Sequence[Moment], epsilon: float, *, transparent: bool = False) -> Figure:
    """How many designs were decided after how many evaluations, and the epsilon certified by then."""
    if not history:
        raise InputError("there is no history to draw.")
    figure = clear(new_figure(6.4, 5.2), transparent)
    above, below = figure.subplots(2, 1, sharex=True)
    spent = [moment.evaluations for moment in history]
    for key, label, colour, line in (
        ("pareto", "Pareto", COLOURS[1], "-"),
        ("undecided", "undecided", COLOURS[5], "--"),
        ("eliminated", "not Pareto", "0.5", ":"),
    ):
        above.plot(spent, [getattr(moment, key) for moment in history], line, color=colour, linewidth=2, label=label)
    above.set(ylabel="designs", ylim=(0, None))
    above.legend(frameon=False)
    reached = [np.nan if m.certified_epsilon is None else m.certified_epsilon for m in history]
    below.plot(spent, reached, color=COLOURS[2], linewidth=2, marker="o", markersize=3, label="certified")
    below.axhline(epsilon, color="0.5", linestyle="--", label="asked for")
    below.set(xlabel="evaluations", ylabel="epsilon", ylim=(0, None))
    below.legend(frameon=False)
    return finish(figure)


def gaps_and_evaluations(
    result: Result, cone: Cone, *, names: Sequence[str] | None = None, transparent: bool = False
) -> Figure:
    """How far each design's average is from the front, and how often it was evaluated; the best first."""
    seen = np.flatnonzero(~np.isnan(result.means).any(axis=1))
    if not len(seen):
        raise InputError("no design was evaluated yet: there are no gaps to draw.")
    gaps = suboptimality_gaps(result.means[seen], as_cone(cone))
    order = np.argsort(gaps, kind="stable")
    chosen = seen[order]
    few = len(chosen) <= _BARS
    figure = clear(new_figure(max(6.4, 0.16 * len(chosen)) if few else 6.4, 5.2), transparent)
    above, below = figure.subplots(2, 1, sharex=True)
    place = np.arange(len(chosen))
    for axis, heights, label in (
        (above, gaps[order], "gap of the average"),
        (below, result.counts[chosen], "evaluations"),
    ):
        if few:
            colours = [STYLES[str(s)]["color"] for s in result.status[chosen]]
            axis.bar(place, heights, color=colours)
        else:
            axis.fill_between(place, heights, step="mid", color=COLOURS[1], alpha=0.6, linewidth=0)
        axis.set_ylabel(label)
    if few:
        from matplotlib.patches import Patch

        shown = [s for s in STATUS_WORDS if (result.status[chosen] == s).any()]
        handles = [Patch(color=str(STYLES[s]["color"]), label=STATUS_WORDS[s]) for s in shown]
        above.legend(handles=handles, frameon=False)
        labels = [str(k) if names is None else short(names[k]) for k in chosen]
        below.set_xticks(place, labels, rotation=90, fontsize=8)
    else:
        below.set_xlabel(f"{len(chosen):,} designs, the smallest gap first")
    return finish(figure)


def _parallelogram(cone: Cone, half_widths: Floats) -> Floats:
    """(m, 2): corners of |w_n x| <= h_n for every n, around the origin; a polygon cut out of a large box."""
    reach = 100 * float(half_widths.max()) + 1e-300
    outline = reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for normal, width in zip(cone.facets, half_widths, strict=True):
        for turn in (normal, -normal):
            outline = _cut(outline, turn, float(width))
    return outline


def _cut(outline: Floats, normal: Floats, width: float) -> Floats:
    over = outline @ normal - width
    kept = []
    for p, q, a, b in zip(outline, np.roll(outline, -1, axis=0), over, np.roll(over, -1), strict=True):
        if a <= 0:
            kept.append(p)
        if (a < 0 < b) or (b < 0 < a):
            kept.append(p + (q - p) * a / (a - b))
    return np.array(kept).reshape(-1, 2)

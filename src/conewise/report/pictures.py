"""Pictures of answers (matplotlib, extra `plot`): Pareto sets, regions, progress, and many objectives.

Every function gives a Figure without a window. Status is told by colour and by marker, names are written at a few
designs only, and what lies behind the points is the reader's own: style sheets hold (colours follow a dark one), and
`transparent=True` gives a figure that can be laid on light and dark pages alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from conewise.border import Floats, Indices, as_points, check_names
from conewise.cone.cone import Cone, ConeLike, as_cone
from conewise.errors import InputError, counted, shown
from conewise.order.dominance import pareto_mask
from conewise.order.gaps import suboptimality_gaps
from conewise.report.answer import STATUS_ORDER, answer
from conewise.report.grounds import Palette, clear, finish, literals, palette
from conewise.report.manyaxes import (
    DRAWN,
    MISSING,
    NAMED,
    Shown,
    Space,
    labelled,
    matrix,
    name_points,
    parallel,
    sampled,
    scatter,
    strip,
    styles,
)
from conewise.report.plots import MARKERS, new_figure
from conewise.report.subject import Moment, Subject
from conewise.rules import Result, Status

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BARS: Final = 60  # designs that get a bar each
_STAGES: Final = 6  # moments of a run in one picture
_LINES: Final[dict[Status, Any]] = {
    Status.KEPT: "-",
    Status.UNDECIDED: "--",
    Status.COVERED: "-.",
    Status.BEATEN: ":",
    Status.MISSES: MISSING,
}


def plot_result(
    result: Result,
    *,
    cone: Cone | None = None,
    names: Sequence[str] | None = None,
    objectives: Sequence[str] | None = None,
    minimised: Sequence[str] = (),
    units: Sequence[float] = (),
    space: Space = "objectives",
    transparent: bool = False,
) -> Figure:
    """The averages by status: a plane for two objectives, a scatter matrix for three, parallel lines for more.

    With a cone, `space="facets"` shows the scores under its weightings, in steps, instead of the objectives.
    """
    axes = Shown.of(result.means, cone, objectives, minimised, space, units)
    if len(axes.labels) == 1:
        return strip(axes, result, transparent)
    if len(axes.labels) == 2:
        figure = clear(new_figure(5.6, 4.6), transparent)
        axis = figure.subplots()
        scatter(axis, axes.values, result.status, palette(transparent))
        axis.set(xlabel=axes.labels[0], ylabel=axes.labels[1])
        axis.legend(frameon=False)
        name_points(axis, axes.values, np.flatnonzero(result.pareto), names)
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
    axes = Shown.of(means, cone, objectives, minimised, space)
    return matrix(axes, _statuses(status, len(axes.values)), transparent)


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
    axes = Shown.of(means, cone, objectives, minimised, space)
    return parallel(axes, _statuses(status, len(axes.values)), transparent)


def _statuses(given: ArrayLike, n_designs: int) -> NDArray[Any]:
    """One for each design; others would be left out of the picture without a word."""
    status, known = np.asarray(given), [word.value for word in Status]
    if status.shape != (n_designs,) or not np.isin(status, known).all():
        raise InputError(
            f"status must say of each of {counted(n_designs, 'design')} where it stands ({', '.join(known)}), as "
            f"result.status does; got {shown(given)}."
        )
    return status


def pareto_under_cones(
    means: ArrayLike,
    cones: Cone | Sequence[Cone],
    *,
    objectives: Sequence[str] | None = None,
    minimised: Sequence[str] = (),
    transparent: bool = False,
) -> Figure:
    """The Pareto sets of the same means under several cones, side by side; larger is better in `means`."""
    points = as_points(means, "means")
    if points.shape[1] != 2:
        raise InputError(f"Pareto sets are drawn for 2 objectives, got {points.shape[1]}: use parallel_coordinates.")
    cones = [cones] if isinstance(cones, Cone) else list(cones)
    if not 1 <= len(cones) <= len(MARKERS):
        raise InputError(f"between 1 and {len(MARKERS)} cones fit side by side, got {len(cones)}.")
    axes = Shown.of(points, None, objectives, minimised, "objectives")
    figure = clear(new_figure(3.4 * len(cones) + 0.4, 3.7), transparent)
    panels = figure.subplots(1, len(cones), sharex=True, sharey=True, squeeze=False)[0]
    hues = palette(transparent)
    for panel, cone, colour, marker in zip(panels, cones, hues.cones, MARKERS, strict=False):
        front = pareto_mask(points, cone)
        rest = sampled(np.flatnonzero(~front), DRAWN)
        panel.scatter(
            *axes.values[rest].T,
            s=8,
            color=hues.out,
            linewidths=0,
            label=labelled("others", int((~front).sum()), len(rest)),
        )
        some = sampled(np.flatnonzero(front), DRAWN)
        label = labelled("Pareto", int(front.sum()), len(some))
        panel.scatter(*axes.values[some].T, s=26, color=colour, marker=marker, linewidths=0, label=label)
        panel.set(title=str(cone), xlabel=axes.labels[0])
        panel.legend(frameon=False)
    panels[0].set_ylabel(axes.labels[1])
    return finish(figure)


def dominance_regions(
    means: ArrayLike,
    cone: ConeLike,
    design: int,
    *,
    names: Sequence[str] | None = None,
    objectives: Sequence[str] | None = None,
    minimised: Sequence[str] = (),
    transparent: bool = False,
) -> Figure:
    """For one design of two objectives: where everything that it beats lies, and everything that beats it."""
    points = as_points(means, "means")
    cone = as_cone(cone, points.shape[1])
    if points.shape[1] != 2 or cone.dim != 2:
        raise InputError(f"dominance regions are drawn for 2 objectives, got {points.shape[1]}.")
    if not isinstance(design, int | np.integer) or not 0 <= design < len(points):
        raise InputError(f"design must be an index below {len(points)}, got {shown(design)}.")
    axes = Shown.of(points, None, objectives, minimised, "objectives")
    figure = clear(new_figure(5.2, 4.8), transparent)
    from matplotlib.patches import Polygon

    axis, hues = figure.subplots(), palette(transparent)
    some = axes.values[sampled(np.arange(len(points)), DRAWN)]
    axis.scatter(some[:, 0], some[:, 1], s=12, color=hues.out, linewidths=0, zorder=2)
    low, high = axes.values.min(axis=0), axes.values.max(axis=0)
    margin = 0.08 * np.maximum(high - low, 1e-9)
    axis.set(xlim=(low[0] - margin[0], high[0] + margin[0]), ylim=(low[1] - margin[1], high[1] + margin[1]))
    far = 4 * float(np.linalg.norm(high - low + 2 * margin))
    edges = cone.rays / np.linalg.norm(cone.rays, axis=1, keepdims=True)
    middle = edges.sum(axis=0)
    rim = np.array([edges[0], middle / np.linalg.norm(middle), edges[1]]) * far
    for turn, colour, words, hatch in ((1, hues.undecided, "beats it", "//"), (-1, hues.pareto, "is beaten by it", "")):
        outline = axes.values[design] + turn * axes.signs * np.vstack([[0, 0], rim])
        look: dict[str, Any] = {"facecolor": colour, "edgecolor": colour, "alpha": hues.fill, "hatch": hatch}
        axis.add_patch(Polygon(outline, label=words, zorder=1, **look))
    here = axes.values[design]
    axis.scatter([here[0]], [here[1]], s=110, color=hues.series[2], marker="*", zorder=3)
    axis.set(xlabel=axes.labels[0], ylabel=axes.labels[1])
    under = str(cone) if len(str(cone)) < 50 else repr(cone)
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, title=f"under {under}")
    name_points(axis, axes.values, np.array([design]), names)
    return finish(figure)


def confidence_regions(subjects: Subject | Sequence[Subject], *, most: int = 60, transparent: bool = False) -> Figure:
    """How well the averages of two objectives are known: what the certificate allows around each listed design.

    All designs are named where they are a dozen or fewer, else the returned ones where these are.

    Several subjects, as `report.subject.as_it_ran` gives them for a study, stand side by side on the same axes.
    """
    stages = [subjects] if isinstance(subjects, Subject) else list(subjects)
    if not 1 <= len(stages) <= _STAGES:
        raise InputError(f"between 1 and {_STAGES} moments fit side by side, got {len(stages)}.")
    for subject in stages:
        if subject.cone.dim != 2:
            raise InputError(f"confidence regions are drawn for 2 objectives, this answer has {subject.cone.dim}.")
        if subject.evidence is None:
            raise InputError(
                "this answer comes without confidence for single designs: make it from a study or a table."
            )
    width = 5.8 if len(stages) == 1 else 3.8 * len(stages)
    figure = clear(new_figure(width, 4.8 if len(stages) == 1 else 4.2), transparent)
    panels = figure.subplots(1, len(stages), sharex=True, sharey=True, squeeze=False)[0]
    listed = []
    for panel, subject in zip(panels, stages, strict=True):
        listed.append(_confidence(panel, subject, most, palette(transparent)))
        if len(stages) > 1:
            panel.set_title(f"after {counted(subject.result.evaluations)}", fontsize=10)
    for panel in panels[1:]:
        panel.set_ylabel("")
    for panel, (values, called, returned) in zip(panels, listed, strict=True):  # where points are follows from all
        name_points(panel, values, np.arange(len(called)) if len(called) <= NAMED else returned, called)
    return finish(figure)


def _confidence(axis: Any, subject: Subject, most: int, hues: Palette) -> tuple[Floats, list[str], Indices]:
    """The averages that were drawn, the names of these designs, and which of them are returned."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Polygon

    rows = [row for row in answer(subject, most=most)["rows"] if None not in (*row["means"], *row["half_widths"])]
    turn = subject.meaning.signs * subject.meaning.units
    status = np.array([row["status"] for row in rows])
    values = np.array([row["means"] for row in rows]).reshape(-1, 2)
    for row, kind in zip(rows, status, strict=True):
        outline = np.array(row["means"]) + turn * parallelogram(subject.cone, np.array(row["half_widths"]))
        colour = to_rgb(styles(hues)[str(kind)]["color"])
        axis.add_patch(Polygon(outline, facecolor=(*colour, 0.12), edgecolor=(*colour, 0.7), zorder=0))
    scatter(axis, values, status, hues)
    axes = Shown.of(subject.result.means, None, subject.objectives, subject.minimised, "objectives")
    axis.set(xlabel=axes.labels[0], ylabel=axes.labels[1])
    axis.autoscale_view()
    if rows:
        axis.legend(frameon=False)
    return values, [row["name"] for row in rows], np.flatnonzero([row["returned"] for row in rows])


def status_over_evaluations(history: Sequence[Moment], epsilon: float, *, transparent: bool = False) -> Figure:
    """How many designs were decided after how many evaluations, and the epsilon certified by then."""
    if not history:
        raise InputError("there is no history to draw.")
    figure, hues = clear(new_figure(6.4, 5.2), transparent), palette(transparent)
    above, below = figure.subplots(2, 1, sharex=True)
    spent, looks = [moment.evaluations for moment in history], styles(hues)
    for status, line in _LINES.items():
        many = [getattr(moment, status.key) for moment in history]
        if any(many) or status is not Status.MISSES:
            above.plot(spent, many, linestyle=line, color=looks[status.value]["color"], linewidth=2, label=status.value)
    above.set(ylabel="designs", ylim=(0, None))
    above.legend(frameon=False)
    reached = [np.nan if m.certified_epsilon is None else m.certified_epsilon for m in history]
    below.plot(spent, reached, color=hues.series[2], linewidth=2, marker="o", markersize=3, label="certified")
    below.axhline(epsilon, color=hues.soft, linestyle="--", label="asked for")
    below.set(xlabel="evaluations", ylabel="epsilon", ylim=(0, None))
    below.legend(frameon=False)
    return finish(figure)


def gaps_and_evaluations(
    result: Result, cone: Cone, *, names: Sequence[str] | None = None, transparent: bool = False
) -> Figure:
    """How far each design's average is from the front, and how often it was evaluated; the best first."""
    if names is not None:
        check_names(names, len(result.means))
    seen = np.flatnonzero(~np.isnan(result.means).any(axis=1))
    if not len(seen):
        raise InputError("no design was evaluated yet: there are no gaps to draw.")
    gaps = suboptimality_gaps(result.means[seen], cone)
    order = np.argsort(gaps, kind="stable")
    chosen = seen[order]
    few = len(chosen) <= _BARS
    figure = clear(new_figure(max(6.4, 0.16 * len(chosen)) if few else 6.4, 5.2), transparent)
    above, below = figure.subplots(2, 1, sharex=True)
    hues = palette(transparent)
    looks = styles(hues)
    place = np.arange(len(chosen))
    for axis, heights, label in (
        (above, gaps[order], "gap of the average"),
        (below, result.counts[chosen], "evaluations"),
    ):
        if few:
            colours = [looks[str(s)]["color"] for s in result.status[chosen]]
            axis.bar(place, heights, color=colours)
        else:
            axis.fill_between(place, heights, step="mid", color=hues.pareto, alpha=0.6, linewidth=0)
        axis.set_ylabel(label)
    if few:
        from matplotlib.patches import Patch

        shown = [s for s in STATUS_ORDER if (result.status[chosen] == s).any()]
        handles = [Patch(color=str(looks[s]["color"]), label=s) for s in shown]
        above.legend(handles=handles, frameon=False)
        labels = [str(k) for k in chosen] if names is None else literals([names[k] for k in chosen])
        below.set_xticks(place, labels, rotation=90, fontsize=8)
    else:
        below.set_xlabel(f"{len(chosen):,} designs, the smallest gap first")
    return finish(figure)


def parallelogram(cone: Cone, half_widths: Floats) -> Floats:
    """(m, 2): corners of |w_n x| <= h_n for every n, around the origin; a polygon cut out of a large box."""
    # |x| <= |W x| / (its least singular value), and |W x| <= sqrt(N) max h: the box is cut everywhere.
    least = float(np.linalg.svd(cone.facets, compute_uv=False)[-1])
    reach = 1.01 * math.sqrt(len(half_widths)) * float(half_widths.max()) / least + 1e-300
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

"""Pictures (matplotlib, extra `plot`): drawn from numbers computed elsewhere, without a window."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from conewise.border import Floats
from conewise.cone.cone import Cone
from conewise.errors import ConewiseError, InputError, from_extra
from conewise.experiments.beyond import ConeRow
from conewise.experiments.compare import rate_interval
from conewise.problems import SimulatedBandit
from conewise.report.grounds import COLOURS, Palette, clear, finish, literal, palette
from conewise.tables.files import written

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "MARKERS", "angle_curves", "cone_picture", "new_figure", "pareto_sets", "planar_cones", "save"]

MARKERS: Final = ("o", "s", "D", "^", "v", "P")
_UNNAMED: Final = ("gain in objective 1", "gain in objective 2")
_NOTEBOOK_DPI: Final = 110
_RATES: Final = 0.95  # level of the intervals around rates
_CELLS: Final = 40  # weightings, and objectives, in the picture of a cone
_WRITTEN: Final = 8  # so many of both, and their shares are written out


def new_figure(width: float, height: float) -> Figure:
    """An empty figure without a window, or one sentence about the missing extra."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise ConewiseError(f"pictures need matplotlib: {from_extra('plot')}.") from None
    made: Figure = _shown()(figsize=(width, height), layout="constrained")
    return made


@cache
def _shown() -> Any:
    """Figures that a notebook shows by itself: one that pyplot does not know is otherwise printed as its size."""
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        """A figure without a window, and with a picture of itself."""

        def _repr_png_(self) -> bytes:
            picture = BytesIO()
            self.savefig(picture, format="png", dpi=_NOTEBOOK_DPI)
            return picture.getvalue()

    return ShownFigure


def save(figure: Figure, path: str | Path, *, force: bool = False) -> None:
    """As PNG, SVG or PDF by the ending, the same bytes for the same numbers; over an existing file only by force."""
    import matplotlib as mpl

    path = Path(path)
    metadata: dict[str, Any] = {"Software": None} if path.suffix == ".png" else {"Date": None}
    if path.suffix == ".pdf":
        metadata = {"CreationDate": None}
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f"a picture's name must end in .png, .svg or .pdf, got {path.name}.")
    with written(path, force=force) as file, mpl.rc_context({"svg.hashsalt": "conewise"}):
        figure.savefig(file, format=path.suffix[1:], metadata=metadata, dpi=150)


def pareto_sets(problem: SimulatedBandit, cones: Sequence[Cone], fronts: Sequence[np.ndarray]) -> Figure:
    """Figure 1: the Pareto sets of one problem under several cones, side by side, objectives in their own direction."""
    figure = new_figure(3.6 * len(cones), 3.8)
    axes = figure.subplots(1, len(cones), sharex=True, sharey=True, squeeze=False)[0]
    shown = problem.means * np.array([-1 if name in problem.minimised else 1 for name in problem.objectives])
    hues = palette()
    for axis, cone, front, colour, marker in zip(axes, cones, fronts, hues.cones, MARKERS, strict=False):
        axis.scatter(*shown[~front].T, s=8, color=hues.out, linewidths=0, label=f"beaten: {(~front).sum()}")
        axis.scatter(*shown[front].T, s=26, color=colour, marker=marker, linewidths=0, label=f"Pareto: {front.sum()}")
        axis.set_title(str(cone))
        axis.legend(loc="lower right", frameon=False)
        axis.set_xlabel(_label(problem, 0))
    axes[0].set_ylabel(_label(problem, 1))
    return finish(figure)


def _label(problem: SimulatedBandit, d: int) -> str:
    name = problem.objectives[d]
    return f"{literal(name)} ({'smaller' if name in problem.minimised else 'larger'} is better)"


def planar_cones(cones: Sequence[Cone]) -> Figure:
    """Figure 2: planar cones cut by the unit disc."""
    figure = new_figure(3.0 * len(cones), 3.2)
    axes = figure.subplots(1, len(cones), sharex=True, sharey=True, squeeze=False)[0]
    hues = palette()
    for axis, cone, colour in zip(axes, cones, hues.cones, strict=False):
        _draw_planar(axis, cone, colour, hues)
        axis.set_title(str(cone))
    return finish(figure, grid=False)


def _draw_planar(axis: Any, cone: Cone, colour: str, hues: Palette, objectives: Sequence[str] = _UNNAMED) -> None:
    from matplotlib.patches import Wedge

    start, opening = _wedge(cone)
    axis.add_patch(Wedge((0, 0), 1, start, start + opening, color=colour, alpha=hues.fill + 0.1, linewidth=0))
    for ray in cone.rays:
        axis.plot([0, ray[0]], [0, ray[1]], color=colour, linewidth=2)
    axis.axhline(0, color=hues.soft, linewidth=0.8)
    axis.axvline(0, color=hues.soft, linewidth=0.8)
    axis.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal", xlabel=objectives[0], ylabel=objectives[1])
    axis.text(0.62 * cone.centre[0], 0.62 * cone.centre[1], f"{opening:.4g}°", ha="center", va="center")


def _wedge(cone: Cone) -> tuple[float, float]:
    """Where the cone starts and how far it opens, in degrees, anticlockwise."""
    first, second = np.degrees(np.arctan2(cone.rays[:, 1], cone.rays[:, 0]))
    opening = (second - first) % 360
    return (float(first), float(opening)) if opening < 180 else (float(second), float(360 - opening))


def cone_picture(
    cone: Cone, *, objectives: Sequence[str] | None = None, minimised: Sequence[str] = (), transparent: bool = False
) -> Figure:
    """Draw one cone with its facets, its rays and, dashed, the weightings w_n: in the plane, or in space.

    With more objectives draw the weightings themselves: the share of each objective, up to 40 of both. The axes say
    which of the `objectives` are `minimised`.
    """
    unnamed = (f"objective {d + 1}" for d in range(cone.dim))
    named = tuple(unnamed if objectives is None else map(literal, objectives))
    if objectives is not None and len(named) != cone.dim:
        raise InputError(f"the cone orders {cone.dim} objectives, but there are {len(named)} names for them.")
    if cone.dim not in (2, 3):
        return _weightings(cone, named, transparent)
    ways = ["less {} is better" if name in minimised else "gain in {}" for name in objectives or named]
    named = tuple(way.format(name) for way, name in zip(ways, named, strict=True))
    figure = clear(new_figure(4.2, 4.2) if cone.dim == 2 else new_figure(5.0, 4.6), transparent)
    hues, title = palette(transparent), str(cone) if len(str(cone)) < 50 else repr(cone)
    if cone.dim == 3:
        _draw_spatial(figure, cone, hues, named)
        figure.axes[0].set_title(title, fontsize=10)
        return finish(figure, grid=False)
    axis = figure.subplots()
    _draw_planar(axis, cone, hues.pareto, hues, named)
    for normal in cone.facets:
        arrow = {"arrowstyle": "->", "color": hues.undecided, "linestyle": "dashed", "linewidth": 1.4}
        axis.annotate("", 0.9 * normal, (0, 0), arrowprops=arrow)
    axis.set_title(f"{title}  (arrows: the weightings w_n)", fontsize=10)
    return finish(figure, grid=False)


def _weightings(cone: Cone, named: Sequence[str], transparent: bool) -> Figure:
    """A row for each weighting, a column for each objective: its share, negative ones too."""
    shares = (cone.facets / np.abs(cone.facets).sum(axis=1, keepdims=True))[:_CELLS, :_CELLS]
    n, dim = shares.shape
    figure, hues = clear(new_figure(2.6 + 0.42 * dim, 2.2 + 0.34 * n), transparent), palette(transparent)
    axis = figure.subplots()
    most = float(np.abs(shares).max())
    drawn = axis.imshow(100 * shares, cmap="PuOr", vmin=-100 * most, vmax=100 * most, aspect="auto")
    axis.set_xticks(range(dim), named[:dim], rotation=40, ha="right", fontsize=8)
    axis.set_yticks(range(n), [f"w{row + 1}" for row in range(n)], fontsize=8)
    if max(n, dim) <= _WRITTEN and not transparent:  # text in a clear figure is grey, which these cells are not for
        for row, column in np.ndindex(n, dim):
            ink = "white" if abs(shares[row, column]) > 0.7 * most else "black"
            axis.text(column, row, f"{100 * shares[row, column]:.3g}", ha="center", va="center", fontsize=8, color=ink)
    figure.colorbar(drawn, ax=axis, label="share of the weight, %")
    cut = [f"{shown} of {total} {what}" for shown, total, what in _cut(cone, n, dim) if shown < total]
    title = str(cone) if len(str(cone)) < 50 else repr(cone)
    axis.set_title(f"{title}: the weightings" + (f"\n(the first {' and '.join(cut)})" if cut else ""), fontsize=10)
    axis.tick_params(color=hues.soft)
    return finish(figure, grid=False)


def _cut(cone: Cone, n: int, dim: int) -> tuple[tuple[int, int, str], ...]:
    return (n, len(cone.facets), "weightings"), (dim, cone.dim, "objectives")


def _draw_spatial(figure: Figure, cone: Cone, hues: Palette, named: Sequence[str]) -> None:
    import matplotlib as mpl
    from matplotlib.ticker import MaxNLocator
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    with mpl.rc_context({"grid.color": "#80808050"}):
        axis: Any = figure.add_subplot(projection="3d")
    axis.add_collection3d(Poly3DCollection(triangles(cone), facecolor=hues.pareto, edgecolor="none", alpha=hues.fill))
    for points, colour, line, label in (
        (cone.rays, hues.pareto, "-", "rays"),
        (0.9 * cone.facets, hues.undecided, "--", "weightings w_n"),
    ):
        for n, tip in enumerate(points):
            ends = np.column_stack([np.zeros(3), tip])
            mark = {"marker": "o", "markersize": 3, "markevery": [1], "label": label if n == 0 else None}
            axis.plot(*ends, line, color=colour, linewidth=1.6, **mark)
    axis.legend(loc="upper left", frameon=False, fontsize=9)
    corners = np.vstack([cone.rays, cone.facets, np.zeros((1, 3))])
    low, high = float(min(0.0, corners.min())), float(max(1.0, corners.max()))
    axis.set(xlim=(low, high), ylim=(low, high), zlim=(low, high))
    axis.set(xlabel=named[0], ylabel=named[1], zlabel=named[2])
    for line in (axis.xaxis, axis.yaxis, axis.zaxis):
        line.pane.set_alpha(0.0)  # grey walls are neither for paper nor for a dark ground
        line.set_major_locator(MaxNLocator(4))
    axis.view_init(elev=18, azim=-50)
    axis.set_box_aspect(None, zoom=0.85)  # room for the third label


def triangles(cone: Cone) -> list[Floats]:
    """For every facet of a cone in space the triangle of the origin and its two rays."""
    sides = []
    for normal in cone.facets:
        edge = cone.rays[np.abs(cone.rays @ normal) <= 1e-9]
        if len(edge) >= 2:
            middle = edge.sum(axis=0)
            across = np.cross(normal, middle)
            order = edge[np.argsort(edge @ across / (edge @ middle))]
            sides.append(np.array([np.zeros(3), order[0], order[-1]]))
    return sides


def angle_curves(rows: Sequence[ConeRow], degrees: Sequence[float], *, transparent: bool = False) -> Figure:
    """Beta and the success rate against the angle of a planar cone: rows as `experiments.beyond.angles` gives them.

    Around the rate lies its exact interval (Clopper & Pearson 1934).
    """
    if len(rows) != len(degrees) or not len(rows):
        raise InputError(f"every row needs its angle, got {len(rows)} rows and {len(degrees)} angles.")
    figure, hues = clear(new_figure(7.5, 3.4), transparent), palette(transparent)
    left, right = figure.subplots(1, 2)
    left.plot(degrees, [row.beta for row in rows], color=hues.series[1], marker="o", markersize=4)
    left.set(xlabel="opening angle of the cone (degrees)", ylabel="ordering complexity beta", ylim=(0, None))
    rates = [100 * row.successes / row.runs for row in rows]
    low, high = zip(*(rate_interval(row.successes, row.runs, _RATES) for row in rows), strict=True)
    band = {"color": hues.series[2], "alpha": hues.fill, "linewidth": 0, "label": f"exact {100 * _RATES:g} % interval"}
    right.fill_between(degrees, 100 * np.array(low), 100 * np.array(high), **band)
    right.plot(degrees, rates, color=hues.series[2], marker="s", markersize=4, label="runs that succeeded")
    right.legend(loc="lower right", frameon=False, fontsize=9)
    right.set(xlabel="opening angle of the cone (degrees)", ylabel="success rate (%)", ylim=(-2, 102))
    return finish(figure)

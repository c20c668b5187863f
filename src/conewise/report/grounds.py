"""Colours that can be told apart on white paper, on a dark ground, and on one that nobody knows.

Style sheets of the reader hold; from their colour of text follows whether the ground is dark. A transparent figure may
be laid on either, so that it has colours of middle lightness: each has a contrast of at least 3 with white and with
black, as graphics need (WCAG 2.2, 1.4.11), and text is in a grey of contrast 3.9 or more with both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from conewise.errors import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS: Final = ("#E69F00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
"""Okabe & Ito's palette: distinct for colour-blind readers and in print."""

INK: Final = "#333333"
PAPER: Final[dict[Any, Any]] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.edgecolor": "#888888",
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
"""The style of the pictures that are committed with the docs, and of those that `conewise reproduce` writes."""


@dataclass(frozen=True)
class Palette:
    """The colours of one picture."""

    series: tuple[str, ...]
    """Six that can be told apart, in the order of COLOURS."""
    out: str
    """Designs that are not Pareto."""
    soft: str
    """Axes, arrows and what was asked for."""
    fill: float
    """How strongly areas are filled."""

    @property
    def pareto(self) -> str:
        """Pareto designs."""
        return self.series[1]

    @property
    def cones(self) -> tuple[str, ...]:
        """Cones side by side, in the order in which the docs have them."""
        return tuple(self.series[n] for n in (1, 2, 5, 0, 3, 4))

    @property
    def undecided(self) -> str:
        """Undecided designs."""
        return self.series[5]


LIGHT: Final = Palette(COLOURS, "0.6", "0.4", 0.22)
DARK: Final = Palette(("#F0B429", "#56B4E9", "#2CC79A", "#E9A3C9", "#9AD4F5", "#FF8C42"), "0.5", "0.7", 0.4)
EITHER: Final = Palette(("#B88000", "#2B8CD1", "#0B9B75", "#C0659A", "#7A5CC8", "#D9642A"), "0.55", "0.5", 0.3)
_BEFORE: Final = 4  # letters that texts share and that are shown before those in which they differ
_GREY: Final = "#808080"  # text on either ground
_LIGHT_TEXT: Final = 0.5  # relative luminance beyond which text is light, so that the ground is dark


def palette(transparent: bool = False) -> Palette:
    """The colours for the reader's style sheet, or for a ground that is not known."""
    if transparent:
        return EITHER
    import matplotlib as mpl
    from matplotlib.colors import to_rgb

    red, green, blue = (part**2.2 for part in to_rgb(mpl.rcParams["text.color"]))
    return DARK if 0.2126 * red + 0.7152 * green + 0.0722 * blue > _LIGHT_TEXT else LIGHT


def literal(text: str, most: int = 24) -> str:
    """A user's text as it is: one line, its beginning where it is long, and never set as mathematics."""
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return printable(shown).replace("$", r"\$")


def literals(texts: Sequence[str], most: int = 24) -> list[str]:
    """Users' texts side by side; those that would be cut to the same begin shortly before they differ."""
    groups: dict[str, set[str]] = {}
    for text in texts:
        groups.setdefault(literal(text, most), set()).add(text)
    starts = {shown: _shared(alike) for shown, alike in groups.items() if len(alike) > 1}
    cut = [(text, starts.get(literal(text, most), 0) - _BEFORE) for text in texts]
    return [literal(f"…{text[start:]}" if start > 0 else text, most) for text, start in cut]


def _shared(texts: Iterable[str]) -> int:
    """With how many letters all of them begin."""
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False)))


def clear(figure: Figure, transparent: bool) -> Figure:
    """Without a ground of its own, if so wished."""
    if transparent:
        figure.patch.set_alpha(0.0)
    return figure


def finish(figure: Figure, grid: bool = True) -> Figure:
    """Grids behind everything; a clear figure has clear panels, and text in a grey for either ground."""
    for axis in figure.axes:
        if grid:
            axis.grid(alpha=0.25)
            axis.set_axisbelow(True)
    if figure.patch.get_alpha() == 0.0:
        for axis in figure.axes:
            axis.patch.set_alpha(0.0)
            _in_grey(axis)
        for legend in (*figure.legends, *(axis.get_legend() for axis in figure.axes)):
            for text in () if legend is None else (legend.get_title(), *legend.get_texts()):
                text.set_color(_GREY)
    return figure


def _in_grey(axis: Any) -> None:
    axis.tick_params(colors=_GREY, which="both")
    lines = [getattr(axis, name) for name in ("xaxis", "yaxis", "zaxis") if hasattr(axis, name)]
    for text in (axis.title, *(line.label for line in lines), *axis.texts):
        text.set_color(_GREY)
    for line in lines if hasattr(axis, "zaxis") else ():
        line.line.set_color(_GREY)
    for spine in axis.spines.values():
        spine.set_edgecolor(_GREY)

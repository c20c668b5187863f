"""A cone as an inline picture (SVG) for pages: in the plane, in space, or as the weightings it respects."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np

from conewise.border import Floats
from conewise.cone.cone import Cone

_SIZE: Final = 260
_REACH: Final = 95.0  # pixels of a unit vector
_BLUE, _ORANGE = "var(--pareto, #0072B2)", "var(--undecided, #D55E00)"  # a page may have colours for its own ground
_GREY: Final = "#808080"
_HALF_LETTER: Final = 3.4  # pixels, of text of size 12
_WIDE: Final = 130.0  # degrees from which an angle is written beside the middle of its wedge
_BESIDE: Final = 0.85  # of the opening, away from the names of the axes
_BARS: Final = 12  # weightings drawn


def cone_svg(cone: Cone, objectives: Sequence[str], minimised: Sequence[str] = ()) -> str:
    """Return a picture of the cone, with a description for readers who do not see it."""
    if cone.dim in (2, 3):
        way = "gain in " if cone.dim == 2 else ""
        objectives = [f"{'less ' if name in minimised else way}{_short(name)}" for name in objectives]
    if cone.dim == 2:
        return _planar(cone, objectives)
    if cone.dim == 3 and len(cone.facets) > 2:
        return _spatial(cone, objectives)
    return _weightings(cone, objectives)


def _svg(body: str, width: float, height: float, title: str) -> str:
    return (
        f'<svg class="cone" role="img" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        f'xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>{body}</svg>'
    )


def _planar(cone: Cone, objectives: Sequence[str]) -> str:
    middle = _SIZE / 2

    def at(vector: Floats) -> tuple[float, float]:
        return middle + _REACH * float(vector[0]), middle - _REACH * float(vector[1])

    first, second = np.arctan2(cone.rays[:, 1], cone.rays[:, 0])
    opening = (second - first) % (2 * np.pi)
    if opening > np.pi:
        first, opening = second, 2 * np.pi - opening
    rim = [at(np.array([np.cos(t), np.sin(t)])) for t in np.linspace(first, first + opening, 40)]
    outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in [(middle, middle), *rim])
    body = [
        f'<line x1="15" y1="{middle}" x2="{_SIZE - 15}" y2="{middle}" stroke="{_GREY}"/>',
        f'<line x1="{middle}" y1="15" x2="{middle}" y2="{_SIZE - 15}" stroke="{_GREY}"/>',
        f'<polygon points="{outline}" fill="{_BLUE}" fill-opacity="0.25" stroke="{_BLUE}" stroke-width="2"/>',
    ]
    for n, facet in enumerate(cone.facets, start=1):
        x, y = at(facet)
        body.append(
            f'<line x1="{middle}" y1="{middle}" x2="{x:.1f}" y2="{y:.1f}" stroke="{_ORANGE}" stroke-width="2" '
            'stroke-dasharray="5 3"/>'
        )
        away = facet - (facet @ cone.centre) * cone.centre  # beside the tip, where no axis and no edge can be
        x, y = at(1.06 * facet + 0.13 * away / max(float(np.linalg.norm(away)), 1e-300))
        body.append(_text(x, y + 4, f"w{n}", _ORANGE))
    # In the middle of the wedge, but of a wide one beside it: there the weightings come close to the middle.
    inside = first + opening * (_BESIDE if np.degrees(opening) > _WIDE else 0.5)
    x, y = at(0.6 * np.array([np.cos(inside), np.sin(inside)]))
    body.append(_text(x, y + 4, f"{np.degrees(opening):.4g}°", "currentColor"))
    # At the end of its axis, on the side on which no weighting is.
    below = not ((cone.facets[:, 0] > 0) & (cone.facets[:, 1] <= 1e-9)).any()
    along = f"{objectives[0]} →"
    body.append(_text(_SIZE - 2, middle + (17 if below else -7), along, "currentColor", "end"))
    upwards = f"{objectives[1]} ↑"
    room = _SIZE - 2 - 2 * _HALF_LETTER * len(upwards)
    body.append(_text(max(2.0, min(middle + 6, room)), 12, upwards, "currentColor", "start"))
    words = f"The gains that count as better: a wedge of {np.degrees(opening):.4g} degrees; dashed, the weightings."
    return _svg("".join(body), _SIZE, _SIZE, words)


def _spatial(cone: Cone, objectives: Sequence[str]) -> str:
    """Seen from the side of all gains, objective 3 upwards."""
    turn, tilt = np.radians(35.0), np.radians(22.0)
    across = np.array([-np.sin(turn), np.cos(turn), 0.0])
    toward = np.array([np.cos(turn) * np.cos(tilt), np.sin(turn) * np.cos(tilt), np.sin(tilt)])
    up = np.cross(toward, across)
    reach = 1.15 * _REACH

    def at(vector: Floats) -> tuple[float, float]:
        return _SIZE / 2 + reach * float(vector @ across), 0.62 * _SIZE - reach * float(vector @ up)

    body = []
    for d in range(3):
        unit = np.eye(3)[d]
        (x1, y1), (x2, y2), (x, y) = at(-0.25 * unit), at(1.15 * unit), at(1.27 * unit)
        body.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{_GREY}" stroke-dasharray="3 3"/>'
        )
        name = objectives[d]
        room = _HALF_LETTER * len(name) + 2
        body.append(_text(min(max(x, room), _SIZE - room), y + (10 if d < 2 else 4), name, "currentColor"))
    sides = []
    for normal in cone.facets:
        edge = cone.rays[np.abs(cone.rays @ normal) <= 1e-9]
        if len(edge) >= 2:
            spread = edge @ np.cross(normal, edge.sum(axis=0))
            ends = edge[[int(spread.argmin()), int(spread.argmax())]]
            sides.append((float((ends @ toward).sum()), ends))
    for _, ends in sorted(sides, key=lambda side: side[0]):
        outline = " ".join("{:.1f},{:.1f}".format(*at(p)) for p in (np.zeros(3), *ends))
        body.append(
            f'<polygon points="{outline}" fill="{_BLUE}" fill-opacity="0.22" stroke="{_BLUE}" stroke-width="1.5"/>'
        )
    words = f"The gains that count as better: a cone in space with {len(cone.rays)} edges."
    return _svg("".join(body), _SIZE, _SIZE, words)


def _weightings(cone: Cone, objectives: Sequence[str]) -> str:
    """Each weighting as a row, each objective as a column; the area of a square is the weight's share."""
    shown = cone.facets[:_BARS]
    shares = shown / np.abs(shown).sum(axis=1, keepdims=True)
    n, dim = shares.shape
    columns = min(dim, _BARS)
    cell, left, top = 34, 36, 70
    body = []
    for d in range(columns):
        x = left + (d + 0.5) * cell
        body.append(
            f'<text x="{x}" y="{top - 6}" transform="rotate(-40 {x} {top - 6})" font-size="11" fill="currentColor">'
            f"{escape(_short(objectives[d]))}</text>"
        )
    for row in range(n):
        y = top + (row + 0.5) * cell
        body.append(_text(left - 8, y + 4, f"w{row + 1}", _ORANGE, "end"))
        for d in range(columns):
            side = (cell - 4) * float(np.sqrt(abs(shares[row, d])))
            x = left + (d + 0.5) * cell
            fill = _BLUE if shares[row, d] >= 0 else _ORANGE
            body.append(
                f'<rect x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:.1f}" height="{side:.1f}" '
                f'fill="{fill}"><title>{100 * shares[row, d]:.3g} %</title></rect>'
            )
    words = "The weightings that the cone respects, one a row; the area of a square is the share of an objective."
    height = top + n * cell + 4
    if n < len(cone.facets) or columns < dim:
        cut = f"{n} of {len(cone.facets):,} weightings, {columns} of {dim:,} objectives"
        body.append(_text(4, height + 14, cut, "currentColor", "start"))
        words, height = f"{words} Shown: {cut}.", height + 20
    return _svg("".join(body), max(left + columns * cell + 60, _SIZE), height, words)


def _text(x: float, y: float, text: str, colour: str, anchor: str = "middle") -> str:
    """A text that stays readable over lines, on a ground whose colour is known."""
    halo = 'stroke="var(--paper, none)" stroke-width="3" stroke-linejoin="round" paint-order="stroke"'
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {where} font-size="12" fill="{colour}" {halo}>{escape(text)}</text>'


def _short(name: str, most: int = 22) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"

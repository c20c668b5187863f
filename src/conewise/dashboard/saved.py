"""The page as one small file whose control still works: no server, no network, and no script but its own."""

from __future__ import annotations

import html
import re
from importlib.resources import files
from typing import Any, Final

import numpy as np

from conewise.cones import Cone
from conewise.dashboard.angles import leaving_angles
from conewise.dashboard.answers import backdrop, in_steps
from conewise.dashboard.levels import stated_levels
from conewise.dashboard.sources import Designs
from conewise.errors import InputError, printable
from conewise.order import pareto_mask
from conewise.report.bundle import DRAWINGS, bundle, embedded, policy, shared
from conewise.report.words import describe

MOST: Final = 20_000
"""Designs of a page that is sent around."""
_CONTROLS: Final = (
    "preference.js",
    "sentence.js",
    "trade.js",
    "returning.js",
    "saved.js",
)  # each after what it needs


def page(title: str, designs: Designs, cone: Cone, pareto: np.ndarray, shortlist: list[int]) -> str:
    """The file: picture, sentence and slider for two objectives; the least share of every objective for more."""
    if len(designs.known) > MOST:
        raise InputError(f"a page to send around may hold {MOST:,} designs, got {len(designs.known):,}.")
    static = files("conewise.dashboard").joinpath("static")

    def read(name: str) -> str:
        return static.joinpath(name).read_text(encoding="utf-8")

    style, theme = shared("drawing.css") + read("page.css"), shared("theme.js")
    script = bundle({name: shared(name) for name in DRAWINGS} | {name: read(name) for name in _CONTROLS})
    parts = {
        "POLICY": policy([theme, script], [style]),
        "TITLE": html.escape(printable(title)),
        "STYLE": style,
        "THEME": theme,
        "DATA": embedded(_data(title, designs, cone, pareto, shortlist)),
        "SCRIPT": script,
    }
    return re.sub("|".join(parts), lambda found: parts[found[0]], read("saved.html"))


def _data(title: str, designs: Designs, cone: Cone, pareto: np.ndarray, shortlist: list[int]) -> dict[str, Any]:
    known = designs.known
    place = {k: n for n, k in enumerate(known.tolist())}
    start = backdrop(designs)
    made: dict[str, Any] = {key: start[key] for key in ("objectives", "minimised", "units", "ranges")}
    made |= {
        "title": printable(title),
        "about": _about(designs, cone),
        "names": designs.shown(known.tolist()),
        "values": [_slim(column.tolist(), designs.dim) for column in designs.values[known].T],
        "saved": [place[k] for k in pareto.tolist()],
        "shortlist": [place[k] for k in shortlist if k in place],
        "words": describe(cone, *in_steps(designs))[1:2],
    }
    if designs.dim == 2:
        angles = leaving_angles(designs)
        made["edges"] = _counter_clockwise(cone.rays).tolist()
        made["angles"] = {"curve": angles["curve"], "degrees": [_rounded(end) for end in angles["degrees"]]}
    elif designs.dim > 2:
        made |= _shares(designs)
    return made


def _slim(values: list[float], dim: int) -> list[float]:
    """In the plane the page compares them itself; of more objectives it shows them, and eight digits are plenty."""
    return values if dim == 2 else [float(f"{value:.8g}") for value in values]


def _about(designs: Designs, cone: Cone) -> str:
    words = f"Saved from conewise explore under the cone {cone}."
    if not designs.levels:
        return words
    left_out = len(designs.within(()).known) - len(designs.known)
    levels = ", ".join(f"{name} {sign} {level:.6g}" for name, sign, level in stated_levels(designs))
    return f"{words} Only designs with {printable(levels)}: {left_out:,} miss a level and are left out."


def _rounded(end: float | None) -> float | None:
    return None if end is None else round(end, 3)


def _counter_clockwise(rays: np.ndarray) -> np.ndarray:
    (a, b), (c, d) = rays
    return rays if a * d - b * c > 0 else rays[::-1]


def _shares(designs: Designs) -> dict[str, Any]:
    """How many steps of 1 % every design survives as the least share of all objectives grows.

    These cones are nested, so that whoever has left stays out, and each front is found among the last one.
    """
    dim = designs.dim
    steps = int(np.ceil(100 / dim))  # all shares together stay below 100 %
    alive = np.arange(len(designs.known))
    until = np.zeros(len(alive), dtype=int)
    for share in range(steps):
        cone = Cone.importance(share / 100, dim=dim) if share else Cone.orthant(dim)
        alive = alive[pareto_mask(designs.means[alive], cone)]
        until[alive] = share + 1
    return {"steps": steps, "until": until.tolist()}

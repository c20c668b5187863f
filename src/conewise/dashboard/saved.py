"""The page as one small file whose control still works: no server, no network, and no script but its own."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Sequence
from datetime import date
from importlib.resources import files
from typing import Any, Final

import numpy as np

from conewise.border import Floats
from conewise.cone.cone import Cone
from conewise.dashboard.answers import backdrop, by_study, in_steps
from conewise.dashboard.knowledge import Knowledge
from conewise.dashboard.sources import Designs, Levels
from conewise.dashboard.views import views
from conewise.errors import InputError, printable
from conewise.report.bundle import DRAWINGS, bundle, packed, policy, shared, written
from conewise.report.words import describe

MOST: Final = 20_000
"""Designs of a page that is sent around."""
# Each after what it needs.
_ALWAYS: Final = ("preference.js", "levels.js", "verdicts.js", "steps.js", "amounts.js", "returning.js", "offline.js")
_PLANE: Final = ("sentence.js", "curve.js", "trade.js", "savedplane.js")
_SPACE: Final = ("space.js", "weights.js", "curve.js", "least.js", "savedspace.js")
_PLANE_ONLY: Final = ("axes.js", "cells.js", "wedge.js", "scatter.js")  # pictures that the other pages do without
_SPACE_ONLY: Final = ("grips.js", "parallel.js")


def page(
    title: str,
    designs: Designs,
    cone: Cone,
    shortlist: list[int],
    *,
    made: date | None = None,
    said: Sequence[str] = (),
    standing: dict[str, Any] | None = None,
    knowledge: Knowledge | None = None,
) -> str:
    """The file: picture, sentence and slider for two objectives, shares of the weight for more; and levels for all.

    `said` are the sentences that made the cone; of a study also where it stood, and what it knew of its designs.
    """
    everyone = designs.within(())
    if len(everyone.known) > MOST:
        raise InputError(f"a page to send around may hold {MOST:,} designs, got {len(everyone.known):,}.")
    static = files("conewise.dashboard").joinpath("static")

    def read(name: str) -> str:
        return static.joinpath(name).read_text(encoding="utf-8")

    style, theme, unpack = shared("drawing.css") + read("page.css"), shared("theme.js"), read("unpack.js")
    flat = designs.dim <= 2
    drawings = [name for name in DRAWINGS if name not in (_SPACE_ONLY if flat else _PLANE_ONLY)]
    controls = ["numbers.js", *_ALWAYS, *(_PLANE if flat else _SPACE)]
    day = "" if made is None else f" on {made.isoformat()}"
    status = designs.status(cone)
    study = None if status is None else by_study(everyone, status, everyone.known)["study"]
    if study is not None:  # the page holds the designs with values alone
        study["letters"] = "".join(study["letters"][k] for k in everyone.known.tolist())
    data = _data(everyone, designs.levels, cone, shortlist) | {
        "title": printable(title),
        "about": f"Saved from conewise explore{day} under the cone {cone}.",
        "said": list(said),
        "live": designs.averages,
        "standing": standing,
        "study": study,
        "known": None if knowledge is None else [_known(knowledge, k) for k in everyone.known.tolist()],
    }
    script = bundle({name: shared(name) for name in drawings} | {name: read(name) for name in controls})
    parts = {
        "POLICY": policy([theme, unpack, script], [style]),
        "TITLE": html.escape(printable(title)),
        "STYLE": style,
        "THEME": theme,
        "DATA": packed(written(data)),
        "SCRIPT": packed(script),
        "UNPACK": unpack,
    }
    return re.sub("|".join(parts), lambda found: parts[found[0]], read("saved.html"))


def _data(designs: Designs, levels: Levels, cone: Cone, shortlist: list[int]) -> dict[str, Any]:
    known = designs.known
    place = {k: n for n, k in enumerate(known.tolist())}
    start = backdrop(designs)
    data: dict[str, Any] = {key: start[key] for key in ("objectives", "minimised", "units", "ranges", "unknown")}
    data |= {
        "names": designs.shown(known.tolist()),
        "values": [_short(column) for column in designs.values[known].T],
        "levels": [list(level) for level in levels],
        "shortlist": [place[k] for k in shortlist if k in place],
    }
    if designs.dim == 2:
        data["edges"] = _counter_clockwise(cone.rays).tolist()
    elif designs.dim > 2:
        # The rows as given, by which designs are compared everywhere: the page must find the same front.
        data |= {"rows": cone.to_dict()["rows"], "shares": views(cone)["shares"]}
        data["words"] = describe(cone, *in_steps(designs))[1:2]
    return data


def _known(knowledge: Knowledge, index: int) -> dict[str, Any]:
    """What a study knows of a design; standard errors with the digits that a page shows."""
    about = knowledge.of(index)
    return about | {"errors": [None if error is None else float(f"{error:.2g}") for error in about["errors"]]}


def _short(column: Floats) -> list[float] | str:
    """The numbers as they are: written, or the bytes of doubles in base64 where that takes less room when packed.

    First the first byte of every number, then the second of every number, and so on: what is alike stands together.
    """
    made = column.astype("<f8").view(np.uint8).reshape(-1, 8)
    as_bytes: str = base64.b64encode(made.T.tobytes()).decode()
    as_numbers: list[float] = column.tolist()
    return as_bytes if len(packed(as_bytes)) < len(packed(written(as_numbers))) else as_numbers


def _counter_clockwise(rays: np.ndarray) -> np.ndarray:
    (a, b), (c, d) = rays
    return rays if a * d - b * c > 0 else rays[::-1]

"""Pages that stand alone: style sheets and scripts of several files in one, known to the browser by their digests.

The pictures of reports and of the explorer are drawn by the same modules, which lie in `report/static`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

DRAWINGS: Final = (
    "dom.js",
    "geometry.js",
    "marks.js",
    "vector.js",
    "canvas.js",
    "axes.js",
    "cells.js",
    "wedge.js",
    "thresholds.js",
    "scatter.js",
    "grips.js",
    "parallel.js",
    "files.js",
)
"""The modules that draw, each after those that it needs."""

_IMPORT: Final = re.compile(r'^import (\{[^}]*\}) from "\./([a-z]+)\.js";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:const|class|function) (\w+))", re.MULTILINE)
_COMMENT: Final = re.compile(r"^ *//.*\n", re.MULTILINE)
_INDENT: Final = re.compile(r"^ +", re.MULTILINE)  # no text of ours goes over several lines


def shared(name: str) -> str:
    """A style sheet or a script that pages share."""
    return files("conewise.report").joinpath("static", name).read_text(encoding="utf-8")


def bundle(sources: dict[str, str]) -> str:
    """Modules as one script: each a function of its own, so that their names do not meet."""
    made = []
    for name, text in sources.items():
        names = [found[1] for found in _EXPORT.findall(text)]
        body = _EXPORT.sub(r"\1", _IMPORT.sub(r"const \1 = from_\2;", _INDENT.sub("", _COMMENT.sub("", text))))
        made.append(
            f"const from_{name.removesuffix('.js')} = (() => {{\n{body}\nreturn {{ {', '.join(names)} }};\n}})();"
        )
    return '"use strict";\n' + "\n".join(made)


def policy(scripts: Sequence[str], styles: Sequence[str], more: str = "") -> str:
    """A Content-Security-Policy under which nothing runs and nothing looks but these, and nothing leaves the page."""
    ours, looks = (" ".join(f"'{fingerprint(text)}'" for text in texts) for texts in (scripts, styles))
    return f"default-src 'none'; script-src {ours}; style-src {looks}; {more}base-uri 'none'; form-action 'none'"


def fingerprint(text: str) -> str:
    """By which a browser knows a script or a style sheet."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def embedded(data: Any) -> str:
    """JSON that can stand in a script element whatever texts it holds."""
    text = written(data)
    for character in "<>&\u2028\u2029":  # all of them occur inside JSON strings only
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def written(data: Any) -> str:
    """JSON without a space that nobody needs."""
    return json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def packed(text: str) -> str:
    """A text as browsers unpack it themselves: deflated, in base64, which can stand in any element."""
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()

"""One self-contained HTML file: words and tables written here, pictures drawn in the reader's browser, no network.

Text of users enters escaped, or as JSON in which `<` cannot occur; the browser runs the page's own scripts only, known
by their digests (Content-Security-Policy). The pictures are drawn by the scripts of the explorer.
"""

from __future__ import annotations

from datetime import date
from html import escape
from importlib.resources import files
from typing import Any, Final

from conewise._version import __version__
from conewise.cone.cone import Cone
from conewise.report import sections
from conewise.report.answer import answer
from conewise.report.bundle import DRAWINGS, bundle, embedded, policy, shared
from conewise.report.slim import page_data
from conewise.report.subject import Subject

_MODULES: Final = ("lines.js", "designs.js", "front.js", "detail.js", "rows.js", "report.js")  # after what they need


def html_page(subject: Subject, *, made: date | None = None) -> str:
    """The report as one HTML file; with a date where one is given, and otherwise the same bytes every time."""
    return rendered(answer(subject), subject.cone, made=made)


def rendered(data: dict[str, Any], cone: Cone, *, made: date | None = None) -> str:
    """The page that shows these numbers."""
    style, theme = shared("drawing.css") + _asset("report.css"), shared("theme.js")
    script = bundle({name: shared(name) for name in DRAWINGS} | {name: _asset(name) for name in _MODULES})
    day = "" if made is None else made.isoformat()
    listed = "".join(
        f'<section aria-labelledby="{key}"><h2 id="{key}">{title}</h2>{body}</section>\n'
        for key, title, body in (
            ("why", "Why", sections.why(data)),
            ("next", "What next", sections.next_up(data)),
            ("sure", "How sure", sections.sure(data)),
            ("theory", "The theory", sections.theory(data, cone)),
            ("about", "About this report", sections.pairs_list(sections.about(data, made))),
        )
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy([theme, script], [style], "img-src data:; ")}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="conewise {__version__}">
<title>{escape(data["title"])} · conewise</title>
<link rel="icon" href="data:,">
<style>{style}</style>
<script>{theme}</script>
</head>
<body>
<header>
<p><span class="brand">conewise report</span> {escape(data["title"])}{f" · {day}" if day else ""}</p>
<label class="theme"><span>Theme</span>
<select id="theme" aria-label="Theme"><option value="system">As the system</option><option value="light">Light</option>
<option value="dark">Dark</option></select></label>
</header>
<main>
{sections.first(data)}{listed}</main>
<footer>Everything in this file is in this file: it opens without a network.</footer>
<script type="application/json" id="data">{embedded(page_data(data))}</script>
<script>{script}</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    return files("conewise.report").joinpath("assets", name).read_text(encoding="utf-8")

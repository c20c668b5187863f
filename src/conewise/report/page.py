"""One self-contained HTML file: words and tables written here, pictures drawn in the reader's browser, no network.

Text of users enters escaped, or as JSON in which `<` cannot occur; the browser runs the page's own scripts only, known
by their digests (Content-Security-Policy).
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from typing import Any, Final

from conewise._version import __version__
from conewise.algorithms import Status
from conewise.cones import Cone
from conewise.errors import ConewiseError, from_extra
from conewise.report.answer import COLUMNS, STATUS_ORDER, answer
from conewise.report.drawing import cone_svg
from conewise.report.subject import Subject

_WEIGHTINGS: Final = 12  # weightings written out
_NAMED: Final = 12  # objectives called by name in the question


def html_page(subject: Subject) -> str:
    """The report as one HTML file."""
    return rendered(answer(subject), subject.cone)


def rendered(data: dict[str, Any], cone: Cone) -> str:
    """The page that shows these numbers."""
    scripts = (plotly_script(), _asset("plots.js"), _asset("page.js"))
    digests = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    inline = "\n".join(f"<script>{script}</script>" for script in scripts)
    policy = (
        f"default-src 'none'; script-src {digests}; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    sections = "".join(
        f'<section aria-labelledby="{key}"><h2 id="{key}">{title}</h2>{body}</section>\n'
        for key, title, body in (
            ("question", "The question", _question(data, cone)),
            ("answers", "The answer", _answer(data)),
            ("worth", "What it is worth", _worth(data)),
            ("how", "How it got there", _how(data)),
            ("next", "What to evaluate next", _next(data)),
        )
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="conewise {__version__}">
<title>{escape(data["title"])} · conewise</title>
<link rel="icon" href="data:,">
<style>{_asset("page.css")}</style>
</head>
<body>
<main>
<header>
<p class="soft">conewise report</p>
<h1>{escape(data["title"])}</h1>
{_figures(data)}
{_verdict(data)}
</header>
{sections}</main>
<footer>Made by conewise {__version__}. Everything in this file is in this file: it opens without a network.</footer>
<script type="application/json" id="data">{embedded(data)}</script>
{inline}
</body>
</html>
"""


def embedded(data: Any) -> str:
    """JSON that can stand in a script element whatever texts it holds."""
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":  # all of them occur inside JSON strings only
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def plotly_script() -> str:
    """Plotly's own script, out of the package of that name."""
    try:
        folder = files("plotly")
    except ModuleNotFoundError:
        raise ConewiseError(
            f"an HTML report needs plotly: {from_extra('explore')}, or write Markdown (`md`)."
        ) from None
    return (folder / "package_data" / "plotly.min.js").read_text(encoding="utf-8").replace("</script", "<\\/script")


def _asset(name: str) -> str:
    return (files("conewise.report") / "assets" / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


# -- sections ----------------------------------------------------------------------------------------------------------


def _figures(data: dict[str, Any]) -> str:
    found = data["counts"]
    pairs = [
        (f"{found['kept']:,}", "kept"),
        (f"{found['undecided']:,}", "undecided"),
        (f"{found['covered']:,}", "covered"),
        (f"{found['beaten']:,}", "beaten"),
        *([(f"{found['misses_a_level']:,}", Status.MISSES.value)] if found["misses_a_level"] else []),
        (f"{data['evaluations']:,}", "evaluations"),
        (
            number(data["certificate"]["certified_epsilon"], "none yet"),
            f"certified epsilon (asked: {data['epsilon']:g})",
        ),
    ]
    return (
        '<ul class="figures">' + "".join(f"<li><b>{value}</b> {escape(label)}</li>" for value, label in pairs) + "</ul>"
    )


def _verdict(data: dict[str, Any]) -> str:
    worth = data["certificate"]
    kind = "verdict" if worth["answered"] else "verdict open"  # the colour of success is for what was asked
    return f'<p class="{kind}">{escape(worth["sentence"])}</p>'


def question_words(data: dict[str, Any]) -> str:
    """What was asked, in a sentence."""
    parts = [f"{o['name']} ({_wanted(o)})" for o in data["objectives"][:_NAMED]]
    if (more := len(data["objectives"]) - _NAMED) > 0:
        parts.append(f"and {more:,} more objectives")
    return (
        f"Which of {data['designs']:,} designs are Pareto optimal in {', '.join(parts)}, if better means better under "
        f"the cone {data['cone']['text']}, up to epsilon = {data['epsilon']:g} and with probability of error at most "
        f"{data['delta']:g}?"
    )


def _wanted(objective: dict[str, Any]) -> str:
    """Which way is better, and what is acceptable."""
    words, level = f"{objective['direction']} is better", objective["level"]
    if level is None:
        return words
    return f"{words}, at {'most' if objective['direction'] == 'smaller' else 'least'} {level:.6g} is acceptable"


def _question(data: dict[str, Any], cone: Cone) -> str:
    words = _paragraphs([question_words(data), *data["cone"]["words"]])
    drawn = cone_svg(cone, [o["name"] for o in data["objectives"]])
    shown = data["cone"]["weightings"][:_WEIGHTINGS]
    more = len(data["cone"]["weightings"]) - len(shown)
    listed = "".join(f"<li>w{n} = {escape(text)}</li>" for n, text in enumerate(shown, start=1))
    listed += f"<li>and {more} more</li>" if more else ""
    if len(data["objectives"]) > 1:
        words += f'<p>The weightings, each of length 1:</p><ul class="weightings">{listed}</ul>'
    option = f"<code>--cone {escape(_quoted(data['cone']['text']))}</code>"
    return f'<div class="side"><div>{words}<p>As an option of every command: {option}</p></div>{drawn}</div>'


def _quoted(text: str) -> str:
    return text if text.replace(":", "").replace(".", "").isalnum() else f"'{text}'"


def _answer(data: dict[str, Any]) -> str:
    options = "".join(
        f'<option value="{value}">{label}</option>'
        for value, label in (
            ("", "all"),
            ("returned", "returned"),
            ("certain", "certainly Pareto optimal"),
            *((status, status) for status in STATUS_ORDER),
        )
    )
    heads = [("design", "text"), ("status", "text"), ("evaluations", "number")]
    heads += [(o["name"], "number") for o in data["objectives"][:COLUMNS]] + [("gap", "number")]
    top = "".join(
        f'<th scope="col" data-kind="{kind}"{" class=words" if n == 1 else ""}>'
        f'<button type="button">{escape(name)}</button></th>'
        for n, (name, kind) in enumerate(heads)
    )
    confidence = " Shaded: what its confidence allows, where the axes can show it." if data["has_radii"] else ""
    return f"""
<p>{escape(data["listed"])} Select a design, in the picture or by its name, to see its rivals.</p>
<div class="split">
<div>
<div class="controls">
<label>Across <select id="across"></select></label>
<label>Up <select id="up"></select></label>
</div>
<div id="front" class="plot" role="group" aria-label="The designs by their averages, as in the table"></div>
<p class="soft">Ringed: the selected design. In squares: its rivals.{confidence}</p>
</div>
<div id="detail" aria-live="polite"><p class="soft">Select a design.</p></div>
</div>
<div class="controls">
<label>Name contains <input id="filter" type="search" autocomplete="off"></label>
<label>Status <select id="status">{options}</select></label>
<span id="shown" class="soft" role="status"></span>
</div>
<div class="scroll" tabindex="0" role="region" aria-label="Table of designs">
<table id="answer"><thead><tr>{top}</tr></thead>
<tbody>
{"".join(map(_row, data["rows"]))}</tbody></table></div>
<p id="printed" class="soft"></p>
<p class="soft">{escape(GAP_WORDS)}{escape(RADII_WORDS if data["has_radii"] else NO_RADII_WORDS)}</p>
"""


GAP_WORDS = (
    "The gap is how much a design's average would have to gain in every respect that counts before none of the best "
    "averages is better; 0 on their front. "
)
RADII_WORDS = (
    "Confidence is along the cone's weightings, as of the certificate's last look at a design: two designs looked at "
    "after as many evaluations, whose averages then were further apart along a weighting than both half-widths "
    "together, are told apart along it."
)
NO_RADII_WORDS = "This answer comes without confidence for single comparisons: rivals are those of the averages."


def _row(row: dict[str, Any]) -> str:
    status = row["status"]
    cells = "".join(_cell(value) for value in (*row["means"][:COLUMNS], row["gap"]))
    return (
        f'<tr data-id="{row["id"]}">'
        f'<th scope="row"><button type="button" class="pick">{escape(row["name"])}</button></th>'
        f'<td class="words"><span class="status {status}">{escape(row["standing"])}</span></td>'
        f'<td data-value="{row["evaluations"]}">{row["evaluations"]:,}</td>{cells}</tr>\n'
    )


def _cell(value: float | None) -> str:
    return f'<td data-value="{"" if value is None else repr(value)}">{number(value, "–")}</td>'


def _worth(data: dict[str, Any]) -> str:
    worth = data["certificate"]
    pairs = [("worth", worth["sentence"])]
    if worth["theorem"]:
        pairs.append(("by", worth["theorem"]))
    pairs += [
        ("assuming", worth["assumption"]),
        ("method", data["method"]),
        ("stopped because", worth["stopped_because"]),
    ]
    listed = "".join(f"<dt>{escape(term)}</dt><dd>{escape(value)}</dd>" for term, value in pairs if value)
    return f"<dl>{listed}</dl>{_paragraphs(data['sentences'])}"


def _how(data: dict[str, Any]) -> str:
    if not data["history"]:
        return _paragraphs([data["history_note"]])
    last = data["history"][-1]
    words = (
        f"{last['evaluations']:,} evaluations, replayed from the journal: how many designs were decided after how many."
    )
    return (
        f"<p>{words}</p>"
        '<div id="history" class="plot low" role="group" aria-label="Designs by status over evaluations"></div>'
        '<div id="epsilon" class="plot low" role="group" aria-label="Certified epsilon over evaluations"></div>'
    )


def _next(data: dict[str, Any]) -> str:
    words = _paragraphs([data["next_words"]])
    if not data["next"]:
        return words
    lines = "".join(
        f'<tr><th scope="row">{escape(entry["design"])}</th><td>{entry["times"]:,}</td></tr>' for entry in data["next"]
    )
    total = sum(entry["times"] for entry in data["next"])
    caption = f"The most valuable {total:,} evaluations"
    return (
        f'{words}<table class="narrow"><caption>{caption}</caption><thead><tr><th scope="col">design</th>'
        f'<th scope="col">times</th></tr></thead><tbody>{lines}</tbody></table>'
    )


def _paragraphs(lines: Iterable[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines if line)


def number(value: float | None, missing: str) -> str:
    """Five digits, or the words for a number that is missing."""
    return missing if value is None else f"{value:.5g}"

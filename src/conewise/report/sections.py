"""The sections of a report as HTML: the answer, why, what next, how sure, the theory, and about the report itself."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Sequence
from datetime import date
from html import escape
from typing import Any, Final

import numpy as np

from conewise._version import __version__
from conewise.analysis.planning import EVALUATE, UP_TO_A_LOOK
from conewise.cone.cone import Cone
from conewise.digits import readable, rounded_up
from conewise.errors import counted
from conewise.question.objectives import unit_options
from conewise.report.answer import COLUMNS, STATUS_ORDER
from conewise.report.drawing import cone_svg

_WEIGHTINGS: Final = 12  # weightings written out
_NAMED: Final = 12  # objectives called by name in the question
_BROAD: Final = 11  # columns of a table from which it is printed across
_LONG: Final = 120  # letters of a headline from which it is smaller
_HEADS: Final = {"text": " class=words", "evaluations": " class=whole"}  # by the kind of a column, or by its name
_COMPARED: Final = 8  # designs of a shortlist side by side
_LETTERS: Final = 170_000  # in a table: where names are long, less is said of how much one design is ahead of another
_FEWEST_LETTERS: Final = 40  # of that in one line

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
KNOWN_WORDS = "Values are taken as exact: whoever is better in every respect that counts beats."


# -- the first screen --------------------------------------------------------------------------------------------------


def first(data: dict[str, Any]) -> str:
    """The answer by name, what it is worth, and one picture."""
    said = data["headline"]
    kind = "worth" if data["certificate"]["answered"] else "worth open"  # the colour of success is for what was asked
    legend = "".join(
        f'<li><span class="mark plane {_kind(status)}"></span><span class="stroke lines {_kind(status)}" hidden></span>'
        f"{escape(status)} ({data['counts'][status.key]:,})</li>"
        for status in STATUS_ORDER
        if data["counts"][status.key]
    )
    wedges = (
        '<li class="wedges"><span class="mark better"></span>would beat the design at its tip</li>'
        '<li class="wedges"><span class="mark worse"></span>is beaten by it</li>'
    )
    shortlist = '<li><span class="mark short"></span>shortlist</li>' if data["shortlist"] else ""
    rivals = '<li class="plane"><span class="mark rival"></span>compared with the selected design</li>'
    if any(o["level"] is not None for o in data["objectives"]):
        shortlist += '<li><span class="mark level"></span>level</li>'
    if data["has_radii"]:
        rivals += '<li class="plane"><span class="mark region"></span>where the selected one may truly lie</li>'
    return f"""<section class="first" aria-labelledby="take">
<h1 id="take"{" class=long" if len(said["take"]) > _LONG else ""}>{escape(said["take"])}</h1>
<p class="{kind}">{escape(said["worth"])}</p>
<div class="split">
<figure>
<div class="controls">
<label id="viewing">Picture <select id="view"><option value="parallel">every objective an axis</option>
<option value="plane">two axes</option></select></label>
<label class="axis">Across <select id="across"></select></label>
<label class="axis">Up <select id="up"></select></label>
<span class="buttons"><button type="button" id="unzoom" hidden>Show all</button>
<button type="button" id="save">Save as PNG</button>
<button type="button" id="save-svg">SVG</button></span>
</div>
<ul class="legend" aria-label="Legend">{legend}{shortlist}{rivals}{wedges}</ul>
<div id="front" class="plot"></div>
<figcaption>{escape(said["standing"])} {escape(data["listed"])}{_unseen(data)}</figcaption>
<noscript><p>The picture is drawn by a script, which is switched off here; everything else can be read.</p></noscript>
</figure>
<div id="detail" aria-live="polite"><p class="soft">Select a design, in the picture or by its name.</p></div>
</div>
</section>
"""


def _unseen(data: dict[str, Any]) -> str:
    """How many listed designs a picture cannot show."""
    n = sum(None in row["means"] for row in data["rows"])
    return f" {n:,} without values {'is' if n == 1 else 'are'} not in the picture." if n else ""


def _kind(status: str) -> str:
    """The class of a status."""
    return status.split()[0]


# -- why ---------------------------------------------------------------------------------------------------------------


def why(data: dict[str, Any]) -> str:
    """What better means, the shortlist side by side, and every design with whoever beats or covers it."""
    parts = [preference(data), _shortlist(data), _table(data)]
    return "".join(parts) + f'<p class="soft">{escape(note(data))}</p>'


def note(data: dict[str, Any]) -> str:
    """What the table's last column is, and what confidence is."""
    return GAP_WORDS + (KNOWN_WORDS if data["known"] else RADII_WORDS if data["has_radii"] else NO_RADII_WORDS)


def preference(data: dict[str, Any]) -> str:
    """What was said of the objectives, or what the cone says of exchanges."""
    words = paragraphs(preference_words(data))
    said = "".join(f"<li>{escape(line)}</li>" for line in data["cone"]["said"])
    return f'{words}<p>Of exchanges was said:</p><ul class="said">{said}</ul>' if said else words


def preference_words(data: dict[str, Any]) -> list[str]:
    """Which way is better, and, where nothing was said of exchanges, what the cone says of them."""
    better = ", ".join(_wish(objective) for objective in data["objectives"][:_NAMED])
    more = len(data["objectives"]) - _NAMED
    lines = [f"Better is {better}{f' and so on for {more:,} more' if more > 0 else ''}."]
    if data["cone"]["said"]:
        return lines
    # The first sentence of a cone is the definition, which is theory; the next ones are what it means.
    meant = [
        line
        for line in data["cone"]["words"][1:]
        if not line.startswith("For ") and "beta" not in line and "weight" not in line
    ]
    return [*lines, *meant[: 3 if len(data["objectives"]) == 2 else 1]]


def _wish(objective: dict[str, Any]) -> str:
    """What is wanted of one objective: less price (at most 2000)."""
    less = objective["direction"] == "smaller"
    said = f" ({'at most' if less else 'at least'} {{}})"
    level = "" if objective["level"] is None else said.format(readable(objective["level"]))
    return f"{'less' if less else 'more'} {objective['name']}{level}"


def shortlisted(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The designs that stand side by side."""
    rows = {row["id"]: row for row in data["rows"]}
    return [rows[k] for k in data["shortlist"] if k in rows][:_COMPARED]


def _shortlist(data: dict[str, Any]) -> str:
    chosen = shortlisted(data)
    if not chosen:
        return ""
    heads = "".join(f'<th scope="col">{escape(row["name"])}' for row in chosen)
    body = ""
    for d, objective in enumerate(data["objectives"][:COLUMNS]):
        values, digits = [row["means"][d] for row in chosen], _digits([row["means"][d] for row in data["rows"]])
        there = [value for value in values if value is not None]
        best = (min if objective["direction"] == "smaller" else max)(there, default=None)
        cells = "".join(
            f"<td{' class=best' if len(chosen) > 1 and v is not None and v == best else ''}>{number(v, '–', digits)}"
            for v in values
        )
        body += f'<tr><th scope="row">{escape(objective["name"])}{cells}'
    stands = "".join(f"<td>{escape(row['standing'])}" for row in chosen)
    return (
        '<h3>The shortlist</h3><div class="scroll" tabindex="0" role="region" aria-label="The shortlist side by side">'
        f'<table class="narrow"><thead><tr><td></td>{heads}</thead><tbody>{body}'
        f'<tr><th scope="row">status{stands}</tbody></table></div>'
    )


def columns(data: dict[str, Any]) -> list[tuple[str, str]]:
    """The heads of the table of designs, and whether they sort as text or as numbers."""
    heads = [("design", "text"), ("status", "text"), ("by how much", "text")]
    heads += [(o["name"], "number") for o in data["objectives"][:COLUMNS]]
    if any(row["probability"] is not None for row in data["rows"]):
        heads += [("probably Pareto", "number"), ("evidence", "text")]
    return [*heads, *([] if data["known"] else [("evaluations", "number")]), ("gap", "number")]


def _table(data: dict[str, Any]) -> str:
    heads = columns(data)
    top = "".join(
        f'<th scope="col" data-kind="{kind}"{_HEADS.get(name if name in _HEADS else kind, "")}>'
        f'<button type="button">{escape(name)}</button>'
        for name, kind in heads
    )
    options = "".join(
        f'<option value="{value}">{label}</option>'
        for value, label in (
            ("", "all"),
            ("returned", "returned"),
            ("certain", "certainly Pareto optimal"),
            *((status, status) for status in STATUS_ORDER if data["counts"][status.key]),
        )
    )
    model = any(row["probability"] is not None for row in data["rows"])
    digits = digits_of(data)
    called = sum(len(row["name"]) + len(row["standing"]) for row in data["rows"])
    most = max(_FEWEST_LETTERS, (_LETTERS - called) // max(1, len(data["rows"])))
    lines = "".join(_row(row, digits, model, data["known"], most) for row in data["rows"])
    broad = " broad" if len(heads) > _BROAD else ""  # with its heading, on one page of paper
    return f"""<h3{broad and " class=broad"}>Every design</h3>
<div class="controls">
<label>Name contains <input id="filter" type="search" autocomplete="off"></label>
<label>Status <select id="status">{options}</select></label>
<span id="shown" class="soft" role="status"></span>
</div>
<div class="scroll{broad}" tabindex="0" role="region" aria-label="Table of designs">
<table id="answer"><thead><tr>{top}</thead>
<tbody>
{lines}</tbody></table></div>
<p id="printed" class="soft"></p>
"""


def digits_of(data: dict[str, Any]) -> list[int]:
    """How many digits each column of averages has."""
    return [_digits([row["means"][d] for row in data["rows"]]) for d in range(len(data["objectives"][:COLUMNS]))]


def _digits(values: Sequence[float | None]) -> int:
    """How many digits tell the values of a column apart, also where they are large and close together."""
    known = [value for value in values if value is not None]
    spread = max(known, default=0.0) - min(known, default=0.0)
    size = max(map(abs, known), default=0.0)
    return min(7, max(5, 4 + math.ceil(math.log10(size / spread)))) if spread > 0 else 5


def stands(row: dict[str, Any], known: bool) -> str:
    """The status of a design, who beats or covers it, and whether it is certain."""
    return f"{row['standing']}{', certainly Pareto optimal' if row['certain'] and not known else ''}"


def _row(row: dict[str, Any], digits: Sequence[int], model: bool, known: bool, most: int) -> str:
    """End tags that HTML lets out are left out: there may be thousands of rows."""
    reason = row["why"] if len(row["why"]) <= most else f"{row['why'][: most - 1].rstrip()}…"
    cells = [f"<td class={_kind(row['status'])}>{escape(stands(row, known))}", f"<td>{escape(reason)}"]
    cells += [f"<td>{number(value, '–', n)}" for value, n in zip(row["means"], digits, strict=False)]
    if model:
        cells += [f"<td>{number(row['probability'], '–', 3)}", f"<td>{row['evidence'] or ''}"]
    cells += [] if known else [f"<td>{row['evaluations']:,}"]
    return f"<tr><th scope=row>{escape(row['name'])}{''.join(cells)}<td>{number(row['gap'], '–', 4)}\n"


# -- what next, and how sure -------------------------------------------------------------------------------------------


def next_up(data: dict[str, Any]) -> str:
    """What to evaluate, and about how many evaluations for which epsilon."""
    words = paragraphs([data["next_words"]])
    if listed := "".join(f"<li>{escape(line)}</li>" for line in prices(data)):
        words += f"<p>{TO_DECIDE}</p><ul>{listed}</ul>"
    if not data["next"]:
        return words
    lines = "".join(f'<tr><th scope="row">{escape(e["design"])}<td>{e["times"]:,}' for e in data["next"])
    return (
        f'{words}<table class="narrow"><caption>{valuable(data)}</caption><thead><tr>'
        f'<th scope="col">design<th scope="col">times</thead><tbody>{lines}</tbody></table>'
    )


TO_DECIDE: Final = "To decide everything, judged by the averages so far:"


def valuable(data: dict[str, Any]) -> str:
    """What the table of next evaluations is."""
    return f"The most valuable {counted(sum(entry['times'] for entry in data['next']))}"


def prices(data: dict[str, Any]) -> list[str]:
    """What deciding everything would take, where something is open and there is more than one answer."""
    return data["price_words"] if len(data["price_words"]) > 1 and data["counts"]["undecided"] else []


def sure(data: dict[str, Any]) -> str:
    """The guarantee, what it takes for granted, what else there is to say, and how it got there."""
    return f"{pairs_list(sure_pairs(data))}{paragraphs(also_said(data))}{_history(data)}"


def sure_pairs(data: dict[str, Any]) -> list[tuple[str, str]]:
    """The guarantee, by terms."""
    worth = data["certificate"]
    pairs = [("worth", worth["sentence"])]
    pairs += [
        (SCOPES.get(kind, kind), "nothing yet" if epsilon is None else f"within epsilon = {reached(epsilon, '')}")
        for kind, epsilon in worth["certified"].items()
    ]
    if not data["known"]:
        pairs.append(
            ("certified epsilon", f"{reached(worth['certified_epsilon'], 'none yet')} (asked for: {data['epsilon']:g})")
        )
        pairs.append(("assuming", worth["assumption"]))
    pairs.append(("stopped because", worth["stopped_because"]))
    return pairs


def also_said(data: dict[str, Any]) -> list[str]:
    """What else there is to say: neither what is assumed nor what remains to be done, which stand by themselves."""
    return [line for line in data["sentences"] if not line.startswith(_ELSEWHERE)]


_ELSEWHERE: Final = ("Assumed: ", "Deciding the rest takes ", EVALUATE, UP_TO_A_LOOK)
SCOPES: Final = {"prior": "on average over the prior", "every truth": "for every truth"}
"""What the two kinds of guarantee are about."""


def _history(data: dict[str, Any]) -> str:
    if not data["history"]:
        return paragraphs([data["history_note"]] if not data["known"] else [])
    lines = "".join(
        f'<li><span class="stroke {_kind(status)}"></span>{escape(status)}</li>'
        for status in STATUS_ORDER
        if any(moment[status.key] for moment in data["history"])
    )
    last = data["history"][-1]["evaluations"]
    return (
        f"<h3>How it got there</h3><p>{counted(last)}, replayed from the journal.</p>"
        f'<div class="pair"><figure><ul class="legend" aria-label="Legend">{lines}</ul>'
        '<div id="history" class="plot low"></div></figure>'
        '<figure id="certifying"><ul class="legend" aria-label="Legend"><li><span class="stroke certified"></span>'
        'certified epsilon</li><li><span class="stroke asked"></span>asked for</li></ul>'
        '<div id="epsilon" class="plot low"></div></figure></div>'
    )


# -- the theory, and about the report ----------------------------------------------------------------------------------


def question_words(data: dict[str, Any]) -> str:
    """What was asked, in a sentence."""
    parts = [f"{o['name']} ({_wanted(o)})" for o in data["objectives"][:_NAMED]]
    if (more := len(data["objectives"]) - _NAMED) > 0:
        parts.append(f"and {counted(more, 'more objective')}")
    asked = (
        f"Which of {counted(data['designs'], 'design')} {'is' if data['designs'] == 1 else 'are'} Pareto optimal in "
        f"{', '.join(parts)}, if better means better under "
        f"the cone {data['cone']['text']}"
    )
    if data["known"]:
        return f"{asked}?"
    return f"{asked}, up to epsilon = {data['epsilon']:g} and with probability of error at most {data['delta']:g}?"


def _wanted(objective: dict[str, Any]) -> str:
    """Which way is better, and what is acceptable."""
    words, level = f"{objective['direction']} is better", objective["level"]
    if level is None:
        return words
    return f"{words}, at {'most' if objective['direction'] == 'smaller' else 'least'} {readable(level)} is acceptable"


def theory(data: dict[str, Any], cone: Cone) -> str:
    """The question, the cone with its weightings, and the theorem."""
    words = paragraphs([question_words(data), *data["cone"]["words"]])
    minimised = [o["name"] for o in data["objectives"] if o["direction"] == "smaller"]
    drawn = cone_svg(cone, [o["name"] for o in data["objectives"]], minimised)
    if listed := "".join(f"<li>{escape(line)}</li>" for line in weighting_lines(data)):
        words += f'<p>{WEIGHTINGS_WORDS}</p><ul class="weightings">{listed}</ul>'
    option = f"<code>{escape(cone_option(data))}</code>"
    proof = pairs_list([("by", data["certificate"]["theorem"] or ""), ("method", data["method"])])
    return f'<div class="side"><div>{words}<p>{OPTION_WORDS} {option}</p>{proof}</div>{drawn}</div>'


WEIGHTINGS_WORDS: Final = "The weightings, each of length 1:"
OPTION_WORDS: Final = "As an option of every command:"


def weighting_lines(data: dict[str, Any]) -> list[str]:
    """The weightings of several objectives, as far as they are written out."""
    if len(data["objectives"]) == 1:
        return []
    every = data["cone"]["weightings"]
    lines = [f"w{n} = {text}" for n, text in enumerate(every[:_WEIGHTINGS], start=1)]
    return [*lines, *([f"and {len(every) - _WEIGHTINGS} more"] if len(every) > _WEIGHTINGS else [])]


def cone_option(data: dict[str, Any]) -> str:
    """The cone, and the units in which it counts, as a command line takes them."""
    units = unit_options({o["name"]: o["unit"] for o in data["objectives"] if o["unit"] != 1})
    return f"--cone {_quoted(data['cone']['text'])} {units}".strip()


def _quoted(text: str) -> str:
    return text if text.replace(":", "").replace(".", "").isalnum() else f"'{text}'"


def about(data: dict[str, Any], made: date | None) -> list[tuple[str, str]]:
    """Date, source, noise, units and versions."""
    steps = [f"{o['name']}: {readable(o['unit'])}" for o in data["objectives"] if o["unit"] != 1]
    others = "; others 1" if len(steps) < len(data["objectives"]) else ""
    model = bool(data["certificate"]["certified"])  # which says itself what it assumes of the noise
    return [
        ("date", "" if made is None else made.isoformat()),
        ("source", data["source"]),
        ("noise", f"for every truth: {data['noise']}" if model and data["noise"] else data["noise"]),
        ("units", f"one step is {', '.join(steps[:_NAMED])}{others}" if steps else "as measured; one step is 1"),
        ("made by", f"conewise {__version__}, numpy {np.__version__}, Python {platform.python_version()}"),
    ]


# -- small parts -------------------------------------------------------------------------------------------------------


def pairs_list(pairs: Sequence[tuple[str, str]]) -> str:
    """Terms and what they are; those without a value are left out."""
    listed = "".join(f"<dt>{escape(term)}</dt><dd>{escape(value)}</dd>" for term, value in pairs if value)
    return f"<dl>{listed}</dl>" if listed else ""


def paragraphs(lines: Iterable[str]) -> str:
    """One for each line that says something."""
    return "".join(f"<p>{escape(line)}</p>" for line in lines if line)


def number(value: float | None, missing: str, digits: int = 5) -> str:
    """So many digits, or the words for a number that is missing; no exponent where a large number can be read."""
    return missing if value is None else readable(value, digits)


def reached(epsilon: float | None, missing: str, digits: int = 4) -> str:
    """A certified epsilon, and never less than what holds."""
    return missing if epsilon is None else readable(rounded_up(epsilon, digits), digits)

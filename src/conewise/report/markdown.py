"""A report as Markdown, for notes and pull requests: the words and tables of the page, without its pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, Final

from conewise.algorithms import Status
from conewise.report.answer import COLUMNS, STATUS_ORDER, answer
from conewise.report.sections import (
    GAP_WORDS,
    SCOPES,
    about,
    also_said,
    number,
    preference_words,
    question_words,
    reached,
    shortlisted,
)
from conewise.report.subject import Subject


def markdown_page(subject: Subject, *, most: int = 200, made: date | None = None) -> str:
    """The report as Markdown: what is returned or open, with the same words; with a date where one is given."""
    data = answer(subject, most=most)
    worth, spent = data["certificate"], [] if data["known"] else ["evaluations"]
    columns = [o["name"] for o in data["objectives"][:COLUMNS]]
    likely = [] if subject.result.probability is None else ["probably Pareto", "evidence"]
    lines = [
        f"# {_plain(data['title'])}",
        f"**{_plain(data['headline']['take'])}** {_plain(data['headline']['worth'])}",
        _plain(data["headline"]["standing"]),
        "## Why",
        *map(_plain, preference_words(data)),
        *(f"- {_plain(line)}" for line in data["cone"]["said"]),
        *_shortlist(data),
        _plain(data["listed"]),
        _bars(
            ["design", "status", "by how much", *columns, *spent, "gap", *likely],
            [
                [
                    row["name"],
                    row["standing"],
                    row["why"] or "–",
                    *(number(v, "–") for v in row["means"][:COLUMNS]),
                    *(f"{row[key]:,}" for key in spent),
                    number(row["gap"], "–"),
                    *([number(row["probability"], "–", 3), row["evidence"]] if likely else []),
                ]
                for row in data["rows"]
            ],
        ),
        GAP_WORDS.strip(),
        "## What next",
        _plain(data["next_words"]),
        *(
            [_bars(["design", "times"], [[e["design"], f"{e['times']:,}"] for e in data["next"]])]
            if data["next"]
            else []
        ),
        "## How sure",
        *(
            f"- {term}: {_plain(value)}"
            for term, value in (
                ("worth", worth["sentence"]),
                ("assuming", "" if data["known"] else worth["assumption"]),
                ("stopped because", worth["stopped_because"]),
                ("certified epsilon", "" if data["known"] else reached(worth["certified_epsilon"], "none yet")),
                *(
                    (SCOPES.get(kind, kind), reached(epsilon, "nothing yet"))
                    for kind, epsilon in worth["certified"].items()
                ),
            )
            if value
        ),
        *map(_plain, also_said(data)),
        *([] if data["known"] else ["## How it got there", _history_bars(data) or _plain(data["history_note"])]),
        "## The theory",
        *map(_plain, [question_words(data), *data["cone"]["words"]]),
        *(f"- w{n} = {_plain(text)}" for n, text in enumerate(data["cone"]["weightings"][:12], start=1)),
        *(
            f"- {term}: {_plain(value)}"
            for term, value in (("by", worth["theorem"]), ("method", data["method"]))
            if value
        ),
        "## About this report",
        *(f"- {term}: {_plain(value)}" for term, value in about(data, made) if value),
    ]
    return "\n\n".join(lines).replace("\n\n- ", "\n- ") + "\n"


def _shortlist(data: dict[str, Any]) -> list[str]:
    """Designs side by side: objectives down, designs across."""
    chosen = shortlisted(data)
    if not chosen:
        return []
    lines = [
        [objective["name"], *(number(row["means"][d], "–") for row in chosen)]
        for d, objective in enumerate(data["objectives"][:COLUMNS])
    ]
    head = ["the shortlist", *(row["name"] for row in chosen)]
    return [_bars(head, [*lines, ["status", *(row["standing"] for row in chosen)]])]


def _history_bars(data: dict[str, Any]) -> str:
    if not data["history"]:
        return ""
    step = max(1, len(data["history"]) // 8)
    moments = [*data["history"][:-1:step], data["history"][-1]]
    shown = [s for s in STATUS_ORDER if s is not Status.MISSES or data["counts"][s.key]]
    return _bars(
        ["evaluations", *(s.value for s in shown), "certified epsilon"],
        [[f"{m['evaluations']:,}", *(m[s.key] for s in shown), reached(m["certified_epsilon"], "–")] for m in moments],
    )


def _bars(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    top, *lines = ["| " + " | ".join(_plain(str(cell)) for cell in line) + " |" for line in (header, *rows)]
    return "\n".join([top, "| --- " + "| --: " * (len(header) - 1) + "|", *lines])


_MARKUP: Final = re.compile(r"[\\`*_\[\]<>|#~&$]|(?<=[a-zA-Z]):(?=//)|(?<=\bwww)\.")
_AT_THE_START: Final = re.compile(r"[-+=](?=\s|[-+=]|$)|(?<=\d)[.)](?=\s|$)")


def _plain(text: str) -> str:
    """Text that Markdown shows as it is: no tag, no link, no column, no list, line or heading of its own."""
    escaped = _MARKUP.sub(r"\\\g<0>", text.strip())
    start = re.match(r"\d*", escaped)
    found = _AT_THE_START.match(escaped, start.end() if start else 0)
    return escaped if found is None else f"{escaped[: found.start()]}\\{escaped[found.start() :]}"

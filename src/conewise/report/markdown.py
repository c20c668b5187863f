"""A report as Markdown, for notes and pull requests: the words and tables of the page, without its pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, Final

from conewise.report.answer import STATUS_ORDER, answer
from conewise.report.sections import (
    OPTION_WORDS,
    TO_DECIDE,
    WEIGHTINGS_WORDS,
    about,
    also_said,
    columns,
    cone_option,
    digits_of,
    note,
    number,
    preference_words,
    prices,
    question_words,
    reached,
    shortlisted,
    stands,
    sure_pairs,
    valuable,
    weighting_lines,
)
from conewise.report.subject import Subject
from conewise.rules import Status


def markdown_page(subject: Subject, *, most: int = 200, made: date | None = None) -> str:
    """The report as Markdown: what is returned or open, with the same words; with a date where one is given."""
    data = answer(subject, most=most)
    heads, digits = columns(data), digits_of(data)
    model = ("evidence", "text") in heads
    lines = [
        f"# {escaped(data['title'])}",
        f"**{escaped(data['headline']['take'])}** {escaped(data['headline']['worth'])}",
        escaped(data["headline"]["standing"]),
        "## Why",
        *map(escaped, preference_words(data)),
        *(f"- {escaped(line)}" for line in data["cone"]["said"]),
        *_shortlist(data),
        escaped(data["listed"]),
        _bars(
            [name for name, _ in heads],
            [
                [
                    row["name"],
                    stands(row, data["known"]),
                    row["why"] or "–",
                    *(number(v, "–", n) for v, n in zip(row["means"], digits, strict=False)),
                    *([number(row["probability"], "–", 3), row["evidence"] or ""] if model else []),
                    *([] if data["known"] else [f"{row['evaluations']:,}"]),
                    number(row["gap"], "–", 4),
                ]
                for row in data["rows"]
            ],
            [kind for _, kind in heads],
        ),
        escaped(note(data)),
        "## What next",
        escaped(data["next_words"]),
        *([TO_DECIDE, *(f"- {escaped(line)}" for line in prices(data))] if prices(data) else []),
        *(
            [f"{valuable(data)}:", _bars(["design", "times"], [[e["design"], f"{e['times']:,}"] for e in data["next"]])]
            if data["next"]
            else []
        ),
        "## How sure",
        *(f"- {term}: {escaped(value)}" for term, value in sure_pairs(data) if value),
        *map(escaped, also_said(data)),
        *([] if data["known"] else ["## How it got there", _history_bars(data) or escaped(data["history_note"])]),
        "## The theory",
        *map(escaped, [question_words(data), *data["cone"]["words"]]),
        *([WEIGHTINGS_WORDS] if weighting_lines(data) else []),
        *(f"- {escaped(line)}" for line in weighting_lines(data)),
        f"{OPTION_WORDS} {escaped(cone_option(data))}",
        *(
            f"- {term}: {escaped(value)}"
            for term, value in (("by", data["certificate"]["theorem"]), ("method", data["method"]))
            if value
        ),
        "## About this report",
        *(f"- {term}: {escaped(value)}" for term, value in about(data, made) if value),
    ]
    return "\n\n".join(lines).replace("\n\n- ", "\n- ") + "\n"


def _shortlist(data: dict[str, Any]) -> list[str]:
    """Designs side by side: objectives down, designs across."""
    chosen = shortlisted(data)
    if not chosen:
        return []
    lines = [
        [objective["name"], *(number(row["means"][d], "–", n) for row in chosen)]
        for d, (objective, n) in enumerate(zip(data["objectives"], digits_of(data), strict=False))
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


def _bars(header: Sequence[str], rows: Iterable[Sequence[Any]], kinds: Sequence[str] = ()) -> str:
    """A table; of columns that are not said to hold text, the first is to the left and the others to the right."""
    left = [kind == "text" for kind in kinds] or [True, *[False] * (len(header) - 1)]
    top, *lines = ["| " + " | ".join(escaped(str(cell)) for cell in line) + " |" for line in (header, *rows)]
    return "\n".join([top, "".join("| --- " if text else "| --: " for text in left) + "|", *lines])


_MARKUP: Final = re.compile(r"[\\`*_\[\]<>|#~&$]|(?<=[a-zA-Z]):(?=//)|(?<=\bwww)\.")
_AT_THE_START: Final = re.compile(r"[-+=](?=\s|[-+=]|$)|(?<=\d)[.)](?=\s|$)")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: no tag, no link, no column, no list, line or heading of its own."""
    text = _MARKUP.sub(r"\\\g<0>", text.strip())
    start = re.match(r"\d*", text)
    found = _AT_THE_START.match(text, start.end() if start else 0)
    return text if found is None else f"{text[: found.start()]}\\{text[found.start() :]}"

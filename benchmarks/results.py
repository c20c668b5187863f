"""What was measured, kept as results.json and shown as RESULTS.md: one table a section, each with its own date.

A section that is measured again replaces itself and leaves the others as they are, so a run that is interrupted or
asked for one section keeps what it has.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import Row

STORE = Path(__file__).parent / "results.json"
PAGE = Path(__file__).parent / "RESULTS.md"
HEADER = ("case", "ours", "peer", "ratio", "target", "")

PREFACE = """\
# Benchmarks

Written by `python -m benchmarks --write`; the same figures are in `results.json`, the points of the growth curves in
`growth.csv`. CPU time of one core, the least of several calls, ours and the peer's in alternation in the same run,
answers compared before times count. A ratio in `x` is our time over the peer's (smaller is better), one in
`x faster` the peer's time over ours. Rows without a target are reported for orientation. Every section has the date,
the machine and the versions it was measured with; peers that were absent are named there. All are at their newest
versions (`make bench-peers`). VOPy has an environment of its own: with VOPy 0.2.0 only BoTorch before 0.12 and numpy
before 2 can be installed.
"""


@dataclass(frozen=True)
class Section:
    """One table: what it is called and what it says."""

    title: str
    about: str
    grid: bool = False
    """Cases down, peers across, each cell the peer's time over ours."""


def keep(name: str, rows: Sequence[Row], machine: str, sections: dict[str, Section]) -> None:
    """Replace one section in the store, with the words that were true when it was measured, and write the page anew."""
    stored = kept()
    stored[name] = {
        **asdict(sections[name]),
        "date": f"{datetime.date.today():%Y-%m-%d}",
        "machine": machine,
        "rows": [asdict(row) for row in rows],
    }
    ordered = {key: stored[key] for key in sections if key in stored}
    STORE.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(ordered, sections), encoding="utf-8")


def kept() -> dict[str, Any]:
    """What the store holds, by section."""
    found: dict[str, Any] = json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}
    return found


def page(stored: dict[str, Any], sections: dict[str, Section]) -> str:
    """The page: the comments are where docs/scale.md cuts its tables out."""
    lines = [PREFACE]
    for name, section in sections.items():
        found = stored.get(name)
        title, about = (section.title, section.about) if found is None else (found["title"], found["about"])
        lines += [f"## {title}\n", f"{about}\n", f"<!-- {name} -->\n"]
        if found is None:
            lines += [f"Not measured yet: `python -m benchmarks --only {name} --write`."]
        else:
            rows = [Row(**row) for row in found["rows"]]
            lines += _grid(rows) if found["grid"] else _table(rows)
            lines += [f"\nMeasured on {found['date']}. {found['machine']}"]
        lines += [f"\n<!-- end of {name} -->\n"]
    return "\n".join(lines)


def _table(rows: Sequence[Row]) -> list[str]:
    columns = [
        (head, cells)
        for head, cells in zip(
            HEADER,
            zip(*((r.case, r.ours, r.peer, r.ratio, r.target, r.verdict) for r in rows), strict=True),
            strict=True,
        )
        if any(cells) or head == "case"
    ]
    heads = [head for head, _ in columns]
    lines = [
        f"| {' | '.join(heads)} |",
        "|" + "|".join("---:" if head in ("ours", "ratio") else "---" for head in heads) + "|",
    ]
    lines += [
        f"| {' | '.join(_safe(cell) for cell in cells)} |" for cells in zip(*(c for _, c in columns), strict=True)
    ]
    return lines


def _grid(rows: Sequence[Row]) -> list[str]:
    peers = list(dict.fromkeys(row.against for row in rows))
    cases: dict[str, dict[str, Row]] = {}
    for row in rows:
        cases.setdefault(row.case, {})[row.against] = row
    lines = [f"| case | ours | {' | '.join(peers)} |", "|---|---:|" + "---:|" * len(peers)]
    for case, found in cases.items():
        ours = next(iter(found.values())).ours
        lines.append(f"| {_safe(case)} | {ours} | {' | '.join(_cell(found.get(peer)) for peer in peers)} |")
    return lines


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    if row.ratio:
        return row.ratio.replace(" faster", "")
    if "not run: " in row.peer:
        return f"not run, {row.peer.split('not run: ', 1)[1].split(' by ', 1)[0]}"
    return "absent" if "absent" in row.peer else row.peer.removeprefix(row.against).strip()


def _safe(cell: str) -> str:
    """A bar would end the cell."""
    return cell.replace("|", r"\|")

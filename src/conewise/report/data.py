"""Tables as values: a title, a header and rows of text, as Markdown or CSV here and by `rich` on a terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from conewise.experiments.beyond import BudgetRow, ConeRow
from conewise.experiments.compare import Cell
from conewise.experiments.papers.ararat_tekin_2023 import Reproduction


@dataclass(frozen=True)
class Table:
    """Text cells; the first column is left-aligned, the others right."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """A Markdown table under its title."""
        lines = [f"## {self.title}", "", _bars(self.header), _bars(["---", *["--:"] * (len(self.header) - 1)])]
        lines += [_bars(row) for row in self.rows]
        if self.note:
            lines += ["", self.note]
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """Comma-separated values with a header."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows(self.rows)
        return file.getvalue()


def _bars(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def reproduction_tables(result: Reproduction) -> list[Table]:
    """Tables 1 and 2, and the supplementary table by measure: "ours / paper (difference)", marked if outside."""
    parts: dict[str, list[Cell]] = {}
    for cell in result.cells:
        measure = cell.column.split()[0]
        part = f"{cell.table}, {_MEASURES[measure]}" if cell.table == "Supplementary table" else cell.table
        parts.setdefault(part, []).append(cell)
    return [_side_by_side(f"{title}: ours / paper (difference)", cells) for title, cells in parts.items()]


_MEASURES = {
    "SR": "success rate in %",
    "NF1": "Pareto designs left uncovered",
    "NF2": "returned designs that are too far",
    "PM": "share of the Pareto set missed in %",
}


def _side_by_side(title: str, cells: list[Cell]) -> Table:
    columns = list(dict.fromkeys(cell.column for cell in cells))
    rows = []
    for row in dict.fromkeys(cell.row for cell in cells):
        entries = {cell.column: cell for cell in cells if cell.row == row}
        rows.append((row, *(_entry(entries[column]) for column in columns)))
    return Table(title, ("", *columns), tuple(rows))


def _entry(cell: Cell) -> str:
    paper_digits = 0 if cell.digits <= 1 and cell.paper == int(cell.paper) else cell.digits
    mark = "" if cell.inside else " (!)"
    difference = f"{round(cell.difference, cell.digits) + 0.0:+.{cell.digits}f}"
    return f"{cell.ours:.{cell.digits}f} / {cell.paper:.{paper_digits}f} ({difference}){mark}"


def difference_table(result: Reproduction) -> Table:
    """Every printed number with ours, the difference, the interval and whether it is inside: one row a number."""
    rows = tuple(
        (
            c.table,
            c.row,
            c.column,
            f"{c.paper:g}",
            f"{c.ours:.4f}",
            f"{c.difference:+.4f}",
            f"{c.low:.4f}",
            f"{c.high:.4f}",
            "yes" if c.inside else "NO",
        )
        for c in result.cells
    )
    header = ("table", "row", "column", "paper", "ours", "difference", "low", "high", "inside")
    return Table("Every number", header, rows)


def cone_table(title: str, rows: Iterable[ConeRow], note: str) -> Table:
    """How beta, the budgets and the success rate move with the cone."""
    return Table(
        title,
        ("cone", "beta", "Pareto designs", "L (paper)", "L (normal tails)", "success %"),
        tuple(
            (
                r.cone,
                f"{r.beta:.4f}",
                str(r.pareto),
                str(r.paper_budget),
                str(r.gaussian_budget),
                f"{100 * r.successes / r.runs:.1f}",
            )
            for r in rows
        ),
        note,
    )


def budget_table(rows: Iterable[BudgetRow]) -> Table:
    """How conservative each budget is."""
    return Table(
        "How conservative are the budgets? Measured failure rate against delta",
        ("instance", "bound", "L", "delta %", "measured %", "failures", "runs"),
        tuple(
            (
                r.instance,
                r.bound,
                str(r.budget),
                f"{100 * r.delta:g}",
                f"{100 * r.failures / r.runs:.2f}",
                str(r.failures),
                str(r.runs),
            )
            for r in rows
        ),
        "Instances are built so that failing is as easy as epsilon = 0.1 allows.",
    )

"""Figures in README and pages are those of benchmarks/results.json and docs/who-is-right, which were measured last."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
KEPT = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))


def found(section: str, *words: str, column: str = "ratio") -> list[float]:
    """The first number in a column of the rows whose case, peer or column says all of these words."""
    rows = [row for row in KEPT[section]["rows"] if all(word in " ".join(map(str, row.values())) for word in words)]
    assert rows, (section, words)
    return [float(re.match(r"[\d.]+", row[column])[0]) for row in rows]


def million(column: str, *words: str) -> float:
    (only,) = found("large", "K = 1000000", *words, column=column)
    return only


def figures() -> dict[str, str]:
    """Each figure as README has to say it."""
    moocore, vopy = found("pareto", "K = 10^6", "moocore"), found("pareto", "K = 10^4", "VOPy")
    (nnls,), (cell,) = found("gaps", "D = 3, N = 6", "nnls"), found("reproduction", "a cell-run")
    (whole,) = found("masks", "all on the front, D = 3, K = 10^6", "moocore")
    spans = [re.findall(r"[\d.]+", row["ratio"]) for row in KEPT["families"]["rows"]]
    low, high = min(float(span[1]) for span in spans), max(float(span[2]) for span in spans)
    return {
        "Pareto set of 10^6 designs": f"| {min(moocore):.2f} to {max(moocore):.2f} of the time |",
        "Pareto set of 10^6 designs, three facets, few": f"(with all of them on it: {1 / whole:.2f})",
        "Pareto set of 10^4 designs": f"| {min(vopy):.0f} to {max(vopy):.0f} times faster |",
        "10^6 gaps": f"| {nnls:.0f} times faster |",
        "one run of one cell": f"| {cell:,.0f} times faster |".replace(",", " "),
        "an identification of 10^6 designs": (
            f"| {million('ours', 'wall ('):.0f} s, {million('ours', 'peak memory') / 1024:.1f} GiB |"
        ),
        "Pareto set of 20 to 200 random": f" on average ({low:.2f} to {high:.2f})",
    }


@pytest.mark.parametrize(("row", "figure"), figures().items(), ids=lambda text: text[:30])
def test_a_row_has_the_figure_that_was_measured(row, figure):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = [line for line in readme.splitlines() if line.startswith("| ") and row in line]
    assert figure in line


def measured(instance: str, rule: str) -> tuple[int, int, float]:
    """(runs, right, evaluations) of a rule in docs/who-is-right."""
    page = (ROOT / "docs" / "who-is-right.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {instance}")[2].partition("\n## ")[0]
    (cells,) = [line.split("|") for line in section.splitlines() if line.startswith(f"| {rule} |")]
    return int(cells[6]), int(cells[7]), float(cells[10])


def test_what_a_model_takes_is_what_was_measured():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = [line for line in readme.splitlines() if line.startswith("| evaluations with a model, disc brake")]
    runs, right, ours = measured("disc brake", "**with a model**")
    assert right == runs
    assert f"| {ours:.0f} (mean of {runs} runs, all right) |" in line
    assert f"VOGP: {measured('disc brake', 'VOPy VOGP, proven radius')[2]:.0f} with its proven radius" in line
    runs, right, default = measured("disc brake", "VOPy VOGP, default")
    assert f"{default:.0f} with its default, right in {right} of {runs} runs" in line


def test_the_opponent_of_a_prior_is_the_one_that_was_measured():
    page = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
    for rule in ("**with a model**", "**adaptive**"):
        runs, right, _ = measured("near-ties", rule)
        assert f"in {right} of {runs}" in page

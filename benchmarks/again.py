"""Whether the runs behind the pages of measurements come out the same with the library as it is now.

Long measurements say of which commit of the library they are (`benchmarks.commits`). A later commit that changes no
rule changes no run: here some runs are drawn at random, other ones for every commit, and made again; of pages that keep
no runs, rows of their tables. What was evaluated, and whether the answer was right, must be the same to the last digit
that was kept; only times may differ. Runs of VOPy and its replays are left out: they are not of this library.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import (
    ablation,
    batches,
    blocks,
    calibration,
    commits,
    feasibility,
    levels,
    lines,
    modelled,
    noises,
    promises,
    samples,
    validate,
    whoisright,
)
from benchmarks import rules as with_a_model
from benchmarks.cases import cases
from benchmarks.measure import Row

TIMES = ("seconds", "each")
"""Fields of a run that say how long it took."""
MARK = re.compile(r"Library of commit (\w+)\.")


@dataclass(frozen=True)
class Ablated:
    """A line of ablation.jsonl."""

    case: str
    variant: str
    run: int
    evaluations: int
    right: bool


@dataclass(frozen=True)
class Mean:
    """A row of SAMPLES.md."""

    name: str
    rule: int
    case: int
    figures: str


@dataclass(frozen=True)
class Kept:
    """One file of runs, or one page."""

    name: str
    found: Sequence[tuple[Any, str]]
    """What stands there, and the commit that each is of."""
    make: Callable[[Any], Any]
    """Makes it again."""


@dataclass(frozen=True)
class Compared:
    """What a file holds, and what became of the lines that were drawn from it."""

    name: str
    kept: int
    code: str
    made: int
    changed: tuple[str, ...]

    @property
    def row(self) -> Row:
        same = self.made - len(self.changed)
        case = f"{self.name}, {self.kept} lines. {self.code}"
        return Row(case, f"{same} of {self.made} the same", "", "", "all", not self.changed)


# -- runs that were kept -------------------------------------------------------------------------------------------


def files() -> Iterator[Kept]:
    """All files of runs, the quick ones first."""
    yield _of(feasibility.KEPT, feasibility.Run, lambda one: feasibility.made(one.kind, one.rule, one.seed))
    families = {family.name: family for family in calibration.families()}
    yield _of(calibration.KEPT, calibration.Run, lambda one: calibration.made(families[one.family], one.seed))
    for path, trials in (
        (levels.KEPT, levels.trials(0, 0)),
        (noises.KEPT, noises.trials(0)),
        (blocks.KEPT, blocks.trials(0)),
    ):
        cells = {trial.cell: trial for trial in trials}
        yield _of(path, batches.Batch, lambda one, of=cells: of[one.cell].batch(one.control, one.first, one.runs))
    yield _of(blocks.CALLS, blocks.Call, lambda one: blocks.call(one.place, one.epsilon, one.matrix))
    tables = {case.name: case for case in (*modelled.cases(), *modelled.bent())}
    yield _of(modelled.KEPT, modelled.Run, lambda one: modelled.run(tables[one.case], one.seed))
    yield _of(
        with_a_model.KEPT,
        with_a_model.Run,
        lambda one: with_a_model.one(one.rule, tables[one.case], one.seed, 0.0),
        lambda one: not one.rule.startswith("VOPy"),
    )
    rules, instances = ({one.name: one for one in each} for each in (whoisright.RULES, whoisright.instances()))
    yield _of(
        whoisright.KEPT,
        whoisright.Run,
        lambda one: whoisright.one(rules[one.rule], instances[one.instance], one.seed, 0.0),
        lambda one: rules[one.rule].code != whoisright.VOPY,
    )
    mechanisms = {instance.name: instance for instance in ablation.instances()}
    yield _of(ablation.KEPT, Ablated, lambda one: _ablated(mechanisms[one.case], one))


def _of(
    path: Path, kind: type[Any], make: Callable[[Any], Any], ours: Callable[[Any], bool] = lambda line: True
) -> Kept:
    return Kept(path.name, [(line, code) for line, code in lines.coded(path, kind) if ours(line)], make)


def _ablated(instance: ablation.Instance, one: Ablated) -> Ablated:
    tuning = ablation.tuning_of(one.variant)
    return Ablated(one.case, one.variant, one.run, *ablation.measured(instance, tuning, one.run))


# -- pages that keep their tables alone ----------------------------------------------------------------------------


def pages() -> Iterator[Kept]:
    """All of them, the quick ones first."""
    yield _tables(promises.PAGE, _promise_again)
    yield _tables(validate.EXACT_PAGE, _cell_again)
    yield _tables(validate.PAGE, _cell_again)
    text = samples.PAGE.read_text(encoding="utf-8")
    known = {case.name: place for place, case in enumerate(cases())}
    rows = [
        Mean(name, rule, known[case], _figures(row))
        for (case, name), row in samples.on_page(text).items()
        for rule, one in enumerate(samples.RULES)
        if one.label(cases()[known[case]]) == name and not one.budgeted
    ]
    yield Kept(samples.PAGE.name, _coded(text, rows), _mean_again)


def _tables(page: Path, make: Callable[[Any], Any]) -> Kept:
    """Rows of a page's tables, each with whether it stands below a heading on controls."""
    text, rows, control, first = page.read_text(encoding="utf-8"), [], False, True
    for line in text.splitlines():
        if line.startswith("#"):
            control = "control" in line
        if not line.startswith("|"):
            first = True
        elif first or line.startswith("|--"):
            first = False
        else:
            rows.append((line, control))
    return Kept(page.name, _coded(text, rows), make)


def _coded(text: str, rows: Iterable[Any]) -> list[tuple[Any, str]]:
    mark = MARK.search(text)
    return [(row, mark[1] if mark else "") for row in rows]


def _cell_again(row: tuple[str, bool]) -> tuple[str, bool]:
    line, control = row
    rule, notion, instance, runs = (cell.strip() for cell in line.strip("|").split("|")[:4])
    cell = validate.Cell(rule, notion, instance, 1 / 8 if control else 1.0)
    return validate.table([validate.measure(cell, int(runs))])[-1], control


def _promise_again(row: tuple[str, bool]) -> tuple[str, bool]:
    line, control = row
    place = next(place for place, cell in enumerate(promises.CELLS) if line.startswith(f"| {cell.name} |"))
    found = {each: promises.failures(*each, promises.RUNS) for each in promises.counts(place)}
    return promises.row(place, found, promises.RUNS), control


def _mean_again(row: Mean) -> Mean:
    runs = [samples.measure(samples.Cell(row.case, row.rule, 0, run)) for run in range(samples.RUNS)]
    return replace(row, figures=_figures(samples.row_of(cases()[row.case], samples.RULES[row.rule], runs)))


def _figures(row: samples.Row) -> str:
    """To as many digits as the page has."""
    return f"{row.evaluations:.4g} +- {row.error:.2g} evaluations, {row.successes} of {row.runs} right"


# -- comparing -----------------------------------------------------------------------------------------------------


def compared(kept: Kept, runs: int, minutes: float, seed: int) -> Compared:
    """So many lines made again, or as many as fit into the minutes of CPU time: one at least."""
    start, changed, made = time.process_time(), [], 0
    for place in np.random.default_rng(seed).permutation(len(kept.found))[:runs].tolist():
        if made and time.process_time() - start > 60 * minutes:
            break
        line, _ = kept.found[place]
        before, now = _bare(line), _bare(kept.make(line))
        made += 1
        if before != now:
            changed.append(f"{before} is now {now}")
    return Compared(kept.name, len(kept.found), commits.said(code for _, code in kept.found), made, tuple(changed))


def _bare(line: Any) -> Any:
    """Without its times; a row of a table is a text, and has none."""
    return {key: value for key, value in asdict(line).items() if key not in TIMES} if is_dataclass(line) else line


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100, help="lines of each file")
    parser.add_argument("--minutes", type=float, default=4.0, help="of CPU time for each file, after which it stops")
    parser.add_argument("--only", default="", help="part of a file's name")
    parser.add_argument("--seed", type=int, help="of what is drawn; by default another one for every commit")
    parser.add_argument("--write", action="store_true", help="keep what was found in benchmarks/RESULTS.md")
    options = parser.parse_args(arguments)
    if options.write and options.only:
        parser.error("--write takes all files: leave out --only")
    seed = zlib.crc32(commits.commit().encode()) if options.seed is None else options.seed
    found = []
    for kept in chain(files(), pages()):
        if options.only in kept.name:
            found.append(compared(kept, options.runs, options.minutes, seed))
            print(f"{found[-1].row.case} {found[-1].row.ours}.", *found[-1].changed, sep="\n  ", flush=True)
    if options.write:
        from benchmarks.__main__ import SECTIONS, machine
        from benchmarks.results import keep

        keep("again", [one.row for one in found], machine(), SECTIONS)
    return int(any(one.changed for one in found))


if __name__ == "__main__":
    sys.exit(main())

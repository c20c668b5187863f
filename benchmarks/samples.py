"""How many evaluations each rule needs, beside the lower bounds.

    python -m benchmarks.samples [--quick] [--runs 20] [--only TEXT] [--skip TEXT;TEXT] [--processes 2] [--ours]
                                [--write]

Every answer is checked against the truth. Published rules run with their proven constants, in batches where one
evaluation at a time would be too slow; every radius holds at all times, so batches cost a few evaluations and no proof.
Instances and seeds are those of `benchmarks.cases`: none of them was used for tuning. `--write` replaces
them in SAMPLES.md, and the section on evaluations of RESULTS.md. `--ours` runs our own rules, and those that get our
budget; rows of the others, whose runs do not depend on ours, are taken from the page as they stand.
"""

from __future__ import annotations

import argparse
import datetime
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np

import conewise as cw
from benchmarks import commits
from benchmarks import measure as tables
from benchmarks.cases import SEED, Case, cases
from benchmarks.results import keep
from benchmarks.sections import PAGE, write
from conewise import rules as algorithms
from conewise.question.question import notion_of

RUNS = 20
MOST = 10**8  # evaluations of a run at epsilon = 0: ties would never end

# -- rules ---------------------------------------------------------------------------------------------------------

Make = Callable[[Case, float, int], Any]
"""From a case, the size of batches and a budget (where they apply) to an algorithm."""


@dataclass(frozen=True)
class Rule:
    name: str
    make: Make
    growth: tuple[float, float] = (0.0, 0.0)
    """Batches, as a share of what there is already: where the ratio to ours is the figure (contain), and elsewhere."""
    serves: Callable[[Case], bool] = lambda case: True
    """Whether what the rule promises, or aims at, is what the case asks for."""
    ours: bool = False
    budgeted: bool = False
    """Gets as many evaluations as our best rule needed."""

    def batch(self, case: Case) -> float:
        return self.growth[case.success == "cover"]

    def label(self, case: Case) -> str:
        return f"{self.name}, batches of {self.batch(case):.0%}" if self.batch(case) else self.name


def _settings(case: Case) -> tuple[cw.Question, int]:
    question = cw.Question(case.cone, case.epsilon, case.delta, case.problem.assumption, notion_of(case.success))
    return question, case.problem.n_designs


def _limit(case: Case) -> int | None:
    return MOST if case.epsilon == 0 else None


def _ours(rule: Callable[..., Any]) -> Make:
    return lambda case, growth, budget: rule(*_settings(case), max_evaluations=_limit(case))


def _published(rule: Callable[..., Any]) -> Make:
    return lambda case, growth, budget: rule(*_settings(case), growth=growth, max_evaluations=_limit(case))


def _budgeted(rule: Callable[..., Any], smallest: Callable[[int], int]) -> Make:
    def make(case: Case, growth: float, budget: int) -> Any:
        k = case.problem.n_designs
        return rule(case.cone, max(budget, smallest(k)), k, case.problem.assumption)

    return make


def _one_more(n_designs: int) -> int:
    return n_designs + 1


def _one_a_round(n_designs: int) -> int:
    return n_designs * (n_designs - 1).bit_length()


def _covers(case: Case) -> bool:
    return case.success == "cover"


def _covers_or_exact(case: Case) -> bool:
    return _covers(case) or case.epsilon == 0


RULES = [
    Rule("successive elimination", _ours(algorithms.SuccessiveElimination), ours=True),
    Rule("APE", _published(algorithms.LeaderChallenger), (0.02, 0.1)),
    Rule("Auer", _published(algorithms.AuerElimination), (0.05, 0.05)),
    Rule("PaVeBa", _published(algorithms.PaVeBa), (0.05, 0.05), _covers),
    Rule("PSIPS (no proof)", _published(algorithms.PosteriorSampling), (0.02, 0.05), _covers_or_exact),
    Rule("EGE-SR (our budget, no promise)", _budgeted(algorithms.SequentialRejects, _one_more), budgeted=True),
    Rule("EGE-SH (our budget, no promise)", _budgeted(algorithms.SequentialHalving, _one_a_round), budgeted=True),
]
"""A new rule joins with one line."""


# -- measuring -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    case: int
    rule: int
    budget: int
    run: int


@dataclass(frozen=True)
class Run:
    evaluations: int
    right: bool
    """Finished, and successful."""
    rounds: int
    deciding: float
    """CPU seconds spent on what to evaluate next."""
    seconds: float
    """CPU seconds of everything."""


@dataclass(frozen=True)
class Row:
    rule: str
    evaluations: float
    error: float = 0.0
    """Standard error of the mean."""
    successes: int = 0
    runs: int = 0
    """0: a number that needs no run, or is somebody else's."""
    milliseconds: float = 0.0
    """CPU time of deciding, a round."""
    microseconds: float = 0.0
    """The same, an evaluation."""
    seconds: float = 0.0
    """CPU time of a run."""
    ours: bool = False
    budgeted: bool = False


@lru_cache(maxsize=16)
def _algorithm(case: int, rule: int, budget: int) -> Any:
    """Made once a process: its tables may take longer than a run."""
    return RULES[rule].make(cases()[case], RULES[rule].batch(cases()[case]), budget)


def measure(cell: Cell) -> Run:
    case, algorithm = cases()[cell.case], _algorithm(cell.case, cell.rule, cell.budget)
    rng = np.random.default_rng([SEED + cell.run, case.seed])
    state, deciding, rounds, start = algorithm.start(), 0.0, 0, time.process_time()
    while True:
        began = time.process_time()
        pulls = algorithm.ask(state)
        deciding, rounds = deciding + time.process_time() - began, rounds + 1
        if not pulls.total:
            break
        state = algorithm.tell(state, case.problem.evaluate(pulls, rng))
    result = algorithm.recommend(state)
    right = "undecided" not in result.status.tolist() and case.right(result.pareto)
    return Run(result.evaluations, right, rounds, deciding, time.process_time() - start)


def measured(wanted: list[tuple[int, int, int]], runs: int, processes: int) -> dict[tuple[int, int], Row]:
    """Rows for (case, rule, budget), the runs dealt out to processes, those of many designs first."""
    wanted = sorted(wanted, key=lambda one: -cases()[one[0]].problem.n_designs)
    cells = [Cell(*one, run) for one in wanted for run in range(runs)]
    rows = {}
    with ProcessPoolExecutor(processes) as pool:
        together = zip(cells, pool.map(measure, cells), strict=True)
        for (case, rule), found in groupby(together, key=lambda pair: (pair[0].case, pair[0].rule)):
            rows[case, rule] = row_of(cases()[case], RULES[rule], [run for _, run in found])
            print(f"{cases()[case].name:<80} {_words(rows[case, rule])}", flush=True)
    return rows


def row_of(case: Case, rule: Rule, found: list[Run]) -> Row:
    totals = np.array([run.evaluations for run in found], dtype=float)
    return Row(
        rule.label(case),
        float(totals.mean()),
        float(totals.std(ddof=1) / math.sqrt(len(totals))) if len(totals) > 1 else 0.0,
        sum(run.right for run in found),
        len(found),
        1000 * sum(run.deciding for run in found) / sum(run.rounds for run in found),
        1e6 * sum(run.deciding for run in found) / float(totals.sum()),
        sum(run.seconds for run in found) / len(found),
        rule.ours,
        rule.budgeted,
    )


def compute(
    chosen: Iterable[int],
    runs: int,
    processes: int,
    skipped: Sequence[str] = (),
    kept: dict[tuple[str, str], Row] | None = None,
) -> dict[int, list[Row]]:
    """All rows of the chosen cases: our rules first, since the fixed budgets are what the best of them needs.

    Rows of published rules that are kept from a page, by case and rule, are not run again.
    """
    chosen, kept = list(chosen), kept or {}
    wanted = [r for r, rule in enumerate(RULES) if not any(part in rule.name for part in skipped)]
    serving = [(c, r) for c in chosen for r in wanted if serves(RULES[r], cases()[c])]
    first = measured([(c, r, 0) for c, r in serving if RULES[r].ours], runs, processes)
    best = {c: min(row.evaluations for (case, _), row in first.items() if case == c) for c in chosen}
    rest = [(c, r, math.ceil(best[c]) if RULES[r].budgeted else 0) for c, r in serving if not RULES[r].ours]
    there = {(c, r): kept.get((cases()[c].name, RULES[r].label(cases()[c]))) for c, r, _ in rest}
    known = {key: row for key, row in there.items() if row is not None and not RULES[key[1]].budgeted}
    rows = first | known | measured([one for one in rest if one[:2] not in known], runs, processes)
    return {c: [rows[c, r] for case, r in serving if case == c] + unmeasured(cases()[c]) for c in chosen}


def serves(rule: Rule, case: Case) -> bool:
    """Noise that nobody knows is for our own rules alone: the others need its size."""
    return rule.serves(case) and (rule.ours or case.hidden is None)


def unmeasured(case: Case) -> list[Row]:
    rows = []
    if case.epsilon > 0 and case.success == "cover" and case.hidden is None:
        k, noise = case.problem.n_designs, case.problem.assumption
        for bound in ("gaussian", "paper"):
            total = k * cw.naive_budget(case.cone, noise, k, case.epsilon, case.delta, bound=bound)
            rows.append(Row(f"naive, {bound} bound", total))
    if case.peer is not None:
        rows.append(Row(*case.peer))
    return rows


# -- reporting -----------------------------------------------------------------------------------------------------


def _words(row: Row) -> str:
    right = f"{row.successes}/{row.runs} right" if row.runs else ""
    mean = f"{row.evaluations:.5g} +- {row.error:.2g}"
    return f"{row.rule:<40} {mean:>22} {right:>12} {row.milliseconds:8.2f} ms a round {row.seconds:8.2f} s a run"


def section(case: Case, rows: list[Row]) -> list[str]:
    """A heading, the bounds and the figures, and a table in the order of the evaluations."""
    best = min(row.evaluations for row in rows if row.ours)
    bounds, columns = [f"H log(1/delta) = {case.hardness:.4g}"], [("over H log(1/delta)", case.hardness)]
    if case.asymptotic is not None:
        bounds.append(f"T* log(1/delta) = {case.asymptotic:.4g}, numerically computed")
        columns.append(("over T* log(1/delta)", case.asymptotic))
    heads = [
        "rule",
        "evaluations (mean)",
        "std. error",
        "over our best",
        *(name for name, _ in columns),
        "right",
        "ms",
        "us",
    ]
    lines = [f"## {case.name}", "", f"Success: {case.success}. {'; '.join(bounds)}. {_figures(case, rows, best)}", ""]
    lines += ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for row in sorted(rows, key=lambda row: (not row.ours, row.evaluations)):
        cells = [
            f"**{row.rule}**" if row.ours else row.rule,
            f"{row.evaluations:.4g}",
            f"{row.error:.2g}" if row.runs > 1 else "",
            f"{row.evaluations / best:.2f}",
            *(f"{row.evaluations / size:.1f}" for _, size in columns),
            f"{row.successes}/{row.runs}" if row.runs else "not run",
            f"{row.milliseconds:.1f}" if row.runs else "",
            f"{row.microseconds:.1f}" if row.runs else "",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def _of_ape(rows: list[Row]) -> float | None:
    return next((row.evaluations for row in rows if row.rule.startswith("APE")), None)


def summary(found: dict[int, list[Row]]) -> list[tables.Row]:
    """A line a case: our best rule, the others and the lower bounds, the ratio to APE, what was to be reached."""
    lines = []
    for number, rows in found.items():
        case, best, ape = cases()[number], min(row.evaluations for row in rows if row.ours), _of_ape(rows)
        others = [row for row in rows if not (row.ours or row.budgeted)]
        bounds = {"H log(1/delta)": case.hardness, "T* log(1/delta)": case.asymptotic}
        beside = [f"{row.rule.split(', batches')[0]} {row.evaluations:.4g}" for row in others]
        beside += [f"{name} {bound:.4g}" for name, bound in bounds.items() if bound is not None]
        ratio, target, met = "" if ape is None else f"{best / ape:.2f} x", "", None
        if case.success == "contain" and ape is not None:
            target, met = "<= 0.5 x", best <= ape / 2
        elif case.at_most is not None:
            target, met = f"<= {case.at_most:.4g}", best <= case.at_most
        lines.append(tables.Row(case.name, f"{best:.4g}", "; ".join(beside), ratio, target, met))
    return lines


def _figures(case: Case, rows: list[Row], best: float) -> str:
    """What was to be reached, and whether it was."""
    at_most, aim, of = case.at_most, case.aim, ""
    ape = _of_ape(rows)
    if case.success == "contain" and ape is not None:
        at_most, aim, of = ape / 2, ape / 3, " (half of APE's, a third)"
    said = []
    for word, figure in (("At most", at_most), ("aim", aim)):
        if figure is not None:
            said.append(f"{word} {figure:.4g}: {'met' if best <= figure else 'missed'}")
    return f"{'; '.join(said)}{of}." if said else ""


def on_page(text: str) -> dict[tuple[str, str], Row]:
    """Rows of runs as `section` wrote them, by case and rule: to as many digits as stand there."""
    found, case, heads = {}, "", []
    for line in text.partition("<!-- cases -->")[2].partition("<!-- end of cases -->")[0].splitlines():
        if line.startswith("## "):
            case = line[3:]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| rule |"):
            heads = cells
        elif line.startswith("| "):
            ours = cells[0].startswith("**")
            of = dict(zip(heads, [cells[0].strip("*"), *cells[1:]], strict=True))
            right, _, runs = of["right"].partition("/")
            if runs:
                numbers = (float(of[name] or 0) for name in ("evaluations (mean)", "std. error"))
                times = float(of["ms"]), float(of["us"])
                found[case, of["rule"]] = Row(of["rule"], *numbers, int(right), int(runs), *times, ours=ours)
    return found


def page(found: dict[int, list[Row]], command: str, seconds: float, kept: bool = False) -> list[str]:
    """What stands above the cases, and a section each."""
    earlier = " Rows of published rules, but for EGE, are of an earlier run, on the same instances and seeds."
    lines = [
        f"Made by `{command}` on {datetime.date.today():%d %B %Y} in {seconds / 60:.0f} minutes. {commits.here()}"
        f"{earlier if kept else ''} Means over runs whose "
        f"instances and noise come from seeds from {SEED} on: none of them was used to choose a constant (tuning uses "
        "the seeds 0 to 999; the means of SNW and of the disc brake are fixed data, so there only the noise is new). "
        "Every answer is checked against the truth; *right* counts answers that are finished and succeed. *ms* is the "
        "CPU time spent deciding, a round; *us* the same in microseconds, an evaluation.",
        "",
        "Our own rules are in bold. Published rules run with their proven constants, in batches where the row says so: "
        "a design gets that share of what it has already (PSIPS: of all evaluations) at once. APE and Auer promise "
        '"contain", which implies "cover"; PaVeBa promises "cover" only; PSIPS is proven asymptotically only; EGE '
        "takes a budget, here the mean of our best rule (or its own smallest), and promises nothing. H log(1/delta) is "
        "a rate, not a bound with constants; T* log(1/delta) is what no rule for exact identification can undercut as "
        "delta tends to 0.",
        "",
    ]
    for case, rows in found.items():
        lines += section(cases()[case], rows)
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--quick", action="store_true", help="a few small cases, two runs each")
    parser.add_argument("--only", default="", help="part of a case's name")
    parser.add_argument("--skip", default="", help="parts of names of cases or rules, separated by semicolons")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--ours", action="store_true", help=f"take the rows of others from {PAGE.name}")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}; not for a part of the cases")
    options = parser.parse_args()
    if options.write and (options.quick or options.only):
        parser.error("--write takes all cases: leave out --quick and --only")
    runs = min(options.runs, 2) if options.quick else options.runs
    skipped = [part for part in options.skip.split(";") if part]
    chosen = [n for n, case in enumerate(cases()) if options.only in case.name and (case.quick or not options.quick)]
    chosen = [n for n in chosen if not any(part in cases()[n].name for part in skipped)]
    began = time.perf_counter()
    kept = on_page(PAGE.read_text(encoding="utf-8")) if options.ours else {}
    found = compute(chosen, runs, options.processes, skipped, kept)
    less = f"{f' --skip {options.skip!r}' if skipped else ''}{' --ours' if kept else ''}"
    command = f"python -m benchmarks.samples --runs {runs}{less} --write"
    if options.write:
        from benchmarks.__main__ import SECTIONS, machine

        write("cases", page(found, command, time.perf_counter() - began, bool(kept)))
        keep("evaluations", summary(found), machine(), SECTIONS)
    else:
        print("\n".join(line for case, rows in found.items() for line in section(cases()[case], rows)))
    print(f"{time.perf_counter() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())

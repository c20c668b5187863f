"""Who is right: what each rule promises when it is asked for 95 %, beside the share of its answers that were right.

    python -m benchmarks.whoisright [--runs 100] [--only TEXT] [--minutes 40] [--patience 600] [--write]

All rules get the same instances: two tables that VOPy ships (standardised, as it does), six designs that are easy to be
wrong about, and a random one for exact identification. Answers are checked against the truth. VOPy's rules are VOPy's
own code where the row says so (`make bench-peers`). Every run is a line of benchmarks/whoisright.jsonl and is never
made twice; on the tables, runs with a model are those of benchmarks/rules.jsonl. `--write` makes docs/who-is-right.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import conewise as cw
from benchmarks import lines, rules, vopy
from benchmarks.cases import SEED, random_family
from benchmarks.measure import VOPY_PYTHON
from benchmarks.modelled import cases, standardised
from conewise import rules as algorithms
from conewise.experiments.compare import rate_interval
from conewise.noise import Gaussian
from conewise.studies.loop import run

PAGE = Path(__file__).resolve().parents[1] / "docs" / "who-is-right.md"
KEPT = Path(__file__).with_name("whoisright.jsonl")
DELTA, LEVEL = 0.05, 0.95
"""What every rule is asked for, and the level of the intervals."""
ORTHANT = cw.Cone.orthant(2)
MOST = 10**7
"""Evaluations of a run for exact identification."""

# -- instances -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Instance:
    name: str
    about: str
    problem: cw.SimulatedBandit
    epsilon: float
    features: np.ndarray | None = None
    sigma: float = 1.0

    @property
    def exact(self) -> bool:
        return self.epsilon == 0

    @property
    def question(self) -> cw.Question:
        notion = "contain" if self.exact else "cover"
        return cw.Question(ORTHANT, self.epsilon, DELTA, self.problem.assumption, notion)

    @property
    def asked(self) -> vopy.Asked:
        if self.features is None:
            raise ValueError(f"VOPy needs features, and {self.name} has none")
        return vopy.Asked(np.asarray(self.problem.means), self.features, self.sigma, self.epsilon, DELTA)

    def right(self, result: cw.Result) -> bool:
        """Finished, and successful; exact identification asks for the whole Pareto set and nothing else."""
        found = cw.verdict(result.pareto, self.problem.means, ORTHANT, self.epsilon)
        done = "undecided" not in result.status.tolist()
        return done and found.success and not (self.exact and len(found.missed))


def near_ties() -> Instance:
    """A front of two that do not cover each other, and two designs behind each, all by a little more than epsilon.

    One evaluation has a standard deviation of half an epsilon. Both objectives look alike, so that standardising is
    one division, of epsilon too. The one feature is the number of the design, and says little.
    """
    gap = 1.02
    front = np.array([[0.0, gap], [gap, 0.0]])
    means = np.vstack([front, front - gap, front - gap])[[2, 0, 5, 3, 1, 4]]
    epsilon = 1 / float(means.std(axis=0)[0])
    bandit = cw.SimulatedBandit(standardised(means), Gaussian(epsilon / 2))
    about = (
        "Two Pareto designs and four that are worse by 1.02 epsilon, as an opponent would arrange them; sigma is "
        "epsilon / 2, and the feature is a number that says nothing. A rule whose promise is an average over tables "
        "stops early here, and is often wrong: whoever fears such a table takes a promise for every truth."
    )
    return Instance("near-ties", about, bandit, epsilon, np.arange(6.0)[:, None], epsilon / 2)


@cache
def instances() -> tuple[Instance, ...]:
    tables = [
        Instance(
            case.name,
            f"{case.problem.n_designs} designs; sigma 0.1, epsilon {case.epsilon:g}, standardised.",
            case.problem,
            case.epsilon,
            rules.FEATURES[case.name](),
            rules.SIGMA,
        )
        for case in cases()
        if case.name in rules.FEATURES
    ]
    about = "20 designs with gaps from 0.1 on; sigma 1, epsilon 0: the Pareto set itself is asked for."
    return *tables, near_ties(), Instance("random designs, exact", about, random_family(20, 2, SEED + 22), 0.0)


# -- rules ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A line of the file."""

    instance: str
    rule: str
    seed: int
    evaluations: int
    right: bool
    seconds: float
    ended: bool = True
    replayed: bool = False


Make = Callable[[Instance, int, float], Run]
"""From an instance, a seed and the patience with VOPy; the rule's name is put in by `one`."""


@dataclass(frozen=True)
class Rule:
    name: str
    code: str
    """Whose code runs."""
    proof: str
    """Of what it promises."""
    make: Make
    share: dict[str, float]
    """On which instances, and which share of the runs that are asked for: VOPy takes minutes for some of them."""

    @property
    def promises(self) -> bool:
        """Whether its answer says 1 - delta: VOPy's rules always do, ours say where no proof covers what ran."""
        return self.code == VOPY or self.proof in (TRUTH, PRIOR)


TABLES = tuple(rules.FEATURES)
BRAKE, NETWORKS = TABLES
TIES, EXACT = "near-ties", "random designs, exact"
COVERED = dict.fromkeys((*TABLES, TIES), 1.0)
EVERYWHERE = COVERED | {EXACT: 1.0}
PAIRS = EVERYWHERE | {BRAKE: 0.5, NETWORKS: 0.2}
"""For rules that look at all pairs before every evaluation."""


@dataclass(frozen=True)
class Conewise:
    """A rule of this library, ours or published."""

    rule: Callable[[Instance, int], Any]

    def answer(self, instance: Instance, seed: int) -> cw.Result:
        """Run to its end."""
        return run(self.rule(instance, seed), instance.problem, rng=np.random.default_rng(seed))

    def __call__(self, instance: Instance, seed: int, patience: float) -> Run:
        start = time.process_time()
        result = self.answer(instance, seed)
        seconds = time.process_time() - start
        return Run(instance.name, "", seed, result.evaluations, instance.right(result), seconds)


def _published(rule: Any, growth: float = 0.0, scale: float = 1.0, *, seeded: bool = False) -> Make:
    def make(instance: Instance, seed: int) -> Any:
        options = {"seed": seed} if seeded else {}
        most = MOST if instance.exact else None
        asked = instance.question, instance.problem.n_designs
        return rule(*asked, growth=growth, radius_scale=scale, max_evaluations=most, **options)

    return Conewise(make)


def _ours(instance: Instance, seed: int) -> Any:
    most = MOST if instance.exact else None
    return algorithms.SuccessiveElimination(instance.question, instance.problem.n_designs, max_evaluations=most)


def _modelled(instance: Instance, seed: int) -> Any:
    model = cw.models.Smooth(instance.asked.features)
    return algorithms.ModelGuided(instance.question, instance.problem.n_designs, model=model, seed=seed)


def _naive(instance: Instance, seed: int) -> Any:
    return algorithms.NaiveElimination(instance.question, instance.problem.n_designs)


def _vopy(rule: str, contraction: float | None) -> Make:
    def made(instance: Instance, seed: int, patience: float) -> Run:
        found = vopy.run(rule, instance.asked, contraction, seed, patience)
        right = found.right(instance.asked)
        return Run(instance.name, "", seed, found.evaluations, right, found.seconds, found.ended)

    return made


VOPY, OURS = "VOPy", "conewise"
TRUTH, PRIOR, KERNEL = "for every truth", "on average over the prior", "given the kernel"
AVERAGES = (PRIOR, KERNEL)
SHRUNK = "none: the radius is divided by 32"
TUNED = "none: the radius is tuned"
LIMIT = "as delta tends to 0"

RULES = (
    Rule("**adaptive**", OURS, TRUTH, Conewise(_ours), EVERYWHERE),
    Rule("**with a model**", OURS, PRIOR, Conewise(_modelled), {TIES: 1.0}),
    Rule("VOPy PaVeBa, default", VOPY, SHRUNK, _vopy("PaVeBa", 32.0), {BRAKE: 0.2, NETWORKS: 0.1, TIES: 1.0}),
    Rule("VOPy PaVeBa, proven radius", VOPY, TRUTH, _vopy("PaVeBa", 1.0), {TIES: 0.2}),
    Rule("VOPy VOGP, default", VOPY, SHRUNK, _vopy("VOGP", 32.0), {TIES: 1.0}),
    Rule("VOPy VOGP, proven radius", VOPY, KERNEL, _vopy("VOGP", 1.0), {TIES: 0.2}),
    Rule("VOPy PaVeBa-GP, default", VOPY, SHRUNK, _vopy("PaVeBaGP", 32.0), {TIES: 0.2}),
    Rule("VOPy PaVeBa-GP, proven radius", VOPY, KERNEL, _vopy("PaVeBaGP", None), {}),
    Rule("VOPy Auer, default", VOPY, SHRUNK, _vopy("Auer", 32.0), COVERED | {NETWORKS: 0.4}),
    Rule("VOPy naive elimination", VOPY, "none: a variance for a deviation", _vopy("NaiveElimination", None), COVERED),
    Rule("naive elimination", OURS, TRUTH, Conewise(_naive), COVERED),
    Rule("PaVeBa, radius / 32", OURS, SHRUNK, _published(algorithms.PaVeBa, scale=1 / 32), COVERED),
    Rule("PaVeBa", OURS, TRUTH, _published(algorithms.PaVeBa, 0.05), COVERED),
    Rule("Auer, radius x 0.55", OURS, TUNED, _published(algorithms.AuerElimination, 0.05, 0.55), EVERYWHERE),
    Rule("Auer", OURS, TRUTH, _published(algorithms.AuerElimination, 0.05), EVERYWHERE),
    Rule("APE, radius x 0.6", OURS, TUNED, _published(algorithms.LeaderChallenger, 0.1, 0.6), PAIRS),
    Rule("APE", OURS, TRUTH, _published(algorithms.LeaderChallenger, 0.1), PAIRS),
    Rule(
        "PSIPS",
        OURS,
        LIMIT,
        _published(algorithms.PosteriorSampling, 0.05, seeded=True),
        EVERYWHERE,
    ),
)
"""A new rule joins with one line."""

MODELLED = {
    "**model**": "**with a model**",
    "VOPy VOGP, default radius (beta^2 / 32)": "VOPy VOGP, default",
    "VOPy VOGP, proven radius": "VOPy VOGP, proven radius",
    "VOPy PaVeBa-GP, default radius (alpha / 32)": "VOPy PaVeBa-GP, default",
    "VOPy PaVeBa-GP, proven radius (root of alpha)": "VOPy PaVeBa-GP, proven radius",
}
"""What rules are called in benchmarks.rules, whose runs on the tables with features count here."""


def missing(runs: int, only: str, patience: float) -> Iterator[Callable[[], Run]]:
    """Rule after rule for each seed; VOPy's where it is installed."""
    known = {(run.instance, run.rule, run.seed) for run in lines.read(KEPT, Run)}
    there = VOPY_PYTHON.exists()
    for number in range(runs):
        for instance in instances():
            for rule in RULES:
                wanted = number < rule.share.get(instance.name, 0.0) * runs and (there or rule.code != VOPY)
                new = (instance.name, rule.name, SEED + number) not in known
                if wanted and new and only in f"{instance.name}, {rule.name}":
                    yield partial(one, rule, instance, SEED + number, patience)


def one(rule: Rule, instance: Instance, seed: int, patience: float) -> Run:
    return replace(rule.make(instance, seed, patience), rule=rule.name)


def done() -> list[Run]:
    """The runs of this file, and those of `benchmarks.rules`; a rule that VOPy did not end was replayed there."""
    found = lines.read(KEPT, Run)
    for made in lines.read(rules.KEPT, rules.Run):
        if made.rule in MODELLED:
            told = made.case, MODELLED[made.rule], made.seed, made.evaluations, made.right, made.seconds, made.ended
            found.append(Run(*told, replayed=made.replayed))
    return found


HEAD = (
    "| rule | code | proof | promised | runs | ended | right | share | 95 % interval | evaluations (mean) | |",
    "|---|---|---|--:|--:|--:|--:|--:|--:|--:|---|",
)

# -- the page ------------------------------------------------------------------------------------------------------


def rows(instance: Instance, found: Sequence[Run]) -> Iterator[tuple[Rule, str, list[Run]]]:
    """What stands in a table: what VOPy did itself and what was replayed are two lines."""
    for rule in RULES:
        for replayed in (False, True):
            runs = [r for r in found if (r.instance, r.rule, r.replayed) == (instance.name, rule.name, replayed)]
            if runs:
                yield rule, "replayed" if replayed else rule.code, runs


def row(rule: Rule, code: str, runs: Sequence[Run], verdicts: int = 1) -> str:
    """A line; `verdicts` is how many of them the page has, for which the level of a verdict is corrected.

    Broken is a promise that the answers contradict; one on average over tables cannot be broken by one table.
    """
    answers = [run for run in runs if run.ended]
    right = sum(run.right for run in answers)
    low, high = rate_interval(right, len(answers), LEVEL) if answers else (0.0, 1.0)
    below = bool(answers) and rate_interval(right, len(answers), 1 - (1 - LEVEL) / verdicts)[1] < 1 - DELTA
    breakable = rule.promises and rule.proof not in AVERAGES
    said = ("**broken**" if breakable else f"below {1 - DELTA:.0%}") if below else ""
    share = f"{right / len(answers):.3f} | {low:.3f} to {high:.3f}" if answers else "– | –"
    promised = f"{1 - DELTA:.0%}" if rule.promises else "–"
    spent = np.mean([run.evaluations for run in runs])
    return (
        f"| {rule.name} | {code} | {rule.proof} | {promised} | {len(runs)} | {len(answers)} | {right} | {share} "
        f"| {spent:.4g} | {said} |"
    )


def page(found: Sequence[Run], today: Callable[[], date] = date.today) -> str:
    tables = [(instance, list(rows(instance, found))) for instance in instances()]
    verdicts = sum(len(lines) for _, lines in tables)
    text = [
        "# Who is right",
        "",
        "Every rule below is asked for an answer that succeeds with probability 95 %. What does it promise, and how "
        "often is it right? All get the same instances, and every answer is checked against the truth by `cw.verdict`.",
        "",
        "- *Promised* is what comes with the answer. Rules of this library say *not guaranteed* where no proof covers "
        "what ran; there the column has a dash. VOPy takes delta as the probability of failure and says nothing else "
        "of an answer.",
        "- *Share* is that of the answers, of runs that ended, with its exact interval (Clopper & Pearson 1934).",
        "- **broken** is a promise that the answers contradict; *below 95 %* says as much where nothing was promised "
        f"about this one table. All {verdicts} lines of the page are judged together at 95 %, so that each is judged "
        f"at {1 - (1 - LEVEL) / max(1, verdicts):.2%}. Another promise is kept as far as so many runs can tell.",
        "- A rule that is right in all runs may spend more than it needs.",
        "",
        f"Made by `python -m benchmarks.whoisright --write` on {today():%d %B %Y} from the runs in "
        f"benchmarks/whoisright.jsonl and benchmarks/rules.jsonl, seeds from {SEED} on, of which none was used to "
        f"choose a constant. The order is componentwise; evaluations are all counted. *Code*: VOPy is VOPy "
        f"{vopy.VERSION}, "
        "run as it is on the same table; conewise is this library, whose published rules are written from the papers; "
        "*replayed* is a rule of VOPy's from closed forms, where VOPy itself takes minutes or hours a run "
        "(benchmarks/replay.py). What VOPy ran itself for minutes it ran less often. "
        f"{lines.made_with(KEPT, rules.KEPT)}",
        "",
        "- *VOPy, default*: it divides every radius by 32, which no proof covers. Its naive elimination puts the "
        "variance of the noise where the proof has the standard deviation. Its Auer leaves the noise out of its "
        "radius, which is that of sigma 1: at sigma 0.1 the division makes it 0.31 of the proven one. Its models are "
        "fitted to the noise-free values of all designs.",
        "- *radius x 0.6* (APE) and *x 0.55* (Auer) give about the evaluations that the authors report with the tuned "
        "radii of their own experiments, compared with the proven ones on the same data.",
        "- *for every truth* and *on average over the prior* are explained in [which guarantee](guarantees.md): the "
        "second promises nothing about one particular table, such as those here; nor does *given the kernel*, the "
        "promise of VOGP and PaVeBa-GP.",
        "",
    ]
    for instance, lines_of in tables:
        text += [f"## {instance.name}", "", instance.about, "", *HEAD, *(row(*one, verdicts) for one in lines_of), ""]
    return "\n".join(text)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--only", default="", help="part of an instance and a rule, as in 'near-ties, APE'")
    parser.add_argument("--minutes", type=float, default=40.0, help="of CPU time of our own, after which it stops")
    parser.add_argument("--patience", type=float, default=600.0, help="CPU seconds of one run of VOPy")
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name}")
    options = parser.parse_args(arguments)
    lines.fill(KEPT, missing(options.runs, options.only, options.patience), options.minutes)
    text = page(done())
    print(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

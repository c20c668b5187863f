"""Vector optimisation with stochastic bandit feedback: what "better" means is a cone, evaluations are noisy.

    import conewise as cw
    cone = cw.Cone.planar(135)
    cw.pareto_mask(means, cone)
    cw.identify(cw.problems.load("snw"), cone, epsilon=0.1, delta=0.05, rng=0)

Every name below is public; anything that starts with an underscore is not.
"""

import sys as _sys
import typing as _typing
from importlib import import_module as _import_module

try:
    from conewise import noise, problems
    from conewise._version import __version__
    from conewise.cone.cone import Cone
    from conewise.cone.widest import OrderingComplexity
    from conewise.data.observations import Observations, Pulls, Statistics
    from conewise.errors import ConeError, ConewiseError, InputError
    from conewise.order.budgets import naive_budget
    from conewise.order.complexity import LowerBound, gap_dependent_bound, hardness, worst_case_bound
    from conewise.order.dominance import dominates, pareto_mask, strongly_dominates, weakly_dominates
    from conewise.order.gaps import cover_gaps, escape_gaps, lift_norm, separation_gaps, suboptimality_gaps
    from conewise.problems import SimulatedBandit
    from conewise.question.objectives import Objective, UnitsWarning
    from conewise.question.question import Guarantee, Heuristic, Question, Verdict, verdict
except KeyboardInterrupt:  # a program that imports us hears of it; the command ends with a line
    if not "".join(_sys.argv[:1]).endswith(("-m", "conewise", "conewise.exe")):
        raise
    _sys.exit(print("conewise: interrupted.", file=_sys.stderr) or 130)

if _typing.TYPE_CHECKING:
    from conewise import models, readers
    from conewise.analysis.analyse import analyse, analyze
    from conewise.fronts import Front, front_of_shards
    from conewise.preferences.preferences import Preferences
    from conewise.rules import NaiveElimination, Result, SuccessiveElimination
    from conewise.studies import identify
    from conewise.studies.running.runner import run_study
    from conewise.studies.study import Study
    from conewise.tables.known import front

__all__ = [
    "Cone",
    "ConeError",
    "ConewiseError",
    "Front",
    "Guarantee",
    "Heuristic",
    "InputError",
    "LowerBound",
    "NaiveElimination",
    "Objective",
    "Observations",
    "OrderingComplexity",
    "Preferences",
    "Pulls",
    "Question",
    "Result",
    "SimulatedBandit",
    "Statistics",
    "Study",
    "SuccessiveElimination",
    "UnitsWarning",
    "Verdict",
    "__version__",
    "analyse",
    "analyze",
    "cover_gaps",
    "dominates",
    "escape_gaps",
    "front",
    "front_of_shards",
    "gap_dependent_bound",
    "hardness",
    "identify",
    "lift_norm",
    "models",
    "naive_budget",
    "noise",
    "pareto_mask",
    "problems",
    "readers",
    "run_study",
    "separation_gaps",
    "strongly_dominates",
    "suboptimality_gaps",
    "verdict",
    "weakly_dominates",
    "worst_case_bound",
]

_WHEN_NEEDED = {
    "Front": "conewise.fronts",
    "NaiveElimination": "conewise.rules",
    "Preferences": "conewise.preferences.preferences",
    "Result": "conewise.rules",
    "Study": "conewise.studies.study",
    "SuccessiveElimination": "conewise.rules",
    "analyse": "conewise.analysis.analyse",
    "analyze": "conewise.analysis.analyse",
    "front": "conewise.tables.known",
    "front_of_shards": "conewise.fronts",
    "identify": "conewise.studies.loop",
    "run_study": "conewise.studies.running.runner",
}
"""Public names whose modules are imported at first use: most users of the calculus never need them."""


_ROOMS = ("analysis", "certificate", "models", "readers", "report", "rules", "studies", "tables", "testing")
"""Packages that are imported when they are asked for."""


def __getattr__(name: str) -> object:
    if name == "algorithms":  # the name of the room in 0.2
        return _import_module("conewise.rules")
    if name in _ROOMS:
        return _import_module(f"conewise.{name}")
    if name not in _WHEN_NEEDED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(_WHEN_NEEDED[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

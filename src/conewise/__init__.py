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
    from conewise._widest import OrderingComplexity
    from conewise.budgets import naive_budget
    from conewise.complexity import LowerBound, gap_dependent_bound, hardness, worst_case_bound
    from conewise.cones import Cone
    from conewise.errors import ConeError, ConewiseError, InputError
    from conewise.feedback import Observations, Pulls, Statistics
    from conewise.gaps import cover_gaps, escape_gaps, lift_norm, separation_gaps, suboptimality_gaps
    from conewise.goals import Guarantee, Heuristic, Question, Verdict, verdict
    from conewise.objectives import Objective, UnitsWarning
    from conewise.order import dominates, pareto_mask, strongly_dominates, weakly_dominates
    from conewise.problems import SimulatedBandit
except KeyboardInterrupt:  # a program that imports us hears of it; the command ends with a line
    if not "".join(_sys.argv[:1]).endswith(("-m", "conewise", "conewise.exe")):
        raise
    _sys.exit(print("conewise: interrupted.", file=_sys.stderr) or 130)

if _typing.TYPE_CHECKING:
    from conewise import models, readers
    from conewise.algorithms import NaiveElimination, Result, SuccessiveElimination
    from conewise.analysis.analyse import analyse, analyze
    from conewise.fronts import Front, front_of_shards
    from conewise.preferences import Preferences
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
    "NaiveElimination": "conewise.algorithms",
    "Preferences": "conewise.preferences",
    "Result": "conewise.algorithms",
    "Study": "conewise.studies.study",
    "SuccessiveElimination": "conewise.algorithms",
    "analyse": "conewise.analysis.analyse",
    "analyze": "conewise.analysis.analyse",
    "front": "conewise.tables.known",
    "front_of_shards": "conewise.fronts",
    "identify": "conewise.studies.loop",
    "run_study": "conewise.studies.running.runner",
}
"""Public names whose modules are imported at first use: most users of the calculus never need them."""


_ROOMS = ("algorithms", "analysis", "certificate", "models", "readers", "report", "studies", "tables", "testing")
"""Packages that are imported when they are asked for."""


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return _import_module(f"conewise.{name}")
    if name not in _WHEN_NEEDED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(_WHEN_NEEDED[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

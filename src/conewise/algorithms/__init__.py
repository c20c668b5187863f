"""Algorithms on one contract: `ask` what to evaluate, `tell` what came back, `recommend` an answer at any time."""

from conewise.algorithms.ape import LeaderChallenger
from conewise.algorithms.auer import AuerElimination
from conewise.algorithms.base import Algorithm, Result, Status
from conewise.algorithms.certificate import Certificate
from conewise.algorithms.certified import Plan
from conewise.algorithms.claims import Claims
from conewise.algorithms.ege import SequentialHalving, SequentialRejects
from conewise.algorithms.elimination import SuccessiveElimination
from conewise.algorithms.naive import NaiveElimination
from conewise.algorithms.paveba import PaVeBa
from conewise.algorithms.proportions import OptimalProportions
from conewise.algorithms.psips import PosteriorSampling

__all__ = [
    "Algorithm",
    "AuerElimination",
    "Certificate",
    "Claims",
    "LeaderChallenger",
    "NaiveElimination",
    "OptimalProportions",
    "PaVeBa",
    "Plan",
    "PosteriorSampling",
    "Result",
    "SequentialHalving",
    "SequentialRejects",
    "Status",
    "SuccessiveElimination",
]

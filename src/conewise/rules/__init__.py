"""Algorithms on one contract: `ask` what to evaluate, `tell` what came back, `recommend` an answer at any time."""

from conewise.certificate.certificate import Certificate
from conewise.certificate.claims import Claims
from conewise.rules.adaptive.challenger import LevelChallenger
from conewise.rules.adaptive.layouts import PairedElimination, SeparateElimination, SuccessiveElimination
from conewise.rules.contract import Algorithm, Plan, Planner, Result, Status
from conewise.rules.modelled import ModelGuided, SeparateModelGuided
from conewise.rules.naive import NaiveElimination
from conewise.rules.published.ape import LeaderChallenger
from conewise.rules.published.auer import AuerElimination
from conewise.rules.published.ege import SequentialHalving, SequentialRejects
from conewise.rules.published.ehvi import HypervolumeImprovement
from conewise.rules.published.epal import EpsilonPAL
from conewise.rules.published.paveba import PaVeBa
from conewise.rules.published.pfes import FrontierEntropy
from conewise.rules.published.psips import PosteriorSampling
from conewise.rules.published.vogp import VOGP

__all__ = [
    "VOGP",
    "Algorithm",
    "AuerElimination",
    "Certificate",
    "Claims",
    "EpsilonPAL",
    "FrontierEntropy",
    "HypervolumeImprovement",
    "LeaderChallenger",
    "LevelChallenger",
    "ModelGuided",
    "NaiveElimination",
    "PaVeBa",
    "PairedElimination",
    "Plan",
    "Planner",
    "PosteriorSampling",
    "Result",
    "SeparateElimination",
    "SeparateModelGuided",
    "SequentialHalving",
    "SequentialRejects",
    "Status",
    "SuccessiveElimination",
]

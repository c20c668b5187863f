"""Algorithms on one contract: `ask` what to evaluate, `tell` what came back, `recommend` an answer at any time."""

from conewise.algorithms.adaptive.cells import SeparateModelGuided
from conewise.algorithms.adaptive.challenger import LevelChallenger
from conewise.algorithms.adaptive.elimination import SuccessiveElimination
from conewise.algorithms.adaptive.modelled import ModelGuided
from conewise.algorithms.adaptive.paired import PairedElimination
from conewise.algorithms.adaptive.separate import SeparateElimination
from conewise.algorithms.contract import Algorithm, Plan, Planner, Result
from conewise.algorithms.naive import NaiveElimination
from conewise.algorithms.published.ape import LeaderChallenger
from conewise.algorithms.published.auer import AuerElimination
from conewise.algorithms.published.ege import SequentialHalving, SequentialRejects
from conewise.algorithms.published.ehvi import HypervolumeImprovement
from conewise.algorithms.published.epal import EpsilonPAL
from conewise.algorithms.published.paveba import PaVeBa
from conewise.algorithms.published.pfes import FrontierEntropy
from conewise.algorithms.published.psips import PosteriorSampling
from conewise.algorithms.published.vogp import VOGP
from conewise.algorithms.status import Status
from conewise.certificate.certificate import Certificate
from conewise.certificate.claims import Claims

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

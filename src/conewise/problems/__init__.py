"""Provide evaluations: simulated bandits, recorded blocks, boxes, functions, examples and hard instances."""

from conewise.problems.box import Box
from conewise.problems.called import Called
from conewise.problems.embedded import load
from conewise.problems.hard import HardInstance, gap_dependent_instance, worst_case_instance
from conewise.problems.onebyone import OneByOne
from conewise.problems.recorded import Recorded
from conewise.problems.simulated import GaussianNoise, HeavyTailed, NoiseSource, SimulatedBandit, TwoPoint, UniformNoise

__all__ = [
    "Box",
    "Called",
    "GaussianNoise",
    "HardInstance",
    "HeavyTailed",
    "NoiseSource",
    "OneByOne",
    "Recorded",
    "SimulatedBandit",
    "TwoPoint",
    "UniformNoise",
    "gap_dependent_instance",
    "load",
    "worst_case_instance",
]

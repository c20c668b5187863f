"""Where evaluations come from: simulated bandits, recorded blocks, examples, and the hard instances of the proofs."""

from conewise.problems.embedded import load
from conewise.problems.hard import HardInstance, gap_dependent_instance, worst_case_instance
from conewise.problems.recorded import Recorded
from conewise.problems.simulated import GaussianNoise, HeavyTailed, NoiseSource, SimulatedBandit, TwoPoint, UniformNoise

__all__ = [
    "GaussianNoise",
    "HardInstance",
    "HeavyTailed",
    "NoiseSource",
    "Recorded",
    "SimulatedBandit",
    "TwoPoint",
    "UniformNoise",
    "gap_dependent_instance",
    "load",
    "worst_case_instance",
]

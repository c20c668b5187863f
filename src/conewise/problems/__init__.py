"""Where designs and evaluations come from: embedded examples, and the hard instances of the lower-bound proofs."""

from conewise.problems.embedded import Designs, load
from conewise.problems.hard import HardInstance, gap_dependent_instance, worst_case_instance

__all__ = ["Designs", "HardInstance", "gap_dependent_instance", "load", "worst_case_instance"]

"""Vector optimisation with stochastic bandit feedback: what "better" means is a cone, evaluations are noisy.

    import conewise as cw
    cone = cw.Cone.planar(135)
    cw.pareto_mask(means, cone)

Every name below is public; anything that starts with an underscore is not.
"""

from conewise import problems
from conewise._version import __version__
from conewise._widest import OrderingComplexity
from conewise.complexity import LowerBound, gap_dependent_bound, hardness, worst_case_bound
from conewise.cones import Cone
from conewise.errors import ConeError, ConewiseError, InputError
from conewise.gaps import cover_gaps, escape_gaps, lift_norm, separation_gaps, suboptimality_gaps
from conewise.goals import Verdict, verdict
from conewise.order import dominates, pareto_mask, strongly_dominates, weakly_dominates

__all__ = [
    "Cone",
    "ConeError",
    "ConewiseError",
    "InputError",
    "LowerBound",
    "OrderingComplexity",
    "Verdict",
    "__version__",
    "cover_gaps",
    "dominates",
    "escape_gaps",
    "gap_dependent_bound",
    "hardness",
    "lift_norm",
    "pareto_mask",
    "problems",
    "separation_gaps",
    "strongly_dominates",
    "suboptimality_gaps",
    "verdict",
    "weakly_dominates",
    "worst_case_bound",
]

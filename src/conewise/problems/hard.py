"""Build the two instances on which the lower bounds are proved, as means and a direction of two-point noise.

An evaluation of design i returns mu_i + noise or mu_i - noise, each with probability one half. A change of the coin of
one design moves its mean along the noise direction. `moved` gives the means after the move in the proof. On them, a
correct returned set must differ in that design.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Floats, as_count, as_epsilon, as_points, as_positive, as_selection, read_only
from conewise.cone.cone import Cone, ConeLike, as_cone
from conewise.errors import InputError
from conewise.order.complexity import beyond_unit_improvements, costliest_direction
from conewise.order.dominance import pareto_mask
from conewise.order.gaps import lift_norm, separation_gaps, suboptimality_gaps
from conewise.problems.simulated import SimulatedBandit, TwoPoint


@dataclass(frozen=True, eq=False)
class HardInstance:
    """Means (K, D) and the noise vector y of a two-point distribution: +y or -y, each with probability 1/2."""

    means: Floats
    noise: Floats
    cone: Cone
    epsilon: float
    steps: tuple[float, float, float, float]
    """Lengths of the proof's moves along `noise` for each unit of a design's gap, in four cases: Pareto and not
    returned, Pareto and returned, returned but not Pareto, neither."""

    @property
    def problem(self) -> SimulatedBandit:
        """Bandit with these means and noise, which can be evaluated."""
        return SimulatedBandit(self.means, TwoPoint(self.noise), about="a hard instance of the lower-bound proofs")

    def moved(self, design: int, returned: ArrayLike) -> Floats:
        """Return the means after the proof's move of one design, given the set returned on the original means.

        On the moved means every successful set contains the design if the original one did not, and vice versa.
        """
        design = as_count(design, "design", minimum=0)
        if design >= len(self.means):
            raise InputError(f"design must be one of 0 to {len(self.means) - 1}, got {design}.")
        chosen = as_selection(returned, len(self.means), "returned")
        front = pareto_mask(self.means, self.cone)
        if chosen[design] and front[design] and front.sum() == 1:
            raise InputError(
                f"design {design} is the only Pareto design: its gap is infinite and the proof moves no such design; "
                "choose another design, or means with two Pareto designs."
            )
        gap = (separation_gaps if front[design] else suboptimality_gaps)(self.means, self.cone)[design]
        gap = max(float(gap), self.epsilon) if np.isfinite(gap) else self.epsilon
        into = not chosen[design]
        case = (0 if into else 1) if front[design] else (3 if into else 2)
        means = self.means.copy()
        means[design] += (1.0 if into else -1.0) * self.steps[case] * gap * self.noise
        return read_only(means)


def gap_dependent_instance(means: ArrayLike, cone: ConeLike, epsilon: float) -> HardInstance:
    """Return the instance that proves the gap-dependent bound: any means, noise of length 1/4 along u* = z*/|z*|.

    Reference: Ararat & Tekin 2023, proof of Theorem 5.1, cases 1 to 4 (means in [1/4, 3/4]^D, epsilon <= 1/8 there).
    """
    cone = as_cone(cone)
    points = as_points(means, "means", cone.dim)
    epsilon = as_positive(epsilon, "epsilon")
    z = beyond_unit_improvements(cone)
    length = float(np.linalg.norm(z))
    noise = z / length / 4
    # In units of u*: 2 f(1), 3 f(1), 2 f(1) and 1 + 2 f(1), where f(1) = |z*| = max_n alpha_n / (w_n.u*). Strictly more
    # than the least move of case 4 is needed for "not covered", hence the added one.
    steps = (8 * length, 12 * length, 8 * length, 4 + 8 * length)
    return HardInstance(read_only(points.copy()), read_only(noise), cone, epsilon, steps)


def worst_case_instance(cone: ConeLike, n_designs: int, epsilon: float) -> HardInstance:
    """Return the instance that proves the worst-case bound: two designs, one dominated, and K - 2 identical others.

    mu_1 = 0 is dominated, mu_2 in C is Pareto, and mu_i = mu_2 - v with v in neither C nor -C and M = epsilon between
    them. The noise has length |u*|/4 along u*, where the ratio that defines beta_2 is attained.

    Reference: Ararat & Tekin 2023, Theorem 5.3 and its proof (K >= 4; D >= 2, since in R every v lies in C or -C).
    """
    n_designs, epsilon = as_count(n_designs, "n_designs", minimum=4), as_epsilon(epsilon, exact=False)
    cone = as_cone(cone)
    if cone.dim < 2:
        raise InputError("the worst-case instance needs at least 2 objectives: with 1 all designs can be compared.")
    u = costliest_direction(cone)
    v = _incomparable(cone)
    v = v * epsilon / float(lift_norm(np.maximum(-(cone.facets @ v), 0.0), cone))
    top = cone.centre
    means = np.vstack([np.zeros(cone.dim), top, np.tile(top - v, (n_designs - 2, 1))])
    # A move beyond 2/beta_2 puts a design into the set, one of 3/beta_2 takes it out; in units of noise, 4 times that.
    beta2 = cone.complexity.beta2
    enter, leave = 4 * (2 / beta2) * (1 + 1e-6), 4 * 3 / beta2
    return HardInstance(read_only(means), read_only(u / 4), cone, epsilon, (enter, leave, leave, enter))


def _incomparable(cone: Cone) -> Floats:
    """Return a unit vector orthogonal to the centre of C, and so far outside both C and -C."""
    across = np.linalg.svd(cone.centre[None, :])[2][1:]
    candidates = np.vstack([across, -across])
    depth = np.minimum((cone.facets @ candidates.T).max(axis=0), -(cone.facets @ candidates.T).min(axis=0))
    best: Floats = candidates[depth.argmax()]
    return best

"""A rule of our own: the cheapest proportions between leaders and those they beat.

To show that i is beaten by j, with n_i and n_j observations, asks for v_i / n_i + v_j / n_j <= (gain / z)^2. A leader
that beats many is worth knowing better than they are: with m followers of equal gaps the cheapest n_j is sqrt(m) n_i,
and the total falls from 2 (m + 1) to (1 + sqrt m)^2 units. This is track-and-stop's idea (sample in the proportions
that would make the stopping statistic grow fastest, judged by the averages so far) for a certificate that compares at
a few ratios of counts (`Certificate.leads`) instead of all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conewise._arrays import Floats
from conewise.algorithms.adaptive.certified import CertifiedRule, Costs

_CANDIDATES = 64  # numbers of observations tried for one leader
_FURTHEST = 6.0  # times the observations of the least known follower, where a leader goes ahead from the beginning


@dataclass(frozen=True, eq=False)
class OptimalProportions(CertifiedRule):
    """Elimination in which a leader runs ahead of its followers as far as that saves evaluations.

    Every design that is best put out is assigned to the rival that does so soonest: stars of one leader and its
    followers. For a star the total is minimised over the leader's number of observations, where each follower uses
    the best ratio of counts that this number allows. What is in rather than out is asked for as in elimination.
    """

    def targets(self, costs: Costs) -> Floats:
        """Minimal totals, star by star, on top of what the designs that are in ask for."""
        ratios = np.array(list(self.certificate.leads))
        leaving, targets = costs.ways(float(ratios.max()))
        for leader in np.unique(costs.best[leaving]):
            star = np.flatnonzero(leaving & (costs.best == leader))
            most, each = cheapest_star(costs.mine[star], costs.theirs[star], ratios, float(targets[leader]))
            targets[leader] = max(targets[leader], most)
            np.maximum.at(targets, costs.rows[star], each)
        return targets

    def leads(self, costs: Costs, targets: Floats) -> Floats:
        """How many times its followers' observations a leader is to have, as far as the certificate can use it.

        After a pilot, where designs may be covered, it goes ahead at once, by the square root of the number of its
        followers: it will need these observations anyway for the last of them, and the first are out the sooner.
        """
        if self.certificate.weighted and self.question.success == "cover" and len(self.certificate.leads) > 1:
            followers = np.bincount(costs.best[np.isfinite(costs.mine)], minlength=len(costs.left))
            return np.asarray(np.clip(np.sqrt(followers), 1.0, _FURTHEST))
        hardest = np.zeros(len(costs.left))
        np.maximum.at(hardest, costs.best, np.where(np.isfinite(costs.mine), targets[costs.rows], 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            leads = np.where(hardest > 0, np.maximum(targets / hardest, 1.0), 1.0)
        return np.asarray(np.minimum(leads, max(self.certificate.leads)))


def cheapest_star(mine: Floats, theirs: Floats, ratios: Floats, least: float) -> tuple[float, Floats]:
    """Observations of the leader (at least `least`) and of each follower with the smallest total.

    At a ratio r a follower needs mine + theirs / r observations, and the leader r times as many.
    """
    follower = mine[:, None] + theirs[:, None] / ratios
    leader = follower * ratios
    lowest = max(least, float(leader[:, 0].max()))
    tries = np.unique(np.concatenate([[lowest], leader[leader > lowest]]))
    if len(tries) > _CANDIDATES:
        tries = tries[np.linspace(0, len(tries) - 1, _CANDIDATES).astype(np.intp)]
    each = np.where(leader[:, :, None] <= tries * (1 + 1e-12), follower[:, :, None], np.inf).min(axis=1)
    best = int((each.sum(axis=0) + tries).argmin())
    return float(tries[best]), each[:, best]

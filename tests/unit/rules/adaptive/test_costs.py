"""What open questions would cost, against loops over the definitions, and what a rule asks for by it."""

from __future__ import annotations

import numpy as np
import pytest
from shared.certificates import fine_boundary, out_boundary

import conewise as cw
from conewise.noise import Gaussian
from conewise.rules import SuccessiveElimination

CONE = cw.Cone.planar(60)
AHEAD = 1.85


def on_the_way(rule, problem, seed=0):
    """States of a run at which something is open, with claims."""
    rng, state = np.random.default_rng(seed), rule.start()
    while (pulls := rule.ask(state)).total:
        state = rule.tell(state, problem.evaluate(pulls, rng))
        claims = rule.certificate.claims(state)
        if (state.reached >= 0).all() and not claims.done:
            yield state, claims


def level_of(counts, n):
    """The level at which a design with n observations is expected to be asked about next."""
    return min(int(np.searchsorted(counts, n * AHEAD)), len(counts) - 1)


def test_costs_are_what_their_definitions_say():
    """Covering: until i is fine against j within epsilon, or out by the rival with the largest margin.

    A forecast adds the standard error of a mean to each gap that is above 0.
    """
    means = np.random.default_rng(3).normal(size=(7, 2))
    problem, epsilon, sigma = cw.SimulatedBandit(means, Gaussian(0.5)), 0.3, 0.5
    rule = SuccessiveElimination(cw.Question(CONE, epsilon, 0.1, Gaussian(sigma)), 7, pilots=False)
    certificate, seen = rule.certificate, 0
    counts, w, ways = np.array(certificate.levels.counts), CONE.facets, set()
    z = fine_boundary(certificate, 7), out_boundary(certificate, 7)
    for state, claims in on_the_way(rule, problem):
        needs, have, seen = rule.needs(state, claims), state.statistics.counts, seen + 1
        values = state.statistics.means @ w.T
        asked = np.zeros(len(needs.left))
        for row, i in enumerate(needs.left[needs.rows]):
            margins, fine = {}, np.zeros(len(needs.left))
            for column, j in enumerate(needs.left):
                spread = sigma * np.sqrt(2)
                gains = (values[j] - values[i]) / spread
                coming = level_of(counts, min(have[i], have[j]))
                following = counts[min(np.searchsorted(counts, min(have[i], have[j]), side="right"), len(counts) - 1)]
                if i != j and claims.no_worse_at[needs.rows[row], column] > epsilon:
                    slack = (epsilon * CONE.widths / spread - gains).max()
                    ahead = np.hypot(slack, np.sqrt(0.5 / min(have[i], have[j])))
                    fine[column] = min(max((z[0][coming] / ahead) ** 2, following), counts[-1])
                    fine[column] = fine[column] if slack > 0 else counts[-1]
                if i != j:
                    margins[column] = (gains + epsilon / certificate.cover_factor / spread).min(), coming, following
            best = max(margins, key=lambda column: margins[column][0])
            margin, coming, following = margins[best]
            assert needs.best[row] == best
            ahead = np.hypot(margin, np.sqrt(0.5 / min(have[i], have[needs.left[best]])))
            out = max((z[1][coming] / ahead) ** 2, following) if margin > 0 else np.inf
            own = min(out, fine.max())
            if out < fine.max():
                ways.add("out")
                fine = np.where(np.arange(len(fine)) == best, out, 0.0)
            else:
                ways.add("in")
            assert needs.own[0, row] == pytest.approx(own, rel=1e-9)
            assert needs.others[0, row] == pytest.approx(fine, rel=1e-9)
            asked = np.maximum(asked, fine)
            asked[needs.rows[row]] = max(asked[needs.rows[row]], own)
        assert needs.targets[0] == pytest.approx(asked, rel=1e-9)
    assert ways == {"in", "out"}
    assert seen > 5


def test_nobody_waits_for_more_than_the_last_level():
    problem = cw.SimulatedBandit(np.zeros((3, 2)), Gaussian(1.0))
    rule = SuccessiveElimination(cw.Question(cw.Cone.orthant(2), 0.5, 0.1, Gaussian(1.0)), 3)
    last = rule.certificate.levels.counts[-1]
    for state, claims in on_the_way(rule, problem):
        assert rule.needs(state, claims).targets.max() <= last

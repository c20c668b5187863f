"""What open questions would cost, against loops over the definitions, and what a rule asks for by it."""

from __future__ import annotations

import numpy as np
import pytest
from shared.certificates import fine_boundary, out_boundary

import conewise as cw
from conewise.noise import Gaussian
from conewise.rules import SuccessiveElimination
from conewise.rules.adaptive.costs import Costs

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
    counts, w = np.array(certificate.levels.counts), CONE.facets
    z = fine_boundary(certificate, 7), out_boundary(certificate, 7)
    for state, claims in on_the_way(rule, problem):
        costs, have, seen = rule.costs(state, claims), state.statistics.counts, seen + 1
        values = state.statistics.means @ w.T
        for row, i in enumerate(costs.left[costs.rows]):
            margins = {}
            for column, j in enumerate(costs.left):
                spread = sigma * np.sqrt(2)
                gains = (values[j] - values[i]) / spread
                coming = level_of(counts, min(have[i], have[j]))
                following = counts[min(np.searchsorted(counts, min(have[i], have[j]), side="right"), len(counts) - 1)]
                if i == j or claims.no_worse_at[costs.rows[row], column] <= epsilon:
                    assert costs.fine[row, column] == 0
                else:
                    slack = (epsilon * CONE.widths / spread - gains).max()
                    slack = np.hypot(slack, np.sqrt(0.5 / min(have[i], have[j])))
                    needed = min(max((z[0][coming] / slack) ** 2, following), counts[-1])
                    needed = needed if (epsilon * CONE.widths / spread - gains).max() > 0 else counts[-1]
                    assert costs.fine[row, column] == pytest.approx(needed, rel=1e-9)
                if i != j:
                    margins[column] = (gains + epsilon / certificate.cover_factor / spread).min(), coming, following
            best = max(margins, key=lambda column: margins[column][0])
            margin, coming, following = margins[best]
            assert costs.best[row] == best
            ahead = np.hypot(margin, np.sqrt(0.5 / min(have[i], have[costs.left[best]])))
            expected = max((z[1][coming] / ahead) ** 2, following) if margin > 0 else np.inf
            assert costs.out[row] == pytest.approx(expected, rel=1e-9)
    assert seen > 5


def costs_of(fine, best, out) -> Costs:
    everyone = np.arange(len(best))
    return Costs(everyone, everyone, np.array(fine, dtype=float), np.array(best), np.array(out, dtype=float))


@pytest.fixture
def rule():
    return SuccessiveElimination(cw.Question(cw.Cone.orthant(2), 0.3, 0.1, Gaussian(1.0)), 3)


def test_designs_that_nothing_puts_out_ask_for_every_rival(rule):
    fine = [[0.0, 40.0, 30.0], [40.0, 0.0, 10.0], [30.0, 10.0, 0.0]]
    assert rule.targets(costs_of(fine, [1, 0, 0], [np.inf] * 3)).tolist() == [40.0, 40.0, 30.0]


def test_a_design_that_is_put_out_sooner_asks_for_itself_and_its_rival_alone(rule):
    """The rival is known as well as the hardest of its followers needs it."""
    fine = [[0.0, 0.0, 0.0], [900.0, 0.0, 800.0], [900.0, 900.0, 0.0]]
    assert rule.targets(costs_of(fine, [1, 0, 0], [np.inf, 20.0, 70.0])).tolist() == [70.0, 20.0, 70.0]


def test_nobody_waits_for_more_than_the_last_level():
    problem = cw.SimulatedBandit(np.zeros((3, 2)), Gaussian(1.0))
    rule = SuccessiveElimination(cw.Question(cw.Cone.orthant(2), 0.5, 0.1, Gaussian(1.0)), 3)
    last = rule.certificate.levels.counts[-1]
    for state, claims in on_the_way(rule, problem):
        assert rule.costs(state, claims).fine.max(initial=0.0) <= last

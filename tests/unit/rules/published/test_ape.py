"""Leader and challenger (APE): by hand, growing, and the threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shared.published import DELTA

import conewise as cw
from conewise.data.observations import Observations, Pulls
from conewise.noise import Gaussian
from conewise.problems import SimulatedBandit
from conewise.rules.published.ape import LeaderChallenger, threshold


def test_leader_and_challenger_by_hand():
    """Every pull of a run, from the formulas pair by pair, for a cone with unequal alpha and correlated noise."""
    cone = cw.Cone([[1, -2, 4], [4, 1, -2], [-2, 4, 1], [1, 0.2, 1]])
    noise = Gaussian(cov=[[1, 0.5, 0], [0.5, 2, 0.3], [0, 0.3, 0.5]])
    means, epsilon, k = np.random.default_rng(2).normal(size=(5, 3)) * 3, 1.0, 5
    w, alpha = cone.facets, cone.widths
    s = np.sqrt(np.einsum("nd,de,ne->n", w, noise.covariance(3), w))
    level = threshold(math.log(k * (k - 1) * len(w) / 2 / DELTA) / 2)
    algorithm, problem, rng = (
        LeaderChallenger(cw.Question(cone, epsilon, DELTA, noise), k),
        SimulatedBandit(means, noise),
        3,
    )
    generator = np.random.default_rng(rng)
    state = algorithm.tell(algorithm.start(), problem.evaluate(Pulls(range(k)), generator))
    for _ in range(400):
        mean, t = state.means, state.counts

        def bound(i, j, sign, mean=mean, t=t):
            slow = math.log(4 + math.log(t[i])) + math.log(4 + math.log(t[j]))
            b = s * 2 * math.sqrt((level + slow) * (1 / t[i] + 1 / t[j]))
            return max((w @ (mean[i] - mean[j]) + sign * b + epsilon * alpha) / alpha)

        def beaten(i, j, bound=bound):  # mlo(i, j)
            return epsilon - bound(i, j, +1)

        others = {i: [j for j in range(k) if j != i] for i in range(k)}
        h = {i: min(bound(i, j, -1) for j in others[i]) for i in range(k)}
        g = {i: max(beaten(i, j) for j in others[i]) for i in range(k)}
        front = cw.pareto_mask(mean, cone)
        if all(h[i] > 0 if front[i] else max(g[i], h[i]) > 0 for i in range(k)):
            break
        b = max((i for i in range(k) if h[i] <= 0), key=lambda i: min(bound(i, j, +1) for j in others[i]))
        c = min(others[b], key=lambda j: bound(b, j, -1))
        pulls = algorithm.ask(state)
        assert pulls.designs.tolist() == [b if t[b] <= t[c] else c]
        assert pulls.counts.tolist() == [1]
        state = algorithm.tell(state, problem.evaluate(pulls, generator))
    assert state.evaluations > 50
    assert algorithm.ask(state).total == 0
    result = algorithm.recommend(state)
    assert result.indices == [i for i in range(k) if g[i] <= 0]
    assert isinstance(result.guarantee, cw.Guarantee)


def test_the_threshold_is_about_x_plus_log_x():
    for x in (5.0, 10.0, 20.0, 40.0):
        assert threshold(x) == pytest.approx(x + math.log(x), rel=0.05)
    # any value of the free parameter gives an upper bound; here 3/4, and zeta(3/2) from a table
    g = 1.5 - 1.5 * math.log(3) + math.log(2.6123753487) + math.log(4) / 2
    assert threshold(8.0) < (g + 8.0) / 0.75
    assert threshold(0.5) < (g + 0.5) / 0.75 < 1.5 * threshold(0.5)


def test_leader_and_challenger_grow():
    algorithm = LeaderChallenger(cw.Question(cw.Cone.orthant(2), 1e-3, DELTA, Gaussian(1)), 3, growth=0.5)
    state = algorithm.tell(algorithm.start(), Observations([0, 1, 2], np.zeros((3, 2)), [100, 101, 102]))
    pulls = algorithm.ask(state)
    assert len(pulls.designs) == 1
    assert pulls.total in (50, 51)
    assert algorithm.ask(state, 7).total == 7

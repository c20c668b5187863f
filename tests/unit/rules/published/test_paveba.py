"""PaVeBa: its balls, its rounds against a literal reading, and the evaluations of the authors' library."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.stats import chi
from shared.published import DELTA, SIGMA, columns_of, play, rounds_of

import conewise as cw
from conewise.noise import Gaussian
from conewise.problems import SimulatedBandit
from conewise.rules.published.paveba import PaVeBa
from conewise.rules.published.rounds import Standing


def test_paveba_needs_a_positive_epsilon():
    with pytest.raises(cw.InputError, match="epsilon must be above 0"):
        PaVeBa(cw.Question(cw.Cone.orthant(2), 0.0, DELTA, Gaussian(1), success="contain"), 4, max_evaluations=100)


def distance(gain: np.ndarray, cone: cw.Cone, epsilon: float) -> float:
    """From a difference to {v : W v >= epsilon alpha}: least-distance programming (Lawson & Hanson 1974, ch. 23)."""
    system = np.vstack([cone.facets.T, epsilon * cone.widths - cone.facets @ gain])
    last = np.eye(len(system))[-1]
    rest = system @ nnls(system, last)[0] - last
    return float(np.linalg.norm(rest[:-1] / rest[-1]))


def paveba_by_hand(
    values: np.ndarray, cone: cw.Cone, epsilon: float, delta: float, sigma: float, scale: float
) -> tuple[list[set[int]], set[int]]:
    """Karagözlü et al. 2024, round by round with sets and a solver."""
    _, k, d = values.shape
    undecided, accepted, useful, history = set(range(k)), set(), set(), []
    for t in range(1, len(values) + 1):
        mean = values[:t].mean(axis=0)
        r = scale * math.sqrt(8 * sigma**2 / t * math.log(math.pi**2 * (d + 1) * k * t**2 / (6 * delta)))
        in_play = undecided | useful

        def far(x, y, mean=mean, r=r):
            return distance(mean[y] - mean[x], cone, epsilon) > 2 * r

        undecided = {
            x for x in undecided if not any((cone.facets @ (mean[y] - mean[x]) >= 2 * r).all() for y in in_play - {x})
        }
        in_play = undecided | useful
        new = {x for x in undecided if all(far(x, y) for y in in_play - {x})}
        undecided, accepted = undecided - new, accepted | new
        useful = {y for y in new | useful if any(not far(x, y) for x in undecided)}
        history.append((undecided | useful) if undecided else set())
        if not undecided:
            break
    return history, accepted


@pytest.mark.parametrize("cone", [cw.Cone.orthant(2), cw.Cone.planar(50), cw.Cone.planar(140)], ids=str)
def test_paveba_round_by_round(cone):
    means = [[0.0, 0.0], [2.0, -1.0], [2.4, -1.5], [-0.8, 1.5], [-1.0, 1.7], [-2.0, -1.0]]
    values = columns_of(means, 0.5, 400, 1)
    by_hand = paveba_by_hand(values, cone, 0.5, DELTA, 0.5, 1 / 2)
    assert len(by_hand[0]) > 10
    algorithm = PaVeBa(cw.Question(cone, 0.5, DELTA, Gaussian(0.5)), 6, radius_scale=1 / 2)
    assert rounds_of(algorithm, values) == by_hand


def test_an_accepted_design_is_evaluated_while_it_may_decide_another():
    """Design 1 is soon accepted; 0 is behind it by little more than epsilon, and without 1 would be accepted too."""
    means, cone = [[0.0, 0.0], [0.6, 0.6], [-4.0, 4.0]], cw.Cone.orthant(2)
    algorithm = PaVeBa(cw.Question(cone, 0.5, DELTA, Gaussian(SIGMA)), 3, growth=0.02)
    state, generator, useful = algorithm.start(), np.random.default_rng(0), 0
    while (pulls := algorithm.ask(state)).total:
        useful += int(state.standing[1] == Standing.USEFUL and 1 in pulls.designs)
        state = algorithm.tell(state, SimulatedBandit(means, Gaussian(SIGMA)).evaluate(pulls, generator))
    assert useful > 5
    assert algorithm.recommend(state).indices == [1, 2]


def test_published_balls_hold_for_normal_noise():
    """P(|mean| > r) summed over rounds and designs stays below delta, from the exact distribution of the length."""
    for dim, k in [(1, 2), (2, 5), (3, 200), (8, 20), (12, 50)]:
        algorithm = PaVeBa(cw.Question(cw.Cone.orthant(dim), 0.1, DELTA, Gaussian(1)), k)
        t = np.arange(1, 10_000)
        assert k * chi(dim).sf(algorithm.radii(t) * np.sqrt(t)).sum() < DELTA
        assert algorithm.balls_hold
    large = PaVeBa(cw.Question(cw.Cone.orthant(60), 0.5, 0.5, Gaussian(1)), 2)
    assert not large.balls_hold
    assert "not known to hold" in str(large.recommend(large.start()).guarantee)


def test_paveba_takes_as_many_evaluations_as_the_authors_library():
    """Standardised SNW, sigma 0.1, epsilon 0.1, delta 0.05, 135 degrees: VOPy 0.2.0 with the proven radius: 45 420."""
    means = cw.problems.load("snw").means
    means = (means - means.mean(axis=0)) / means.std(axis=0)
    algorithm = PaVeBa(cw.Question(cw.Cone.planar(135), 0.1, 0.05, Gaussian(0.1)), len(means), growth=0.02)
    assert play(algorithm, means, 0).evaluations == pytest.approx(45_420, rel=0.1)

"""Bounds of gains where objectives differ in their kind: against the formula of docs/blocks, section 8."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

import conewise as cw
from conewise.certificate.blocks.kinds import Kinds, Rows
from conewise.certificate.blocks.wagers import lower_bounds, stakes_for
from conewise.certificate.weights import Standing
from conewise.data.observations import Observations
from conewise.errors import InputError
from conewise.noise import Binary, Bounded, ByObjective, Gaussian, GaussianUnknown, Known
from conewise.problems import Recorded
from conewise.rules import PairedElimination

NOISE = ByObjective([Binary(), GaussianUnknown(), Known()])
PRICES = np.array([0.3, 0.1, 0.3, 0.1])
WEIGHTS = np.array([[0.8, 0.6, 0.0], [0.0, 0.0, 1.0], [0.6, 0.0, 0.8], [0.0, 1.0, 0.0]])
"""Facets that weigh two noisy kinds, none, the bounded one and the normal one."""


def drawn(blocks=90, seed=0):
    rng = np.random.default_rng(seed)
    hard = rng.random((1, blocks))
    right = (0.5 * hard + 0.5 * rng.random((4, blocks)) < np.array([[0.6], [0.5], [0.35], [0.3]])).astype(float)
    normal = np.array([[0.2], [0.6], [0.1], [0.5]]) + hard + 0.2 * rng.normal(size=(4, blocks))
    return np.stack([right, normal, np.broadcast_to(PRICES[:, None], right.shape)], axis=2)


@pytest.mark.parametrize("population", [None, 200])
def test_bounds_are_sums_over_the_kinds(population):
    values, shares = drawn(), np.array([0.01, 0.001])
    bounds = Rows(WEIGHTS, Kinds.of(NOISE, 3), 90, population, 4)
    assert bounds.noisy.tolist() == [2, 0, 1, 1]
    found = bounds.by_bets(values[1:2] - values[2], shares)[0] + bounds.others(values, np.zeros(3), shares)[2, 1]
    i, j, left = 2, 1, 1 / 90 - (0 if population is None else 1 / population)
    difference = values[j] - values[i]
    spread = difference[:, 1].std(ddof=1) * np.sqrt(left)
    for place, share in enumerate(shares):

        def bet(weight, share):
            return lower_bounds(difference[None, :, :1], -np.log([share]), stakes_for(90), population)[0, 0, 0] * weight

        def student(weight, share):
            return weight * (difference[:, 1].mean() - t.isf(share / 4, 89) * spread)

        expected = [
            bet(0.8, share / 2) + student(0.6, share / 2),
            PRICES[j] - PRICES[i],
            bet(0.6, share) + 0.8 * (PRICES[j] - PRICES[i]),
            student(1.0, share),
        ]
        assert found[:, place] == pytest.approx(expected, abs=1e-8)
        assert found[0, place] < WEIGHTS[0] @ difference.mean(axis=0)


def test_a_design_that_has_read_nothing_is_not_bounded():
    values = drawn()
    values[3] = np.nan
    found = Rows(WEIGHTS, Kinds.of(NOISE, 3), 90, None, 1).others(values, np.zeros(3), np.array([0.1]))[..., 0]
    assert (found[3, :3] == -np.inf).any(axis=1).all()
    assert (found[:3, 3] == -np.inf).any(axis=1).all()
    assert np.isfinite(found[0, 1]).all()


def rule(values, population, **options):
    question = cw.Question(cw.Cone.orthant(3), 0.1, 0.05, NOISE, options.pop("success", "cover"))
    return PairedElimination(question, len(values), blocks=values.shape[1], population=population, **options)


@pytest.mark.parametrize("success", ["cover", "contain"])
def test_read_step_by_step_or_at_once_and_everything_is_exact_in_the_end(success):
    values = drawn(60)
    asked = rule(values, 60, success=success)
    at_once = asked.certificate.tell_table(values)
    state = asked.start()
    for start in range(0, 60, 20):
        designs = np.repeat(np.arange(4), 20)
        state = asked.tell(state, Observations.single(designs, values[:, start : start + 20].reshape(-1, 3)))
    np.testing.assert_array_equal(state.reach, at_once.reach)
    ours, theirs = asked.recommend(state), asked.recommend(at_once)
    assert ours.status.tolist() == theirs.status.tolist()
    truth = cw.pareto_mask(values.mean(axis=1), cw.Cone.orthant(3))
    assert (ours.pareto == truth).all()
    assert ours.certified_epsilon == 0


def test_a_facet_without_noise_costs_nothing_and_decides_at_once():
    values = drawn()
    certificate = rule(values, None).certificate
    first = Standing.at_first(4)
    fine, out = certificate.shares(first)
    assert (fine.item(), out.item()) == pytest.approx((0.05 / (4 * 2), 0.05 / (4 * 3 * 2)))
    assert rule(values, None, success="contain").certificate.shares(first)[1].item() == pytest.approx(0.05 / (4 * 3))


def test_equal_prices_do_not_settle_an_exact_question():
    """The second is behind the first in all but its price: fine at any epsilon above 0, and beaten at 0."""
    rng = np.random.default_rng(1)
    values = np.stack([np.ones((2, 40)), 0.1 * rng.normal(size=(2, 40)), np.full((2, 40), 0.3)], axis=2)
    values[1, :, 0] = 0.0
    values[1, :, 1] -= 1.0
    question = cw.Question(cw.Cone.orthant(3), 0.0, 0.05, NOISE, "contain")
    exact = PairedElimination(question, 2, blocks=40, population=None, once=True)
    result = exact.recommend(exact.certificate.tell_table(values))
    assert result.status.tolist() == ["kept", "beaten"]
    assert result.certified_epsilon == 0
    few = PairedElimination(question, 2, blocks=40, population=None)
    early = few.tell(few.start(), Observations.single([0, 1] * 6, values[:, :6].transpose(1, 0, 2).reshape(-1, 3)))
    assert few.certificate.claims(early).accept_at[1] > 0
    open_ = few.recommend(early)
    assert open_.status.tolist() == ["kept", "undecided"]
    assert open_.certified_epsilon == 0
    assert few.ask(early).total > 0


def test_a_known_objective_that_changes_is_refused():
    values = drawn(20)
    values[2, 7, 2] = 0.35
    with pytest.raises(InputError, match=r"objective 3 of design 2 is 0.3 and 0.35, although .* no noise"):
        rule(values, 20).certificate.tell_table(values)
    asked = rule(values, 20)
    state = asked.tell(asked.start(), Observations.single([2] * 7, values[2, :7]))
    with pytest.raises(InputError, match=r"objective 3 of design 2 is 0\.3 and 0\.35"):
        asked.tell(state, Observations.single([2], values[2, 7:8]))


def test_any_batches_give_the_same_bounds():
    """An objective that did not vary for a while, recorded in coarse steps, counts as it is known in the end."""
    values = drawn(60)
    values[:, :, 1] = np.array([[0.1], [0.2], [0.3], [0.4]])
    values[:, 12:, 1] += np.random.default_rng(2).normal(size=(4, 48)).round(1)
    certificate = rule(values, None).certificate
    early = certificate.tell(certificate.start(), _prefix(values, 0, 12))
    state = early  # nothing shows the noise of the second objective yet
    for start in range(12, 60, 8):
        state = certificate.tell(state, _prefix(values, start, start + 8))
    found, fresh = certificate.claims(state), certificate.claims(certificate.tell_table(values))
    np.testing.assert_array_equal(found.accept_at, fresh.accept_at)
    assert np.isfinite(found.accept_at).all()


def _prefix(values, start, stop):
    designs = np.repeat(np.arange(len(values)), stop - start)
    return Observations.single(designs, values[:, start:stop].reshape(-1, values.shape[2]))


@pytest.mark.parametrize("noise", [NOISE, ByObjective([Bounded(0, 1), Gaussian(3), Known()])], ids=str)
@pytest.mark.parametrize("population", [True, 1000, False])
def test_identify_reads_what_it_needs(noise, population):
    values = drawn(400, seed=4)
    problem = Recorded(values, population, noise=noise)
    result = cw.identify(problem, cw.Cone.orthant(3), epsilon=0.15, delta=0.05, rng=3)
    assert result.guarantee
    assert cw.verdict(result.pareto, problem.means, cw.Cone.orthant(3), 0.15)
    assert result.evaluations < 4 * 400

"""How often to evaluate: the paper's figure, its dependence on everything, and the exact edge of each bound."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from shared.cones import named_cones

import conewise as cw
from conewise.noise import Bounded, Gaussian, NormSubGaussian, SubGaussian
from conewise.order.budgets import PAPER_CONSTANT, certified_epsilon, failure_probability

RIGHT = cw.Cone.planar(90)
NOISES = [Gaussian(1.0), Gaussian(0.3), SubGaussian(1.0), NormSubGaussian(0.5), Bounded(-1, 1)]
EXACT = [
    (noise, bound)
    for noise in NOISES
    for bound in ("gaussian", "subgaussian")
    if bound != "gaussian" or isinstance(noise, Gaussian)
]


def budget(cone=RIGHT, noise=None, n_designs=206, epsilon=0.1, delta=0.01, **options):
    return cw.naive_budget(cone, noise or Gaussian(1), n_designs, epsilon, delta, **options)


# -- the paper's example -------------------------------------------------------------------------------------------


def test_the_papers_example():
    """Section 7: "L is about 38.8 x 10^3" for 90 degrees, epsilon = 0.1, and a hundred times that for 0.01."""
    assert budget() == 38_800
    assert budget(epsilon=0.01) == pytest.approx(3_879_949.1, abs=1)
    exact = 4 * (1 + math.sqrt(2)) ** 2 / 0.1**2 * math.log(4 * 2 / (2 * 0.01 / (206 * 205)))
    assert budget() == math.ceil(exact)


def test_the_exact_normal_bound_needs_seven_and_a_half_times_less():
    assert budget(bound="gaussian") == 5_074
    q = norm.isf(0.01 / (206 * 205))
    assert budget(bound="gaussian") == math.ceil(2 * (q / 0.1) ** 2)
    assert 7.6 < budget() / budget(bound="gaussian") < 7.7


def test_the_constant_is_visible_and_enters_squared():
    assert 1 + math.sqrt(2) == PAPER_CONSTANT
    assert budget(c=1.0) == math.ceil(400 * math.log(4 * 206 * 205 / 0.01))
    assert budget(c=2 * PAPER_CONSTANT) == pytest.approx(4 * budget(), abs=4)


# -- what it depends on --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", ["paper", "gaussian", "subgaussian"])
@pytest.mark.parametrize(("degrees", "factor"), [(30, 4.0), (45, 2.0), (60, 4 / 3), (90, 1.0), (120, 1.0), (135, 1.0)])
def test_it_grows_with_the_square_of_the_ordering_complexity(bound, degrees, factor):
    """beta = csc(theta) up to 90 degrees, 1 above."""
    ours, right = (budget(cw.Cone.planar(angle), epsilon=0.01, bound=bound) for angle in (degrees, 90))
    assert ours == pytest.approx(factor * right, rel=1e-5)


@pytest.mark.parametrize("bound", ["paper", "gaussian", "subgaussian"])
def test_it_grows_with_the_squares_of_sigma_and_of_one_over_epsilon(bound):
    reference = budget(epsilon=0.01, bound=bound)
    assert budget(noise=Gaussian(3.0), epsilon=0.01, bound=bound) == pytest.approx(9 * reference, abs=9)
    assert budget(epsilon=0.002, bound=bound) == pytest.approx(25 * reference, abs=25)
    assert budget(noise=Gaussian(3.0), epsilon=0.03, bound=bound) == pytest.approx(reference, abs=1)


@given(
    cone=st.sampled_from(named_cones()),
    case=st.sampled_from([(noise, "paper") for noise in NOISES] + EXACT),
    n_designs=st.integers(2, 500),
    epsilon=st.floats(0.01, 2.0),
    delta=st.floats(1e-6, 0.5),
    easier=st.floats(1.01, 2.0),
)
def test_it_never_falls_when_the_task_gets_harder(cone, case, n_designs, epsilon, delta, easier):
    noise, bound = case
    reference = cw.naive_budget(cone, noise, n_designs, epsilon, delta, bound=bound)
    assert cw.naive_budget(cone, noise, n_designs, epsilon * easier, delta, bound=bound) <= reference
    assert cw.naive_budget(cone, noise, n_designs, epsilon, min(0.9, delta * easier), bound=bound) <= reference
    assert cw.naive_budget(cone, noise, n_designs + 1, epsilon, delta, bound=bound) >= reference


@given(
    cone=st.sampled_from(named_cones()),
    case=st.sampled_from(EXACT),
    n_designs=st.integers(2, 500),
    epsilon=st.floats(0.01, 2.0),
    delta=st.floats(1e-6, 0.5),
)
def test_one_evaluation_less_would_not_be_enough(cone, case, n_designs, epsilon, delta):
    noise, bound = case
    each = cw.naive_budget(cone, noise, n_designs, epsilon, delta, bound=bound)
    assert failure_probability(cone, noise, n_designs, epsilon, each, bound=bound) <= delta
    if each > 1:
        assert failure_probability(cone, noise, n_designs, epsilon, each - 1, bound=bound) > delta


@pytest.mark.parametrize("cone", named_cones(), ids=str)
@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_the_papers_budget_is_covered_by_our_proof(cone, noise):
    """c = 1 + sqrt 2 is read off a reported number; for these cones and assumptions it is enough all the same."""
    each = cw.naive_budget(cone, noise, 50, 0.1, 0.05)
    assert each >= cw.naive_budget(cone, noise, 50, 0.1, 0.05, bound="subgaussian")
    assert failure_probability(cone, noise, 50, 0.1, each, bound="subgaussian") <= 0.05


@pytest.mark.parametrize("cone", named_cones(), ids=str)
def test_exact_normal_tails_never_cost_more_than_chernoffs(cone):
    for n_designs in (2, 3, 50):
        normal, chernoff = (
            cw.naive_budget(cone, Gaussian(1), n_designs, 0.1, 0.05, bound=bound)
            for bound in ("gaussian", "subgaussian")
        )
        assert normal <= chernoff


# -- the bound itself ----------------------------------------------------------------------------------------------


def test_failure_probability_by_hand_for_correlated_noise():
    """docs/theory, section 7.2: the larger of two sums of tails, with the variance along each direction."""
    cone, cov, x = cw.Cone.planar(60), np.array([[1.0, 0.6], [0.6, 2.0]]), 0.2 * math.sqrt(300 / 2)
    covering = 7 * 6 * norm.sf(x / (cone.complexity.beta * math.sqrt(np.linalg.eigvalsh(cov)[-1])))
    quality = 7 * sum(norm.sf(a * x / math.sqrt(w @ cov @ w)) for w, a in zip(cone.facets, cone.widths, strict=True))
    ours = failure_probability(cone, Gaussian(cov=cov), 7, 0.2, 300)
    assert ours == pytest.approx(max(covering, quality), rel=1e-12)


def test_many_facets_and_two_designs_make_the_second_sum_the_larger_one():
    cone = cw.Cone.ice_cream(60, facets=12)
    x = 0.5 * math.sqrt(50 / 2)
    quality = 2 * sum(norm.sf(alpha * x) for alpha in cone.widths)
    assert quality > 2 * norm.sf(x / cone.complexity.beta)
    assert failure_probability(cone, Gaussian(1), 2, 0.5, 50) == pytest.approx(quality, rel=1e-12)


def test_noise_that_differs_by_design_costs_what_the_noisiest_does():
    by_design = Gaussian([[0.1, 0.2], [1.0, 1.0], [0.3, 0.3]])
    assert budget(noise=by_design, n_designs=3, bound="gaussian") == budget(n_designs=3, bound="gaussian")


def test_a_direction_without_noise_makes_no_error():
    flat = Gaussian(cov=[[1.0, 0.0], [0.0, 0.0]])
    assert failure_probability(RIGHT, flat, 2, 0.1, 100) == pytest.approx(2 * norm.sf(0.1 * math.sqrt(50)), rel=1e-12)


def test_a_bound_may_exceed_one_and_is_finite_everywhere():
    assert failure_probability(RIGHT, Gaussian(1), 10**6, 1e-9, 1) > 1
    assert failure_probability(RIGHT, Gaussian(1), 2, 1e9, 10**9) == 0.0


@pytest.mark.parametrize(("noise", "bound"), EXACT, ids=str)
@pytest.mark.parametrize("degrees", [20, 90, 150])
def test_the_certified_epsilon_is_the_budget_read_the_other_way(noise, bound, degrees):
    cone = cw.Cone.planar(degrees)
    each = cw.naive_budget(cone, noise, 30, 0.1, 0.05, bound=bound)
    reached = certified_epsilon(cone, noise, 30, each, 0.05, bound=bound)
    assert 0.1 * (1 - 2 / each) <= reached <= 0.1
    assert certified_epsilon(cone, noise, 30, each - 1, 0.05, bound=bound) > 0.1
    assert failure_probability(cone, noise, 30, reached, each, bound=bound) <= 0.05
    assert failure_probability(cone, noise, 30, reached * (1 - 1e-9), each, bound=bound) > 0.05


def test_the_certified_epsilon_shrinks_with_the_square_root_of_the_evaluations():
    few, many = (certified_epsilon(RIGHT, Gaussian(1), 30, each, 0.05) for each in (100, 10_000))
    assert few == pytest.approx(10 * many, rel=1e-9)


# -- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", ["paper", "gaussian"])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"epsilon": 0}, "epsilon must be above 0, got 0"),
        ({"epsilon": -0.1}, "epsilon must be above 0, got -0.1"),
        ({"epsilon": float("nan")}, "epsilon must be finite"),
        ({"epsilon": "small"}, "epsilon must be a number"),
        ({"delta": 0}, "delta must lie strictly between 0 and 1, got 0"),
        ({"delta": 1}, "delta must lie strictly between 0 and 1, got 1"),
        ({"delta": -0.5}, "delta must lie strictly between 0 and 1"),
        ({"delta": 1.5}, "delta must lie strictly between 0 and 1"),
        ({"n_designs": 1}, "n_designs must be at least 2: a single design is the Pareto set"),
        ({"n_designs": 0}, "n_designs must be at least 1"),
        ({"n_designs": 2.5}, "n_designs must be a whole number"),
        ({"noise": 1.0}, r"noise must be an assumption such as noise\.Gaussian.* got 1.0"),
        ({"noise": Gaussian([1, 1, 1])}, "given for 3 objectives, but there are 2"),
        ({"noise": Gaussian([[1, 1], [1, 1]])}, "given for 2 designs, but there are 206"),
        ({"epsilon": 1e-200}, "the budget exceeds 5e.18 evaluations in all; raise epsilon or lower sigma"),
        ({"epsilon": 1e-8, "n_designs": 10**7}, "exceeds"),
    ],
    ids=str,
)
def test_bad_input_is_one_clear_line(bound, wrong, words):
    with pytest.raises(cw.InputError, match=words) as caught:
        budget(**wrong, bound=bound)
    assert "\n" not in str(caught.value)


def test_a_bound_must_exist_and_fit_the_noise():
    with pytest.raises(cw.InputError, match='use bound="subgaussian"'):
        budget(noise=SubGaussian(1), bound="gaussian")
    with pytest.raises(cw.InputError, match='bound must be "paper", "gaussian" or "subgaussian", got \'exact\''):
        budget(bound="exact")
    with pytest.raises(cw.InputError, match="c must be above 0"):
        budget(c=0)
    with pytest.raises(cw.InputError, match="evaluations must be at least 1"):
        failure_probability(RIGHT, Gaussian(1), 5, 0.1, 0)


def test_extreme_but_honest_input_has_an_answer():
    assert budget(epsilon=1e9, bound="gaussian") == 1
    assert budget(epsilon=1e9) == 1
    assert budget(delta=5e-324, n_designs=2) > budget(delta=1e-300, n_designs=2) > 0

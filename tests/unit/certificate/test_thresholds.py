"""Levels inside the certificate: the slow twin, the boundary of one average, and the end of every run."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import conewise as cw
from conewise.certificate.certificate import Certificate
from conewise.certificate.thresholds import Bounds
from conewise.data.observations import Observations, Statistics
from conewise.errors import InputError
from conewise.noise import Bounded, Gaussian, GaussianUnknown, SubGaussian
from tests.shared.certificates import CONES, ORTHANT, at_levels, certificate, masks, nothing, random_state, twin

WIDE = cw.Cone.planar(135)
NOISES = [Gaussian([0.4, 0.6]), SubGaussian(0.5), GaussianUnknown(), Bounded(-9, 9)]


def scattered(checked, seed):
    """Every evaluation told by itself, each design up to a level of its own."""
    rng = np.random.default_rng(seed)
    state, counts = nothing(checked), np.array(checked.levels.counts)
    for design in range(checked.n_designs):
        values = rng.normal(size=checked.cone.dim) + 0.5 * rng.normal(
            size=(counts[rng.integers(min(len(counts), 12))], checked.cone.dim)
        )
        state = state.add(Observations.single(np.full(len(values), design), np.clip(values, -9, 9)))
    return state


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("cone", CONES, ids=str)
def test_claims_are_those_of_the_slow_twin(cone, notion):
    seen, levels = set(), [-0.7, *([None] * (cone.dim - 2)), *([-0.4] if cone.dim > 1 else [])]
    checked = certificate(cone, notion=notion, n_designs=5, epsilon=0.4, levels=levels)
    for seed in range(4):
        state = random_state(checked, seed)
        for epsilon in (0.0, 0.6):
            claims = checked.claims(state, epsilon)
            assert masks(claims) == twin(checked, state, epsilon)
            seen |= {name for name in ("misses", "accepted", "undecided") if getattr(claims, name).any()}
    assert seen == {"misses", "accepted", "undecided"}


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: type(noise).__name__)
@pytest.mark.parametrize("cone", [ORTHANT, WIDE], ids=str)
def test_every_kind_of_noise(noise, cone):
    misses = 0
    for notion in ("cover", "contain"):
        checked = certificate(cone, noise, 4, 0.5, notion=notion, levels=[-0.5, 0.3])
        for seed in range(3):
            state = scattered(checked, seed)
            claims = checked.claims(state, 0.5)
            assert masks(claims) == twin(checked, state, 0.5)
            misses += int(claims.misses.sum())
    assert misses or isinstance(noise, Bounded)


def test_covariances_by_design():
    noise = Gaussian(cov=[np.diag([0.1, 0.4]) * (k + 1) for k in range(4)])
    checked = certificate(WIDE, noise, levels=[0.0, 0.0], notion="contain")
    for seed in range(4):
        state = random_state(checked, seed)
        assert masks(checked.claims(state)) == twin(checked, state, 0.5)


def test_the_part_of_delta_for_levels_is_taken_from_pairs():
    plain, levelled = certificate(), certificate(levels=[0.0, None])
    assert (plain.for_pairs, plain.requirements, plain.delta) == (0.1, None, 0.1)
    meets, misses = levelled.requirements.alphas
    assert 4 * meets + levelled.for_pairs == pytest.approx(0.1)
    assert meets == misses
    both = certificate(levels=[0.0, 1.0]).requirements
    assert both.alphas[0] == 2 * both.alphas[1]


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize("cone", [ORTHANT, WIDE, cw.Cone.planar(45)], ids=str)
def test_at_the_last_look_nothing_is_open(cone, notion):
    """docs/adaptive, 9.4: whatever the means, on a level and beside it, equal designs among them."""
    rng = np.random.default_rng(3)
    checked = certificate(cone, n_designs=6, epsilon=0.9, notion=notion, levels=[0.0, 0.1])
    for trial in range(8):
        means = rng.normal(size=(6, 2)) * rng.choice([0.1, 1.0, 3.0])
        means[:2, 0] = 0.0  # on the level
        means[2] = means[3] = [0.0, 0.1]
        means[4, 1] = np.nextafter(0.1, -np.inf) - 1e-3 * (trial % 3)
        state = at_levels(checked, means, [len(checked.levels.counts) - 1] * 6)
        claims = checked.claims(state)
        assert claims.done
        found = checked.certified_epsilon(claims)
        assert found is not None
        assert found.epsilon <= 0.9


def test_nobody_meets_the_levels_and_that_is_an_answer():
    problem = cw.SimulatedBandit([[0.0, 1.0], [1.0, 0.0]], Gaussian(0.3))
    for success in ("cover", "contain"):
        result = cw.identify(
            problem, ORTHANT, epsilon=0.3, delta=0.05, objectives=["a", "b"], levels={"a": 2}, rng=1, success=success
        )
        assert result.indices == []
        assert result.status.tolist() == ["misses a level"] * 2
        assert isinstance(result.guarantee, cw.Guarantee)
        assert result.certified_epsilon == 0


def test_an_infeasible_design_beats_nobody_where_the_cone_can_trade_a_level_away():
    """The first dominates the second under the wide cone and misses the level of the second objective."""
    means, levels = [[3.0, -0.5], [0.0, 0.0]], [None, -0.2]
    assert cw.dominates(means[0], means[1], WIDE)
    for notion in ("cover", "contain"):
        checked = certificate(WIDE, Gaussian(0.05), 2, 0.1, notion=notion, levels=levels)
        claims = checked.claims(at_levels(checked, means, [len(checked.levels.counts) - 1] * 2))
        assert claims.misses.tolist() == [True, False]
        assert claims.accepted.tolist() == [False, True]


def test_a_dominated_design_is_not_asked_for_its_levels():
    """The second lies on the level, and the first beats it by far: nothing is spent on the second."""
    problem = cw.SimulatedBandit([[3.0, 3.0], [0.0, 0.0]], Gaussian(0.5))
    options = {"epsilon": 0.1, "delta": 0.05, "objectives": ["a", "b"], "rng": 0}
    result = cw.identify(problem, ORTHANT, levels={"a": 0.0}, **options)
    assert result.status.tolist() == ["kept", "beaten"]
    assert result.evaluations < 40


def test_levels_within_the_smallest_rounding_of_an_average_are_met():
    bounds = Bounds(np.array([[0.0, 1.0]]), np.array([[0.0, 2.0]]), True, False)
    assert bounds.meet_at.tolist() == [-math.inf]
    assert bounds.misses.tolist() == [False]
    third = Statistics.empty(2, 2).add(Observations.single([0] * 3 + [1] * 3, [[0.1, 1.0]] * 3 + [[0.3, 2.0]] * 3))
    exact = cw.Question(ORTHANT, 0.1, 0.05, Gaussian([1e-9, 1.0]), "contain", [cw.Objective("a", level=0.1), "b"])
    assert not Certificate(exact, 2, once=True).claims(third).misses.any()


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ({"c": 1}, "a level is given for 'c', which is not among a, b"),
        ({"a": math.nan}, "level of the objective 'a' must be"),
        ({"a": ("<=", 3)}, "goes against its objective"),
        ({"b": 2.0}, "two levels of 'b'"),
        ({"a": "much"}, "level of the objective 'a' must be"),
        ({"a": (1, 2, 3)}, "must be a number"),
        (["a"], "a level is given by name"),
    ],
)
def test_levels_that_make_no_sense_are_refused(levels, words):
    problem = cw.SimulatedBandit([[0.0, 1.0], [1.0, 0.0]], Gaussian(0.3))
    objectives = ["a", cw.Objective("b", level=1.0)]
    with pytest.raises(InputError, match=words):
        cw.identify(problem, ORTHANT, epsilon=0.3, delta=0.05, objectives=objectives, levels=levels, rng=1)


def test_levels_need_names_and_a_rule_that_knows_them():
    problem = cw.SimulatedBandit([[0.0, 1.0], [1.0, 0.0]], Gaussian(0.3))
    with pytest.raises(InputError, match="name the objectives"):
        cw.identify(problem, ORTHANT, epsilon=0.3, delta=0.05, levels={"a": 1}, rng=1)
    for algorithm in ("naive", "auer"):
        with pytest.raises(InputError, match="does not know levels"):
            cw.identify(
                problem,
                ORTHANT,
                epsilon=0.3,
                delta=0.05,
                objectives=["a", "b"],
                levels={"a": 1},
                algorithm=algorithm,
                rng=1,
            )


@pytest.mark.parametrize("noise", [Gaussian(0.5), GaussianUnknown()], ids=lambda noise: type(noise).__name__)
def test_what_was_read_off_before_changes_nothing(noise):
    """Two runs in turn on one certificate, each growing: as for a certificate that has seen nothing before."""
    checked = certificate(WIDE, noise, 4, 0.5, levels=[-0.2, 0.1])
    rng, counts = np.random.default_rng(5), checked.levels.counts
    means, states = rng.normal(size=(2, 4, 2)), [nothing(checked), nothing(checked)]
    for level in range(10):
        for which in (0, 1):
            designs = np.repeat(np.arange(4), counts[level] - (counts[level - 1] if level else 0))
            values = means[which][designs] + 0.5 * rng.normal(size=(len(designs), 2))
            states[which] = states[which].add(Observations.single(designs, values))
            found, alone = checked.claims(states[which]), replace(checked).claims(states[which])
            assert masks(found) == masks(alone)
            np.testing.assert_array_equal(found.bounds.lower, alone.bounds.lower)
            np.testing.assert_array_equal(found.bounds.upper, alone.bounds.upper)


@pytest.mark.parametrize("notion", ["cover", "contain"])
@pytest.mark.parametrize(("most", "status"), [(2, "misses a level"), (5, "kept"), (0.5, "misses a level")])
def test_a_level_on_an_objective_without_noise_is_decided_at_once(notion, most, status):
    """A price list: nothing is divided by a noise of zero (warnings are errors here)."""
    asked = [
        cw.Objective("gain", noise=0.4),
        cw.Objective("effort", "min", noise=0.1),
        cw.Objective("price", "min", noise="known", level=most),
    ]

    def evaluate(design, seed):
        gain, effort = np.random.default_rng(seed).normal(size=2)
        return [design["x"] + 0.4 * gain, design["x"] + 0.1 * effort, design["x"]]

    designs = [{"name": name, "x": x} for name, x in zip("abc", (1.0, 2.0, 3.0), strict=True)]
    options = {"designs": designs, "objectives": asked, "epsilon": 0.5, "delta": 0.05, "rng": 0, "success": notion}
    found = cw.identify(evaluate, cw.Cone.orthant(3), **options)
    assert found.status.tolist()[2] == status
    assert (found.status == "misses a level").sum() == sum(x > most for x in (1.0, 2.0, 3.0))
    assert found.guarantee

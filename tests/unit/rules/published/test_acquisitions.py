"""Acquisitions on draws: boxes above a front, expected volumes, information, and batches."""

from __future__ import annotations

import moocore
import numpy as np
import pytest
from scipy.stats import norm

import conewise as cw
from conewise.noise import Gaussian, GaussianUnknown
from conewise.rules import FrontierEntropy, HypervolumeImprovement
from conewise.rules.published.drawn import Boxes, as_predicted, facet_noise
from conewise.rules.published.ehvi import expected_improvements
from conewise.rules.published.pfes import information, normal_nodes

# -- boxes above a front -----------------------------------------------------------------------------------------------


def front_of(points):
    return points[cw.pareto_mask(points, cw.Cone.orthant(points.shape[1]))]


@pytest.mark.parametrize("dim", [1, 2, 3, 4])
@pytest.mark.parametrize("ties", [False, True])
def test_every_point_is_dominated_or_in_exactly_one_box(dim, ties):
    rng = np.random.default_rng(dim)
    points = rng.integers(0, 5, (25, dim)).astype(float) if ties else rng.random((25, dim))
    front, reference = front_of(points), np.full(dim, -0.5)
    boxes = Boxes.above(front, reference)
    z = rng.uniform(-0.5, points.max() + 1, (2000, dim))
    inside = ((boxes.low <= z[:, None]) & (z[:, None] < boxes.high)).all(axis=2).sum(axis=1)
    dominated = (front >= z[:, None]).all(axis=2).any(axis=1)
    np.testing.assert_array_equal(inside, (~dominated).astype(int))


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_gains_are_differences_of_hypervolumes(dim):
    rng = np.random.default_rng(10 + dim)
    front, reference = front_of(rng.normal(size=(12, dim))), np.full(dim, -1.0)
    new = rng.normal(size=(30, dim)) + 0.5

    def volume(points):
        return moocore.hypervolume(-points, ref=-reference)

    above = front[(front > reference).all(axis=1)]
    before = volume(above) if len(above) else 0.0
    expected = [volume(np.vstack([above, z])) - before if (z > reference).all() else 0.0 for z in new]
    np.testing.assert_allclose(Boxes.above(front, reference).gained(new), expected, atol=1e-12)


def test_no_points_leave_everything_open():
    boxes = Boxes.above(np.empty((0, 2)), np.zeros(2))
    assert boxes.low.tolist() == [[0.0, 0.0]]
    assert boxes.gained(np.array([[2.0, 3.0], [-1.0, 5.0]])).tolist() == [6.0, 0.0]


# -- expected hypervolume improvement ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cone", [cw.Cone.orthant(2), cw.Cone.planar(50), cw.Cone.ice_cream(60, facets=4)], ids=str)
def test_the_score_is_the_mean_of_improvements(cone):
    rng = np.random.default_rng(3)
    means = cone.facet_values(rng.normal(size=(8, cone.dim)))
    z = means + 0.5 * rng.normal(size=(20, *means.shape))
    front = means[cw.pareto_mask(means, cw.Cone.orthant(means.shape[1]))]
    reference = front.min(axis=0) - 0.1 * np.ptp(front, axis=0)

    def volume(points):
        return moocore.hypervolume(-points, ref=-reference)

    expected = [
        np.mean([volume(np.vstack([front, np.maximum(z[b, x], reference)])) - volume(front) for b in range(len(z))])
        for x in range(len(means))
    ]
    np.testing.assert_allclose(expected_improvements(z, means), expected, atol=1e-12)


def test_a_front_of_one_design_has_a_volume():
    z = np.array([1.0, 1.0]) + 0.1 * np.random.default_rng(0).normal(size=(50, 1, 2))
    assert expected_improvements(z, np.array([[1.0, 1.0]]))[0] > 0


# -- information about the front ---------------------------------------------------------------------------------------


FRONT = np.array([[2.0, 0.0], [1.0, 1.5], [0.0, 2.0]])


BEYOND = Boxes.above(FRONT, np.full(2, -np.inf))


def by_grid(mean, deviation, noise, front):
    """The divergence of two densities of noisy values, by sums over a fine grid."""
    width = 6 * np.sqrt(deviation**2 + noise)
    axes = [np.linspace(m - w, m + w, 241) for m, w in zip(mean, width, strict=True)]
    first, second = np.meshgrid(*axes, indexing="ij")
    density = norm.pdf(first, mean[0], deviation[0]) * norm.pdf(second, mean[1], deviation[1])
    allowed = np.zeros(first.shape, dtype=bool)
    for point in front:
        allowed |= (first <= point[0]) & (second <= point[1])
    cut = density * allowed / (density * allowed).sum()
    kernels = [
        norm.pdf(axis[:, None], axis[None, :], np.sqrt(s)) * (axis[1] - axis[0])
        for axis, s in zip(axes, noise, strict=True)
    ]
    noisy = kernels[0] @ cut @ kernels[1].T
    whole = kernels[0] @ (density / density.sum()) @ kernels[1].T
    inside = noisy > 0
    return float((noisy[inside] * np.log(noisy[inside] / whole[inside])).sum())


@pytest.mark.parametrize(
    ("mean", "deviation", "noise"),
    [
        ([1.0, 1.0], [0.5, 0.5], [0.04, 0.09]),
        ([1.5, 0.2], [0.8, 0.3], [0.25, 0.04]),
        ([0.5, 2.1], [0.4, 0.4], [0.1, 0.1]),
        ([-1.0, -1.0], [0.7, 0.7], [0.1, 0.1]),
    ],
)
def test_information_is_a_divergence(mean, deviation, noise):
    mean, deviation, noise = (np.array(part) for part in (mean, deviation, noise))
    found = information(mean[None], deviation[None], noise[None], BEYOND)[0]
    assert found == pytest.approx(by_grid(mean, deviation, noise, FRONT), rel=0.15, abs=0.01)


def test_what_noise_leaves_or_is_known_already_says_nothing():
    means = np.tile([1.0, 1.5], (3, 1))
    deviations = np.array([[0.5, 0.5], [1e-6, 1e-6], [0.5, 0.5]])
    noise = np.array([[0.01, 0.01], [0.01, 0.01], [1e6, 1e6]])
    clear, known, drowned = information(means, deviations, noise, BEYOND)
    assert clear > 0.1
    assert known == pytest.approx(0, abs=1e-6)
    assert drowned == pytest.approx(0, abs=1e-3)


def test_less_noise_says_more():
    count = 5
    noise = np.geomspace(1, 1e-4, count)[:, None].repeat(2, axis=1)
    found = information(np.tile([1.0, 1.3], (count, 1)), np.full((count, 2), 0.4), noise, BEYOND)
    assert (np.diff(found) > 0).all()


def test_nodes_are_normal_and_always_the_same():
    nodes = normal_nodes(3)
    np.testing.assert_allclose(nodes.mean(axis=0), 0, atol=0.1)
    np.testing.assert_allclose(nodes.std(axis=0), 1, atol=0.15)
    assert not nodes.flags.writeable


# -- rules on draws ----------------------------------------------------------------------------------------------------


RULES = [HypervolumeImprovement, FrontierEntropy]


X = np.linspace(0, 1, 20)


MEANS = 2 * np.column_stack([np.sin(2 * X), np.cos(2 * X)])


SMOOTH = cw.models.Smooth(X[:, None], kernels=("squared",), sizes=(10.0,))


def test_an_imagined_evaluation_leaves_the_posterior_of_its_mean():
    rng = np.random.default_rng(0)
    root = np.array([[1.0, 0.0], [0.8, 0.6]])
    z = np.stack([rng.normal(size=(40_000, 2)) @ root.T + [1.0, 2.0] for _ in range(2)], axis=2)
    after = as_predicted(z, 0, np.array([0.25, 1.0]), rng)
    np.testing.assert_allclose(after.mean(axis=0), z.mean(axis=0), atol=0.02)
    for facet, noise in enumerate((0.25, 1.0)):
        covariance = np.cov(after[:, :, facet].T)
        known = root @ root.T
        expected = known - np.outer(known[0], known[0]) / (known[0, 0] + noise)
        np.testing.assert_allclose(covariance, expected, atol=0.02)


def look_of(cone, noise, make=HypervolumeImprovement):
    rule = make(cw.Question(cone, 0.3, 0.1, noise), len(X), model=SMOOTH)
    seen = cw.Observations.single(np.arange(0, 20, 3).repeat(3), MEANS[::3].repeat(3, axis=0) + NOISE)
    state = rule.tell(rule.start(), seen)
    return rule, state, rule.certificate.look(rule.seen(state))


NOISE = np.random.default_rng(1).normal(0, 0.1, (21, 2))


def test_noise_along_facets():
    cone, covariance = cw.Cone.planar(60), np.array([[0.04, 0.01], [0.01, 0.02]])
    _, _, look = look_of(cone, Gaussian(cov=covariance))
    expected = np.einsum("nd,de,ne->n", cone.facets, covariance, cone.facets)
    np.testing.assert_allclose(facet_noise(look, cone.facets), np.tile(expected, (20, 1)), rtol=1e-9)
    _, _, look = look_of(cone, GaussianUnknown())
    np.testing.assert_allclose(np.sqrt(facet_noise(look, cone.facets)), 0.1, rtol=0.5)


@pytest.mark.parametrize("make", RULES)
def test_a_batch_is_spread_and_starts_with_the_best(make):
    rule, state, look = look_of(cw.Cone.planar(60), Gaussian(0.1), make)
    first = rule.chosen(look, state, 1)
    batch = rule.chosen(look, state, 6)
    assert first.total == 1
    assert batch.total == 6
    assert first.designs[0] in batch.designs
    assert len(batch.designs) > 1
    assert rule.chosen(look, state, 100).total == 100


@pytest.mark.parametrize("make", RULES)
def test_what_is_dear_is_left_for_later(make):
    rule, state, look = look_of(cw.Cone.planar(60), Gaussian(0.1), make)
    best = int(rule.chosen(look, state, 1).designs[0])
    dear = make(rule.question, 20, model=SMOOTH, prices=np.where(np.arange(20) == best, 1e6, 1.0))
    assert dear.chosen(look, state, 1).designs[0] != best


@pytest.mark.parametrize("make", RULES)
def test_designs_that_cannot_be_optimal_are_left_alone(make):
    rule, state, look = look_of(cw.Cone.planar(120), Gaussian(0.1), make)
    never = look.designs[look.choice.probability == 0]
    assert len(never)
    assert not np.isin(rule.chosen(look, state, 64).designs, never).any()

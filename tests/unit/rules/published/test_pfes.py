"""Information about the front against densities on a grid, and against what is known of its limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from conewise.rules.published.boxes import Boxes
from conewise.rules.published.pfes import information, normal_nodes

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


def test_without_noise_it_is_the_logarithm_of_the_probability():
    """A value that the front allows with probability one half is told apart by log(2) nats."""
    nodes = information(np.zeros((1, 1)), np.ones((1, 1)), np.zeros((1, 1)), Boxes.above(np.array([[0.0]]), [-np.inf]))
    assert nodes[0] == pytest.approx(np.log(2), rel=0.1)


def test_nodes_are_normal_and_always_the_same():
    nodes = normal_nodes(3)
    np.testing.assert_allclose(nodes.mean(axis=0), 0, atol=0.1)
    np.testing.assert_allclose(nodes.std(axis=0), 1, atol=0.15)
    assert not nodes.flags.writeable

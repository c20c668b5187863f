"""What comes before any judgement: sources, and values checked against the noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import conewise as cw
from conewise.analysis.analyse import analyse
from conewise.analysis.gathering import worst_correlations

ORTHANT = cw.Cone.orthant(2)


@given(
    seed=st.integers(0, 10**6),
    dim=st.integers(2, 4),
    shape=st.sampled_from(["orthant", "rays", "importance", "ranked"]),
)
def test_no_evaluations_with_these_errors_vary_more(seed, dim, shape):
    """The scatter that stands in for unknown correlations is at least the true one along every facet."""
    rng = np.random.default_rng(seed)
    cone = {
        "orthant": lambda: cw.Cone.orthant(dim),
        "rays": lambda: cw.Cone.from_rays(np.eye(dim) + 0.5 * rng.random((dim, dim))),
        "importance": lambda: cw.Cone.importance(0.9 / dim, dim=dim),
        "ranked": lambda: cw.Cone.ranked(dim),
    }[shape]()
    x = rng.normal(size=(5, dim)) @ rng.normal(size=(dim, dim))
    if seed % 3 == 0:  # all objectives move together: the bound is met
        x = np.outer(x[:, 0], rng.normal(size=dim))
    x = x - x.mean(axis=0)
    scatter = x.T @ x
    table = cw.Observations([0], np.zeros((1, dim)), [5], np.diag(np.diag(scatter))[None])
    stand_in = worst_correlations(table, cone).scatters[0]
    true, taken = (np.einsum("nd,de,ne->n", cone.facets, s, cone.facets) for s in (scatter, stand_in))
    assert (taken >= true * (1 - 1e-9)).all()


@pytest.mark.parametrize("final", [False, True])
def test_means_without_their_scatter_say_nothing_about_noise_that_nobody_knows(final):
    """Taken for noise-free, they would certify what chance has drawn."""
    told = cw.Observations([0, 1, 2], [[0.1, 0.0], [0.0, 0.1], [0.0, 0.0]], [50, 50, 50])
    with pytest.raises(cw.InputError, match="without their scatter"):
        analyse(told, ORTHANT, delta=0.05, final=final, noise=cw.noise.GaussianUnknown())
    assert analyse(told, ORTHANT, delta=0.05, final=final, noise=cw.noise.Gaussian(1.0)).result.evaluations == 150


def test_a_value_between_zero_and_one_is_refused_wherever_it_comes_from():
    rate = cw.Objective("correct", noise="binary")
    with pytest.raises(cw.InputError, match=r"row 1 .*'correct' holds '0.3', where 0 or 1 was expected"):
        cw.analyse({"design": ["a", "b"], "correct": [0.3, 1]}, objectives=[rate], delta=0.05)
    told = cw.Observations.single([0, 1], [[0.3], [1.0]])
    with pytest.raises(cw.InputError, match=r"'objective 1' of '0' is 0.3, where 0 or 1 was expected"):
        cw.analyse(told, cw.Cone.orthant(1), delta=0.05, noise=cw.noise.Binary())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"design": 3}, "columns of a table are called by text, got 3"),
        ({"block": 3}, "columns of a table are called by text, got 3"),
        ({"objectives": [3]}, "columns of a table are called by text, got 3"),
        ({"objectives": [{"name": "cost"}, {"goal": "min"}]}, "an objective needs a name"),
    ],
)
def test_a_column_that_is_no_text_is_one_sentence(options, words):
    table = {"design": ["A", "A", "B", "B"], "cost": [1.0, 2.0, 3.0, 4.0]}
    with pytest.raises(cw.InputError, match=words):
        analyse(table, **{"delta": 0.05, "objectives": ["cost"]} | options)


def test_objectives_may_be_dictionaries():
    table = {"design": ["A", "A", "B", "B"], "cost": [1.0, 2.0, 3.0, 4.0]}
    found = analyse(table, delta=0.05, objectives=[{"name": "cost", "goal": "min", "noise": 0.1}])
    assert found.result.names() == ["A"]


def test_two_designs_at_hand_are_not_called_alike():
    with pytest.raises(cw.InputError, match="names must be distinct, got 'a' twice"):
        analyse(cw.Observations.single([0, 1], [[1.0], [2.0]]), delta=0.05, names=["a", "a"])

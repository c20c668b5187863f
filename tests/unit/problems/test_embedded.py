"""The embedded examples, and the hard instances of the lower-bound proofs with what the proofs claim of them."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise import Cone, InputError, problems

# -- embedded ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "designs", "minimised"), [("snw", 206, "log2 area"), ("imrt", 4, "damage to tissue")])
def test_embedded_examples(name, designs, minimised):
    found = problems.load(name)
    assert found.means.shape == (designs, 2)
    assert np.isfinite(found.means).all()
    assert len(found.objectives) == 2
    assert set(found.minimised) == {minimised}
    assert (found.means[:, list(found.objectives).index(minimised)] <= 0).all()  # negated, once
    assert len(set(found.names)) == designs  # a name is a design's identity


def test_unknown_examples_are_refused_with_the_known_ones():
    with pytest.raises(InputError, match="no embedded problem is called 'sort'; choose one of snw, imrt"):
        problems.load("sort")


# -- the hard instances --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: problems.gap_dependent_instance([], Cone.orthant(2), 0.1), "means is empty"),
        (lambda: problems.gap_dependent_instance([[0, np.nan]], Cone.orthant(2), 0.1), "means has nan in row 0"),
        (lambda: problems.gap_dependent_instance([[0, 1]], Cone.orthant(2), 0), "epsilon must be above 0"),
        (lambda: problems.worst_case_instance(Cone.orthant(2), 3, 0.1), "n_designs must be at least 4"),
        (lambda: problems.worst_case_instance(Cone.orthant(2), 4.5, 0.1), "n_designs must be a whole number"),
        (lambda: problems.worst_case_instance(Cone.orthant(1), 5, 0.1), "needs at least 2 objectives"),
        (lambda: problems.worst_case_instance(Cone.orthant(2), 5, 0.1).moved(5, [0]), "design must be one of 0 to 4"),
        (lambda: problems.worst_case_instance(Cone.orthant(2), 5, 0.1).moved(-1, [0]), "design must be at least 0"),
        (lambda: problems.worst_case_instance(Cone.orthant(2), 5, 0.1).moved(0, [7]), "returned names design 7"),
        (
            lambda: problems.gap_dependent_instance([[0, 0], [1, 1]], Cone.orthant(2), 0.1).moved(1, [1]),
            "design 1 is the only Pareto design.*choose another design",
        ),
    ],
)
def test_bad_arguments_are_refused_by_name(call, words):
    with pytest.raises(InputError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_the_means_of_an_example_are_the_raw_columns():
    """Raw columns reproduce the paper's tables, standardised ones do not (see golden/test_table1)."""
    means = cw.problems.load("snw").means
    assert (np.abs(means.mean(axis=0)) > 1).all()

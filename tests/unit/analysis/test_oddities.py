"""Odd values: named where they are, never where nothing is odd."""

from __future__ import annotations

import numpy as np
import pytest
from shared.studies import make

import conewise as cw
from conewise.analysis.oddities import Extremes, far_values, listed
from conewise.data.observations import Observations, Statistics
from conewise.noise import Bounded, Gaussian, GaussianUnknown


def far(designs, values):
    values = np.asarray(values, dtype=float).reshape(len(designs), -1)
    observations = Observations.single(np.array(designs), values)
    shape = max(designs) + 1, values.shape[1]
    extremes = Extremes(*shape)
    extremes.see(observations)
    return far_values(Statistics.empty(*shape).add(observations), extremes)


@pytest.mark.parametrize("slip", [411.0, -40.0, 1e9])
def test_a_slip_among_repetitions_is_far(slip):
    (found,) = far([0] * 5 + [1] * 5, [41.0, 40.5, slip, 41.2, 40.8, 7, 8, 9, 7.5, 8.5])
    assert (found.design, found.objective, found.value) == (0, 0, slip)
    rest = np.array([41.0, 40.5, 41.2, 40.8])
    if abs(slip) < 1e6:
        assert found.spreads == pytest.approx(abs(slip - rest.mean()) / rest.std(ddof=1))


@pytest.mark.parametrize(
    "values",
    [[0, 0, 0, 0, 1], [0] * 30 + [1], [3.3] * 40 + [4.4], [1, 2, 500], [1, 2, 3, 4, 5, 14], [7, 7, 7, 7]],
)
def test_counts_and_few_values_are_not(values):
    """Where the others do not vary, or are too few, nobody can say what far is."""
    assert far([0] * len(values), values) == []


def test_normal_values_are_hardly_ever_far():
    """One in ten million a value and side, by Student's t: 120 000 values have one with probability below 0.025."""
    rng = np.random.default_rng(3)
    for n in range(4, 12):
        designs = np.repeat(np.arange(1000), n)
        scales = 10 ** rng.uniform(-3, 3, size=(1000, 2))[designs]
        assert far(designs.tolist(), rng.normal(size=(1000 * n, 2)) * scales + 100) == []


def test_a_study_names_the_value_that_is_far(tmp_path):
    with make(tmp_path / "a.db", noise=GaussianUnknown()) as study:
        study.record(["a"] * 6, [[1, 5.1], [1.1, 5.2], [0.9, 51], [1.05, 5.0], [0.95, 4.9], [1.02, 5.05]])
        study.record(["b"] * 3, [[1.1, 2], [1.2, 3], [1.3, 4]])
        (remark,) = study.warnings()
        assert remark.evaluations == ("d0n2",)
        assert remark.sentence.startswith("'cost' of a is 51, ")
        assert remark.sentence.endswith("(d0n2): if it was recorded wrongly, correct or withdraw it.")
        assert study.warnings([1]) == ()
        study.correct("d0n2", [0.9, 5.1], "the point was lost")
        assert study.warnings() == ()


def test_a_study_says_that_values_are_successes_and_failures(tmp_path):
    with make(tmp_path / "a.db", noise=GaussianUnknown(), minimise=[]) as study:
        study.record(["a", "a", "a", "b", "b"], [[1, 0.1], [1, 0.2], [1, 0.3], [0, 0.4], [1, 0.5]])
        constant, pairs = (remark.sentence for remark in study.warnings())
        assert constant.startswith("All values of 'gain' are the same for a: ")
        assert pairs == (
            "'gain' has no other values than 0 and 1, which is not normal noise: assume binary or bounded noise "
            "instead."
        )


@pytest.mark.parametrize("noise", [Gaussian(1.0), Bounded(0.0, 1.0)])
def test_successes_are_not_odd_under_noise_that_allows_them(tmp_path, noise):
    with make(tmp_path / "a.db", noise=noise, minimise=[]) as study:
        study.record(["a", "a", "a", "b", "b"], [[1, 0.1], [1, 0.2], [1, 0.3], [0, 0.4], [1, 0.5]])
        assert study.warnings() == ()
        assert study.warnings([]) == ()


def test_a_new_study_has_nothing_odd(tmp_path):
    with make(tmp_path / "a.db", noise=GaussianUnknown()) as study:
        assert study.warnings() == ()
        study.record(["a", "b"], [[1, 2], [3, 4]])
        assert study.warnings() == ()


def test_an_analysis_names_what_is_far(tmp_path):
    values = [[1, 5.1], [1.1, 5.2], [0.9, 51], [1.05, 5.0], [0.95, 4.9], [1.02, 5.05], [0.1, 2], [0.2, 3], [0.3, 4]]
    found = cw.analyse(Observations.single([0] * 6 + [1] * 3, values), cw.Cone.orthant(2), delta=0.05, names=["a", "b"])
    (line,) = [line for line in found.explanations if "spreads away" in line]
    assert line.startswith("'objective 2' of a is 51, ")
    assert line.endswith("look whether it was recorded as it was measured.")


def test_names_that_hold_commas_are_told_apart():
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["kind=a, width=2", "kind=b, width=1", "c"]) == "kind=a, width=2; kind=b, width=1 and c"
    assert listed(["a, b"] * 9, most=2) == "a, b; a, b and 7 more"

"""Different values of an objective: the same whatever the order and the split, and the step of most of them."""

from __future__ import annotations

import numpy as np
import pytest

from conewise.data.resolution import KEPT, Distinct


def seen(values) -> Distinct:
    values = np.asarray(values, dtype=float)
    return Distinct.nothing(values.shape[1]).add(values)


def test_nothing_seen_has_no_values_and_no_step():
    nothing = Distinct.nothing(2)
    assert len(nothing) == 2
    assert nothing.numbers.tolist() == [0, 0]
    assert nothing.steps()[0].tolist() == [0.0, 0.0]


def test_few_values_are_all_kept_and_their_step_is_found():
    found = seen([[0.0, 5.0], [0.5, 5.0], [2.0, 5.0], [-0.0, 5.0]])
    assert found.numbers.tolist() == [3, 1]
    assert found.steps()[0].tolist() == [0.5, 0.0]


def test_values_that_differ_by_arithmetic_alone_are_one():
    found = seen([[0.1 + 0.2], [0.3], [0.4]])
    assert found.numbers.tolist() == [2]
    assert found.steps()[0][0] == pytest.approx(0.1)


@pytest.mark.parametrize("size", [50, 1000])
def test_order_splits_and_merges_do_not_show(size):
    rng = np.random.default_rng(size)
    values = rng.integers(0, 400, size=(size, 2)) / 8
    whole = seen(values)
    shuffled = seen(values[rng.permutation(size)])
    parts = [seen(part) for part in np.array_split(values, 7)]
    merged = parts[0]
    for part in parts[1:]:
        merged = part.merge(merged)
    for other in (shuffled, merged):
        assert [column.tolist() for column in other.columns] == [column.tolist() for column in whole.columns]
        assert [times.tolist() for times in other.times] == [times.tolist() for times in whole.times]
        assert other.steps()[0].tolist() == whole.steps()[0].tolist()
    assert (whole.numbers == [min(KEPT, len(np.unique(column))) for column in values.T]).all()


def test_the_sample_of_many_values_is_taken_from_all_of_their_range():
    (kept,) = seen(np.arange(100_000.0)[:, None]).columns
    assert len(kept) == KEPT
    assert np.isin(kept, np.arange(100_000.0)).all()
    assert kept.min() < 10_000
    assert kept.max() > 90_000


def test_a_number_in_single_precision_is_the_same_number():
    values = np.round(np.random.default_rng(0).normal(size=400), 1)
    values[::2] = values[::2].astype(np.float32)
    found = seen(values[:, None])
    assert found.steps()[0][0] == pytest.approx(0.1, rel=1e-5)
    assert found.numbers[0] < 70


@pytest.mark.parametrize("scale", [1.0, -3.0, 1e-9, 7e12])
@pytest.mark.parametrize("size", [6, 20, 300])
def test_a_few_values_with_more_digits_do_not_hide_the_step(size, scale):
    values = np.round(np.random.default_rng(size).normal(size=size) / 0.7) * 0.7
    values[: size // 6] += 0.7e-4
    assert seen(values[:, None] * scale).steps()[0][0] == pytest.approx(0.7 * abs(scale), rel=1e-3)


@pytest.mark.parametrize("offset", [0.0, 30.0, 1e4])
@pytest.mark.parametrize("size", [3, 4, 10, 100])
def test_values_with_all_digits_have_the_smallest_difference_for_their_step(size, offset):
    values = np.sort(np.random.default_rng(size).normal(size=size)) + offset
    steps = np.diff(values)
    assert seen(values[:, None]).steps()[0][0] == steps[steps > 1e-7 * np.abs(values).max()].min()

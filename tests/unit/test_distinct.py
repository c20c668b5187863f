"""Different values of an objective: the same whatever the order and the split, and the smallest step between them."""

from __future__ import annotations

import numpy as np
import pytest

from conewise._distinct import KEPT, Distinct


def seen(values) -> Distinct:
    values = np.asarray(values, dtype=float)
    return Distinct.nothing(values.shape[1]).add(values)


def test_nothing_seen_has_no_values_and_no_step():
    nothing = Distinct.nothing(2)
    assert len(nothing) == 2
    assert nothing.numbers.tolist() == [0, 0]
    assert nothing.resolution.tolist() == [0.0, 0.0]


def test_few_values_are_all_kept_and_the_smallest_step_is_found():
    found = seen([[0.0, 5.0], [0.5, 5.0], [2.0, 5.0], [-0.0, 5.0]])
    assert found.numbers.tolist() == [3, 1]
    assert found.resolution.tolist() == [0.5, 0.0]


def test_values_that_differ_by_arithmetic_alone_are_one():
    found = seen([[0.1 + 0.2], [0.3], [0.4]])
    assert found.numbers.tolist() == [2]
    assert found.resolution[0] == pytest.approx(0.1)


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
    for other in (shuffled, merged, whole.add(values)):
        assert [column.tolist() for column in other.columns] == [column.tolist() for column in whole.columns]
    assert (whole.numbers == [min(KEPT, len(np.unique(column))) for column in values.T]).all()


def test_the_sample_of_many_values_is_taken_from_all_of_their_range():
    (kept,) = seen(np.arange(100_000.0)[:, None]).columns
    assert len(kept) == KEPT
    assert np.isin(kept, np.arange(100_000.0)).all()
    assert kept.min() < 10_000
    assert kept.max() > 90_000

"""Values that cannot be, whatever else is said of them."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.noise import Bounded, ByObjective, Gaussian, Known
from conewise.studies.possible import check_known, out_of_range

NOISE = ByObjective([Known(), Gaussian(1.0), Known()])
NAN = np.nan


def before(designs=(), values=()):
    return lambda: (np.array(designs, dtype=np.intp), np.array(values, dtype=float).reshape(len(designs), 3))


def check(designs, values, earlier=()):
    return check_known(
        NOISE, "ab", "xyz", before(*earlier), np.array(designs, dtype=np.intp), np.array(values, dtype=float)
    )


def test_the_first_value_outside_a_range():
    assert out_of_range(Bounded(0, 1), np.array([[0.5, 0.5], [0.5, 2.0]])) == (1, 1)
    assert out_of_range(Bounded(0, 1), np.array([[0.5, 0.5]])) is None
    assert out_of_range(Gaussian(1.0), np.array([[1e9]])) is None
    assert out_of_range(None, np.array([[1e9]])) is None
    assert out_of_range(Bounded(0, 1), np.empty((0, 1))) is None


def test_what_is_known_has_one_value_a_design():
    check([0, 0, 1], [[1, 5, 2], [1, 6, 2], [3, 7, 4]])
    with pytest.raises(cw.InputError, match="'z' of 'b' is 4 and 5, although it is declared to be known"):
        check([1], [[3, 0, 5]], ([1], [[3, 0, 4]]))
    check_known(Gaussian(1.0), "ab", "x", before(), np.array([0, 0]), np.array([[1.0], [2.0]]))


def test_what_was_not_measured_contradicts_nothing():
    check([0, 0, 0], [[1, NAN, NAN], [NAN, 2, NAN], [1, NAN, 5]], ([0], [[NAN, NAN, 5]]))
    with pytest.raises(cw.InputError, match="'x' of 'a' is 1 and 2"):
        check([0, 0, 0], [[NAN, 1, NAN], [1, NAN, NAN], [2, NAN, NAN]])

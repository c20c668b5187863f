"""The measurement of a box: its functions, and its table."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import boxes


def test_the_functions_have_their_known_optima():
    """Branin's minimum 0.397887 at (pi, 2.275); Currin's value 3 at the corner (0, 0)."""
    x = np.array([[(np.pi + 5) / 15, 2.275 / 15], [0.0, 0.0]])
    values = boxes.branin_currin(x)
    assert values[0, 0] * -51.3086 + 54.3669 == pytest.approx(0.397887, abs=1e-5)
    assert values[1, 1] * -2.6496 + 7.5926 == pytest.approx(3.0)


def test_means_are_predicted_where_something_was_evaluated():
    seen = np.random.default_rng(0).random((20, 2))
    values = boxes.branin_currin(seen)
    assert boxes.predicted(seen, values, seen[:5] + 1e-9) == pytest.approx(values[:5], abs=0.1)


def test_a_table_counts_what_was_met():
    found = [boxes.Run(1, 60, -5.0, 9, 0.02, True, 0.01, 3.0), boxes.Run(2, 50, -4.0, 8, None, False, 0.02, 5.0)]
    rows = boxes.table(found)
    assert "| 50 to 60 | -4.50 | -4.00 | 1 of 2 | 1 of 2 | 4 |" in rows[2]
    assert rows[-1] == "| 2 | 50 | -4.00 | 8 | none | no | 0.02 |"

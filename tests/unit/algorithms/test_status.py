"""The words for where a design stands, and what becomes of the older ones."""

from __future__ import annotations

import pytest

from conewise.algorithms import Status
from conewise.errors import InputError


def test_five_words_and_their_keys():
    assert [status.value for status in Status] == ["kept", "covered", "beaten", "misses a level", "undecided"]
    assert Status.MISSES.key == "misses_a_level"
    assert Status("beaten") is Status.BEATEN


@pytest.mark.parametrize("old", [lambda: Status.PARETO, lambda: Status("pareto"), lambda: Status["PARETO"]])
def test_pareto_is_kept_with_a_warning_at_the_place_that_says_it(old):
    with pytest.warns(DeprecationWarning, match=r'"pareto" is "kept" \(Status.KEPT\) now') as caught:
        assert old() is Status.KEPT
    assert [warning.filename for warning in caught] == [__file__]


def test_eliminated_was_two_things_and_stands_for_neither():
    with pytest.raises(AttributeError, match=r"divided in 0\.2.*Status\.COVERED.*Status\.BEATEN"):
        _ = Status.ELIMINATED
    with pytest.raises(InputError, match=r"divided in 0\.2"):
        Status("eliminated")
    with pytest.raises(KeyError, match=r"divided in 0\.2"):
        _ = Status["ELIMINATED"]
    with pytest.raises(KeyError, match="LOST"):
        _ = Status["LOST"]


def test_what_was_never_a_status_is_none():
    assert not hasattr(Status, "LOST")
    with pytest.raises(ValueError, match="'lost' is not a valid Status"):
        Status("lost")

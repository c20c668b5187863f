"""The words for where a design stands."""

from __future__ import annotations

import pytest

from conewise.rules import Status


def test_five_words_and_their_keys():
    assert [status.value for status in Status] == ["kept", "covered", "beaten", "misses a level", "undecided"]
    assert Status.MISSES.key == "misses_a_level"
    assert Status("beaten") is Status.BEATEN


def test_what_was_never_a_status_is_none():
    assert not hasattr(Status, "LOST")
    with pytest.raises(ValueError, match="'lost' is not a valid Status"):
        Status("lost")

"""Words that enter a journal: what every storage takes and no terminal obeys."""

from __future__ import annotations

import pytest

import conewise as cw
from conewise.studies.texts import LONGEST_NOTE, as_flag, as_reason, as_text, as_worker


def test_what_can_be_stored_is_stored_as_it_is():
    assert as_text("zwei\nZeilen, 漢字", "text") == "zwei\nZeilen, 漢字"
    assert as_reason("a slip", "a correction") == "a slip"
    assert as_worker("Marie") == "Marie"
    assert as_flag(True, "unseen") is True


@pytest.mark.parametrize("text", ["a\x00b", "\ud800", 7, None, "x" * (LONGEST_NOTE + 1)])
def test_what_cannot_be_stored_is_refused(text):
    with pytest.raises(cw.InputError, match="text must be"):
        as_text(text, "text")


def test_a_reason_says_something():
    with pytest.raises(cw.InputError, match="a correction needs a reason"):
        as_reason(" \n", "a correction")


def test_a_worker_cannot_steer_a_terminal():
    with pytest.raises(cw.InputError, match="worker must be printable text"):
        as_worker("\x1b[2J")


@pytest.mark.parametrize("value", [1, "yes", None])
def test_a_promise_is_yes_or_no(value):
    with pytest.raises(cw.InputError, match="unseen must be True or False"):
        as_flag(value, "unseen")

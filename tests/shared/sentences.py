"""Refusals: one sentence."""

from __future__ import annotations

import pytest

import conewise as cw


def refused(call, words):
    with pytest.raises(cw.InputError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")

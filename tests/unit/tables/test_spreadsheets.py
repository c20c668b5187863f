"""Texts that a spreadsheet would compute are guarded, and come back."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conewise.tables.spreadsheets import guarded, guarded_table, is_guarded, unguarded, unguarded_header

NASTY = ["<script>alert(1)</script>", "=cmd()", "@SUM(A1)", "'=b", "'tis", "-5", "+1+2", "\tx", "plain"]


@pytest.mark.parametrize("names", [NASTY, ["a"], ["=x"], []])
@pytest.mark.parametrize("header", [["name", "cost"], ["'name", "=cost"], ["=name", "'=cost"]])
def test_what_is_guarded_is_known_by_its_header(header, names):
    columns, cells = guarded_table(header, names)
    if is_guarded(columns):
        assert (unguarded_header(columns), [unguarded(cell) for cell in cells]) == (header, names)
    else:
        assert (columns, cells) == (header, names)


@given(st.text(alphabet="'=+-@5.e ab\t\n\uff1d;,|", max_size=12))
def test_what_is_guarded_comes_back(text):
    """Wherever a spreadsheet may begin a cell, it finds nothing to compute there but a number."""
    cell = guarded(text)
    assert unguarded(cell) == text
    assert cell[:1] not in ("\t", "\n")
    for part in re.split("[;,|\t\r\n]", cell):
        assert part[:1] not in ("=", "@", "\uff1d")
        assert part[:1] not in ("+", "-") or np.isfinite(float(part))

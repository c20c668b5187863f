"""Columns of 0/1 outcomes, as people write them: 1 and 0, true and false, yes and no."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conewise.border import Floats
from conewise.errors import InputError
from conewise.tables.columns import row_words
from conewise.tables.designs import OUTCOMES, what_is_wrong


def outcomes(column: Sequence[Any], path: Path, name: str, first_row: int) -> Floats:
    """A column as zeros and ones, NaN where it is empty; the row of the first entry that is neither is refused.

    >>> outcomes(["yes", "No", "", "1", "0.0", True], Path("t.csv"), "correct", 1).tolist()
    [1.0, 0.0, nan, 1.0, 0.0, 1.0]
    """
    found = np.array([_outcome(entry) for entry in column], dtype=np.float64)
    odd = np.flatnonzero(~np.isnan(found) & (found != 0) & (found != 1))
    if len(odd):
        raise InputError(
            f"{row_words(path, first_row + int(odd[0]))}, column {name!r} holds {str(column[int(odd[0])])[:40]!r}, "
            "where 0 or 1 was expected (or no and yes, false and true): its noise is declared binary."
        )
    return found


def _outcome(entry: Any) -> float:
    """0 or 1; NaN where it is empty, and 0.5 for what is neither."""
    if isinstance(entry, bool | np.bool_):
        return float(entry)
    if isinstance(entry, str) and entry.strip().lower() in OUTCOMES:
        return OUTCOMES[entry.strip().lower()]
    if entry is None or (isinstance(entry, str) and not entry.strip()):
        return np.nan
    if what_is_wrong(entry, missing=True) is not None:
        return 0.5
    try:
        return float(entry)
    except ValueError:  # a word for a missing value
        return np.nan

"""What is left of an answer that no proof covers, and where a table itself says that none does."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from conewise.algorithms import Result
from conewise.goals import Heuristic
from conewise.tables.measurements import Source

FOLDS: Final = "folds"
"""What the settings of a cross-validation share; `Imported.shared` is called so."""


def without_proof(result: Result, reason: str) -> Result:
    """The answer as a guess, with the reason."""
    nobody, nothing = np.zeros_like(result.certain), dict.fromkeys(result.certified)
    return replace(result, guarantee=Heuristic(reason), certified_epsilon=None, certain=nobody, certified=nothing)


def shared_by(source: Source) -> str:
    """What all designs of a table were evaluated on, such as folds or samples; empty where nothing is known of that."""
    return str(getattr(source, "shared", ""))


def where_shared(result: Result, source: Source) -> Result:
    """A guess where designs were evaluated on the same folds or samples and are not compared on these."""
    if not (shared := shared_by(source)):
        return result
    reason = f"all designs were evaluated on the same {shared}, so their evaluations are not independent"
    if (block := getattr(source, "block", None)) is not None:
        reason += f" (compare them block by block: --block {block}, in Python block={block!r})"
    return without_proof(result, reason)

"""What is left of an answer that no proof covers, and where a table itself says that none does."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from conewise.errors import counted
from conewise.question.question import Heuristic, amended
from conewise.rules import Result
from conewise.tables.measurements import Source

FOLDS: Final = "folds"
"""What the settings of a cross-validation share; `Imported.shared` is called so."""
STOPPED: Final = (
    "a study wrote this table, and how often it evaluated each design may depend on the values; the study's own answer "
    "covers that, and so does this table where it is not declared final"
)
UNCHANGED: Final = (
    "that values had no part in what was changed, withdrawn or corrected in the study that wrote this table, which a "
    "table does not show"
)


def without_proof(result: Result, reason: str) -> Result:
    """The answer as a guess, with the reason."""
    nobody, nothing = np.zeros_like(result.certain), dict.fromkeys(result.certified)
    return replace(result, guarantee=Heuristic(reason), certified_epsilon=None, certain=nobody, certified=nothing)


def shared_by(source: Source) -> str:
    """What all designs of a table were evaluated on, such as folds or samples; empty where nothing is known of that."""
    return str(getattr(source, "shared", ""))


def pruned_in(source: Source) -> int:
    """Evaluations of the designs of a table that were ended because of how they went, so that they have no values."""
    return int(getattr(source, "pruned", 0))


def left_out_words(source: Source) -> list[str]:
    """What another program has begun and has no values of, in a sentence."""
    if not (n := int(getattr(source, "left_out", 0))):
        return []
    return [
        f"{counted(n)} without values (failed, pruned or unfinished) {'is' if n == 1 else 'are'} left out; that is "
        "sound only if a value does not decide whether it is missing."
    ]


def as_imported(result: Result, source: Source) -> Result:
    """A guess where designs were evaluated on the same folds or samples, or values decided which evaluations count."""
    if pruned := pruned_in(source):
        ended = "was pruned for how it went" if pruned == 1 else "were pruned for how they went"
        reason = f"{counted(pruned)} of these designs {ended}, so that values decided which evaluations count"
        result = without_proof(result, reason)
    if not (shared := shared_by(source)):
        return result
    reason = f"all designs were evaluated on the same {shared}, so their evaluations are not independent"
    if (block := getattr(source, "block", None)) is not None:
        reason += f" (compare them block by block: --block {block}, in Python block={block!r})"
    return without_proof(result, reason)


def was_exported(source: Source) -> bool:
    """Whether a study wrote the table."""
    return bool(getattr(source, "exported", False))


def where_exported(result: Result, source: Source, final: bool) -> Result:
    """A guess where a study wrote a table that is looked at as a sample whose size was decided beforehand.

    Of an answer with a model it is only what holds for every truth. How the study was changed no table shows: where it
    may grow, that is taken for granted by name.
    """
    if not was_exported(source):
        return result
    if not final:
        return _assuming(result, UNCHANGED)
    if result.certified:
        return replace(result, certified={**result.certified, "every truth": None})
    return without_proof(result, STOPPED) if result.guarantee.proof else result


def where_searched(result: Result, source: Source) -> Result:
    """The same answer, naming what it takes for granted of how a search found its designs."""
    searched = str(getattr(source, "assumed", ""))
    return result if result.certified else _assuming(result, searched)


def _assuming(result: Result, what: str) -> Result:
    """The same answer, with something more that its guarantee takes for granted."""
    proof = result.guarantee.proof
    if not proof or not what:
        return result
    return replace(result, guarantee=amended(result.guarantee, assumption=f"{proof.assumption}; {what}"))

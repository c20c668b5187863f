"""Turn the result of an evaluation into D finite numbers, a failure with its reason, or an InputError.

A failed evaluation may be tried again. An InputError is a mistake that no further attempt can mend.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

from conewise.border import NO_REAL_NUMBERS
from conewise.errors import ConewiseError, InputError

_LONGEST_REASON: Final = 300  # characters: a reason is one line of a journal


class EvaluationFailed(ConewiseError):  # noqa: N818 - a failure is no error of the user
    """Raised when one evaluation gave no values. The reason is one line, and another attempt may succeed."""


def in_one_line(text: str, most: int = _LONGEST_REASON) -> str:
    """Return the text as one printable line that cannot steer a terminal, cut to `most` characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def last_line(text: str) -> str:
    """Return the last line that is not empty."""
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""


def as_values(returned: Any, objectives: Sequence[str]) -> list[float]:
    """Return D finite numbers from a function's result: a sequence, an array, a mapping by objective, or one number.

    NaN, an infinite number or None in place of a number is a failed evaluation. Any other result that is not D numbers
    is a mistake in the evaluator and raises InputError.

    >>> as_values({"speed": 2, "cost": 1}, ["cost", "speed"])
    [1.0, 2.0]
    """
    if isinstance(returned, Set):
        raise _mistaken("a set, which has no order", objectives)
    if isinstance(returned, Mapping):
        missing = next((name for name in objectives if name not in returned), None)
        if missing is not None:
            found = ", ".join(map(str, returned)) or "nothing"
            raise _mistaken(f"no value for the objective {missing!r} among {found}", objectives)
        entries = [returned[name] for name in objectives]
    elif isinstance(returned, str | bytes) or returned is None:
        raise _mistaken(f"{len(objectives)} numbers were expected, got {returned!r}", objectives)
    else:
        try:
            entries = list(returned)
        except TypeError:
            entries = [returned]
    if len(entries) != len(objectives):
        raise _mistaken(
            f"{len(entries)} value{'' if len(entries) == 1 else 's'} for {len(objectives)} "
            f"objective{'' if len(objectives) == 1 else 's'} ({', '.join(objectives)})",
            objectives,
        )
    return [_number(entry, name, objectives) for entry, name in zip(entries, objectives, strict=True)]


def read_values(printed: str, objectives: Sequence[str]) -> list[float]:
    """Return D finite numbers from printed text: all of it, or its last line."""
    text = printed.strip()
    if not text:
        raise EvaluationFailed("the command printed nothing")
    try:
        return as_values(_parsed(text), objectives)
    except (EvaluationFailed, InputError):
        if "\n" not in text:
            raise
    return as_values(_parsed(last_line(text)), objectives)


def _mistaken(what: str, objectives: Sequence[str]) -> InputError:
    form = f"[{', '.join(objectives)}]" if len(objectives) <= 6 else "the order of the objectives"
    said = in_one_line(what)
    return InputError(f"{said}; an evaluation gives one number for each objective: a list as {form}, or by name.")


def _number(entry: Any, name: str, objectives: Sequence[str]) -> float:
    """Return a measurement as float. True and False count as 1 and 0; the text "1" is refused."""
    what = f"a finite number was expected for the objective {name!r}, got {entry!r}"
    if isinstance(entry, (str, *NO_REAL_NUMBERS)):
        raise _mistaken(what, objectives)
    if entry is None:
        raise EvaluationFailed(in_one_line(what))
    try:
        number = float(entry)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):
        raise _mistaken(what, objectives) from None
    if not math.isfinite(number):
        raise EvaluationFailed(in_one_line(what))
    return number


def _parsed(text: str) -> Any:
    import json

    if text[0] in "[{":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise EvaluationFailed(in_one_line(f"what the command printed is not JSON: {text[:60]}")) from None
    try:
        return [float(word) for word in re.split(r"[\s,;]+", text.strip(",; \t\n"))]
    except ValueError:
        raise EvaluationFailed(
            in_one_line(f"numbers or JSON were expected, the command printed {text[:60]!r}")
        ) from None

"""The cells of `benchmarks.validate`, as a sequential test takes them."""

from __future__ import annotations

from collections.abc import Callable


def failing(validate, cell) -> Callable[[int], bool]:
    """Whether a run of a cell fails, by its number; all of them must end, but those that may stay open."""
    attempt = validate.judge(cell)

    def fails(number: int) -> bool:
        failed, undecided, _ = attempt(number)
        assert cell.may_stay_open or not undecided
        return failed

    return fails

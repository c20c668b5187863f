"""Which evaluations to pay for first: open questions from the cheapest on, and a short budget shared fairly."""

from __future__ import annotations

from typing import Final

import numpy as np

from conewise.border import Indices
from conewise.data.observations import Counts, Pulls
from conewise.rules.adaptive.outlook import Needs

EVALUATE: Final = "Evaluate "
UP_TO_A_LOOK: Final = "Up to the next look: "
"""How a last sentence begins that says what to evaluate next; a plan says it in numbers."""


def by_size(designs: Indices, missing: Counts) -> tuple[Pulls, ...]:
    """Each design a question of its own, those that lack least first."""
    return tuple(Pulls([designs[k]], [missing[k]]) for k in np.argsort(missing, kind="stable"))


def open_questions(needs: Needs, counts: Counts) -> tuple[Pulls, ...]:
    """For each undecided design the evaluations that would settle it: out by its best rival, or in against all."""
    have = counts[needs.left]
    found: list[tuple[int, int, Pulls]] = []
    for o, row in enumerate(needs.rows):
        targets = needs.others[0, o].copy()
        targets[row] = max(targets[row], needs.own[0, o])
        missing = np.maximum(np.ceil(targets) - have, 0).astype(np.int64)
        chosen = np.flatnonzero(missing)
        if len(chosen):
            found.append((int(missing.sum()), o, Pulls(needs.left[chosen], missing[chosen])))
    return tuple(pulls for *_, pulls in sorted(found, key=lambda entry: entry[:2]))


def shared(wanted: dict[int, int], counts: Counts, given: dict[int, int], most: int) -> dict[int, int]:
    """At most so many of the evaluations wanted: those furthest behind first, since designs are compared level."""
    wanted = {k: n for k, n in wanted.items() if n > 0}
    if sum(wanted.values()) <= most:
        return wanted
    designs = np.array(list(wanted))
    have = counts[designs] + np.array([given.get(int(k), 0) for k in designs])
    ends = have + np.array(list(wanted.values()))
    low, high = int(have.min()), int(ends.max())
    while low < high:  # the highest common count that is affordable
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _reaching(have, ends, middle).sum() <= most else (low, middle - 1)
    times = _reaching(have, ends, low)
    reached = have + times
    extra = np.flatnonzero((reached <= low) & (reached < ends))[: most - int(times.sum())]
    times[extra] += 1
    return {int(k): int(n) for k, n in zip(designs, times, strict=True) if n}


def _reaching(have: Counts, ends: Counts, level: int) -> Counts:
    return np.asarray(np.maximum(np.minimum(ends, level) - have, 0))

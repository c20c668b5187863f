"""The first sentences of a report: what to take, by name, what that is worth, and why a design is where it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from conewise.analysis.explanations import HOPELESS, more_evaluations
from conewise.analysis.oddities import joined, listed
from conewise.border import Floats, Indices
from conewise.digits import readable
from conewise.errors import counted, printable
from conewise.question.objectives import Objectives
from conewise.question.question import IF_NORMAL, Guarantee, Heuristic, certainty
from conewise.report.subject import Subject
from conewise.rules import Result, Status
from conewise.rules.contract import in_status

_NAMED: Final = 5  # designs called by name
_LETTERS: Final = 120  # of their names together: long ones are fewer
_TRADED: Final = 4  # objectives of a comparison in words
_DIGITS: Final = 5  # of what is traded
_ONCE: Final = "Each was evaluated once: if these are known values, say --known, or use conewise front."


def headline(subject: Subject) -> dict[str, str]:
    """What to take, what that is worth, and how many designs stand where: a sentence each."""
    return {"take": take(subject), "worth": worth(subject), "standing": standing(subject)}


# -- what to take ------------------------------------------------------------------------------------------------------


def take(subject: Subject) -> str:
    """The answer by name: "Take S235, C45 or 42CrMo4."; what is open is said to be open."""
    result = subject.result
    k = len(result.pareto)
    returned, open_ = np.flatnonzero(result.pareto), np.flatnonzero(result.status == Status.UNDECIDED.value)
    if k == 1 and len(returned):
        return f"Take {_names(subject, returned)[0]}: there is no other design."
    if len(open_) == k:
        known = "evaluated" if not result.evaluations and not subject.known else "decided"
        said = f"Nothing is {known} yet: all {k:,} designs are in question."
        once = subject.tabled and result.probability is None and (result.counts == 1).all()
        return f"{said} {_ONCE}" if once else said
    if len(open_):
        kept = np.flatnonzero(result.status == Status.KEPT.value)
        verb = "is" if len(open_) == 1 else "are"
        if not len(kept):
            return f"Not decided yet: {_listed(subject, open_)} {verb} in question."
        return f"Keep {_listed(subject, kept)}; {_listed(subject, open_)} {verb} undecided."
    if not len(returned):
        return f"Take none of the {k:,} designs: each of them misses a level."
    return f"Take {one_of(_names(subject, returned))}."


def one_of(names: Sequence[str], most: int = _NAMED) -> str:
    """a; a or b; a, b or c; of many the first few and how many others.

    >>> one_of("ab"), one_of("abcdefgh", most=3)
    ('a or b', 'a, b, c or one of 5 others')
    """
    shown = _room(names, most)
    if shown == len(names):
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    return f"{', '.join(names[:shown])} or one of {len(names) - shown:,} others"


def _room(names: Sequence[str], most: int) -> int:
    """How many are called by name: never all but one."""
    if len(names) <= most + 1 and sum(map(len, names)) <= _LETTERS:
        return len(names)
    shown, letters = 0, 0
    while shown < min(most, len(names)) and letters + len(names[shown]) <= _LETTERS:
        letters += len(names[shown])
        shown += 1
    return max(1, shown if shown < len(names) - 1 else len(names) - 2) if len(names) > 2 else len(names)


def _names(subject: Subject, designs: Indices) -> list[str]:
    """Those on the shortlist first; of a model's answer then the most probable ones."""
    chosen, likely = set(subject.shortlist), subject.result.probability
    ordered = sorted(
        (int(k) for k in designs), key=lambda k: (k not in chosen, 0.0 if likely is None else -float(likely[k]), k)
    )
    return [printable(subject.names[k]) for k in ordered]


def _listed(subject: Subject, designs: Indices) -> str:
    names = _names(subject, designs)
    shown = _room(names, _NAMED)
    return listed(names, shown)


def standing(subject: Subject) -> str:
    """How many designs stand where, and what that took: "2 kept, 1 covered and 5 beaten, of 8 designs ..."."""
    result = subject.result
    found = [(status, int((result.status == status.value).sum())) for status in Status]
    parts = [in_status(status, n) for status, n in found if n]
    certain = int(result.certain.sum())
    sure = f" ({certain:,} certainly Pareto optimal)" if certain and not subject.known else ""
    k = len(result.pareto)
    after = "" if subject.known else f" after {counted(result.evaluations)}"
    return f"Of {counted(k, 'design')}: {joined(parts)}{sure}{after}.{_predicted(result)}"


def _predicted(result: Result) -> str:
    """How many of the returned designs only a model speaks for."""
    n = 0 if result.probability is None else int((result.pareto & (result.counts == 0)).sum())
    if not n:
        return ""
    were, them = ("was", "it") if n == 1 else ("were", "them")
    return f" {counted(n, 'returned design')} {were} never evaluated: only the model speaks for {them}."


# -- what it is worth --------------------------------------------------------------------------------------------------


def worth(subject: Subject) -> str:
    """What the answer is worth, in one sentence without symbols; it never says more than its proof."""
    result, given = subject.result, subject.result.guarantee
    n = int(result.pareto.sum())
    if subject.known:
        if not n:
            return "Every value is taken as exact, and no design has all that was asked for."
        who = "it" if n == 1 else "any of them"
        other = "other acceptable design" if subject.meaning.levels else "other design"
        return f"Every value is taken as exact: under this preference no {other} beats {who}."
    if not (proof := given.proof):
        return f"There is no guarantee: {given.reason}."
    lead, tail = condition_words(given)
    if n == len(result.pareto) > 1 and not is_answered(subject):
        return f"So far no design can be ruled out with probability {certainty(proof.delta)}.{tail}"
    sure = f"{lead} probability at least {certainty(proof.delta)}{scope(result)}, {_held(subject, proof, n)}"
    if proof.epsilon > subject.epsilon:
        sure += f"; asked for was {subject.meaning.at(subject.epsilon)}"
    return f"{sure}.{tail}"


def condition_words(worth: Guarantee | Heuristic) -> tuple[str, str]:
    """Return what goes before a probability, and the sentence behind it; both name a condition, where there is one."""
    if worth:
        return "With", ""
    return f"{IF_NORMAL.capitalize()}, with", f" That is no guarantee: {worth.reason}."


def scope(result: Result) -> str:
    """Behind a probability that a model gives: it holds on average, not for every truth."""
    if not result.certified:
        return ""
    said, found, _ = (proof.theorem if (proof := result.guarantee.proof) else "").partition(", posterior certificate")
    return f" {said}" if found else " on average over the prior"


def _held(subject: Subject, given: Guarantee, n: int) -> str:
    """What the returned set does (Ararat & Tekin 2023, Definition 4.6; Auer et al. 2016 for "contain").

    Where the answer is open the headline does not name the returned designs, so this does.
    """
    if not n:
        return "no design is acceptable"
    levels = bool(subject.meaning.levels)
    best = f"{'acceptable ' if levels else ''}design that no other beats"
    at = f"epsilon = {subject.meaning.within(given.epsilon)}"
    who = one_of(_names(subject, np.flatnonzero(subject.result.pareto)))
    it, them, none = "it", "these", "none of these"
    if not is_answered(subject):
        it, them, none = who, who, "none of them"
    if subject.question.success == "contain":
        if n == 1 and not (levels and given.epsilon):  # else there may be none, and it misses a level by a little
            return f"{it} is the one {best}"
        spare = "" if subject.question.keeps_levels else ", not counting rivals that have no more to spare in a level"
        if n == 1:
            return f"every {best} is no other than {it}, and it is no further than {at} from being one{spare}"
        near = f"further than {at} from being one" if given.epsilon else "surpassed in every respect"
        among = f"among {them}" if them == "these" else f"{them}"
        return f"every {best} is {among}, and {none} is {near}{spare}"
    if n == 1:
        return f"every {best} is matched within {at} by {it}, which is no further than that from being one"
    by = f"one of {them}" if them == "these" else them
    return f"every {best} is matched within {at} by {by}, and {none} is further than that from being one"


def is_answered(subject: Subject) -> bool:
    """True if what was asked for is proven, also under a condition; at a larger epsilon it may say next to nothing."""
    result, given = subject.result, subject.result.guarantee.proof
    met = subject.known or bool(given and given.epsilon <= subject.epsilon)
    return met and not (result.status == Status.UNDECIDED.value).any()


# -- why, and what next ------------------------------------------------------------------------------------------------


def lead_words(meaning: Objectives, better: Floats, worse: Floats) -> str:
    """How one design differs from another, in the user's units: "12 more strength, 3 less price".

    >>> from conewise.question.objectives import as_objectives
    >>> lead_words(as_objectives(["strength", "price"], ["price"]), np.array([41.0, 5.0]), np.array([30.0, 5.5]))
    '11 more strength, 0.5 less price'
    """
    step = np.asarray(better, dtype=np.float64) - worse
    if np.isnan(step).any():
        return ""
    size = np.abs(step) / meaning.units
    moved = np.flatnonzero(step)
    most = _TRADED if len(moved) <= _TRADED else _TRADED - 1
    shown = np.sort(moved[np.argsort(-size[moved], kind="stable")][:most])
    parts = [meaning.each[int(d)].difference(float(f"{step[d]:.{_DIGITS}g}")) for d in shown]
    if len(moved) > len(shown):
        parts.append(f"{len(moved) - len(shown):,} smaller differences")
    return ", ".join(map(printable, parts)) if parts else "equal in everything"


def why(result: Result, meaning: Objectives, averages: Floats, design: int) -> str:
    """By how much whoever beats or covers a design is ahead of it; which level it misses; nothing for the others."""
    by = int(result.by[design])
    if by >= 0:
        return lead_words(meaning, averages[by], averages[design])
    if result.status[design] == Status.MISSES.value:
        missed = [
            f"{o.name} {'<=' if o.minimised else '>='} {readable(o.level)}"
            for o, value in zip(meaning.each, averages[design], strict=True)
            if o.level is not None and not bool(o.meets(value))
        ]
        return printable(joined(missed or [""]))
    return ""


def price_lines(subject: Subject) -> list[str]:
    """What deciding everything would take, for the epsilon asked for and for others."""
    lines = []
    if subject.remaining:
        lines.append((subject.epsilon, subject.remaining, subject.at_least))
    lines += [(price.epsilon, price.remaining, False) for price in subject.prices]
    return [
        f"{subject.meaning.at(epsilon)}: "
        + (
            "no reasonable number of evaluations: some designs look like a tie"
            if n >= HOPELESS
            else more_evaluations(n, least)
            if n
            else "nothing more"
        )
        for epsilon, n, least in lines
    ]

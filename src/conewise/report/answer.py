"""The numbers of a report, as plain data: renderers (a page, Markdown, pictures) only draw what stands here.

However many designs there are, a bounded number is listed, each with a few rivals: what is returned or open first, and
a sample of the rest. Values stand in their own sign; scores, gains and radii are along the facets, where larger is
better.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from conewise.analysis.explanations import more_evaluations
from conewise.analysis.oddities import joined
from conewise.border import Bools, Floats, Indices, as_count
from conewise.certificate.contrasts import Contrasts, Seen
from conewise.cone.cone import Cone
from conewise.digits import rounded_up
from conewise.errors import printable
from conewise.order.directions import cover_at
from conewise.order.dominance import pareto_mask
from conewise.order.gaps import escape_gaps
from conewise.question.question import certainty
from conewise.report.headline import condition_words, headline, is_answered, price_lines, scope, why
from conewise.report.subject import Subject, expect
from conewise.report.words import describe, weightings
from conewise.rules import Result, Status
from conewise.rules.contract import undecided_words

LISTED: Final = 2000
"""Designs listed; beyond, what is returned or open and a sample of the rest."""
_DIGITS: Final = 7  # of numbers
COLUMNS: Final = 30
"""Objectives in a table."""
_NUMBERS: Final = 10**6  # in a page, of all listed designs: with many objectives or weightings fewer designs are listed
_FEWEST: Final = 50
_SAMPLED: Final = 500  # of these, designs that are neither
_RIVALS: Final = 300  # designs that others are compared with
_EACH: Final = 4  # rivals shown of one design
_RUNNERS_UP: Final = 12  # designs that are out and yet compared with, where hardly any other is left
_PAIRS_AT_ONCE: Final = 2**17
_FACETS: Final = 12  # a rival's gains are shown along so many facets, the decisive ones where there are more
STATUS_ORDER: Final = (Status.KEPT, Status.UNDECIDED, Status.COVERED, Status.BEATEN, Status.MISSES)
"""In which order designs are listed."""


def answer(subject: Subject, *, most: int = LISTED) -> dict[str, Any]:
    """Everything a report shows, ready for JSON."""
    expect(subject, Subject, "subject", "a Subject, from of_study, of_analysis, of_table or of_result")
    most = as_count(most, "most")
    result, cone = subject.result, subject.cone
    each = cone.dim + 2 * len(cone.facets)
    chosen = chosen_designs(result, cone, min(most, max(_FEWEST, _NUMBERS // each)))
    k = len(result.pareto)
    return {
        "title": printable(subject.title),
        "headline": headline(subject),
        "source": printable(subject.source),
        "known": subject.known,
        "designs": k,
        "objectives": [
            {
                "name": printable(o.name),
                "direction": "smaller" if o.minimised else "larger",
                "unit": o.unit,
                "level": o.level,
            }
            for o in subject.meaning.each
        ],
        "cone": {
            "text": str(cone),
            "said": [printable(line) for line in cone.said],
            "words": describe(cone, subject.meaning.names, subject.meaning.minimised, subject.meaning.units),
            "weightings": weightings(cone, *counted_in_steps(subject)),
            "facets": cone.facets.tolist(),
            "rays": cone.rays.tolist() if cone.dim <= 3 else [],
            "widths": cone.widths.tolist(),
        },
        "epsilon": subject.epsilon,
        "delta": None if subject.known else subject.delta,
        "noise": subject.noise,
        "method": subject.method,
        "evaluations": result.evaluations,
        "counts": counts(result),
        "certificate": certificate(subject),
        "sentences": [*_step_words(subject), *subject.sentences],
        "rows": rows(subject, chosen),
        "listed": _listed_words(result, chosen) + _columns_words(cone.dim),
        "has_radii": subject.evidence is not None,
        "history": [
            asdict(moment) | {"certified_epsilon": _reached(moment.certified_epsilon)} for moment in subject.history
        ],
        "history_note": subject.history_note,
        "next": [{"id": d, "design": printable(subject.names[d]), "times": n} for d, n in subject.next],
        "next_words": _next_words(subject),
        "remaining": subject.remaining,
        "price_words": price_lines(subject),
        "shortlist": list(subject.shortlist),
    }


def counted_in_steps(subject: Subject) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the objectives, and of those that should be small, as sums over steps write them: price / 500."""
    each = subject.meaning.each
    names = {o.name: f"{o.name} / {o.unit:.6g}" if o.unit != 1 else o.name for o in each}
    return tuple(names.values()), tuple(names[o.name] for o in each if o.minimised)


def _step_words(subject: Subject) -> list[str]:
    if not subject.result.units:
        return []
    return [f"One step is {subject.meaning.amounts(1)}; the cone, epsilon, gaps and scores count in steps."]


def counts(result: Result) -> dict[str, int]:
    """How many designs have each status, how many are returned, and how many of these certainly Pareto optimal."""
    found = {status.key: int((result.status == status.value).sum()) for status in STATUS_ORDER}
    return {**found, "returned": int(result.pareto.sum()), "certain": int(result.certain.sum())}


def left_out(result: Result) -> Bools:
    """(K,): covered, beaten, or without an acceptable value."""
    return np.isin(result.status, (Status.COVERED.value, Status.BEATEN.value, Status.MISSES.value))


def certificate(subject: Subject) -> dict[str, Any]:
    """What the answer is worth."""
    result, proof = subject.result, subject.result.guarantee.proof
    return {
        "guaranteed": bool(result.guarantee),
        "answered": is_answered(subject) and (subject.known or bool(result.guarantee)),
        "sentence": _worth_words(subject),
        "epsilon": proof.epsilon if proof else None,
        "delta": proof.delta if proof else None,
        "theorem": proof.theorem if proof else None,
        "assumption": proof.assumption if proof else subject.noise or "nothing",
        "certified_epsilon": _reached(result.certified_epsilon),
        "certified": {kind: _reached(epsilon) for kind, epsilon in result.certified.items()},
        "stopped_because": result.stopped_because,
    }


def _worth_words(subject: Subject) -> str:
    result, worth = subject.result, subject.result.guarantee
    if subject.known:
        return "Every value is taken as exact, so the Pareto set is exact as well."
    if not (proof := worth.proof):
        return f"No guarantee is given: {worth.reason}."
    n, (lead, tail) = int(result.pareto.sum()), condition_words(worth)
    sure = f"{lead} probability at least {certainty(proof.delta)}{scope(result)}"
    if not n:
        return f"{sure} no design is acceptable.{tail}"
    within = f"at epsilon = {subject.meaning.within(proof.epsilon)}" if proof.epsilon else "exactly"
    who = "the returned design answers" if n == 1 else f"the {n:,} returned designs answer"
    words = f"{sure} {who} the question {within}"
    if proof.epsilon > subject.epsilon:
        words += f" (asked for: {subject.meaning.counted(subject.epsilon)})"
    if n == len(result.pareto) > 1 and not is_answered(subject):
        words += ". That rules no design out: all of them are returned"
    return f"{words}.{tail}"


# -- the designs -----------------------------------------------------------------------------------------------------


def chosen_designs(result: Result, cone: Cone, most: int = LISTED) -> Indices:
    """Which designs are listed, ascending: all, or what is returned or open and a sample of the rest.

    Where even that is too much, half of the room is for the front of the averages.
    """
    k = len(result.pareto)
    if k <= most:
        return np.arange(k)
    wanted: Bools = result.pareto | ~left_out(result)
    others = _thinned(np.flatnonzero(~wanted), min(_SAMPLED, most // 4))
    room = most - len(others)
    kept = np.flatnonzero(wanted)
    if len(kept) > room:
        seen = kept[~np.isnan(result.means[kept]).any(axis=1)]
        front = _thinned(seen[pareto_mask(result.means[seen], cone)] if len(seen) else seen, room // 2)
        kept = np.concatenate([front, _thinned(np.setdiff1d(kept, front), room - len(front))])
    return np.sort(np.concatenate([kept, others]))


def _thinned(designs: Indices, most: int) -> Indices:
    if len(designs) <= most:
        return designs
    return designs[np.linspace(0, len(designs) - 1, most).round().astype(np.intp)]


def _listed_words(result: Result, chosen: Indices) -> str:
    k = len(result.pareto)
    if len(chosen) == k:
        return f"All {k:,} designs are listed." if k > 1 else "There is one design."
    wanted = result.pareto | ~left_out(result)
    shown, total = int(wanted[chosen].sum()), int(wanted.sum())
    parts = []
    if total:
        part = f"all {total:,}" if shown == total else f"{shown:,} of the {total:,}"
        parts.append(f"{part} that are returned or undecided")
    if len(chosen) > shown:
        parts.append(f"an even sample of {len(chosen) - shown:,} of the others")
    return f"Of {k:,} designs {len(chosen):,} are listed and drawn: {joined(parts)}."


def _columns_words(dim: int) -> str:
    return f" The table has the first {COLUMNS} of {dim:,} objectives." if dim > COLUMNS else ""


def rows(subject: Subject, chosen: Indices) -> list[dict[str, Any]]:
    """The listed designs, with their rivals and half-widths: kept designs first, then the undecided."""
    result, cone = subject.result.named(subject.names, subject.meaning), subject.cone
    averages, meaning = result.averages, subject.meaning
    means = averages[chosen]
    scores = cone.facet_values(result.means[chosen])
    columns = _strong(subject)
    gaps = _gaps(subject, chosen, columns)
    rivals, half_widths = _compared(subject, chosen, columns)
    errors = subject.standard_errors
    return [
        {
            "id": int(k),
            "name": printable(subject.names[k]),
            "status": str(result.status[k]),
            "standing": printable(result.standing(k)),
            "why": why(result, meaning, averages, k),
            "certain": bool(result.certain[k]),
            "returned": bool(result.pareto[k]),
            "evaluations": int(result.counts[k]),
            "probability": None if result.probability is None else _plain(float(result.probability[k])),
            "evidence": None if result.probability is None else str(result.evidence[k]),
            "means": _numbers(means[p]),
            "standard_errors": None if errors is None else _numbers(errors[k]),
            "scores": _numbers(scores[p]),
            "gap": None if result.status[k] == Status.MISSES.value else _plain(gaps[p]),
            "half_widths": None if half_widths is None else _numbers(half_widths[p]),
            "rivals": rivals[p],
        }
        for status in STATUS_ORDER
        for p, k in enumerate(chosen.tolist())
        if result.status[k] == status
    ]


def _strong(subject: Subject) -> Indices:
    """The designs that others are compared with: what is returned or open, its empirical front where that is many.

    With hardly any of these, those that come closest to them too: a winner has rivals as well.
    """
    result = subject.result
    seen = ~np.isnan(result.means).any(axis=1)
    pool = np.flatnonzero(seen & (result.pareto | ~left_out(result)))
    if not len(pool):
        pool = np.flatnonzero(seen)
    elif len(pool) <= _EACH:
        others = np.setdiff1d(np.flatnonzero(seen & (result.status != Status.MISSES.value)), pool)
        if len(others):
            far = escape_gaps(result.means[others], subject.cone, rivals=result.means[pool]).max(axis=1)
            pool = np.concatenate([pool, others[np.argsort(far, kind="stable")[:_RUNNERS_UP]]])
    if len(pool) > _RIVALS:
        front = pool[pareto_mask(result.means[pool], subject.cone)]
        pool = front if len(front) >= _EACH else pool
    return np.sort(_thinned(pool, _RIVALS))


def _gaps(subject: Subject, chosen: Indices, columns: Indices) -> Floats:
    """Delta* of the averages: how much each would have to gain before none of the strong is better everywhere."""
    gaps = np.full(len(chosen), np.nan)
    means = subject.result.means
    seen = ~np.isnan(means[chosen]).any(axis=1)
    if len(columns) and seen.any():
        gaps[seen] = escape_gaps(means[chosen[seen]], subject.cone, rivals=means[columns]).max(axis=1)
    return gaps


# -- rivals ----------------------------------------------------------------------------------------------------------


class _Averages:
    """Comparisons without radii, for answers that come without a certificate of pairs."""

    def __init__(self, subject: Subject, designs: Indices) -> None:
        self.scores = subject.cone.facet_values(subject.result.means[designs])

    def fine(self, rows: Indices, columns: Indices) -> Seen:
        gains = self.scores[columns][None, :, :] - self.scores[rows][:, None, :]
        return Seen(gains, np.zeros_like(gains))

    def out(self, rows: Indices, columns: Indices, *, covering: bool = False) -> Seen:
        return self.fine(rows, columns)


def _compared(subject: Subject, chosen: Indices, columns: Indices) -> tuple[list[list[dict[str, Any]]], Floats | None]:
    """For each listed design those that settle or threaten it most, and how wide its own confidence is.

    A design that misses a level has nobody who does: it is out by itself.
    """
    designs = np.union1d(chosen, columns)
    evidence = subject.evidence
    compared: Contrasts | _Averages
    compared = _Averages(subject, designs) if evidence is None else evidence.compare(designs)
    mine, theirs = np.searchsorted(designs, chosen), np.searchsorted(designs, columns)
    settled = left_out(subject.result)[chosen]
    misses = subject.result.status[chosen] == Status.MISSES.value
    found: list[list[dict[str, Any]]] = [[] for _ in chosen]
    step = max(1, _PAIRS_AT_ONCE // max(1, len(columns) * len(subject.cone.facets)))
    for out in (True, False):
        which = np.flatnonzero((settled == out) & ~misses)
        for start in range(0, len(which) if len(columns) else 0, step):
            part = which[start : start + step]
            some = mine[part]
            block = compared.out(some, theirs, covering=True) if out else compared.fine(some, theirs)
            same = mine[part][:, None] == theirs[None, :]
            for p, entries in zip(part.tolist(), _nearest(subject, block, same, columns, out), strict=True):
                found[p] = entries
    return found, None if evidence is None else _half_widths(compared, mine)


def _nearest(subject: Subject, seen: Seen, same: Bools, columns: Indices, out: bool) -> list[list[dict[str, Any]]]:
    """The rivals of some rows, the most decisive first."""
    widths, radii_known = subject.cone.widths, subject.evidence is not None
    with np.errstate(invalid="ignore"):
        ahead = seen.gains - seen.radii if out else (seen.gains + seen.radii) / widths
    margin = ahead.min(axis=2)
    margin = np.where(np.isnan(margin), -np.inf if out else np.inf, margin)
    margin[same] = -np.inf
    lists = []
    for row in range(len(margin)):
        entries = []
        for c in np.argsort(-margin[row], kind="stable")[:_EACH].tolist():
            gains, radii = seen.gains[row, c], seen.radii[row, c]
            if same[row, c] or np.isnan(gains).any():
                continue
            widest = None if seen.widest is None else seen.widest[row, c]
            relation, reach = _relation(subject, gains, radii, widest, float(margin[row, c]), out)
            facets = np.sort(np.argsort(gains)[:_FACETS])
            entries.append(
                {
                    "id": int(columns[c]),
                    "name": printable(subject.names[columns[c]]),
                    "relation": relation,
                    "epsilon": _reached(reach),
                    "facets": facets.tolist(),
                    "gains": _numbers(gains[facets]),
                    "radii": _numbers(radii[facets]) if radii_known else None,
                }
            )
        lists.append(entries)
    return lists


def _relation(
    subject: Subject, gains: Floats, radii: Floats, widest: float | None, margin: float, out: bool
) -> tuple[str, float]:
    """What a rival means for a design, and the epsilon from which it settles it."""
    sure = subject.evidence is not None
    if subject.known:
        better = margin >= 0 and (gains > 0).any()
        return ("better" if better else "not better"), max(margin, 0.0) if not out else 0.0 if better else math.inf
    if not out:
        reach = max(margin, 0.0)
        words = "not better by more than epsilon" if reach <= subject.epsilon else "may be better" if sure else "better"
    elif margin >= 0 and (gains > 0).any():
        reach, words = 0.0, "better"
    else:
        reach, wide = math.inf, None if widest is None else np.array([widest])
        if np.isfinite(radii - gains).all():
            reach = float(cover_at(subject.cone, gains[:, None], radii[:, None], wide)[0])
        words = "covers it within epsilon" if reach <= subject.epsilon else "close, not decisive alone"
    return words if sure else f"{words} on average", reach


def _half_widths(compared: Contrasts | _Averages, places: Indices) -> Floats:
    """(rows, N): along each facet, the radius of a difference between two such designs, over the square root of 2.

    Two designs at one look with half-widths h and h' have a radius of at most h + h': further apart, they are told
    apart.
    """
    parts = []
    for start in range(0, len(places), 64):
        part = places[start : start + 64]
        seen = compared.fine(part, part)
        parts.append(np.einsum("iin->in", seen.radii) / math.sqrt(2))
    return np.concatenate(parts)


# -- what is next ------------------------------------------------------------------------------------------------------


def _next_words(subject: Subject) -> str:
    open_ = int((subject.result.status == Status.UNDECIDED.value).sum())
    if subject.known:
        return "Nothing has to be evaluated: every value is known."
    words = f"{undecided_words(open_)}."
    if not subject.next and not open_:
        return "Nothing more needs to be evaluated." if is_answered(subject) else "Nothing more is asked for."
    if not subject.next and subject.remaining == 0:
        return f"{words} No more evaluations are asked for: a limit is reached."
    if (subject.result.counts == 0).any() and subject.result.probability is None:
        words += " First of all every design has to be evaluated."
    elif subject.remaining:
        rest = more_evaluations(subject.remaining, subject.at_least)
        words += f" Deciding takes {rest}, judged by the averages so far."
    if not subject.next:
        words += " Which evaluations are worth most is not known here; `conewise analyse --plan` works it out."
    return words


def _plain(number: float | None) -> float | None:
    """A number that JSON knows, with no more digits than a reader can use; None for the others."""
    if number is None or not math.isfinite(number):
        return None
    return float(f"{number:.{_DIGITS}g}")


def _reached(epsilon: float | None) -> float | None:
    """The same of an epsilon from which something holds: no less than it is."""
    return None if epsilon is None or not math.isfinite(epsilon) else rounded_up(epsilon, _DIGITS)


def _numbers(values: Floats) -> list[float | None]:
    return [_plain(v) for v in values.tolist()]

"""A best guess beside the certificate: the front of the averages, how well these are known, and what else would cost.

Nothing here is guaranteed. Who has to decide today wants to know what the averages say, and whoever may measure on,
what another epsilon would take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from conewise.analysis.oddities import listed
from conewise.border import Bools, Floats
from conewise.certificate.blocks.paired import Prefixes
from conewise.certificate.history import Checkpoints
from conewise.certificate.rounding import spreads_of
from conewise.certificate.streams import Separately
from conewise.data.observations import Statistics
from conewise.digits import rounded_unit
from conewise.errors import printable
from conewise.order.dominance import pareto_mask
from conewise.question.question import Question
from conewise.rules import PairedElimination, SuccessiveElimination
from conewise.rules.adaptive.fixed import FixedSample

_PRICED: Final = 100  # designs for which other epsilons are tried: each of them judges all designs again
_COMPARED: Final = 2  # evaluations of a design before it can be compared
_ANY: Final = 10**9  # more evaluations than anybody makes: an end for epsilon = 0
_PARTS: Final = (0.5, 2.0)  # of a tenth of the smallest spread: a fine epsilon and a coarse one


@dataclass(frozen=True)
class Price:
    """So many more evaluations, by the averages so far, would decide everything at this epsilon (in steps)."""

    epsilon: float
    remaining: int


@dataclass(frozen=True, eq=False)
class Guess:
    """What the averages say by themselves; nothing of it is guaranteed."""

    pareto: Bools
    """(K,): the Pareto set of the averages."""
    standard_errors: Floats
    """(K, D): of the averages, as they were measured; NaN where there are fewer than two evaluations."""
    prices: tuple[Price, ...] = ()
    """What other epsilons would cost, where something is undecided."""

    @classmethod
    def of(
        cls,
        question: Question,
        statistics: Statistics | Separately,
        found: tuple[Price, ...] = (),
        population: int | None = None,
    ) -> Guess:
        """From the whole samples, in steps.

        Where averages are over a finite `population` of blocks, what was drawn without putting it back is known better,
        by sqrt(1 - n / population), and exactly when all of it was.
        """
        errors = standard_errors(statistics, question.columns.units)
        if population is not None:
            errors = errors * np.sqrt(np.maximum(1.0 - statistics.counts / population, 0.0))[:, None]
        return cls(front_of_averages(statistics, question), errors, found)


def front_of_averages(statistics: Statistics | Separately, question: Question) -> Bools:
    """(K,): the Pareto set of the averages, among the designs that have all of them and miss no level by them."""
    means, cone = statistics.means, question.cone
    with np.errstate(invalid="ignore"):
        acceptable = question.columns.meets(question.columns.own(means))
    seen = np.flatnonzero(~np.isnan(means).any(axis=1) & acceptable)
    mask = np.zeros(len(means), dtype=bool)
    if len(seen):
        mask[seen[pareto_mask(means[seen], cone)]] = True
    return mask


def standard_errors(statistics: Statistics | Separately, units: Floats) -> Floats:
    """(K, D): of the averages, in the user's units; NaN where there are fewer than two evaluations."""
    if isinstance(statistics, Separately):
        each = zip(statistics.each, units, strict=True)
        return np.column_stack([standard_errors(own, np.array([unit])) for own, unit in each])
    n = statistics.counts.astype(np.float64)[:, None]
    scatters = np.maximum(np.diagonal(statistics.scatters, axis1=1, axis2=2), 0.0)
    equal = spreads_of(statistics.scatters, statistics.means, n[:, 0]) == 0  # what is left of these is rounding
    scatters = np.where(equal, 0.0, scatters)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n > 1, np.sqrt(scatters / (n * (n - 1))), np.nan) * units


def other_epsilons(question: Question, statistics: Statistics) -> tuple[float, ...]:
    """A fine and a coarse epsilon above the one asked for, from the spread of the averages; rounded to 1-2-5."""
    spreads = np.ptp(statistics.means[statistics.counts > 0], axis=0) if (statistics.counts > 0).any() else np.empty(0)
    spreads = spreads[np.isfinite(spreads) & (spreads > 0)]
    if not len(spreads):
        return ()
    tried = (rounded_unit(part * float(spreads.min())) for part in _PARTS)
    return tuple(dict.fromkeys(epsilon for epsilon in tried if epsilon > question.epsilon))


def prices(question: Question, state: Checkpoints, most: int | None, final: bool) -> tuple[Price, ...]:
    """What other epsilons would cost; nothing where there are too many designs, or some cannot be compared yet."""
    k = state.statistics.n_designs
    rule = SuccessiveElimination(question, k, max_evaluations=most, any_epsilon=True, pilots=False)
    if k > _PRICED or (state.counts < rule.certificate.levels.counts[0]).any():
        return ()
    sample = FixedSample(question, k)

    def missing(epsilon: float) -> Any:
        claims = sample.claims(state.statistics, epsilon) if final else rule.certificate.claims(state, epsilon)
        return rule.missing(state, claims, epsilon)

    return _priced(other_epsilons(question, state.statistics), missing)


def _priced(epsilons: Sequence[float], missing: Callable[[float], Any]) -> tuple[Price, ...]:
    return tuple(Price(epsilon, int(missing(epsilon).sum())) for epsilon in epsilons)


def later_prices(question: Question, statistics: Statistics) -> tuple[Price, ...]:
    """The same from the samples alone, for evaluations that go on after them; nothing before all can be compared."""
    k = statistics.n_designs
    if k > _PRICED or (statistics.counts < _COMPARED).any():
        return ()
    rule = SuccessiveElimination(question, k, max_evaluations=_ANY, any_epsilon=True, pilots=False)
    return prices(question, replace(rule.start(), statistics=statistics), _ANY if question.epsilon == 0 else None, True)


def block_prices(rule: PairedElimination, state: Prefixes, *, first: bool = False) -> tuple[Price, ...]:
    """The same for designs that share blocks, `first` for the epsilon asked for; nothing before all are comparable."""
    claims = rule.certificate.claims(state)
    few = _COMPARED if rule.once else rule.certificate.levels[0]
    if rule.n_designs > _PRICED or (rule.read(state)[~claims.out] < few).any():
        return ()
    epsilons = (*([rule.epsilon] if first else []), *other_epsilons(rule.question, state.statistics))
    return _priced(epsilons, lambda epsilon: rule.missing(state, rule.certificate.claims(state, epsilon), epsilon))


def front_words(guess: Guess, names: Sequence[str]) -> list[str]:
    """The Pareto set of the averages, in a sentence; nothing before there is any average."""
    front = [printable(names[int(k)]) for k in np.flatnonzero(guess.pareto)]
    return [f"Best guess, by the averages alone: the Pareto set is {listed(front)}."] if front else []


def price_words(found: Sequence[Price], question: Question, hopeless: int) -> str:
    """A sentence behind another one: "With epsilon = 0.5 about 120 more, with epsilon = 2 none."; or nothing."""
    parts = [
        f"with {question.columns.at(price.epsilon)} {f'about {price.remaining:,} more' if price.remaining else 'none'}"
        for price in found
        if price.remaining < hopeless
    ]
    if not parts:
        return ""
    sentence = ", ".join(parts)
    return f" {sentence[0].upper()}{sentence[1:]}."

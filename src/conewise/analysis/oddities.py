"""What is odd about values: objectives that take two values, values that never vary, and values far from all others.

An odd value changes no answer. Whoever told it can look whether it was written down as it was measured.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from conewise.border import Bools, Floats
from conewise.certificate.rounding import Rounding, never_varied, spreads_of
from conewise.data.observations import Observations, Statistics
from conewise.errors import printable
from conewise.noise import ByObjective, GaussianUnknown, Noise
from conewise.question.objectives import Objectives
from conewise.question.question import Question

_NAMED = 5  # designs listed by name before "and n more"
NO_FORECAST: Final = "What deciding the rest takes is not forecast, since an objective never varied."
_SPREADS: Final = 10.0  # at least so many standard deviations of the other values is far
_RARE: Final = 1e-7  # and further than one normal value in ten million lies on that side, by Student's t
_FEWEST: Final = 4  # values of a design before one of them can be far from the others
_FEW: Final = 10  # different values, each met three times on average, are few
_PILE, _PILED = 3, 0.02  # equal values, and their share, at an end of what normal noise would spread
_ROUNDING: Final = 1e-13  # of a mean without one value, relative to the distance of that value


@dataclass(frozen=True)
class Far:
    """A value many spreads away from all other values of its design and objective."""

    design: int
    objective: int
    value: float
    """Larger is better, as everywhere inside."""
    spreads: float
    """How many standard deviations of the others it lies from their mean."""


@dataclass(frozen=True)
class Remark:
    """A sentence about something odd, and the evaluations that it names."""

    sentence: str
    evaluations: tuple[str, ...] = ()


class Extremes:
    """The least and the largest single value of each design and objective, in bounded memory."""

    def __init__(self, n_designs: int, dim: int) -> None:
        self.lowest, self.highest = np.full((n_designs, dim), np.inf), np.full((n_designs, dim), -np.inf)

    def see(self, observations: Observations) -> None:
        """Take note of some more."""
        single = observations.counts == 1
        designs, values = observations.designs[single], observations.means[single]
        np.minimum.at(self.lowest, designs, values)
        np.maximum.at(self.highest, designs, values)


def far_values(statistics: Statistics, extremes: Extremes) -> list[Far]:
    """The extremes that lie far from the rest of their sample; cost: one pass over the designs.

    All entries must be single evaluations. The mean and the spread of a sample without one value follow from those with
    it, so that no values are kept.
    """
    from scipy.special import stdtrit

    n = statistics.counts.astype(np.float64)[:, None]
    enough = n[:, 0] >= _FEWEST
    if not enough.any():
        return []
    n, means = n[enough], statistics.means[enough]
    scatter = np.diagonal(statistics.scatters, axis1=1, axis2=2)[enough]
    limit = np.maximum(_SPREADS, stdtrit(n - 2, 1 - _RARE)) * np.sqrt(1 + 1 / (n - 1))
    found = []
    for end, other in ((extremes.lowest, extremes.highest), (extremes.highest, extremes.lowest)):
        value, opposite = end[enough], other[enough]
        rest = means + (means - value) / (n - 1)
        left = np.maximum(scatter - (value - means) ** 2 * n / (n - 1), 1e-12 * scatter)  # what rounding leaves of it
        varies = np.abs(opposite - rest) > _ROUNDING * n * np.abs(value - opposite)
        distance, spread = np.abs(value - rest), np.sqrt(left / (n - 2))
        places, columns = np.nonzero(varies & (distance > limit * spread))
        designs = np.flatnonzero(enough)[places]
        found += [
            Far(int(k), int(d), float(value[p, d]), float(distance[p, d] / spread[p, d]))
            for k, p, d in zip(designs, places, columns, strict=True)
        ]
    return sorted(found, key=lambda far: -far.spreads)


class Values:
    """The different values of each objective while they are two, its ends, and whether any value was a mean."""

    def __init__(self, dim: int, n_designs: int) -> None:
        self.summed = False
        self._ends, self._times = np.full((2, dim), np.inf), np.zeros((2, dim))  # of the values, and of their negatives
        self._extremes: Extremes | None = Extremes(n_designs, dim)
        self._few: list[set[float] | None] = [set() for _ in range(dim)]

    def see(self, observations: Observations) -> None:
        """Take note of some more."""
        self.summed |= bool((observations.counts > 1).any())
        if self._extremes is not None:
            self._extremes.see(observations)
        both = np.stack([observations.means, -observations.means])
        ends = np.minimum(self._ends, both.min(axis=1, initial=np.inf))
        self._times = np.where(ends == self._ends, self._times, 0) + (both == ends[:, None]).sum(axis=1)
        self._ends = ends
        for d, few in enumerate(self._few):
            if few is not None:
                few |= set(np.unique(observations.means[:, d])[:3].tolist())
                if len(few) > 2:
                    self._few[d] = None

    def take(self, few: Sequence[frozenset[float] | None]) -> None:
        """What was seen elsewhere of single evaluations."""
        self._few = [None if seen is None else set(seen) for seen in few]
        self._extremes = None  # nobody has looked for them

    def pairs(self) -> dict[int, tuple[float, float]]:
        """The objectives that took exactly two values, and these."""
        return {d: (min(few), max(few)) for d, few in enumerate(self._few) if few is not None and len(few) == 2}

    def ranges(self, question: Question, statistics: Statistics, first: int = 0) -> dict[int, str]:
        """Ask for a range where values of designs that vary are few or pile up, and normal noise was not stated.

        The values are of the objectives of the question from `first` on. Ends that were not seen are not asked about.
        """
        if self.summed:
            return {}
        counts, sizes = statistics.counts[:, None], statistics.distinct.numbers
        spreads = spreads_of(statistics.scatters, statistics.means, counts[:, 0].astype(np.float64))
        varying = np.where((spreads > 0) & (counts > 1), counts, 0)
        piled = np.zeros((2, len(sizes)), dtype=bool)
        if self._extremes is not None:
            ends = np.stack([self._extremes.lowest, -self._extremes.highest])
            reached = np.where(ends == self._ends[:, None], varying, 0).sum(axis=1)
            usual = statistics.evaluations / np.maximum(sizes, 1)  # how often a value comes
            piled = (reached > 0) & (self._times >= np.maximum(_PILE, np.maximum(_PILED * reached, 2 * usual)))
        few, lines = (sizes <= _FEW) & (varying.sum(axis=0) >= _PILE * sizes), {}
        for d, (size, o) in enumerate(zip(sizes, question.columns.each[first:], strict=False)):
            presumed = question.assumed.of_one(first + d, question.cone.dim).presumed
            if presumed and (few[d] or piled[:, d].any()):
                way = int(piled[1, d])
                end = (1, -1)[way] * self._ends[way, d] * o.unit * question.columns.signs[first + d] + 0.0
                piles = f"is {end:g} in {self._times[way, d]:,.0f} evaluations, at an end of its values"
                seen = f"has only {size} different values" if few[d] else piles
                lines[first + d] = (
                    f"{o.name!r} {seen}, which is not normal noise: if its values lie in a range, say which, --noise "
                    f"{f'{o.name}=bounded:LOW:HIGH'!r} (in Python Objective({o.name!r}, noise='bounded:LOW:HIGH'))."
                )
        return lines

    def far(self, statistics: Statistics) -> list[Far]:
        """Values far from all others of their design; none where some entries were means, or nobody has looked."""
        return [] if self.summed or self._extremes is None else far_values(statistics, self._extremes)


@dataclass(frozen=True, eq=False)
class Oddities:
    """What the sentences about odd values are made from."""

    names: Sequence[str]
    meaning: Objectives
    noise: Noise | None
    """In steps, as the statistics are."""
    statistics: Statistics
    two_valued: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    """Objectives that took two values only, and these (larger is better)."""
    far: Sequence[Far] = ()
    chosen: Bools | None = None
    """(K,): the designs of which is spoken; all by default."""

    @property
    def objectives(self) -> tuple[str, ...]:
        """Their names."""
        return self.meaning.names

    def constants(self) -> list[str]:
        """Return sentences on objectives and designs whose values do not vary, and on what is made of that."""
        counts = self.statistics.counts
        repeated = np.flatnonzero(counts >= 2 if self.chosen is None else self.chosen & (counts >= 2))
        if not len(repeated):
            return []
        part = self.statistics.of(repeated)
        still = spreads_of(part.scatters, part.means, part.counts.astype(np.float64)) == 0
        lines = [] if self.noise is None else undeclared_words(self.noise, self.statistics, self.objectives)
        open_ = np.zeros(len(self.objectives)) if self.noise is None else never_varied(self.noise, self.statistics)
        for d, objective in enumerate(self.objectives):
            own = self._own(d)
            if open_[d] or (own is not None and own.noiseless):
                continue
            if still[:, d].all() and self.chosen is None and not isinstance(own, GaussianUnknown):
                lines.append(f"{objective!r} {self._never_varies(d)}")
            elif still[:, d].any():
                some = repeated[still[:, d]]
                lines.append(f"All values of {objective!r} are the same for {self.listed(some)}: {self._hidden(d)}")
        return lines

    def _never_varies(self, d: int) -> str:
        means = self.statistics.means[self.statistics.counts > 0, d]
        if len(means) > 1 and np.ptp(means) == 0:
            value = f"has the value {self.shown(d, means[0]):g} throughout"
            return f"{value}: it does not tell designs apart, and no design is strictly better in it."
        return "never varies between evaluations of one design: the noise is taken to be as declared all the same."

    def _own(self, d: int) -> Noise | None:
        """What is assumed of one objective."""
        return self.noise.each[d] if isinstance(self.noise, ByObjective) else self.noise

    def _hidden(self, d: int) -> str:
        if not isinstance(self._own(d), GaussianUnknown) or self.noise is None:
            return "the noise is taken to be as declared all the same."
        step = float(Rounding.of(self.noise, self.statistics).still[d] * self.meaning.units[d])
        if step == 0:
            return "there it is taken to have no noise, as declared."
        if np.isinf(step) and self.statistics.distinct.numbers[d] > 1:
            return (
                "that does not show an absence of noise. Most values have no step in common, so it is unknown in which "
                "step these were recorded, and nothing is decided on it for them. If you know the step, declare it, in "
                "Python GaussianUnknown(resolution=0.1); 0 where values are recorded exactly."
            )
        steps = f"were recorded in steps of {step:g}" if self.statistics.distinct.numbers[d] else "are rounded"
        return (
            f"that does not show an absence of noise, since values {steps}. Such an average counts as off by up to "
            "half a step, and two such designs are not compared in it."
        )

    def pairs(self) -> list[str]:
        """Successes and failures, most likely: a design that only succeeded so far would seem to be without noise.

        Where nothing was evaluated twice, two designs have two values of anything.
        """
        lines: list[str] = []
        if self.statistics.counts.max(initial=0) < 2:
            return lines
        for d, ends in self.two_valued.items():
            if not isinstance(self._own(d), GaussianUnknown):
                continue
            low, high = sorted(self.shown(d, end) for end in ends)
            lines.append(
                f"{self.objectives[d]!r} has no other values than {low:g} and {high:g}, which is not normal "
                "noise: assume binary or bounded noise instead."
            )
        return lines

    def outliers(self) -> list[str]:
        """Values far from all others of their design."""
        lines = [
            f"{self.far_words(far)}: look whether it was recorded as it was measured." for far in self.far[:_NAMED]
        ]
        if len(self.far) > _NAMED:
            lines.append(f"{len(self.far) - _NAMED} more values are as far from the others of their designs.")
        return lines

    def far_words(self, far: Far) -> str:
        """What is far from what, and how far."""
        objective, name = self.objectives[far.objective], printable(self.names[far.design])
        value = self.shown(far.objective, far.value)
        return f"{objective!r} of {name} is {value:g}, {far.spreads:,.0f} spreads away from its other values"

    def shown(self, d: int, value: float) -> float:
        """A value as it was measured."""
        return float(value * self.meaning.signs[d] * self.meaning.units[d]) + 0.0

    def listed(self, designs: Iterable[int]) -> str:
        """Designs by name."""
        return listed([printable(self.names[int(k)]) for k in designs])


def undeclared_words(noise: Noise, statistics: Statistics, objectives: Sequence[str]) -> list[str]:
    """Return for each objective of unknown noise that never varied what to declare of it."""
    return [
        f"{name!r} never varied between evaluations of one design, which does not show that it has no noise, so "
        "nothing is decided on it, however often it is evaluated. If it has none, as a price has none, declare that: "
        f"--noise {shlex.quote(f'{name}=known')}, in Python Objective({name!r}, noise='known'), in the file of a new "
        'study noise = "known".'
        for name in map(printable, np.array(objectives)[never_varied(noise, statistics)].tolist())
    ]


def two_valued(values: Floats) -> dict[int, tuple[float, float]]:
    """The columns of (n, D) values that hold exactly two different ones, and these; n is at least 3."""
    seen = Values(values.shape[1], 1)
    seen.see(Observations.single(np.zeros(len(values), dtype=np.intp), values))
    return seen.pairs() if len(values) >= 3 else {}


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """The first few of some names: "a, b and c", or "a, b, c, d, e and 7 more"."""
    if len(names) > most + 1:
        return f"{mark_between(names).join(names[:most])} and {len(names) - most} more"
    return joined(names)


def joined(parts: Sequence[str]) -> str:
    """a; a and b; a, b and c; with semicolons where a part holds a comma itself."""
    return parts[0] if len(parts) == 1 else f"{mark_between(parts).join(parts[:-1])} and {parts[-1]}"


def mark_between(parts: Sequence[str]) -> str:
    """What goes between the parts of a list."""
    return "; " if any(", " in part for part in parts) else ", "

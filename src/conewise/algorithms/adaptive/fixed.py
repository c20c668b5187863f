"""The certificate of one look: a finished sample, every design at its own count.

Nothing is paid for looking again, so radii are narrower than those of a schedule, and the claims hold once: whoever
adds observations after having looked needs the other certificate. Claims, spending and judgement are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from conewise._arrays import Bools, Floats, Indices
from conewise.algorithms.adaptive.answers import certified_answer, nothing_certified
from conewise.algorithms.contract import INDEPENDENT, Result
from conewise.budgets import check_designs
from conewise.certificate.certificate import Spending
from conewise.certificate.claims import Certified, Claims, Comparisons, Seen, Struck, certified, judge
from conewise.certificate.radii import Radii, radii_for
from conewise.certificate.rounding import Rounding, spreads_of, taken_as_exact
from conewise.cones import Cone
from conewise.errors import InputError
from conewise.feedback import Statistics
from conewise.goals import Guarantee, Notion, Question, as_question
from conewise.noise import GaussianUnknown, Noise
from conewise.order import maximal_columns


@dataclass(frozen=True, eq=False)
class FixedSample:
    """Claims from the statistics of a sample whose size did not depend on what was seen."""

    question: Question
    n_designs: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_designs", check_designs(self.n_designs))
        object.__setattr__(self, "question", as_question(self.question, self.n_designs))
        _ = self.noise  # without an assumption nothing can be certified

    @property
    def cone(self) -> Cone:
        """What "better" means."""
        return self.question.cone

    @property
    def noise(self) -> Noise:
        """What is assumed of an evaluation."""
        return self.question.assumed

    @property
    def epsilon(self) -> float:
        """How far from Pareto optimal a returned design may be."""
        return self.question.epsilon

    @property
    def delta(self) -> float:
        """How likely a wrong claim may be."""
        return self.question.delta

    @property
    def notion(self) -> Notion:
        """What a returned set has to do."""
        return self.question.success

    @cached_property
    def radii(self) -> Radii:
        """How far a difference of means may err."""
        return radii_for(self.cone, self.noise, self.n_designs, self.delta)

    @cached_property
    def spending(self) -> Spending:
        """What a claim may spend."""
        left = self.delta * self.radii.claim_share
        return Spending(self.n_designs, len(self.cone.facets), left, self.notion)

    def claims(self, statistics: Statistics, epsilon: float | None = None) -> Claims:
        """What the sample certifies; valid for every epsilon at once."""
        expected, came = (self.n_designs, self.cone.dim), (statistics.n_designs, statistics.dim)
        if came != expected:
            raise InputError(
                f"the sample has {came[0]} designs and {came[1]} objectives, but {expected[0]} and {expected[1]} were "
                "announced: make the certificate for the sample."
            )
        nobody = np.zeros(self.n_designs, dtype=bool)
        start = Struck.among(_Sample.of(self, statistics), nobody, np.full(self.n_designs, -1, dtype=np.intp))
        return judge(start, self.cone, self.epsilon if epsilon is None else epsilon, self.notion == "cover")

    def compare(self, statistics: Statistics, designs: Indices) -> Comparisons:
        """How the sample compares any designs, ascending."""
        chosen = np.zeros(self.n_designs, dtype=bool)
        chosen[designs] = True
        return _Sample.of(self, statistics).keep(chosen)

    def certified_epsilon(self, claims: Claims) -> Certified | None:
        """The smallest epsilon that the sample certifies, with the set to return for it; None if there is none."""
        return certified(claims, self.cone, self.notion == "cover")

    def recommend(self, statistics: Statistics) -> Result:
        """The answer: for epsilon if the sample is large enough, else for the smallest epsilon that it certifies."""
        claims = self.claims(statistics)
        found = self.certified_epsilon(claims)
        if found is None:
            return nothing_certified(claims, statistics, "some designs have too few evaluations to be compared")
        why = "the sample is final"
        if not claims.done:
            why += f": {int(claims.undecided.sum())} designs are undecided at epsilon = {self.epsilon:g}"
        worth = Guarantee(
            max(found.epsilon, self.epsilon),
            self.delta,
            f'certificate of one look, success "{self.notion}", docs/adaptive',
            f"{INDEPENDENT}, as many as were decided beforehand; {self.noise.words}"
            + taken_as_exact(self.noise, statistics),
        )
        return certified_answer(claims, found, statistics, worth, why)


@dataclass(frozen=True, eq=False)
class _Sample:
    """`Comparisons` of one look."""

    certificate: FixedSample
    designs: Indices
    counts: Floats
    values: Floats
    """(L, N): w_n.mean, NaN where nothing was observed."""
    shares: Floats
    """(L, N): variance of that mean."""
    widest: Floats | None
    """(L,): the largest variance of that mean along a unit direction, for covering."""
    sure: Bools
    """(L,): known to be Pareto optimal; nobody for `cover`."""
    known: int = 0
    """How many are, these and others."""
    slacks: Floats | None = None
    """(L, N): how far a mean may be off because values were recorded in steps; None where nothing is hidden by them."""
    still: Bools | None = None
    """(L, N): no value differs from the others."""

    @classmethod
    def of(cls, certificate: FixedSample, statistics: Statistics) -> _Sample:
        cone, counts = certificate.cone, statistics.counts.astype(np.float64)
        designs = np.arange(statistics.n_designs)
        least = 2 if certificate.radii.estimates else 1
        seen = counts >= least
        values = np.full((len(designs), len(cone.facets)), np.nan)
        values[seen] = cone.facet_values(statistics.means[seen])
        radii, some, widest = certificate.radii, np.maximum(counts, 1.0), None
        scatters = statistics.scatters
        variances = radii.variances(designs, scatters, counts, 1)
        if certificate.notion == "cover" and radii.any_direction:
            variances = np.column_stack([variances, radii.widest(designs, scatters, counts)])
        coarse = None
        if isinstance(certificate.noise, GaussianUnknown):
            spreads = spreads_of(scatters, statistics.means, counts)
            coarse = Rounding.of(certificate.noise, statistics).coarse(cone, spreads)
            variances = variances if coarse is None else coarse.raised(variances, counts)
        shares = np.where(seen[:, None], variances / some[:, None], np.nan)
        if shares.shape[1] > len(cone.facets):
            shares, widest = shares[:, :-1], shares[:, -1]
        table = cls(certificate, designs, counts, values, shares, widest, np.zeros(len(designs), dtype=bool))
        return table if coarse is None else replace(table, slacks=coarse.slacks, still=coarse.still)

    def keep(self, which: Bools) -> _Sample:
        return replace(
            self,
            designs=self.designs[which],
            counts=self.counts[which],
            values=self.values[which],
            shares=self.shares[which],
            widest=None if self.widest is None else self.widest[which],
            sure=self.sure[which],
            slacks=None if self.slacks is None else self.slacks[which],
            still=None if self.still is None else self.still[which],
        )

    def marked(self, sure: Bools, known: int) -> _Sample:
        return replace(self, sure=sure, known=known) if self.certificate.spending.stepwise else self

    def as_judged(self, claims: Claims) -> _Sample:
        known = claims.comparisons.designs[claims.accept_at < 0]
        return self.marked(np.isin(self.designs, known), len(known))

    def sharpened(self, fine_at: Floats, beaten: Bools) -> Floats:
        return fine_at

    def strong(self, most: int) -> Indices:
        seen = np.flatnonzero(~np.isnan(self.values).any(axis=1))
        front = seen[maximal_columns(self.values[seen].T)]
        return np.asarray(front[np.argsort(-self.values[front].min(axis=1), kind="stable")][:most])

    def same_boundary(self, before: Comparisons) -> bool:
        spend = self.certificate.spending.out
        return spend(len(before.designs)) == spend(len(self.designs))

    def overtaken(self, before: Comparisons, unmoved: Indices) -> Indices:
        return unmoved

    def unmoved(self, before: Comparisons, *, out: bool) -> tuple[Indices, Indices]:
        """There was no earlier look."""
        nobody = np.empty(0, dtype=np.intp)
        return nobody, nobody

    def fine(self, rows: Indices, columns: Indices) -> Iterator[Seen]:
        doubtful = self.certificate.n_designs - self.known
        yield self._seen(rows, columns, self.certificate.spending.fine(doubtful))

    def out(self, rows: Indices, columns: Indices, remaining: int, *, covering: bool = False) -> Iterator[Seen]:
        yield self._seen(rows, columns, self.certificate.spending.out(remaining))
        if (sure := self.sure[columns]).any():
            yield self._seen(rows, columns, self.certificate.spending.out_by_sure(remaining)).only(sure)

    def _seen(self, rows: Indices, columns: Indices, alpha: float) -> Seen:
        radii = self.certificate.radii
        fewer = np.minimum(self.counts[rows][:, None], self.counts[columns][None, :])
        sizes, place = np.unique(fewer, return_inverse=True)  # a quantile for each count, not for each pair
        sizes = np.maximum(sizes, 1.0)
        z = radii.quantiles(sizes, np.full(len(sizes), np.log(alpha)))
        shift = radii.shifts(z, sizes)
        gains = self.values[columns][None, :, :] - self.values[rows][:, None, :]
        spread = np.sqrt(self.shares[columns][None, :, :] + self.shares[rows][:, None, :])
        place = place.reshape(fewer.shape)
        radius, widest = z[place][:, :, None] * spread, None
        radius = radius if shift is None else radius + shift[place]
        if self.widest is not None:
            widest = z[place] * np.sqrt(self.widest[columns][None, :] + self.widest[rows][:, None])
        if self.slacks is not None and self.still is not None:
            slack = self.slacks[columns][None, :, :] + self.slacks[rows][:, None, :]
            still = self.still[columns][None, :, :] & self.still[rows][:, None, :]
            radius = np.where(still[:, :, :-1], np.inf, radius + slack[:, :, :-1])
            widest = None if widest is None else np.where(still[:, :, -1], np.inf, widest + slack[:, :, -1])
        return Seen(gains, radius, widest)

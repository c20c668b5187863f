"""Choose the next evaluations with a model: those which settle most of the contrasts that the answer depends on.

Draws in which the set fails name pairs of designs whose difference has to be known better. An evaluation of x reduces
the variance of such a difference by (C[i,x] - C[j,x])^2 / (C[x,x] + noise). Correlations count, so a design may be
settled without being evaluated. A batch takes one evaluation after the other as if the values of the earlier ones were
known: covariances do not depend on values. With levels, the value of a single design may have to be known better.
If objectives are measured one by one, an objective is chosen together with the design.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from conewise.border import Bools, Floats, Indices
from conewise.cone.cone import Cone
from conewise.data.observations import Pulls
from conewise.models.certificate import Look, PosteriorCertificate
from conewise.models.choice import Choice
from conewise.models.failures import needs
from conewise.models.levels import Spare
from conewise.models.posterior import Conditioned
from conewise.question.question import Notion

_COMPONENTS: Final = 12  # the heaviest components of an objective that are considered
_PAIRS: Final = 300  # contrasts that are considered: those of the most draws
_HARD: Final = 0.125  # share of the draws, the hardest, that are considered even if fewer fail
_STEPS: Final = 32  # decisions a batch; in a longer batch each decides on several evaluations of a design


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Pairs (i, j) of positions among the designs of a look, and the number of draws in which each pair fails."""

    first: Indices
    second: Indices
    """-1 where the value of the first design is compared with a level."""
    weight: Floats
    """(P, D'): weights of the directions of each difference; each draw is divided among its pairs and directions."""
    along: Floats
    """(D', D): the directions: the facets, then the objectives that have a level."""

    @classmethod
    def of(
        cls, draws: Floats, choice: Choice, cone: Cone, epsilon: float, notion: Notion, levels: Levels | None = None
    ) -> Contrasts:
        """Return the contrasts of the failing draws; if few draws fail, also of the next hardest.

        Every draw counts as one and is divided among the comparisons that fail in it.
        """
        spare = None if levels is None else levels.spare
        need = needs(draws, choice.inside, cone, notion, spare, choice.missing)
        place = int((1 - _HARD) * len(need.at))
        near = min(epsilon, float(np.partition(need.largest, place)[place]))
        draw, first = np.nonzero(need.at > near)
        if not len(draw):
            draw, first = np.arange(len(need.at)), need.at.argmax(axis=1)
        second = need.by[draw, first]
        share = 1.0 / np.bincount(draw, minlength=len(need.at))[draw]
        weight = _facets(draws[draw, second] - draws[draw, first], choice.inside[first], cone)
        along = cone.facets
        if levels is not None:
            first, second, weight = levels.instead(draw, first, second, weight, choice, near)
            along = np.vstack([along, np.eye(cone.dim)[levels.columns]])
        count = need.at.shape[1] + 1
        pairs, group = np.unique(first * count + second + 1, return_inverse=True)
        total = np.zeros((len(pairs), weight.shape[1]))
        np.add.at(total, group, share[:, None] * weight)
        heaviest = np.sort(np.argsort(-total.sum(axis=1), kind="stable")[:_PAIRS])
        chosen = pairs[heaviest]
        return cls(chosen // count, chosen % count - 1, total[heaviest], along)

    def differences(self, values: Floats) -> Floats:
        """Return row i of an array less row j for each pair, (P, ...); row i alone where there is no j."""
        return np.asarray(values[self.first] - np.where(self._paired(values.ndim), values[self.second], 0.0))

    def _paired(self, dimensions: int) -> Bools:
        return np.asarray((self.second >= 0).reshape(-1, *(1,) * (dimensions - 1)))


@dataclass(frozen=True, eq=False)
class Levels:
    """Tells for a failing draw, with levels, if a difference or a single value has to be known better."""

    columns: Indices
    """(R,): the objectives that have a level."""
    spare: Spare

    def instead(
        self, draw: Indices, first: Indices, second: Indices, weight: Floats, choice: Choice, near: float
    ) -> tuple[Indices, Indices, Floats]:
        """Replace a contrast by the value of one design, if the levels of that design are unusual in the draw.

        Three cases are unusual. A design inside misses a level. A design which is left out for a level meets it. A
        rival meets its levels here and not in most draws.
        """
        assert choice.missing is not None
        least = self.spare.least
        usual = np.median(least, axis=0) >= 0
        own = np.where(choice.inside[first], -least[draw, first] > near, choice.missing[first] | (second == first))
        rival = choice.inside[first] & ~own & ~usual[second]
        who = np.where(own, first, second)
        worst = self.spare.each[draw, who].argmin(axis=1)
        value = own | rival
        at_level = (worst[:, None] == np.arange(len(self.columns))) & value[:, None]
        return (
            np.where(value, who, first),
            np.where(value, -1, second),
            np.hstack([np.where(value[:, None], 0.0, weight), at_level]),
        )


def _facets(gains: Floats, inside: Bools, cone: Cone) -> Floats:
    """Return weights of the facets along which a difference decides, summing to 1, (R, N).

    For a returned design that is too far, all weight is on the facet on which its rival is least ahead. For a design
    that is not covered, the weights are squares: of how far its cover lags along each facet.
    """
    nearest = (gains / cone.widths).argmin(axis=1)[:, None] == np.arange(gains.shape[1])
    lagging = np.minimum(gains, 0.0) ** 2
    total = lagging.sum(axis=1, keepdims=True)
    lagging = np.where(total > 0, lagging / np.where(total > 0, total, 1.0), 1.0 / gains.shape[1])
    return np.asarray(np.where(inside[:, None], nearest, lagging))


class View:
    """One component's covariances of the contrasts with all candidates, after imagined evaluations."""

    def __init__(self, covariance: Floats, pairs: Contrasts, noise: Floats, weight: Floats) -> None:
        self._covariance, self._pairs, self._weight, self._noise = covariance, pairs, weight, noise
        self._moved = pairs.differences(covariance)
        self._variance = np.maximum(np.einsum("aa->a", covariance), 0.0)
        self._told: list[Floats] = []

    def gains(self) -> Floats:
        """Return how much an evaluation of each candidate would reduce the variances of the contrasts, (A,)."""
        return np.asarray((self._weight @ np.square(self._moved)) / (self._variance + self._noise))

    def evaluated(self, x: int, times: int) -> None:
        """Update the covariances as if x had been evaluated `times` times."""
        change = self._covariance[x]
        for told in self._told:
            change = change - told[x] * told
        change = change / np.sqrt(max(change[x], 0.0) + self._noise[x] / times)
        self._moved -= self._pairs.differences(change)[:, None] * change
        self._variance = np.maximum(self._variance - change**2, 0.0)
        self._told.append(change)


def _views(look: Look, pairs: Contrasts, axes: Indices) -> list[View]:
    """Return a view of each of the heaviest components along some axes; objectives that share a component share it."""
    posterior = look.posterior
    weight = pairs.weight @ (pairs.along @ posterior.axes.directions) ** 2
    noise = posterior.axes.variance_of(int(look.designs.max()) + 1)[look.designs]
    shares: dict[tuple[Conditioned, float, bytes], Floats] = {}
    for axis in axes:
        mixture = posterior.mixtures[axis]
        heaviest = np.argsort(-mixture.weights, kind="stable")[:_COMPONENTS]
        for g in heaviest:
            part, share = mixture.components[g], mixture.weights[g] / mixture.weights[heaviest].sum()
            key = part.known, part.spread, noise[:, axis].tobytes()
            shares[key] = shares.get(key, 0.0) + share * weight[:, axis]
    return [
        View(spread * posterior.joints.of(known, look.designs).covariance, pairs, spread * np.frombuffer(along), share)
        for (known, spread, along), share in shares.items()
    ]


def next_pulls(look: Look, certificate: PosteriorCertificate, count: int, prices: Floats) -> Pulls:
    """Return the next `count` evaluations: each the largest reduction for its price, with `prices` (K, M).

    With M parts of a design, k M + m is part m of design k. A part is all objectives, or a single one. Measurements are
    chosen one after the other, and each changes the views of its part alone.
    """
    asked, required = certificate.question, certificate.required
    levels = None if required is None or look.spare is None else Levels(required.columns, look.spare)
    pairs = Contrasts.of(look.draws, look.choice, asked.cone, asked.epsilon, asked.success, levels)
    per_price = 1 / prices[look.designs]
    parts = [_views(look, pairs, axes) for axes in np.split(np.arange(certificate.axes.dim), prices.shape[1])]
    times = np.zeros(per_price.shape, dtype=np.int64)
    each = -(-count // _STEPS)
    while count > 0:
        gains = np.column_stack([np.sum([view.gains() for view in views], axis=0) for views in parts])
        x, part = divmod(int((per_price * gains).argmax()), len(parts))
        some = min(each, count)
        times[x, part] += some
        count -= some
        if count:
            for view in parts[part]:
                view.evaluated(x, some)
    chosen, of = np.nonzero(times)
    return Pulls(look.designs[chosen] * len(parts) + of, times[chosen, of])

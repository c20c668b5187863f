"""One suite for every certificate: its claims are right as often as it promises, and follow from the observations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import binom

from conewise.border import Floats, Indices
from conewise.certificate.claims import Certified, Claims
from conewise.cone.cone import Cone
from conewise.data.observations import Observations
from conewise.noise import Noise
from conewise.order.dominance import pareto_mask
from conewise.order.gaps import cover_gaps, suboptimality_gaps
from conewise.question.question import Notion, Question, verdict

_MASKS, _ROUNDING = ("beaten", "accepted", "covered", "undecided", "certain"), 1e-9


class IntervalsContract:
    """Inherit it and say how a certificate is made and told, and how observations vary.

    True means are least favourable: equal designs, a gap, and distances on the front, a little above epsilon.
    """

    cone: ClassVar[Cone] = Cone.planar(150)
    epsilon: ClassVar[float] = 0.3
    delta: ClassVar[float] = 0.1
    runs: ClassVar[int] = 30
    level: ClassVar[float] = 1e-4  # probability that a valid certificate fails a test, at most
    narrow: ClassVar[float] = 0.2  # factor of every radius with which the certificate has to fail
    looks: ClassVar[Sequence[int]] = (6, 12, 24, 48)  # observations of a design at each look; one number for one look
    counts_differ: ClassVar[bool] = True  # whether some designs may be evaluated more often than others

    @abstractmethod
    def noise(self, order: Indices) -> Noise:
        """Return what is assumed of the objectives in this order."""

    @abstractmethod
    def make(self, question: Question, n_designs: int, scale: float) -> Any:
        """Return a certificate, with `claims` and `certified_epsilon`; `scale` multiplies every radius."""

    @abstractmethod
    def start(self, certificate: Any) -> Any:
        """Return the state before any observation."""

    @abstractmethod
    def tell(self, certificate: Any, state: Any, observations: Observations) -> Any:
        """Return the state with these observations, one evaluation an entry."""

    def draw(self, means: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return values (K, N, D) in the order in which each design is evaluated, and the true means (K, D)."""
        return means[:, None, :] + 0.4 * rng.normal(size=(len(means), self.looks[-1], means.shape[1])), means

    # -- how it is done ----------------------------------------------------------------------------------------

    def means(self, spread: float = 1.0) -> Floats:
        """Return four equal designs, one a little too far behind them, and two beside them, `spread` times as far."""
        centre, across = self.cone.centre, self.cone.centre[::-1] * [-1, 1]
        behind = 1.05 * spread * self.epsilon / suboptimality_gaps(np.array([0 * centre, -centre]), self.cone)[1]
        beside = 1.05 * spread * self.epsilon / cover_gaps(np.array([0 * centre, across]), self.cone)[0, 1]
        return np.vstack([np.zeros((4, 2)), -behind * centre, beside * across, -beside * across])

    def question(self, success: Notion, delta: float | None = None, order: Indices | None = None) -> Question:
        """Return the question with objectives in another order, which have their noise and facets with them."""
        order = np.arange(self.cone.dim) if order is None else order
        cone = Cone(self.cone.facets[:, order])
        return Question(cone, self.epsilon, self.delta if delta is None else delta, self.noise(order), success)

    def streams(self, values: Sequence[Floats], rng: np.random.Generator) -> Observations:
        """Return evaluations (N_k, D) of each design, designs in a random order; each design's own order stays."""
        designs = rng.permutation(np.repeat(np.arange(len(values)), [len(own) for own in values]))
        rows = np.empty((len(designs), self.cone.dim))
        rows[np.argsort(designs, kind="stable")] = np.concatenate(values)
        return Observations.single(designs, rows)

    def uneven(self, values: Floats) -> list[Floats]:
        """Return fewer values of each design than of the one before, where counts may differ."""
        return [own[: len(own) - (design if self.counts_differ else 0)] for design, own in enumerate(values)]

    def told(self, certificate: Any, observations: Observations, batch: int) -> Iterator[Any]:
        """Yield the state after each batch."""
        state = self.start(certificate)
        for first in range(0, len(observations), batch):
            part = slice(first, first + batch)
            rows = Observations.single(observations.designs[part], observations.means[part])
            state = self.tell(certificate, state, rows)
            yield state

    def seen(self, certificate: Any, values: Sequence[Floats], seed: int = 0) -> Any:
        """Return the state after all values were told at once."""
        rows = self.streams(values, np.random.default_rng(seed))
        return self.tell(certificate, self.start(certificate), rows)

    def wrong(self, claims: Claims, found: Certified | None, means: Floats, success: Notion) -> bool:
        """Return whether any claim contradicts the true means."""
        front, far = pareto_mask(means, self.cone), suboptimality_gaps(means, self.cone) > self.epsilon + _ROUNDING
        gaps = cover_gaps(means, self.cone)[:, claims.accepted].min(axis=1, initial=np.inf)
        bad = claims.beaten & front | claims.accepted & far | claims.certain & ~front
        bad |= claims.covered & front & (gaps > self.epsilon + _ROUNDING)
        if found is not None:
            bad |= not verdict(found.returned, means, self.cone, found.epsilon + _ROUNDING).success
            bad |= front & ~found.returned & (success == "contain")
        return bool(bad.any())

    def fails_too_often(self, success: Notion, scale: float) -> bool:
        """Return whether more runs are wrong at any look than delta admits; further runs would not change that."""
        means, failed, most = self.means(), 0, int(binom.isf(self.level, self.runs, self.delta))
        certificate = self.make(self.question(success), len(means), scale)
        for run in range(self.runs):
            values, truth = self.draw(means, np.random.default_rng([1, run]))
            state, before = self.start(certificate), 0
            for look in self.looks:
                part = self.streams(list(values[:, before:look]), np.random.default_rng(run))
                state, before = self.tell(certificate, state, part), look
                claims = certificate.claims(state)
                if self.wrong(claims, certificate.certified_epsilon(claims), truth, success):
                    failed += 1
                    break
            if failed > most or failed + self.runs - run - 1 <= most:
                break
        return failed > most

    # -- the promises ------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("success", ["cover", "contain"])
    def test_claims_are_wrong_in_at_most_a_delta_fraction_of_runs(self, success: Notion) -> None:
        """Exact binomial test with fixed seeds; a run fails if any claim is wrong at any look."""
        assert not self.fails_too_often(success, 1.0)

    @pytest.mark.parametrize("success", ["cover", "contain"])
    def test_radii_that_are_too_narrow_fail_the_same_test(self, success: Notion) -> None:
        """The control: the means are such that too narrow radii are found out."""
        assert self.fails_too_often(success, self.narrow)

    @pytest.mark.parametrize("success", ["cover", "contain"])
    def test_a_larger_delta_certifies_more(self, success: Notion) -> None:
        """More designs are beaten, and the certified epsilon is smaller."""
        for seed in range(4):
            values, _ = self.draw(self.means(2.0), np.random.default_rng([2, seed]))
            beaten, least = np.zeros(len(values), dtype=bool), np.inf
            for delta in (0.001, 0.05, 0.5):
                certificate = self.make(self.question(success, delta), len(values), 1.0)
                claims = certificate.claims(self.seen(certificate, self.uneven(values)))
                found = certificate.certified_epsilon(claims)
                assert (claims.beaten >= beaten).all()
                assert least == np.inf or (found is not None and found.epsilon <= least)
                beaten, least = claims.beaten, np.inf if found is None else found.epsilon

    @pytest.mark.parametrize("success", ["cover", "contain"])
    def test_names_of_designs_and_objectives_do_not_matter(self, success: Notion) -> None:
        """Designs and objectives in another order have the same claims, each design its own."""
        for seed in range(4):
            rng = np.random.default_rng([3, seed])
            values = self.uneven(self.draw(self.means(2.0), rng)[0])
            turn, order = rng.permutation(len(values)), rng.permutation(self.cone.dim)
            one = self.make(self.question(success), len(values), 1.0)
            other = self.make(self.question(success, order=order), len(values), 1.0)
            first = one.claims(self.seen(one, values))
            second = other.claims(self.seen(other, [values[design][:, order] for design in turn]))
            for name in _MASKS:
                np.testing.assert_array_equal(getattr(first, name)[turn], getattr(second, name))
            at = np.full((2, len(values)), np.nan)
            at[0, first.left], at[1, second.left] = first.accept_at, second.accept_at
            np.testing.assert_allclose(at[0, turn], at[1], rtol=1e-6, atol=1e-9)

    @pytest.mark.parametrize("success", ["cover", "contain"])
    @pytest.mark.parametrize("batch", [1, 7, 10**9])
    def test_claims_on_the_way_are_those_of_the_observations_alone(self, success: Notion, batch: int) -> None:
        """In whatever batches they came, and whether or not claims were read before: replay is live."""
        values = self.uneven(self.draw(self.means(2.0), np.random.default_rng([4]))[0])
        live, replay = (self.make(self.question(success), len(values), 1.0) for _ in range(2))
        rows = self.streams(values, np.random.default_rng(4))
        states = list(self.told(live, rows, batch))
        for state in states[:: max(1, len(states) // 20)] if len(self.looks) > 1 else []:
            live.claims(state)
        one, other = live.claims(states[-1]), replay.claims(self.seen(replay, values, seed=5))
        for name in (*_MASKS, "by", "left", "accept_at"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))

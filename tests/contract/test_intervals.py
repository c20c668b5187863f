"""Certificates of every kind pass the suite that is shipped for those of others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conewise.certificate.blocks.paired import Paired
from conewise.certificate.certificate import Certificate
from conewise.certificate.history import Checkpoints
from conewise.certificate.streams import Separately, by_objective
from conewise.certificate.tuning import TUNING
from conewise.data.observations import Statistics
from conewise.noise import Binary, Bounded, ByObjective, Gaussian, GaussianUnknown
from conewise.testing import IntervalsContract

RANGE, UNKNOWN = Bounded(-1.5, 1.5), GaussianUnknown(0.0)
KINDS = {"known": Gaussian(0.4), "unknown": UNKNOWN, "bounded": RANGE, "0/1": Binary(), "mixed": (RANGE, UNKNOWN)}


def pytest_generate_tests(metafunc):
    metafunc.parametrize("kind", metafunc.cls.kinds)


class Kinds(IntervalsContract):
    """The suite for several kinds of noise."""

    kinds = tuple(KINDS)

    @pytest.fixture(autouse=True)
    def _of(self, kind):
        self.kind = kind
        self.narrow = 0.1 if kind == "mixed" else type(self).narrow  # sums over kinds are wider than they need be

    def noise(self, order):
        noise = KINDS[self.kind]
        return ByObjective([noise[d] for d in order]) if isinstance(noise, tuple) else noise

    def means(self, spread=1.0):
        means = super().means(spread)
        return np.clip(means + 0.5, 0, 1) if self.kind == "0/1" else np.clip(means, -0.9, 0.9)

    def draw(self, means, rng):
        shape = (len(means), self.looks[-1], 2)
        if self.kind == "0/1":
            return (rng.random(shape) < means[:, None, :]).astype(float), means
        values = means[:, None, :] + rng.uniform(-0.6, 0.6, shape)
        ends = np.where(rng.random(shape) < (means[:, None, :] + 1.5) / 3, 1.5, -1.5)  # none vary more within the range
        return np.where({"bounded": [True, True], "mixed": [True, False]}.get(self.kind, False), ends, values), means


class TestRows(Kinds):
    def make(self, question, n_designs, scale):
        return Certificate(question, n_designs, most=60, scale=scale, pilots=False)

    def start(self, certificate):
        radii, pilot = certificate.radii, certificate.pilot
        shape = certificate.n_designs, 2, radii.estimates
        return Checkpoints.empty(certificate.levels, *shape, pilot)

    def tell(self, certificate, state, observations):
        return state.add(observations)


class TestPilots(TestRows):
    kinds = ("known", "unknown")
    looks = (12, 24, 48)
    tuning = replace(TUNING, pilot_worth=0.0, pilots_from=(2, 2))
    test_names_of_designs_and_objectives_do_not_matter = None  # weights come from draws in the order of the designs

    def make(self, question, n_designs, scale):
        made = Certificate(question, n_designs, most=60, scale=scale, tuning=self.tuning)
        assert made.weighted
        return made


class TestObjectivesApart(Kinds):
    def make(self, question, n_designs, scale):
        return Certificate(question, n_designs, most=60, scale=scale, pilots=False, apart=True)

    def start(self, certificate):
        radii = [stream.radii for stream in certificate.streams]
        shape = certificate.n_designs, 1
        return Separately(tuple(Checkpoints.empty(certificate.levels, *shape, r.estimates) for r in radii))

    def tell(self, certificate, state, observations):
        return state.add(by_objective(observations.designs, observations.means))


class TestRowsOnce(TestRows):
    looks = (24,)

    def make(self, question, n_designs, scale):
        return Certificate(question, n_designs, scale=scale, once=True)

    def start(self, certificate):
        return Statistics.empty(certificate.n_designs, 2)


class TestObjectivesApartOnce(Kinds):
    looks = (24,)

    def make(self, question, n_designs, scale):
        return Certificate(question, n_designs, scale=scale, once=True, apart=True)

    def start(self, certificate):
        return Separately.empty(certificate.n_designs, 2)

    def tell(self, certificate, state, observations):
        return state.add(by_objective(observations.designs, observations.means))


class TestBlocks(Kinds):
    """Blocks of an unlimited population, which vary as designs do."""

    kinds = ("unknown", "bounded", "0/1", "mixed")
    population = None

    def make(self, question, n_designs, scale):
        return Paired(question, n_designs, self.looks[-1], self.population, len(self.looks) == 1, scale)

    def start(self, certificate):
        return certificate.start()

    def tell(self, certificate, state, observations):
        return certificate.tell(state, observations)


class TestBlocksOfAPopulation(TestBlocks):
    population = 100

    def draw(self, means, rng):
        if self.kind == "0/1":
            values = (np.arange(self.population)[:, None] < np.round(means * self.population)[:, None, :]).astype(float)
            means = values.mean(axis=1)
        else:
            values = means[:, None, :] + np.linspace(-0.6, 0.6, self.population)[:, None]
        return rng.permuted(values, axis=1)[:, : self.looks[-1]], means


class TestPilotsOfAPopulation(TestBlocksOfAPopulation):
    """The first blocks of a population decide how delta is shared; all blocks can be read."""

    kinds = ("bounded", "0/1")
    population = 200
    looks = (12, 24, 48, 96)
    test_names_of_designs_and_objectives_do_not_matter = None  # rivals that tie are ranked in their order

    def means(self, spread=1.0):
        means = super().means(spread)  # four designs more, equal to the one that is a little too far behind
        return np.vstack([means, means[[4, 4, 4, 4]]])

    def make(self, question, n_designs, scale):
        made = Paired(question, n_designs, self.population, self.population, False, scale)
        assert made.aside
        return made


class TestBlocksOnce(TestBlocks):
    looks, counts_differ = (24,), False


class TestBlocksOfAPopulationOnce(TestBlocksOfAPopulation):
    looks, counts_differ = (24,), False

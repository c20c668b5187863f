"""Every algorithm passes the suite that is shipped for those of others, and refuses what none of ours can answer."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import pytest

import conewise as cw
from conewise import problems
from conewise import rules as algorithms
from conewise.certificate import certificate, claims
from conewise.testing import RuleContract
from conewise.testing.algorithms import PROBLEMS, begun, snapshot


class OurContract(RuleContract):
    """With what rules of ours say where they are made."""

    @pytest.mark.parametrize("n_designs", [0, 1, -3, 2.5])
    def test_fewer_than_two_designs_are_refused(self, n_designs):
        with pytest.raises(cw.InputError, match="n_designs must be"):
            self.make(self.question(cw.Cone.orthant(2)), n_designs)

    def test_noise_of_other_designs_is_refused(self):
        question = cw.Question(cw.Cone.orthant(2), self.epsilon, self.delta, cw.noise.Gaussian(np.ones((5, 2))))
        with pytest.raises(cw.InputError, match="given for 5 designs, but there are 4"):
            self.make(question, 4)


class TestNaive(OurContract):
    def make(self, question, n_designs):
        return algorithms.NaiveElimination(question, n_designs)


class TestElimination(OurContract):
    def make(self, question, n_designs):
        return algorithms.SuccessiveElimination(question, n_designs)


class TestEliminationWithManyDesigns(TestElimination):
    @pytest.fixture(autouse=True)
    def three_are_few(self, monkeypatch):
        """With more designs than FEW, not all pairs are looked at."""
        for module in (claims, certificate):
            monkeypatch.setattr(module, "FEW", 3)
        monkeypatch.setattr(certificate, "PILOT_DESIGNS", 3)


class TestModelWithoutFeatures(OurContract):
    problems: ClassVar = {name: PROBLEMS[name] for name in ("one objective", "two objectives", "wide cone")}

    def make(self, question, n_designs):
        return algorithms.ModelGuided(question, n_designs, model=cw.models.Independent())


class TestModelOfFeatures(OurContract):
    """The rule is that of a model without features: they share the problems, which take both of them long."""

    problems: ClassVar = {name: PROBLEMS[name] for name in ("narrow cone", "three objectives", "two designs")}

    def make(self, question, n_designs):
        features = np.arange(max(2.0, n_designs))[:, None]
        model = cw.models.Smooth(features, kernels=("matern52",), sizes=(4.0,), discrepancies=(0.3,))
        return algorithms.ModelGuided(question, n_designs, model=model)


class TestPaired(OurContract):
    summaries = False  # an entry that sums up several blocks has lost its partners

    def make(self, question, n_designs):
        return algorithms.PairedElimination(question, n_designs, blocks=400, population=None)


class TestLeaderChallenger(OurContract):
    def make(self, question, n_designs):
        return algorithms.LeaderChallenger(question, n_designs, growth=0.3)


class TestLevelChallenger(OurContract):
    def make(self, question, n_designs):
        return algorithms.LevelChallenger(question, n_designs, growth=0.3)


class TestAuer(OurContract):
    def make(self, question, n_designs):
        return algorithms.AuerElimination(question, n_designs)


class TestPaVeBa(OurContract):
    def make(self, question, n_designs):
        return algorithms.PaVeBa(question, n_designs, growth=0.3)  # hundreds of rounds otherwise


def known():
    """One Gaussian process that has nothing to do with features: what theorems for a known kernel cover."""
    return cw.models.Independent(sizes=(4.0,))


def smooth(n_designs):
    """A mixture, which they do not cover."""
    features = np.arange(max(2.0, n_designs))[:, None]
    return cw.models.Smooth(features, kernels=("matern52",), sizes=(4.0,), discrepancies=(0.3,))


class QuietContract(OurContract):
    """Less noise, fewer problems: rectangles that are proven take many rounds."""

    noise = cw.noise.Gaussian(0.1)
    problems: ClassVar = {name: PROBLEMS[name] for name in ("narrow cone", "three objectives")}


class Cells:
    """A simulated problem of whose evaluations one objective is kept: cell k D + d, whose values have one column."""

    dim = 1

    def __init__(self, rows):
        self.rows, self.n_designs, self.means = rows, rows.n_designs, rows.means
        self.n_cells = rows.n_designs * rows.dim

    def evaluate(self, pulls, rng, *, one_by_one=False):
        return problems.OneByOne(Rows(self.rows, one_by_one)).evaluate(pulls, rng)


class Rows(NamedTuple):
    """Whole rows, each evaluation an entry of its own where that is wanted."""

    rows: cw.SimulatedBandit
    one_by_one: bool

    @property
    def n_designs(self):
        return self.rows.n_designs

    @property
    def dim(self):
        return self.rows.dim

    def evaluate(self, pulls, rng):
        return self.rows.evaluate(pulls, rng, one_by_one=self.one_by_one)


class CellContract(QuietContract):
    """Of rules that ask for cells and are told one value each: what exists is another number than that of designs."""

    def problem(self, means):
        return Cells(super().problem(means))

    def test_pulls_are_designs_that_exist_and_no_more_than_asked_for(self, case):
        for most in (None, 1, 3, 50):
            pulls = case.algorithm.ask(case.algorithm.start(), most)
            assert 0 < pulls.total <= (most or pulls.total)
            assert pulls.designs.max() < case.problem.n_cells

    def test_what_does_not_fit_is_refused_and_the_state_stays(self, case):
        state, cells = begun(case, 4), case.problem.n_cells
        before = snapshot(state)
        for designs, values in (([cells], [[0.0]]), ([0], [[0.0, 0.0]]), ([-1], [[0.0]]), ([0], [[np.nan]])):
            with pytest.raises(cw.InputError):
                case.algorithm.tell(state, cw.Observations.single(designs, values))
            assert snapshot(state) == before

    def test_observations_that_were_not_asked_for_are_welcome(self, case):
        extra = case.problem.evaluate(cw.Pulls([case.problem.n_cells - 1], [3]), 11, one_by_one=True)
        state = case.algorithm.tell(case.algorithm.start(), extra)
        assert state.counts[-1] == 3
        assert case.algorithm.ask(state).total > 0
        assert case.algorithm.recommend(state).evaluations == 3


class TestSeparateElimination(CellContract):
    def make(self, question, n_designs):
        return algorithms.SeparateElimination(question, n_designs)


class TestSeparateModelWithoutFeatures(CellContract):
    problems: ClassVar = {"narrow cone": PROBLEMS["narrow cone"]}

    def make(self, question, n_designs):
        return algorithms.SeparateModelGuided(question, n_designs, model=cw.models.Independent())


class TestSeparateModelOfFeatures(CellContract):
    problems: ClassVar = {"three objectives": PROBLEMS["three objectives"]}

    def make(self, question, n_designs):
        return algorithms.SeparateModelGuided(question, n_designs, model=smooth(n_designs))


class TestVOGP(QuietContract):
    def make(self, question, n_designs):
        return algorithms.VOGP(question, n_designs, model=known(), growth=0.3)


class TestEpsilonPAL(QuietContract):
    def make(self, question, n_designs):
        return algorithms.EpsilonPAL(question, n_designs, model=known(), growth=0.3)


class TestHypervolumeImprovement(QuietContract):
    problems: ClassVar = {"three objectives": PROBLEMS["three objectives"]}

    def make(self, question, n_designs):
        return algorithms.HypervolumeImprovement(question, n_designs, model=cw.models.Independent())


class TestFrontierEntropy(QuietContract):
    problems: ClassVar = {"narrow cone": PROBLEMS["narrow cone"]}

    def make(self, question, n_designs):
        return algorithms.FrontierEntropy(question, n_designs, model=smooth(n_designs))


class TestVOGPOnAMixture(QuietContract):
    heuristic = "proven for one known Gaussian process"

    def make(self, question, n_designs):
        return algorithms.VOGP(question, n_designs, model=smooth(n_designs), growth=0.3)


class TestPosteriorSampling(OurContract):
    heuristic = "proven only asymptotically"

    def make(self, question, n_designs):
        return algorithms.PosteriorSampling(question, n_designs, growth=0.1, seed=4)


class TestSequentialRejects(OurContract):
    heuristic = "a fixed budget comes with no confidence"

    def make(self, question, n_designs):
        return algorithms.SequentialRejects(question.cone, 60, n_designs, question.noise)


class TestSequentialHalving(OurContract):
    heuristic = "a fixed budget comes with no confidence"

    def make(self, question, n_designs):
        return algorithms.SequentialHalving(question.cone, 61, n_designs, question.noise)

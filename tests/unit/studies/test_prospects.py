"""A run that cannot end is stopped with the reason; a run that is only long goes on."""

from __future__ import annotations

import re

import numpy as np
import pytest

import conewise as cw
from conewise import noise, problems

UNKNOWN = noise.GaussianUnknown()
PLANE = cw.Cone.orthant(2)
MEANS = np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 1.0], [1.5, 1.0], [0.2, 2.0]])
WORDS = r"not finished: 'price' never varied in 50 or more evaluations of an open .* declare it as known, without"


STUCK = r"certified, hardly better than with a hundredth of these evaluations; give max_evaluations, or"
TWINS = (
    r"with a tenth of these evaluations; 'price' never varied in two or more designs: say how large its noise is, give"
)


class Drawn:
    """Averages, and the spread of each objective of each design."""

    assumption = None

    def __init__(self, means, spreads, draw=np.random.Generator.standard_normal):
        self.means, self.draw = np.asarray(means), draw
        self.spreads = np.broadcast_to(spreads, self.means.shape)
        self.n_designs, self.dim = self.means.shape

    def evaluate(self, pulls, rng):
        designs = np.repeat(pulls.designs, pulls.counts)
        off = self.spreads[designs] * self.draw(rng, (len(designs), self.dim))
        return cw.Observations.single(designs, self.means[designs] + off)


def asked(problem, cone=PLANE, epsilon=0.1, most=20_000, **options):
    """The answer, and the evaluations that it took; far too many are an error."""

    def watch(done, _):
        assert done < most, "the run goes on and on"

    settings = {"noise": UNKNOWN, "objectives": ["yield", "price"], "delta": 0.05, "rng": 1}
    return cw.identify(problem, cone, epsilon=epsilon, progress=watch, **(settings | options))


@pytest.mark.parametrize("prices", [MEANS[:, 1], np.full(5, 2.0)], ids=["two values", "one value"])
@pytest.mark.parametrize("apart", [False, True], ids=["rows", "separately"])
@pytest.mark.parametrize("options", [{}, {"max_evaluations": 15_000}, {"batch": 7}], ids=["free", "limit", "batches"])
def test_an_objective_that_never_varies_under_unknown_noise_stops_a_run(prices, apart, options):
    problem = Drawn(np.column_stack([MEANS[:, 0], prices]), [0.5, 0.0])
    result = asked(problems.OneByOne(problem) if apart else problem, most=5 * 100 * (1 + apart), **options)
    assert result.evaluations >= 2 * 50
    assert (result.status == "undecided").any()
    assert not result.guarantee or result.guarantee.epsilon > 0.1
    assert re.match(WORDS, result.stopped_because)


def recorded(population, blocks=400):
    values = np.stack(
        [MEANS + np.random.default_rng(q).normal(size=(5, 1)) * [0.5, 0.0] for q in range(blocks)], axis=1
    )
    return problems.Recorded(values, population, noise=UNKNOWN)


@pytest.mark.parametrize("population", [False, 100_000])
def test_blocks_on_which_an_objective_never_varies_stop_a_run(population):
    result = asked(recorded(population), most=5 * 100)
    assert result.evaluations >= 2 * 50
    assert (result.status == "undecided").any()
    assert re.match(WORDS, result.stopped_because)


def test_blocks_that_are_all_read_show_an_objective_that_never_varies():
    result = asked(recorded(True))
    assert result.stopped_because == "every design is certified"
    assert result.evaluations <= 5 * 400


def test_the_remedy_ends_the_run():
    problem = Drawn(MEANS, [0.5, 0.0])
    result = asked(problem, most=1000, noise=noise.ByObjective([UNKNOWN, noise.Known()]))
    assert result.guarantee
    assert not (result.status == "undecided").any()


def test_two_designs_that_never_vary_among_others_that_do_stop_a_run_later():
    spreads = np.full((5, 2), 0.3)
    spreads[[0, 1], 1] = 0.0
    result = asked(Drawn([[1.0, 2.0], [2.0, 2.0], [0.0, 1.0], [1.5, 1.0], [3.0, 0.0]], spreads), most=20_000)
    assert re.search(TWINS, result.stopped_because)


def test_one_design_that_varies_does_not_hide_that_no_other_does():
    spreads = np.array([[0.5, 0.3], *[[0.5, 0.0]] * 4])
    result = asked(Drawn(MEANS, spreads), most=50_000)
    assert re.search(TWINS, result.stopped_because)


def test_two_designs_that_never_vary_may_be_alike_elsewhere():
    spreads = [[0.3, 0.0], [0.3, 0.0], [0.3, 0.3]]
    result = asked(Drawn([[0.0, 1.0], [0.05, 1.0], [2.0, 0.0]], spreads), epsilon=0.4)
    assert result.guarantee
    assert result.stopped_because == "every design is certified"


@pytest.mark.parametrize("share", [0.05, 0.02])
def test_a_design_that_fails_seldom_stops_no_run(share):
    def seldom(rng, shape):
        return np.column_stack([rng.standard_normal(shape[0]), (rng.random(shape[0]) < share) - share])

    means = [[0.0, 1.0], [0.5, 1.1], [1.0, 0.9], [1.5, 1.0], [2.0, 0.8]]
    result = asked(Drawn(means, [0.3, 1.0], seldom), PLANE, 0.3, most=100_000)
    assert result.stopped_because == "every design is certified"


def test_noise_that_never_averages_out_stops_a_run_without_a_limit():
    heavy = Drawn([[0.0, 0.0], [1.0, 1.0], [0.5, 0.7]], 1.0, np.random.Generator.standard_cauchy)
    result = asked(heavy, most=10**6)
    assert re.search(STUCK, result.stopped_because)
    limited = asked(heavy, most=10**6, max_evaluations=50_000)
    assert limited.evaluations == 50_000
    assert limited.stopped_because.startswith("max_evaluations reached")


def test_a_near_tie_may_take_very_many_evaluations():
    bandit = cw.SimulatedBandit([[0.0, 1.0], [0.001, 0.999], [0.5, 0.5]], noise.Gaussian(1.0))
    result = asked(bandit, most=10**8, epsilon=0.01)
    assert result.evaluations > 10**5
    assert result.stopped_because == "every design is certified"


def test_a_level_of_an_objective_that_never_varies_is_never_met():
    options = {"objectives": ["yield", cw.Objective("price", level=1.5)]}
    result = asked(Drawn([[0.0, 2.0], [5.0, 2.0]], [0.5, 0.0]), **options)
    assert re.match(WORDS, result.stopped_because)


def evaluate(design, seed):
    """Return the average of a design, with noise in one objective alone."""
    return MEANS[design["number"]] + np.random.default_rng(seed).normal(size=2) * [0.5, 0.0]


DESIGNS = [{"name": f"d{k}", "number": k} for k in range(5)]
SETTINGS = {"cone": PLANE, "epsilon": 0.1, "delta": 0.05, "noise": UNKNOWN, "objectives": ["yield", "price"]}


def test_a_study_on_all_of_its_blocks_does_not_forecast_an_early_end(tmp_path):
    blocks = {"block": "day", "blocks": 200, "population": "all"}
    with cw.Study.create(tmp_path / "trial.db", designs=DESIGNS, **SETTINGS, **blocks) as study:
        assert not cw.run_study(study, evaluate, jobs=0, max_evaluations=400).finished
        assert study.guess().prices
        assert min(price.remaining for price in study.guess().prices) >= 200


@pytest.mark.parametrize("blocks", [{}, {"block": "day", "blocks": 1000}], ids=["rows", "blocks"])
def test_a_study_stops_as_a_run_does(tmp_path, blocks):
    with cw.Study.create(tmp_path / "trial.db", designs=DESIGNS, **SETTINGS, **blocks) as study:
        report = cw.run_study(study, evaluate, jobs=0, max_evaluations=5000)
        assert report.finished
        assert report.told < 5 * 100
        assert report.stopped_because.startswith("the study cannot end: 'price' never varied in")
        assert re.match(WORDS, study.result().stopped_because)
        said = str(study.result()), study.status().evaluations
    with cw.Study.open(tmp_path / "trial.db", read_only=True) as again:
        assert again.finished
        assert (str(again.result()), again.status().evaluations) == said
        again.export(tmp_path / "told.csv")
    assert len((tmp_path / "told.csv").read_text().splitlines()) == 1 + report.told  # what was told stays

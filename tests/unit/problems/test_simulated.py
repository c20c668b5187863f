"""Simulated bandits: what they carry, what an evaluation returns, whose noise is assumed to be what; refusals."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.noise import Gaussian, SubGaussian
from conewise.problems import (
    GaussianNoise,
    HeavyTailed,
    NoiseSource,
    SimulatedBandit,
    TwoPoint,
    UniformNoise,
    gap_dependent_instance,
    load,
    worst_case_instance,
)
from conewise.problems.simulated import as_generator

MEANS = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0], [6.0, 7.0, 8.0]])
SOURCES = [
    GaussianNoise(Gaussian(2.0)),
    GaussianNoise(Gaussian([0.5, 1.0, 2.0])),
    GaussianNoise(Gaussian(np.arange(1.0, 13.0).reshape(4, 3))),
    TwoPoint([1.0, -2.0, 0.5]),
    UniformNoise(0.25),
    UniformNoise([0.1, 0.2, 0.3]),
    HeavyTailed(1.0, 3.0),
]
IDS = [f"{type(source).__name__}{position}" for position, source in enumerate(SOURCES)]


# -- what a problem carries ----------------------------------------------------------------------------------------


def test_names_objectives_units_and_directions_are_carried_along():
    problem = SimulatedBandit(
        MEANS,
        Gaussian(1),
        names=["a", "b", "c", "d"],
        objectives=["cost", "speed", "mass"],
        units=["EUR", "m/s", "kg"],
        minimised=(name for name in ("cost", "mass")),
        about="Pumps. Measured in May.",
    )
    assert problem.names == ("a", "b", "c", "d")
    assert (problem.objectives, problem.units) == (("cost", "speed", "mass"), ("EUR", "m/s", "kg"))
    assert problem.minimised == {"cost", "mass"}
    assert (problem.n_designs, problem.dim, len(problem)) == (4, 3, 4)
    assert repr(problem) == "<4 designs, objectives cost, speed, mass: Pumps>"


def test_one_minimised_objective_may_be_named_alone():
    problem = SimulatedBandit(MEANS, Gaussian(1), objectives=["cost", "speed", "mass"], minimised="cost")
    assert problem.minimised == {"cost"}


def test_defaults_number_designs_and_objectives():
    problem = SimulatedBandit(MEANS, Gaussian(1))
    assert problem.names == ("design 0", "design 1", "design 2", "design 3")
    assert problem.objectives == ("objective 0", "objective 1", "objective 2")
    assert problem.units == ("", "", "")


def test_means_are_copied_and_frozen():
    means = MEANS.copy()
    problem = SimulatedBandit(means, Gaussian(1))
    means[:] = 9
    np.testing.assert_array_equal(problem.means, MEANS)
    with pytest.raises(ValueError, match="read-only"):
        problem.means[0, 0] = 1
    with pytest.raises(AttributeError):
        problem.means = means


def test_identical_designs_stay_two_designs():
    problem = SimulatedBandit(MEANS, GaussianNoise(Gaussian(1e-9)))
    observed = problem.evaluate(cw.Pulls([2, 3], [5, 7]), rng=0)
    assert observed.designs.tolist() == [2, 3]
    assert observed.counts.tolist() == [5, 7]


def test_the_embedded_problems():
    snw, imrt = load("snw"), load("imrt")
    assert (snw.n_designs, snw.dim, len(set(snw.names))) == (206, 2, 206)
    assert snw.minimised == {"log2 area"}
    assert (snw.means[:, 0] < 0).all()
    assert repr(snw.assumption) == "Gaussian(1)"
    assert imrt.names[0] == "treatment 1"
    np.testing.assert_array_equal(imrt.means, [[0.8, -0.3], [0.9, -0.5], [0, 0], [1, -1]])
    assert repr(load("imrt", Gaussian(0.1)).assumption) == "Gaussian(0.1)"
    with pytest.raises(cw.InputError, match="no embedded problem is called 'iris'; choose one of snw, imrt"):
        load("iris")


def test_the_hard_instances_can_be_evaluated():
    for instance in (
        worst_case_instance(cw.Cone.planar(45), 5, 0.1),
        gap_dependent_instance([[0.3, 0.3], [0.5, 0.6]], cw.Cone.orthant(2), 0.1),
    ):
        values = instance.problem.evaluate(cw.Pulls([1], [50]), rng=0, one_by_one=True).means - instance.means[1]
        np.testing.assert_allclose(np.abs(values), np.tile(np.abs(instance.noise), (50, 1)), atol=1e-12)


# -- evaluations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", SOURCES, ids=IDS)
def test_an_entry_a_pull_with_mean_and_scatter(source):
    observed = SimulatedBandit(MEANS, source).evaluate(cw.Pulls([3, 0, 3], [1, 40, 5]), rng=0)
    assert observed.designs.tolist() == [3, 0, 3]
    assert observed.counts.tolist() == [1, 40, 5]
    assert observed.means.shape == (3, 3)
    assert not observed.scatters[0].any()  # one evaluation has no scatter
    assert (np.linalg.eigvalsh(observed.scatters) >= -1e-9).all()
    np.testing.assert_allclose(observed.scatters, np.swapaxes(observed.scatters, 1, 2), atol=1e-12)


@pytest.mark.parametrize("source", SOURCES, ids=IDS)
def test_one_by_one_every_evaluation_is_an_entry_in_the_order_of_the_pulls(source):
    observed = SimulatedBandit(MEANS, source).evaluate(cw.Pulls([3, 0], [2, 3]), rng=0, one_by_one=True)
    assert observed.designs.tolist() == [3, 3, 0, 0, 0]
    assert observed.counts.tolist() == [1] * 5
    assert not observed.scatters.any()


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("source", SOURCES, ids=IDS)
def test_the_same_seed_gives_the_same_evaluations_and_a_generator_goes_on(source, one_by_one):
    problem, pulls = SimulatedBandit(MEANS, source), cw.Pulls([0, 1], [30, 30])

    def means(rng):
        return problem.evaluate(pulls, rng, one_by_one=one_by_one).means.tobytes()

    assert means(7) == means(7) == means(np.random.default_rng(7)) == means(np.int64(7))
    assert means(7) != means(8)
    generator = np.random.default_rng(7)
    assert means(generator) != means(generator)


def test_no_pulls_no_observations():
    assert len(SimulatedBandit(MEANS, Gaussian(1)).evaluate(cw.Pulls([]), rng=0)) == 0


@pytest.mark.parametrize("source", [UniformNoise(0.25), HeavyTailed(2.0, 4.0)], ids=["uniform", "heavy"])
def test_large_counts_are_drawn_in_bounded_memory_and_agree_with_one_big_draw(source, monkeypatch):
    problem, pulls = SimulatedBandit(MEANS, source), cw.Pulls([1], [1000])
    single = problem.evaluate(pulls, 5, one_by_one=True).means
    whole = problem.evaluate(pulls, 5)
    np.testing.assert_allclose(whole.means[0], single.mean(axis=0), rtol=1e-12)
    monkeypatch.setattr("conewise.problems.simulated.AT_ONCE", 100)  # 33 vectors at a time
    pieces = problem.evaluate(pulls, 5)
    np.testing.assert_allclose(pieces.means, whole.means, rtol=1e-12)
    np.testing.assert_allclose(pieces.scatters, whole.scatters, rtol=1e-9)
    off = single - single.mean(axis=0)
    np.testing.assert_allclose(whole.scatters[0], off.T @ off, rtol=1e-9)


def test_each_design_has_its_own_noise_where_designs_differ():
    sigma = np.array([[1e-6, 1e-6, 1e-6], [1.0, 1e-6, 1e-6], [1e-6, 1.0, 1e-6], [1.0, 1.0, 1.0]])
    problem = SimulatedBandit(MEANS, Gaussian(sigma))
    for one_by_one in (False, True):
        pulls = cw.Pulls([2, 0, 1], [1, 1, 1])
        off = np.abs(problem.evaluate(pulls, 3, one_by_one=one_by_one).means - MEANS[[2, 0, 1]])
        assert ((off > 1e-4) == (sigma[[2, 0, 1]] > 1e-3)).all()


# -- what may be assumed -------------------------------------------------------------------------------------------


def test_assumptions():
    noise = Gaussian([1, 2, 3])
    assert SimulatedBandit(MEANS, noise).assumption is noise
    assert SimulatedBandit(MEANS, TwoPoint([2, 3, 6])).assumption == SubGaussian(7.0)
    uniform = SimulatedBandit(MEANS, UniformNoise([1, 2, 3])).assumption
    deviations = [1 / 3**0.5, 2 / 3**0.5, 3**0.5]  # and no range: nothing bounds values whose mean may be anywhere
    np.testing.assert_allclose([own.sigma for own in uniform.each], deviations)
    assert SimulatedBandit(MEANS, UniformNoise(2)).assumption == SubGaussian(2 / 3**0.5)
    np.testing.assert_allclose(uniform.scales(np.eye(3)), deviations)
    assert SimulatedBandit(MEANS, HeavyTailed()).assumption is None


def test_noise_of_ones_own_needs_one_method():
    class Alternating(NoiseSource):
        def draw(self, designs, dim, rng):
            return np.where(np.arange(len(designs)) % 2, 1.0, -1.0)[:, None] * np.ones(dim)

    observed = SimulatedBandit(MEANS, Alternating()).evaluate(cw.Pulls([0], [10]), rng=0)
    np.testing.assert_allclose(observed.means, MEANS[:1])
    np.testing.assert_allclose(observed.scatters, np.full((1, 3, 3), 10.0))


# -- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rng", [None, True, -1, 0.5, "0", np.random.RandomState(0)])
def test_randomness_is_explicit(rng):
    with pytest.raises(cw.InputError, match="rng must be a numpy Generator"):
        as_generator(rng)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SimulatedBandit([[np.nan, 1]], Gaussian(1)), "means has nan in row 0"),
        (lambda: SimulatedBandit([1.0, 2.0], Gaussian(1)), r"means must have shape \(K, D\)"),
        (lambda: SimulatedBandit(np.empty((0, 2)), Gaussian(1)), "means is empty"),
        (lambda: SimulatedBandit(MEANS, Gaussian([1, 2])), "given for 2 objectives, but there are 3"),
        (lambda: SimulatedBandit(MEANS, Gaussian(np.ones((3, 3)))), "given for 3 designs, but there are 4"),
        (
            lambda: SimulatedBandit(MEANS, 0.5),
            r"Gaussian\(...\), Binary.* or a NoiseSource to draw from, got 0.5",
        ),
        (lambda: SimulatedBandit(MEANS, SubGaussian(1)), "NoiseSource to draw from"),
        (lambda: SimulatedBandit(MEANS, Gaussian(1), names=["a"]), "names must have 4 entries, got 1"),
        (lambda: SimulatedBandit(MEANS, Gaussian(1), names=list("abca")), "'a' stands there more than once"),
        (lambda: SimulatedBandit(MEANS, Gaussian(1), objectives=list("xyx")), "objectives must be distinct"),
        (
            lambda: SimulatedBandit(MEANS, Gaussian(1), minimised=["z"]),
            "minimised names 'z', which is not an objective",
        ),
        (lambda: SimulatedBandit(MEANS, Gaussian(1), units=["m"]), "units must have 3 entries"),
        (lambda: SimulatedBandit(MEANS, Gaussian(1)).evaluate(cw.Pulls([4]), 0), "design 4 does not exist"),
        (lambda: SimulatedBandit(MEANS, TwoPoint([1, 1])), "given for 2 objectives, but there are 3"),
        (lambda: SimulatedBandit(MEANS, UniformNoise([1, 1])), "given for 2 objectives, but there are 3"),
        (lambda: SimulatedBandit(MEANS, GaussianNoise(Gaussian([1, 2]))), "given for 2 objectives, but there are 3"),
        (lambda: TwoPoint([0.0, 0.0]), "not zero"),
        (lambda: TwoPoint([[1.0]]), "one finite vector"),
        (lambda: TwoPoint([np.inf]), "finite"),
        (lambda: UniformNoise(0), "half_width must be positive"),
        (lambda: UniformNoise([1, -1]), "half_width must be positive"),
        (lambda: HeavyTailed(freedom=1), "freedom must exceed 1, or the noise has no mean"),
        (lambda: HeavyTailed(scale=0), "scale must be above 0"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(make, words):
    with pytest.raises(cw.InputError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_noise_may_be_given_as_text():
    assert repr(cw.SimulatedBandit(np.eye(2), "gaussian:0.1").assumption) == "Gaussian(0.1)"
    assert repr(cw.problems.Box({"x": (0.0, 1.0)}, noise="bounded:0:1").noise) == "Bounded(0.0, 1.0)"
    with pytest.raises(cw.InputError, match="noise must be unknown, unknown:STEP"):
        cw.SimulatedBandit(np.eye(2), "gauss")

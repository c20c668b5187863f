"""Simulated noise has the distribution it claims, drawn in one step or one evaluation at a time.

Seeds are fixed. Every comparison has level LEVEL: with a new seed a right simulator would fail one once in a million.
Two-sample tests compare both paths; one-sample tests compare each path with the exact distribution.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import conewise as cw
from conewise.noise import Gaussian
from conewise.problems import HeavyTailed, SimulatedBandit, TwoPoint, UniformNoise

LEVEL = 1e-6
REPEATS = 4000
COV = np.array([[2.0, 0.9, 0.0], [0.9, 1.0, -0.3], [0.0, -0.3, 0.5]])
MEANS = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
NOISES = {
    "scalar": Gaussian(0.7),
    "per objective": Gaussian([0.5, 1.0, 3.0]),
    "covariance": Gaussian(cov=COV),
    "per design": Gaussian([[0.5, 1.0, 3.0], [2.0, 0.1, 1.0]]),
    "covariance per design": Gaussian(cov=[COV, COV[::-1, ::-1] * 3]),
}
COUNTS = [2, 3, 4, 20]  # up to D evaluations the scatter is singular and takes a path of its own


def truth(noise: Gaussian, design: int) -> np.ndarray:
    covariance = noise.covariance(3)
    return covariance[design] if covariance.ndim == 3 else covariance


def in_one_step(problem: SimulatedBandit, design: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    pulls = cw.Pulls(np.full(REPEATS, design), np.full(REPEATS, count))
    observed = problem.evaluate(pulls, seed)
    return observed.means, observed.scatters


def one_at_a_time(problem: SimulatedBandit, design: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    pulls = cw.Pulls([design], [REPEATS * count])
    values = problem.evaluate(pulls, seed, one_by_one=True).means.reshape(REPEATS, count, -1)
    off = values - values.mean(axis=1, keepdims=True)
    return values.mean(axis=1), np.einsum("rni,rnj->rij", off, off)


def summaries(means: np.ndarray, scatters: np.ndarray) -> dict[str, np.ndarray]:
    """One-dimensional views of means and scatters, among them mixed ones that see correlations and independence."""
    u, v = np.array([0.6, 0.8, 0.0]), np.array([1.0, -1.0, 0.5])
    return {
        **{f"mean of objective {d}": means[:, d] for d in range(3)},
        "mean along u": means @ u,
        "mean along v": means @ v,
        **{f"variance of objective {d}": scatters[:, d, d] for d in range(3)},
        "covariance 01": scatters[:, 0, 1],
        "covariance 12": scatters[:, 1, 2],
        "scatter along u": np.einsum("i,rij,j->r", u, scatters, u),
        "scatter between u and v": np.einsum("i,rij,j->r", u, scatters, v),
        "mean times variance": (means @ u - np.mean(means @ u)) * scatters[:, 0, 0],
    }


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", NOISES)
def test_the_mean_and_scatter_of_many_agree_with_the_same_number_one_at_a_time(name, count):
    problem = SimulatedBandit(MEANS, NOISES[name])
    for design in range(2):
        fast = summaries(*in_one_step(problem, design, count, seed=100 + design))
        slow = summaries(*one_at_a_time(problem, design, count, seed=200 + design))
        for view in fast:
            assert stats.ks_2samp(fast[view], slow[view], method="asymp").pvalue > LEVEL, (design, view)


@pytest.mark.parametrize("path", [in_one_step, one_at_a_time])
@pytest.mark.parametrize("count", [2, 20, 1000])
@pytest.mark.parametrize("name", NOISES)
def test_means_are_normal_and_scatters_are_wishart(name, count, path):
    if path is one_at_a_time and count > 100:
        count = 7
    noise = NOISES[name]
    problem = SimulatedBandit(MEANS, noise)
    for design in range(2):
        means, scatters = path(problem, design, count, 7)
        covariance = truth(noise, design)
        for u in (*np.eye(3), [0.6, 0.8, 0.0], [1.0, -1.0, 0.5]):
            variance = float(np.dot(u, covariance @ u))
            z = (means - MEANS[design]) @ u / np.sqrt(variance / count)
            assert stats.kstest(z, "norm").pvalue > LEVEL
            quadratic = np.einsum("i,rij,j->r", u, scatters, u) / variance
            assert stats.kstest(quadratic, "chi2", args=(count - 1,)).pvalue > LEVEL
        whole = np.einsum("ij,rji->r", np.linalg.inv(covariance), scatters)
        assert stats.kstest(whole, "chi2", args=(3 * (count - 1),)).pvalue > LEVEL


def test_a_mean_of_a_thousand_million_is_drawn_in_one_step():
    problem = SimulatedBandit(MEANS, NOISES["covariance"])
    means, scatters = in_one_step(problem, 0, 10**9, seed=1)
    z = (means[:, 0] - 1.0) / np.sqrt(2.0 / 10**9)
    assert stats.kstest(z, "norm").pvalue > LEVEL
    np.testing.assert_allclose(scatters.mean(axis=0) / 10**9, COV, atol=1e-4)


@pytest.mark.parametrize("wrong", [1.15, 0.85])
def test_the_same_tests_notice_a_wrong_scale(wrong):
    """Power: noise that is 15 % too large or too small must not pass."""
    right = SimulatedBandit(MEANS, Gaussian(0.7))
    off = SimulatedBandit(MEANS, Gaussian(0.7 * wrong))
    slow = summaries(*one_at_a_time(right, 0, 7, seed=200))
    fast = summaries(*in_one_step(off, 0, 7, seed=100))
    assert (
        stats.ks_2samp(fast["variance of objective 0"], slow["variance of objective 0"], method="asymp").pvalue < LEVEL
    )
    z = (in_one_step(off, 0, 7, seed=7)[0] - MEANS[0])[:, 0] / (0.7 / np.sqrt(7))
    assert stats.kstest(z, "norm").pvalue < LEVEL


# -- other noise ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 9])
def test_two_point_noise_has_two_points_and_the_binomial_distribution(count):
    y = np.array([1.0, -2.0, 0.5])
    problem = SimulatedBandit(MEANS, TwoPoint(y))
    expected = REPEATS * stats.binom.pmf(np.arange(count + 1), count, 0.5)
    for path in (in_one_step, one_at_a_time):
        means, scatters = path(problem, 1, count, 3)
        shares = (means - MEANS[1]) @ y / (y @ y)
        np.testing.assert_allclose(means - MEANS[1], shares[:, None] * y, atol=1e-12)  # along y, and nowhere else
        ups = np.rint((shares + 1) / 2 * count).astype(int)
        np.testing.assert_allclose(shares, 2 * ups / count - 1, atol=1e-12)
        assert stats.chisquare(np.bincount(ups, minlength=count + 1), expected).pvalue > LEVEL
        np.testing.assert_allclose(scatters, (count * (1 - shares**2))[:, None, None] * np.outer(y, y), atol=1e-9)


def test_two_point_noise_of_a_thousand_million_is_drawn_in_one_step():
    y = np.array([1.0, -2.0, 0.5])
    means, _ = in_one_step(SimulatedBandit(MEANS, TwoPoint(y)), 0, 10**9, seed=4)
    assert stats.kstest((means[:, 0] - 1.0) * np.sqrt(10**9), "norm").pvalue > LEVEL


def test_uniform_noise_is_uniform_within_its_bounds():
    half = np.array([0.1, 0.2, 3.0])
    problem = SimulatedBandit(MEANS, UniformNoise(half))
    values = problem.evaluate(cw.Pulls([0], [20_000]), 5, one_by_one=True).means - MEANS[0]
    assert (np.abs(values) <= half).all()
    for d in range(3):
        assert stats.kstest(values[:, d] / half[d], "uniform", args=(-1, 2)).pvalue > LEVEL
    correlations = np.corrcoef(values.T)[np.triu_indices(3, 1)]
    assert (np.abs(correlations) < stats.norm.isf(LEVEL / 6) / np.sqrt(20_000)).all()
    means, _ = in_one_step(problem, 0, 12, seed=6)  # here every evaluation is drawn, and the mean obeys the limit law
    z = (means - MEANS[0]).mean(axis=0) / (half / np.sqrt(3 * 12 * REPEATS))
    assert (np.abs(z) < stats.norm.isf(LEVEL / 6)).all()


@pytest.mark.parametrize("freedom", [1.5, 3.0, 10.0])
def test_heavy_tailed_noise_is_students_and_centred(freedom):
    problem = SimulatedBandit(MEANS, HeavyTailed(scale=2.0, freedom=freedom))
    values = problem.evaluate(cw.Pulls([0], [20_000]), 8, one_by_one=True).means - MEANS[0]
    for d in range(3):
        assert stats.kstest(values[:, d] / 2, "t", args=(freedom,)).pvalue > LEVEL
    positive = int((values > 0).sum())  # symmetric: mean zero wherever there is one
    assert stats.binomtest(positive, values.size).pvalue > LEVEL


@pytest.mark.parametrize("name", [*NOISES, "two-point", "uniform", "heavy"])
def test_the_average_is_the_designs_mean(name):
    other = {"two-point": TwoPoint([1.0, -2.0, 0.5]), "uniform": UniformNoise(1.0), "heavy": HeavyTailed(1.0, 5.0)}
    problem = SimulatedBandit(MEANS, NOISES.get(name) or other[name])
    values = problem.evaluate(cw.Pulls([0, 1], [20_000, 20_000]), 9, one_by_one=True)
    for design in range(2):
        mine = values.means[values.designs == design]
        z = (mine.mean(axis=0) - MEANS[design]) / (mine.std(axis=0, ddof=1) / np.sqrt(len(mine)))
        assert (np.abs(z) < stats.norm.isf(LEVEL / 6)).all()


# -- the tails that the assumptions promise ------------------------------------------------------------------------

DRAWS = 200_000


def _samples(dim: int, kind: str, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Noise vectors, and the norm-subgaussian parameter that its assumption converts to."""
    if kind == "normal":
        return rng.normal(size=(DRAWS, dim)), Gaussian(1.0).norm_subgaussian(dim)
    if kind == "correlated":
        root = np.tril(np.ones((dim, dim)))
        return rng.normal(size=(DRAWS, dim)) @ root.T, Gaussian(cov=root @ root.T).norm_subgaussian(dim)
    if kind == "signs":  # independent signs: subgaussian with parameter 1 along every direction
        return rng.choice([-1.0, 1.0], size=(DRAWS, dim)), cw.noise.SubGaussian(1.0).norm_subgaussian(dim)
    problem = SimulatedBandit(np.zeros((1, dim)), UniformNoise(np.arange(1.0, dim + 1)))
    values = problem.evaluate(cw.Pulls([0], [DRAWS]), rng, one_by_one=True).means
    return values, problem.assumption.norm_subgaussian(dim)


@pytest.mark.parametrize("kind", ["normal", "correlated", "signs", "uniform"])
@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5])
def test_lengths_obey_the_norm_subgaussian_tail_that_the_conversion_promises(dim, kind):
    """P(|Y| >= r) <= 2 exp(-r^2 / (2 sigma^2)): exact binomial at every r, level LEVEL together."""
    values, sigma = _samples(dim, kind, np.random.default_rng(dim))
    lengths = np.sort(np.linalg.norm(values, axis=1))
    r = np.linspace(0.05, 6.0, 100) * sigma
    exceeding = DRAWS - np.searchsorted(lengths, r)
    promised = np.minimum(1.0, 2 * np.exp(-(r**2) / (2 * sigma**2)))
    assert (exceeding <= stats.binom.isf(LEVEL / len(r), DRAWS, promised)).all()


def test_parameter_one_would_be_caught_for_many_normal_objectives():
    """Power: with sigma = 1 for N(0, I_5) the same test fails."""
    lengths = np.linalg.norm(np.random.default_rng(5).normal(size=(DRAWS, 5)), axis=1)
    r = np.linspace(0.05, 6.0, 100)
    exceeding = (lengths[None, :] >= r[:, None]).sum(axis=1)
    promised = np.minimum(1.0, 2 * np.exp(-(r**2) / 2))
    assert (exceeding > stats.binom.isf(LEVEL / len(r), DRAWS, promised)).any()


@pytest.mark.parametrize("n", [1, 10])
def test_a_normal_radius_is_exceeded_exactly_as_often_as_it_says(n):
    noise, u, delta = Gaussian(cov=COV), np.array([1.0, -1.0, 0.5]), 0.05
    means, _ = in_one_step(SimulatedBandit(MEANS, noise), 0, n, seed=11)
    beyond = int(((means - MEANS[0]) @ u > noise.radius(u, n, delta)).sum())
    assert stats.binomtest(beyond, REPEATS, delta).pvalue > LEVEL

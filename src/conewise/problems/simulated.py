"""Simulate evaluations of designs with known means, with noise for proofs and for stress tests."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Floats, Indices, as_floats, as_points, as_positive, as_words, read_only
from conewise.data.observations import Observations, Pulls
from conewise.errors import InputError, shown
from conewise.noise import Binary, ByObjective, Gaussian, Known, Noise, SubGaussian
from conewise.noise.text import as_noise

Seed = int | np.random.Generator | np.random.SeedSequence

AT_ONCE: Final = 2**20  # numbers drawn at a time on the one-at-a-time path


def as_generator(rng: Seed) -> np.random.Generator:
    """Return a generator from a seed, or the generator itself; randomness is always explicit."""
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer | np.random.SeedSequence):
        raise InputError(f"rng must be a numpy Generator or a whole number to seed one, got {rng!r}.")
    if not isinstance(rng, np.random.SeedSequence) and rng < 0:
        raise InputError(f"rng must be a numpy Generator or a seed that is not negative, got {rng}.")
    return np.random.default_rng(rng)


class NoiseSource(ABC):
    """Source of simulated noise. `assumption` is what a proof may assume about it; None for nothing."""

    assumption: Noise | None = None

    def check_dim(self, dim: int, n_designs: int) -> None:  # noqa: B027 (most noise fits any numbers)
        """Refuse numbers of objectives or designs that do not fit this noise."""

    @abstractmethod
    def draw(self, designs: Indices, dim: int, rng: np.random.Generator) -> Floats:
        """Return one noise vector for each entry of `designs`, (len(designs), dim)."""

    def recorded(self, values: Floats, counts: np.ndarray) -> Floats:
        """Return averages (M, dim) as recorded: without rounding error if outcomes are whole numbers."""
        return values

    def average(
        self, designs: Indices, counts: np.ndarray, dim: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Return means and scatters of `counts` noise vectors for each entry of `designs`.

        By default every vector is drawn, in bounded memory.
        """
        means, scatters = np.zeros((len(designs), dim)), np.zeros((len(designs), dim, dim))
        for entry, (design, count) in enumerate(zip(designs, counts, strict=True)):
            done = 0
            while done < count:
                n = int(min(count - done, max(1, AT_ONCE // dim)))
                values = self.draw(np.full(n, design), dim, rng)
                mean = values.mean(axis=0)
                off = values - mean
                shift = mean - means[entry]
                # Chan, Golub & LeVeque (1983): merging two groups
                scatters[entry] += off.T @ off + np.outer(shift, shift) * (done * n / (done + n))
                means[entry] += shift * (n / (done + n))
                done += n
        return means, scatters


class GaussianNoise(NoiseSource):
    """Normal noise. The mean of n vectors is drawn in one step, N(0, S/n); their scatter is Wishart(n - 1, S)."""

    def __init__(self, noise: Gaussian) -> None:
        self.assumption: Noise | None = noise
        self._noise = noise
        self._roots: dict[int, Floats] = {}  # by number of objectives, computed when first needed

    def check_dim(self, dim: int, n_designs: int) -> None:
        self._noise.check_dim(dim, n_designs)

    def _factors(self, designs: Indices, dim: int) -> Floats:
        """Return square roots of the covariances, (M, D, D) or (1, D, D)."""
        if dim not in self._roots:
            covariance = self._noise.covariance(dim)
            values, vectors = np.linalg.eigh(covariance.reshape(-1, dim, dim))
            self._roots[dim] = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        roots = self._roots[dim]
        return roots if len(roots) == 1 else roots[designs]

    def draw(self, designs: Indices, dim: int, rng: np.random.Generator) -> Floats:
        return np.asarray((self._factors(designs, dim) @ rng.standard_normal((len(designs), dim, 1)))[..., 0])

    def average(
        self, designs: Indices, counts: np.ndarray, dim: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Return exact draws at the cost of one vector an entry (Bartlett's decomposition for the scatter)."""
        means = self.draw(designs, dim, rng) / np.sqrt(counts)[:, None]
        lower = np.zeros((len(designs), dim, dim))
        below = np.tril_indices(dim, -1)
        lower[:, below[0], below[1]] = rng.standard_normal((len(designs), len(below[0])))
        freedom = counts[:, None] - 1 - np.arange(dim)
        few = (freedom <= 0).any(axis=1)
        lower[:, np.arange(dim), np.arange(dim)] = np.sqrt(rng.chisquare(np.maximum(freedom, 1)))
        factor = self._factors(designs, dim) @ lower
        scatters = factor @ np.swapaxes(factor, 1, 2)
        if few.any():  # fewer than D + 1 evaluations: the scatter is singular, drawn directly
            roots = np.broadcast_to(self._factors(designs, dim), (len(designs), dim, dim))[few]
            some = counts[few].astype(np.intp)
            entry, first = np.repeat(np.arange(len(some)), some), np.cumsum(some) - some
            values = np.einsum("mde,me->md", roots[entry], rng.standard_normal((len(entry), dim)))
            values -= (np.add.reduceat(values, first) / some[:, None])[entry]
            scatters[few] = np.add.reduceat(values[:, :, None] * values[:, None, :], first)
        return means, scatters


class TwoPoint(NoiseSource):
    """Noise of +y or -y with probability one half each, as in the lower-bound proofs."""

    def __init__(self, direction: ArrayLike) -> None:
        self.direction = read_only(as_floats(direction, "direction").copy())
        if self.direction.ndim != 1 or not np.isfinite(self.direction).all() or not self.direction.any():
            raise InputError("direction must be one finite vector that is not zero.")
        # E exp(t u.Y) = cosh(t u.y) <= exp((t u.y)^2 / 2), and |u.y| <= |u| |y|.
        self.assumption = SubGaussian(float(np.linalg.norm(self.direction)))

    def check_dim(self, dim: int, n_designs: int) -> None:
        _check(self.direction, dim)

    def draw(self, designs: Indices, dim: int, rng: np.random.Generator) -> Floats:
        return np.asarray(rng.choice([-1.0, 1.0], size=(len(designs), 1)) * self.direction)

    def average(
        self, designs: Indices, counts: np.ndarray, dim: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Return exact draws in one step, from the binomial distribution of the signs."""
        share = 2 * rng.binomial(counts, 0.5) / counts - 1
        outer = np.outer(self.direction, self.direction)
        return share[:, None] * self.direction, (counts * (1 - share**2))[:, None, None] * outer


class UniformNoise(NoiseSource):
    """Independent uniform noise on [-half_width, half_width] (a number, or one for each objective)."""

    def __init__(self, half_width: ArrayLike) -> None:
        self.half_width = read_only(as_floats(half_width, "half_width").copy())
        if self.half_width.ndim > 1 or not np.isfinite(self.half_width).all() or (self.half_width <= 0).any():
            raise InputError("half_width must be positive: a number, or one an objective.")
        # E exp(s Y) = sinh(s h) / (s h) <= exp((s h)^2 / 6), term by term, since (2n + 1)! >= 6^n n!. The mean may be
        # anywhere, so that no range of values is known.
        each = [SubGaussian(h / math.sqrt(3)) for h in np.atleast_1d(self.half_width).tolist()]
        self.assumption = ByObjective(each) if self.half_width.ndim else each[0]

    def check_dim(self, dim: int, n_designs: int) -> None:
        if self.half_width.ndim:
            _check(self.half_width, dim)

    def draw(self, designs: Indices, dim: int, rng: np.random.Generator) -> Floats:
        return np.asarray(rng.uniform(-1, 1, size=(len(designs), dim)) * self.half_width)


class BernoulliNoise(NoiseSource):
    """Independent 0/1 outcomes around their rates, (K, D); outcomes are -1 and 0 if successes are minimised."""

    def __init__(self, rates: ArrayLike, signs: ArrayLike = 1.0) -> None:
        points = as_points(rates, "rates")
        self._means, self._signs = read_only(points.copy()), np.broadcast_to(signs, points.shape[1]).astype(float)
        chances = points * self._signs
        if (chances < 0).any() or (chances > 1).any():
            odd = float(chances[(chances < 0) | (chances > 1)][0])
            raise InputError(f"the mean of 0/1 outcomes is a rate between 0 and 1, got {odd:g}.")
        self.assumption: Noise | None = Binary().turned(self._signs, np.ones_like(self._signs))

    def check_dim(self, dim: int, n_designs: int) -> None:
        if self._means.shape != (n_designs, dim):
            raise InputError(f"rates are given for {self._means.shape} designs and objectives, not {n_designs, dim}.")

    def draw(self, designs: Indices, dim: int, rng: np.random.Generator) -> Floats:
        """Return one outcome for each objective, minus its mean."""
        means = self._means[designs]
        return np.asarray((rng.random((len(designs), dim)) < means * self._signs) * self._signs - means)

    def recorded(self, values: Floats, counts: np.ndarray) -> Floats:
        """Return averages rounded to a whole number of successes."""
        times = counts[:, None]
        return np.asarray(np.round(values * times) / times + 0.0)


class NoNoise(NoiseSource):
    """Absence of noise: every evaluation is its mean."""

    assumption: Noise | None = Known()

    def draw(self, designs: Indices, dim: int, rng: np.random.Generator) -> Floats:
        return np.zeros((len(designs), dim))


class NoiseByObjective(NoiseSource):
    """A separate source of noise for each objective; the objectives are independent."""

    def __init__(self, each: Iterable[NoiseSource]) -> None:
        self.each = tuple(each)
        stated = [source.assumption for source in self.each]
        known = [noise for noise in stated if noise is not None]
        self.assumption = ByObjective(known) if len(known) == len(stated) else None

    def check_dim(self, dim: int, n_designs: int) -> None:
        if len(self.each) != dim:
            raise InputError(f"the noise is given for {len(self.each)} objectives, but there are {dim}.")
        for source in self.each:
            source.check_dim(1, n_designs)

    def draw(self, designs: Indices, dim: int, rng: np.random.Generator) -> Floats:
        return np.column_stack([source.draw(designs, 1, rng) for source in self.each])

    def recorded(self, values: Floats, counts: np.ndarray) -> Floats:
        return np.column_stack([source.recorded(values[:, [d]], counts) for d, source in enumerate(self.each)])


def _source(noise: Noise | NoiseSource | str, means: Floats, signs: Floats) -> NoiseSource:
    """Return the source that draws the noise of an assumption."""
    if isinstance(noise, NoiseSource):
        return noise
    noise = as_noise(noise) if isinstance(noise, str | Mapping) else noise
    if isinstance(noise, ByObjective):
        noise.check_dim(means.shape[1])
        return NoiseByObjective(
            _source(each, means[:, d : d + 1], signs[d : d + 1]) for d, each in enumerate(noise.each)
        )
    makers: dict[type, Callable[[], NoiseSource]] = {
        Gaussian: lambda: GaussianNoise(noise),  # type: ignore[arg-type]
        Binary: lambda: BernoulliNoise(means, signs),
        Known: NoNoise,
    }
    make = next((makers[kind] for kind in type(noise).__mro__ if kind in makers), None)
    if make is None:
        raise InputError(
            f"noise must be Gaussian(...), Binary(), ByObjective(...) of these or a NoiseSource to draw from, got "
            f"{shown(noise)}."
        )
    return make()


class HeavyTailed(NoiseSource):
    """Scaled Student's t noise with `freedom` > 1 degrees: a stress test that no assumption here covers."""

    def __init__(self, scale: float = 1.0, freedom: float = 3.0) -> None:
        self.scale, self.freedom = as_positive(scale, "scale"), as_positive(freedom, "freedom")
        if self.freedom <= 1:
            raise InputError(f"freedom must exceed 1, or the noise has no mean; got {self.freedom:g}.")

    def draw(self, designs: Indices, dim: int, rng: np.random.Generator) -> Floats:
        return np.asarray(rng.standard_t(self.freedom, size=(len(designs), dim)) * self.scale)


@dataclass(frozen=True, eq=False)
class SimulatedBandit:
    """K designs with known means. Noise is a NoiseSource, or an assumption from which noise can be drawn.

    Such assumptions are `Gaussian(sigma)`, `Binary()` (outcomes of 0 and 1, whose means are the success rates), and
    `ByObjective([...])` of these and `Known()`.

    Larger `means` are better. Objectives that are naturally minimised are named in `minimised`, and their columns hold
    negated values. Names, objectives and units are for tables and plots.

    >>> problem = SimulatedBandit([[0, 0], [2, 1]], Gaussian(1))
    >>> problem.evaluate(Pulls([0, 1], [10, 10]), rng=0)
    Observations(20 evaluations of 2 designs)
    """

    means: Floats
    noise: NoiseSource
    names: tuple[str, ...]
    objectives: tuple[str, ...]
    units: tuple[str, ...]
    minimised: frozenset[str]
    about: str

    def __init__(
        self,
        means: ArrayLike,
        noise: Noise | NoiseSource | str,
        *,
        names: Iterable[str] | None = None,
        objectives: Iterable[str] | None = None,
        units: Iterable[str] | None = None,
        minimised: Iterable[str] = (),
        about: str = "a simulated bandit",
    ) -> None:
        points = as_points(means, "means")
        k, dim = points.shape
        labels = _labels(names, k, "names", "design {}")
        columns = _labels(objectives, dim, "objectives", "objective {}")
        small = frozenset([minimised] if isinstance(minimised, str) else as_words(minimised, "minimised"))
        unknown = small - set(columns)
        if unknown:
            raise InputError(
                f"minimised names {sorted(unknown)[0]!r}, which is not an objective: {', '.join(columns)}."
            )
        noise = _source(noise, points, np.array([-1.0 if name in small else 1.0 for name in columns]))
        noise.check_dim(dim, k)
        measures = _labels(units, dim, "units", "", distinct=False)
        values = {
            "means": read_only(points.copy()),
            "noise": noise,
            "names": labels,
            "objectives": columns,
            "units": measures,
            "minimised": small,
            "about": about,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def n_designs(self) -> int:
        """Number of designs K."""
        return len(self.means)

    @property
    def dim(self) -> int:
        """Number of objectives D."""
        return int(self.means.shape[1])

    @property
    def assumption(self) -> Noise | None:
        """Assumption about the noise; None for a stress test."""
        return self.noise.assumption

    def __len__(self) -> int:
        return self.n_designs

    def evaluate(self, pulls: Pulls, rng: Seed, *, one_by_one: bool = False) -> Observations:
        """Evaluate the pulls: one entry for each pull. Its mean is drawn in one step if the noise allows that.

        `one_by_one=True` draws every evaluation and returns it as an entry of its own.
        """
        generator = as_generator(rng)
        if len(pulls.designs) and pulls.designs.max() >= self.n_designs:
            raise InputError(f"design {pulls.designs.max()} does not exist: there are {self.n_designs} designs.")
        if one_by_one:
            designs = np.repeat(pulls.designs, pulls.counts)
            values = self.means[designs] + self.noise.draw(designs, self.dim, generator)
            return Observations.single(designs, self.noise.recorded(values, np.ones(len(designs))))
        shifts, scatters = self.noise.average(pulls.designs, pulls.counts, self.dim, generator)
        means = self.noise.recorded(self.means[pulls.designs] + shifts, pulls.counts)
        return Observations(pulls.designs, means, pulls.counts, scatters)

    def __repr__(self) -> str:
        return f"<{self.n_designs} designs, objectives {', '.join(self.objectives)}: {self.about.split('.')[0]}>"


def _check(vector: Floats, dim: int) -> None:
    if len(vector) != dim:
        raise InputError(f"the noise is given for {len(vector)} objectives, but there are {dim}.")


def _labels(given: Iterable[str] | None, n: int, name: str, pattern: str, distinct: bool = True) -> tuple[str, ...]:
    try:
        labels = tuple(pattern.format(k) for k in range(n)) if given is None else tuple(map(str, given))
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a list of names, got {shown(given)}.") from None
    if len(labels) != n:
        raise InputError(f"{name} must have {n} entries, got {len(labels)}.")
    if distinct and len(set(labels)) < n:
        repeated = next(label for label, times in Counter(labels).items() if times > 1)
        raise InputError(f"{name} must be distinct: {repeated!r} stands there more than once; a name is an identity.")
    return labels

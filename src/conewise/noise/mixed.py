"""Combine different kinds of noise for different objectives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Bools, Floats, Indices, read_only
from conewise.errors import InputError, printable
from conewise.noise.kinds import UNSTATED, Binary, ChernoffTail, Gaussian, Noise, check_given


@dataclass(frozen=True, eq=False)
class Kind:
    """Some of the objectives, with one joint assumption about their noise."""

    columns: Indices
    """Positions of the objectives, ascending."""
    noise: Noise
    """Assumption about the objectives in `columns`."""


class ByObjective(ChernoffTail):
    """An assumption for each objective: standard deviations (numbers) or assumptions of this module.

    Objectives of one kind are combined. Normal noise of known size is independent between objectives. Objectives with
    normal noise of unknown covariance, bounded or 0/1 values may depend on each other in any way. Nothing is assumed
    about the dependence between kinds: their radii are added (docs/adaptive, 7). With `apart=True` every objective is a
    kind of its own.

    >>> from conewise.noise import Known
    >>> mixed = ByObjective([Binary(), 0.5, Known(), Binary()])
    >>> mixed
    ByObjective([Binary(), Gaussian(0.5), Known(), Binary()])
    >>> [kind.columns.tolist() for kind in mixed.kinds]
    [[0, 3], [1]]
    >>> mixed.scales([1, 0, 5, 0]).tolist(), mixed.scales([1, 1, 0, 0]).tolist()
    (0.5, 1.0)
    """

    each: tuple[Noise, ...]
    """One assumption for each objective."""
    exact: Bools
    """True for objectives without noise, (D,)."""
    kinds: tuple[Kind, ...]
    """Noisy objectives grouped by kind, in the order in which kinds first appear."""

    def __init__(self, each: Iterable[Noise | float], *, apart: bool = False) -> None:
        try:
            given = tuple(noise if isinstance(noise, Noise) else Gaussian(noise) for noise in each)
        except TypeError:
            raise InputError(f"ByObjective needs a list with one assumption an objective, got {each!r:.60}.") from None
        for noise in given:
            noise.check_dim(1)
        if all(noise.noiseless for noise in given):
            raise InputError("no objective has noise, so nothing has to be estimated: compare the values with `front`.")
        self.each, self._apart = given, apart
        self._names: tuple[str, ...] = ()
        self.exact = read_only(np.array([noise.noiseless for noise in given]))
        self.kinds = _kinds(given, apart)
        self.subgaussian = all(kind.noise.subgaussian for kind in self.kinds)

    def named(self, names: Iterable[str]) -> ByObjective:
        """Return a copy with the names of the objectives, for use in `words`.

        >>> from conewise.noise import Known
        >>> ByObjective([Binary(), Known(), Binary()]).named(["right", "price", "polite"]).words
        'by objective: observations of 0 or 1 (right, polite); no noise (price)'
        """
        found = copy(self)
        found._names = tuple(names)
        return found

    def turned(self, signs: Floats, units: Floats) -> ByObjective:
        parts = [noise.turned(signs[d : d + 1], units[d : d + 1]) for d, noise in enumerate(self.each)]
        found = ByObjective(parts, apart=self._apart).named(self._names)
        found.given = self
        return found

    def of_each(self, change: Callable[[Noise], Noise]) -> ByObjective:
        """Return a copy with every objective's assumption changed by `change`, under the given names."""
        return ByObjective(map(change, self.each), apart=self._apart).named(self._names)

    @property
    def presumed(self) -> str:
        names = self._names or tuple(f"objective {d + 1}" for d in range(len(self.each)))
        some = ", ".join(printable(name) for name, own in zip(names, self.each, strict=True) if own.presumed)
        return f"{UNSTATED}unknown (in Python noise=GaussianUnknown()) for {some}" if some else ""

    def of_one(self, column: int, dim: int) -> Noise:
        return self.each[column]

    def check_dim(self, dim: int, n_designs: int | None = None) -> None:
        check_given(len(self.each), dim)
        for kind in self.kinds:
            kind.noise.check_dim(len(kind.columns), n_designs)

    def scales(self, directions: ArrayLike) -> Floats:
        """Return the sum over the kinds: subgaussian parameters add up at most (Hölder's inequality)."""
        u = np.asarray(directions, dtype=np.float64)
        self._check_scales(u.shape[-1])
        return np.asarray(sum(kind.noise.scales(u[..., kind.columns]) for kind in self.kinds))

    def largest_scale(self, dim: int) -> float:
        """Return the largest sum of l_k s_k, with s_k the scale of kind k and sum l_k^2 <= 1 over the kinds."""
        self._check_scales(dim)
        return math.hypot(*(kind.noise.largest_scale(len(kind.columns)) for kind in self.kinds))

    def _check_scales(self, dim: int) -> None:
        """Refuse kinds of unknown size, and kinds without Chernoff's bound, whose scales do not add up."""
        self.check_dim(dim)
        for kind in self.kinds:
            kind.noise.largest_scale(len(kind.columns))
            if not kind.noise.subgaussian:
                raise InputError(f"the scales of {kind.noise!r:.60} cannot be added to those of other objectives.")

    @property
    def words(self) -> str:
        if self.given is not None:
            return self.given.words
        if not self._names:
            return "by objective: " + "; ".join(noise.words for noise in self.each)
        of: dict[str, list[str]] = {}
        for name, noise in zip(self._names, self.each, strict=True):
            of.setdefault(noise.words, []).append(printable(name))
        return "by objective: " + "; ".join(f"{words} ({', '.join(names)})" for words, names in of.items())

    def __repr__(self) -> str:
        return repr(self.given) if self.given else f"ByObjective([{', '.join(map(repr, self.each))}])"


def _kinds(each: tuple[Noise, ...], apart: bool) -> tuple[Kind, ...]:
    groups: dict[object, list[int]] = {}
    for column, noise in enumerate(each):
        if not noise.noiseless:
            groups.setdefault(column if apart or noise.joint is None else noise.joint, []).append(column)
    found = []
    for columns in groups.values():
        joint, *noises = each[columns[0]].joint, *(each[column] for column in columns)
        found.append(Kind(np.array(columns), noises[0] if joint is None or len(noises) == 1 else joint(noises)))
    return tuple(found)


def together(each: Iterable[Noise | float]) -> Noise:
    """Return one assumption about all objectives, from an assumption about each; a plain one if they are of one kind.

    >>> from conewise.noise import Known
    >>> together([Binary(), Binary()]), together([1.0, 2.0]), together([Binary(), Known()])
    (Binary(), Gaussian(sigma of shape (2,)), ByObjective([Binary(), Known()]))
    """
    mixed = ByObjective(each)
    if mixed.exact.any() or len(mixed.kinds) > 1:
        return mixed
    return mixed.each[0] if all(isinstance(noise, Binary) for noise in mixed.each) else mixed.kinds[0].noise


def kinds_of(noise: Noise, dim: int) -> tuple[Kind, ...]:
    """Return the noisy objectives grouped by kind: a single group unless the noise is a `ByObjective`.

    >>> [kind.columns.tolist() for kind in kinds_of(ByObjective([Binary(), 1.0, Binary()]), 3)]
    [[0, 2], [1]]
    """
    return noise.kinds if isinstance(noise, ByObjective) else (Kind(np.arange(dim), noise),)

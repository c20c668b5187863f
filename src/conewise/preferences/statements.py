"""Turn statements about exchanges and choices into directions of improvement.

Every statement gives a few rays (docs/preferences). "a rather than b" gives the ray a - b. An exchange such as "100 of
this for 1000 of that" gives one ray, and so does a share of the weight. A ranking gives a ray for each two neighbours.
Rays count in units, and larger is better in every entry.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import Floats, as_decimal, as_floats
from conewise.errors import InputError, shown
from conewise.question.objectives import Objectives

Amounts = Mapping[str, float]
"""Amount of each named objective, in its own unit of measurement."""

_PLAIN: Final = re.compile(r"[^\W\d]([^,=<>?\"]*[^\s,=<>?\"])?")  # names that need no quotes in a text form
_JOINING: Final = re.compile(r"\b(for|and)\b")  # unless they contain one of these words


@dataclass(frozen=True)
class Statement:
    """One statement of a user."""

    text: str
    """Text form, which `Preferences.said` reads back without loss."""
    words: str
    """Wording for people."""
    rays: Floats = field(default_factory=lambda: np.empty((0, 0)), compare=False)
    """(m, D): directions of improvement, in units; derived from the text and the objectives."""
    fuzz: float = 0.0
    """Bound on the rounding error of the rays, relative to their length."""
    forbidden: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Pairs of an objective and the objectives in which no gain pays for a loss in it."""
    pair: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    """The two designs of a choice or of an undecided answer, in units."""

    def __str__(self) -> str:
        return self.words


class Speaker:
    """Make statements about the given objectives."""

    def __init__(self, objectives: Objectives) -> None:
        self.objectives = objectives
        self.names = objectives.names

    @property
    def dim(self) -> int:
        """Number of objectives."""
        return len(self.names)

    def place(self, name: object) -> int:
        """Return the index of an objective."""
        if name not in self.names:
            raise InputError(f"no objective is called {shown(name)}; there are {', '.join(self.names)[:200]}.")
        return self.names.index(str(name))

    def values(self, design: Any, what: str) -> Floats:
        """Return (D,): the values of a design given as a mapping by name or as a list, in the objectives' own units."""
        if isinstance(design, Mapping):
            missing = [name for name in self.names if name not in design]
            if missing:
                raise InputError(f"{what} needs a value of every objective, and {shown(missing[0])} is missing.")
            for name in design:
                self.place(name)
            design = [design[name] for name in self.names]
        values = as_floats(design, what)
        if values.shape != (self.dim,):
            raise InputError(f"{what} needs {self.dim} values, one an objective, got shape {values.shape}.")
        if not np.isfinite(values).all():
            raise InputError(f"{what} has NaN or infinity; every objective needs a finite value.")
        return values

    def points(self, means: ArrayLike) -> Floats:
        """Return all designs in units, larger is better, (K, D)."""
        values = as_floats(means, "means")
        if values.ndim != 2 or values.shape[1] != self.dim:
            raise InputError(f"means must have shape (K, {self.dim}), one column an objective, got {values.shape}.")
        if not np.isfinite(values).all():
            raise InputError("means has NaN or infinity; every design needs a finite value of every objective.")
        return self.objectives.steps(values)

    def amounts(self, amounts: object, what: str) -> Floats:
        """Return (D,): positive amounts given by name, converted to units."""
        if not isinstance(amounts, Mapping) or not amounts:
            raise InputError(f'{what} names at least one objective and how much of it, as in {{"price": 100}}.')
        found = np.zeros(self.dim)
        for name, amount in amounts.items():
            d = self.place(name)
            if isinstance(amount, bool) or not isinstance(amount, int | float | np.integer | np.floating):
                raise InputError(f"{what} of {shown(name)} must be a number, got {amount!r:.40}.")
            if not (math.isfinite(amount) and amount > 0):
                raise InputError(f"{what} of {shown(name)} must be positive and finite, got {amount!r:.40}.")
            found[d] = float(amount) / self.objectives.units[d]
        return found

    # -- kinds of statements --------------------------------------------------------------------------------

    def exchange(self, give: object, get: object) -> Statement:
        """State that `give` is worth giving for `get`."""
        lost, won = self.amounts(give, "give"), self.amounts(get, "get")
        both = np.flatnonzero((lost > 0) & (won > 0))
        if len(both):
            name = self.names[both[0]]
            raise InputError(f"{name} is given and got at once; an exchange names an objective on one side.")
        text = f"{self._listed(give, exact=True)} for {self._listed(get, exact=True)}"
        words = f"{self._listed(give)} for {self._listed(get)} is worth it"
        return Statement(f"accept: {text}", words, (won - lost)[None, :])

    def choice(self, better: Any, worse: Any, names: tuple[str, str] | None) -> Statement:
        """State that one design is preferred to another."""
        one, two = self.values(better, "the preferred design"), self.values(worse, "the other design")
        first, second = self.objectives.steps(one), self.objectives.steps(two)
        ray = first - second
        if not ray.any():
            raise InputError("two designs with the same values cannot be preferred to each other; choose two others.")
        size = float(np.linalg.norm(np.abs(first) + np.abs(second)) / np.linalg.norm(ray))
        fuzz = 8 * self.dim * float(np.finfo(float).eps) * size
        text = self._pair(one, two, " > ", exact=True)
        words = self._pair(one, two, " rather than ") if names is None else " rather than ".join(_design_names(names))
        pair = (tuple(first.tolist()), tuple(second.tolist()))
        return Statement(f"prefer: {text}", words, ray[None, :], fuzz, pair=pair)

    def undecided(self, first: Any, second: Any, names: tuple[str, str] | None) -> Statement:
        """State that a choice between two designs cannot be made."""
        one, two = self.values(first, "the first design"), self.values(second, "the second design")
        text = self._pair(one, two, " ? ", exact=True)
        words = self._pair(one, two, " or ") if names is None else " or ".join(_design_names(names))
        pair = tuple(self.objectives.steps(one).tolist()), tuple(self.objectives.steps(two).tolist())
        return Statement(f"undecided: {text}", f"{words}: cannot say", np.empty((0, self.dim)), pair=pair)

    def importance(self, shares: Mapping[str, float]) -> Statement:
        """State least shares of the weight for some objectives: w_d >= s_d sum(w) is the ray e_d - s_d 1."""
        if not isinstance(shares, Mapping) or not shares:
            raise InputError('importance names objectives and their least shares, as in {"price": 0.2}.')
        rays = []
        for name, share in shares.items():
            d = self.place(name)
            if isinstance(share, bool) or not isinstance(share, int | float | np.number) or not 0 <= float(share) < 1:
                raise InputError(
                    f"the least share of {shown(name)} lies in [0, 1), got {share!r:.40}; 20 % is written 0.2."
                )
            rays.append(np.eye(self.dim)[d] - float(share))
        if sum(float(share) for share in shares.values()) >= 1:
            raise InputError(f"least shares come to less than 1 in all, got {sum(shares.values()):g}; lower one.")
        listed = [f"{self.written(name)}={_share(float(share))}" for name, share in shares.items()]
        words = [f"{name} at least {100 * float(share):.4g} %" for name, share in shares.items()]
        return Statement(f"importance: {', '.join(listed)}", f"of the weight {', '.join(words)}", np.array(rays))

    def ranked(self, names: Sequence[str]) -> Statement:
        """State an order of importance, most important first: w_1 >= w_2 >= ... are the rays e_1 - e_2, ..."""
        places = [self.place(name) for name in names]
        if len(places) < 2 or len(set(places)) < len(places):
            raise InputError("a ranking names at least two objectives, each of them once, the most important first.")
        rays = [np.eye(self.dim)[a] - np.eye(self.dim)[b] for a, b in pairwise(places)]
        words = ", ".join(
            f"{self._step(a, 'one unit of')} counts at least as much as {self._step(b, 'one of')}"
            for a, b in pairwise(names)
        )
        return Statement(f"ranked: {', '.join(map(self.written, names))}", words, np.array(rays))

    def never(self, give: Sequence[str], get: Sequence[str]) -> Statement:
        """State that no gain in `get` (by default, in any other objective) pays for a loss in `give`."""
        if isinstance(get, str):
            raise InputError(f"get must be a list of names, got {shown(get)}; write [{shown(get)}].")
        lost = [self.place(name) for name in give]
        if not lost:
            raise InputError("never names at least one objective that is not given at any price.")
        paid = tuple(self.place(name) for name in get) or tuple(d for d in range(self.dim) if d not in lost)
        if set(paid) & set(lost):
            raise InputError("never names different objectives on its two sides.")
        gain = f" for {', '.join(get)}" if get else ", at any price"
        text = ", ".join(map(self.written, give)) + (f" for {', '.join(map(self.written, get))}" if get else "")
        forbidden = tuple((d, paid) for d in lost)
        words = f"never worse in {', '.join(give)}{gain}"
        return Statement(f"never: {text}", words, np.empty((0, self.dim)), forbidden=forbidden)

    # -- text forms -----------------------------------------------------------------------------------------

    def written(self, name: str) -> str:
        """Return the name of an objective as in a text form, in quotes if it could be misread."""
        longer = any(other != name and other.startswith(name) for other in self.names)
        plain = _PLAIN.fullmatch(name) and not _JOINING.search(name)
        return name if plain and not longer else f'"{name}"'

    def _step(self, name: str, one: str) -> str:
        unit = float(self.objectives.units[self.place(name)])
        return f"{one} {name}" if unit == 1 else f"{unit:.6g} {name}"

    def _listed(self, amounts: Any, *, exact: bool = False) -> str:
        if exact:
            return ", ".join(f"{_exactly(float(amount))} {self.written(name)}" for name, amount in amounts.items())
        return ", ".join(f"{float(amount):.10g} {name}" for name, amount in amounts.items())

    def _pair(self, one: Floats, two: Floats, mark: str, *, exact: bool = False) -> str:
        sides = []
        for values in (one.tolist(), two.tolist()):
            named = zip(self.names, values, strict=True)
            sides.append(", ".join(f"{self.written(n)}={_exactly(v)}" if exact else f"{n}={v:.6g}" for n, v in named))
        return mark.join(sides)


def _exactly(number: float) -> str:
    """Return the shortest text that is read back as exactly this number."""
    return repr(number).removesuffix(".0")


def _share(share: float) -> str:
    """Return a share in percent if that is read back exactly, else the number itself."""
    percent = f"{100 * share:.15g}"
    return f"{percent}%" if as_decimal(percent) / 100 == share else _exactly(share)


def _design_names(names: object) -> tuple[str, str]:
    """Return the names of the two designs of a choice."""
    if not isinstance(names, tuple | list) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise InputError(f'names must be those of the two designs, as in ("A", "B"), got {shown(names)}.')
    return names[0], names[1]

"""Define what a column means: its name, which way is better, how much of it is one step, what is acceptable.

A cone and an epsilon compare objectives with each other, so they need a common measure. The unit of an objective is
the amount of it that counts as one step: values are divided by it before cone, gaps and epsilon see them, and what
comes out is said in the user's own units and directions again (docs/objectives).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, cast

import numpy as np

from conewise.border import Bools, Floats, advisory, as_number, as_option, as_positive, read_only
from conewise.cone.cone import Cone
from conewise.digits import readable, rounded_unit, rounded_up
from conewise.errors import InputError, shown
from conewise.noise import Gaussian, Noise, together
from conewise.noise.text import as_noise

Direction = Literal["max", "min"]

TENFOLD: Final = 10.0
"""Columns whose spreads differ by more than this are not compared without a word about units."""

_EXCHANGES: Final = (" is worth it", " rather than ", ": cannot say", "never worse ")  # wording of statements
_LARGEST: Final = 1e100  # of a unit and of its inverse: squares stay numbers
_CERTIFIED: Final = 4  # digits of a certified epsilon in a sentence
_MEASURED: Final = re.compile(r"(.*\S)\s*[(\[]([^()\[\]]+)[)\]]")  # "price (EUR)", "price [EUR]"


class _Unsaid(str):
    """A goal that was left out."""


_MAX: Final = cast(Direction, _Unsaid("max"))


class UnitsWarning(UserWarning):
    """Warning that objectives of very different spread are weighed in one measure; it proposes units."""


@dataclass(frozen=True)
class Objective:
    """One objective: its name, whether it should be large or small, and how much of it is one step.

    `unit` is the amount that counts as one step, in the column's own units: cone, gaps, epsilon and certified epsilon
    count in steps. `level` is the least (`goal="max"`) or the most (`goal="min"`) that is acceptable. `noise` is the
    assumption about this objective alone, in the column's own units: a standard deviation, an assumption of
    `conewise.noise`, or its text ("binary", "unknown", "known" for a price list, "gaussian:0.1", "bounded:0:1").
    `price` is the relative cost of measuring this objective. It counts only where objectives are measured one by one
    (`problems.OneByOne`): expensive ones are asked for less. Prices of designs: docs/features.

    >>> Objective("price", goal="min", unit=500, level=2000)
    Objective('price', goal='min', unit=500, level=2000)
    """

    name: str
    goal: Direction = _MAX
    unit: float = field(default=1.0, kw_only=True)
    level: float | None = field(default=None, kw_only=True)
    noise: Noise | float | str | None = field(default=None, kw_only=True)
    price: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"the name of an objective must be text that is not empty, got {shown(self.name)}.")
        what = f"of the objective {self.name[:60]!r}"
        as_option(self.goal, f"the goal {what}", ("max", "min"))
        unit = as_positive(self.unit, f"the unit {what}")
        if not 1 / _LARGEST <= unit <= _LARGEST:
            raise InputError(f"the unit {what} must lie between {1 / _LARGEST:g} and {_LARGEST:g}, got {unit:g}.")
        object.__setattr__(self, "unit", unit)
        if self.level is not None:
            object.__setattr__(self, "level", as_number(self.level, f"the level {what}"))
        noise: Any = self.noise
        if isinstance(noise, str | Mapping):
            noise = as_noise(noise, f"the noise {what}")
        if isinstance(noise, Noise):
            noise.check_dim(1)
        elif noise is not None:
            noise = as_positive(noise, f"the noise {what} (a standard deviation)")
        object.__setattr__(self, "noise", noise)
        object.__setattr__(self, "price", as_positive(self.price, f"the price {what}"))

    @property
    def minimised(self) -> bool:
        """True if less is better."""
        return self.goal == "min"

    @property
    def measured(self) -> tuple[str, str]:
        """Name without the unit of measurement, and that unit after a space: ("price", " EUR"), or ("speed", "")."""
        found = _MEASURED.fullmatch(self.name)
        return (self.name, "") if found is None else (found[1], f" {found[2]}")

    def meets(self, values: Floats) -> Bools:
        """Return True for values, in the column's own units, that are acceptable; for all values without a level."""
        if self.level is None:
            return np.ones(np.shape(values), dtype=bool)
        return np.asarray(values <= self.level if self.minimised else values >= self.level)

    def amount(self, steps: float, *, up: bool = False) -> str:
        """Return a number of steps in the column's own units, for a sentence; rounded `up` for a certified epsilon.

        >>> Objective("price (EUR)", unit=500).amount(2), Objective("speed", unit=0.1).amount(2)
        ('price 1000 EUR', 'speed 0.2')
        """
        (name, measure), amount = self.measured, steps * self.unit
        digits = 4 if abs(amount) < 1e4 else 6
        value = readable(rounded_up(steps, digits, times=self.unit) if up else amount, digits)
        return f"{name} {value}{measure}"

    def difference(self, change: float) -> str:
        """Return a difference in the column's own units, for a sentence.

        >>> Objective("price (EUR)").difference(-500), Objective("speed").difference(2)
        ('500 EUR less price', '2 more speed')
        """
        name, measure = self.measured
        return f"{readable(abs(change))}{measure} {'more' if change > 0 else 'less'} {name}"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Objective:
        """Return an objective from plain text and numbers, as in TOML and JSON; noise is a number, text or table.

        >>> Objective.from_dict({"name": "speed", "unit": 10})
        Objective('speed', unit=10)
        """
        known = ("name", "goal", "unit", "level", "noise", "price")
        stray = next((key for key in data if key not in known), None)
        if stray is not None:
            raise InputError(f"an objective has no {stray!r:.60}; it may have {', '.join(known)}.")
        if "name" not in data:
            raise InputError(f"an objective needs a name, got {shown(dict(data))}.")
        return cls(**data)

    def __repr__(self) -> str:
        parts = [repr(self.name), *([f"goal={self.goal!r}"] if self.minimised else [])]
        parts += [f"unit={self.unit:.12g}"] if self.unit != 1 else []
        parts += [f"level={self.level:.12g}"] if self.level is not None else []
        parts += [f"noise={self.noise!r}"] if self.noise is not None else []
        parts += [f"price={self.price:.12g}"] if self.price != 1 else []
        return f"Objective({', '.join(parts)})"


@dataclass(frozen=True)
class Objectives(Sequence[Objective]):
    """Objectives in their order; converts values to steps, larger is better, and back.

    >>> both = as_objectives([Objective("price (EUR)", "min", unit=500), "power"])
    >>> both.steps([[1000.0, 3.0]]).tolist(), both.own([[-2.0, 3.0]]).tolist()
    ([[-2.0, 3.0]], [[1000.0, 3.0]])
    """

    each: tuple[Objective, ...]

    def __getitem__(self, index: Any) -> Any:
        return self.each[index]

    def __len__(self) -> int:
        return len(self.each)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names in order."""
        return tuple(objective.name for objective in self.each)

    @cached_property
    def minimised(self) -> tuple[str, ...]:
        """Names of the objectives that should be small."""
        return tuple(objective.name for objective in self.each if objective.minimised)

    @cached_property
    def signs(self) -> Floats:
        """-1 for objectives that should be small, 1 for the others, (D,)."""
        return read_only(np.array([-1.0 if objective.minimised else 1.0 for objective in self.each]))

    @cached_property
    def units(self) -> Floats:
        """Amount of each objective that is one step, (D,)."""
        return read_only(np.array([objective.unit for objective in self.each]))

    @cached_property
    def in_steps(self) -> bool:
        """True if any unit differs from 1."""
        return bool((self.units != 1).any())

    def steps(self, values: Any, which: Any = None) -> Floats:
        """Return values (..., D) in the user's units and directions as steps, larger is better.

        With `which` (m,), values are (m, 1): one value of each objective that is named by its index.
        """
        signs, units = self.signs, self.units
        if which is not None:
            signs, units = signs[which][:, None], units[which][:, None]
        turned = np.asarray(values, dtype=np.float64) * signs
        return np.asarray((turned / units if self.in_steps else turned) + 0.0)

    def own(self, steps: Any) -> Floats:
        """Return steps (..., D), larger is better, in the user's units and directions."""
        turned = np.asarray(steps, dtype=np.float64) * self.signs
        return np.asarray((turned * self.units if self.in_steps else turned) + 0.0)

    def amounts(self, steps: float, *, up: bool = False) -> str:
        """Return some steps of each objective in the user's units: "price 500 EUR, power 10"; empty without units."""
        return ", ".join(objective.amount(steps, up=up) for objective in self.each) if self.in_steps else ""

    def stated(self) -> dict[str, float]:
        """Return the units by name, for JSON; empty if none was given."""
        return dict(zip(self.names, self.units.tolist(), strict=True)) if self.in_steps else {}

    def at(self, epsilon: float) -> str:
        """Return an epsilon for a sentence: "epsilon = 0.1", or in steps and the user's units.

        >>> as_objectives([Objective("price (EUR)", unit=500), Objective("power", unit=10)]).at(1.0)
        'epsilon = 1 step (price 500 EUR, power 10)'
        """
        return f"epsilon = {self.counted(epsilon)}"

    def counted(self, epsilon: float, *, up: bool = False) -> str:
        """Return an epsilon alone: "0.1", or in steps and the user's units: "2 steps (price 1000)"."""
        shown = rounded_up(epsilon, _CERTIFIED) if up else epsilon
        if not self.in_steps or epsilon == 0:
            return f"{shown:g}"
        return f"{shown:g} step{'s' * (shown != 1)} ({self.amounts(shown, up=up)})"

    def within(self, epsilon: float) -> str:
        """Return a certified epsilon as `counted` does, rounded up.

        >>> as_objectives([Objective("price (EUR)", unit=500), Objective("power")]).within(0.745601)
        '0.7457 steps (price 372.9 EUR, power 0.7457)'
        """
        return self.counted(epsilon, up=True)

    def meets(self, values: Floats) -> Bools:
        """Return a mask (K,) of the designs (K, D), in the user's units, that meet all levels."""
        mask = np.ones(len(values), dtype=bool)
        for column, objective in enumerate(self.each):
            mask &= objective.meets(values[:, column])
        return mask

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Levels in words: "price <= 2000"."""
        return tuple(
            f"{o.name} {'<=' if o.minimised else '>='} {o.level:.12g}" for o in self.each if o.level is not None
        )

    @cached_property
    def required(self) -> tuple[Objective, ...]:
        """Objectives in steps, larger is better, if any has a level or a price; else empty."""
        if not self.levels and all(o.price == 1 for o in self.each):
            return ()
        return tuple(
            Objective(
                o.name,
                level=None if o.level is None else (-o.level if o.minimised else o.level) / o.unit + 0.0,
                price=o.price,
            )
            for o in self.each
        )

    def stated_levels(self) -> dict[str, float]:
        """Return the levels by name, in the user's units, for JSON."""
        return {o.name: o.level for o in self.each if o.level is not None}

    def check_no_levels(self, what: str, remedy: str = 'take the algorithm "elimination"') -> None:
        """Refuse levels where they would have no effect."""
        if self.levels:
            raise InputError(f"{what} does not know levels ({self.levels[0]}): leave the level out, or {remedy}.")

    def having(self, word: Literal["unit", "level", "noise"], given: Mapping[str, Any]) -> Objectives:
        """Return the objectives with units, levels or noise given by name.

        >>> both = as_objectives([Objective("latency", "min"), "accuracy"])
        >>> both.having("level", {"latency": ("<=", 200), "accuracy": 0.8}).levels
        ('latency <= 200', 'accuracy >= 0.8')
        """
        what = word if word == "noise" else f"a {word}"
        if not isinstance(given, Mapping):
            raise InputError(f'{what} is given by name, {{"latency": 200}}, got {shown(given)}.')
        if given and not self.each:
            raise InputError(f'{what} is given by name: name the objectives too, objectives=["latency", ...].')
        if (stray := next((name for name in given if name not in self.names), None)) is not None:
            raise InputError(f"{what} is given for {stray!r:.60}, which is not among {', '.join(self.names)[:200]}.")
        changed = {o.name: _changed(o, word, given[o.name]) for o in self.each if o.name in given}
        return Objectives(tuple(changed.get(o.name, o) for o in self.each))

    def noise(self, others: Noise | None = None) -> Noise | None:
        """Return the noise that the objectives declare, in the user's units; None if none of them declares any.

        `others` is the noise of the objectives that declare none of their own.
        """
        each: list[Any] = [objective.noise for objective in self.each]
        lacking = next((o.name for o in self.each if o.noise is None), None)
        if all(own is None for own in each):
            return None
        if others is not None:
            others.check_dim(len(each))
            each = [others.of_one(d, len(each)) if own is None else own for d, own in enumerate(each)]
        elif lacking is not None:
            raise InputError(f"{lacking!r:.60} has no noise while other objectives have one; give all one, or none.")
        if lacking is not None and isinstance(others, Gaussian) and others.cov is not None:
            raise InputError(
                f"the covariance of all objectives says nothing of {lacking!r:.60} beside those with a noise of their "
                "own; give standard deviations, or every objective its own noise."
            )
        return together(each)


def as_objectives(
    objectives: Iterable[str | Objective | Mapping[str, Any]], minimise: Iterable[str] = (), what: str = "objectives"
) -> Objectives:
    """Return objectives from names, records or dictionaries; those in `minimise` should be small.

    >>> as_objectives(["cost", Objective("speed", unit=10)], minimise=["cost"]).each
    (Objective('cost', goal='min'), Objective('speed', unit=10))
    """
    found = [_record(entry, what) for entry in _listed(objectives, what)]
    small, names = _listed(minimise, "minimise"), [record.name for record in found]
    if len(set(names)) < len(names):
        raise InputError(f"the objectives must be distinct, got {max(names, key=names.count)!r:.60} twice.")
    for name in small:
        if not isinstance(name, str):
            raise InputError(f"minimise must be a list of names, got {shown(name)} in it.")
        if name not in names:
            known = ", ".join(names)[:200]
            raise InputError(f"minimise names {name!r:.60}, which is not among the objectives {known}.")
        goal = found[names.index(name)].goal
        if goal == "max" and not isinstance(goal, _Unsaid):
            raise InputError(f'minimise names {name!r:.60}, and its objective says goal="max"; say which.')
    return Objectives(tuple(replace(record, goal="min") if record.name in small else record for record in found))


Level = float | tuple[str, float]
"""Acceptable values of an objective: a number, or ("<=", number) and (">=", number)."""


def _changed(objective: Objective, word: str, given: Any) -> Objective:
    """Return an objective with another unit, level or noise; refuse a level against its goal, and a second level."""
    if word != "level":
        return replace(objective, **{word: given})
    name, sign = objective.name[:60], "<=" if objective.minimised else ">="
    if isinstance(given, Sequence) and not isinstance(given, str):
        if len(given) != 2 or given[0] not in ("<=", ">="):
            raise InputError(
                f'the level of {name!r} must be a number, ("<=", number) or (">=", number), got {given!r:.80}.'
            )
        if given[0] != sign:
            way, least, hint = ("small", "most", "") if objective.minimised else ("large", "least", ", or minimise it")
            raise InputError(
                f"the level '{name}{given[0]}{given[1]!s:.20}' goes against its objective: {name!r} should be {way}, "
                f"so its level is the {least} that is acceptable, '{name}{sign}...'{hint}."
            )
        given = given[1]
    levelled = replace(objective, level=given)
    if objective.level is not None and objective.level != levelled.level:
        raise InputError(
            f"two levels of {name!r} are given, {objective.level:.12g} and {levelled.level:.12g}; an objective has one."
        )
    return levelled


def check_said_of(cone: Cone, objectives: Objectives) -> None:
    """Refuse a cone that was stated for objectives with other names, directions, units or another order."""
    here = tuple((o.name, o.goal, o.unit) for o in objectives)
    if not cone.about or not here or here == cone.about:
        return
    said, given = (
        ", ".join(f"{name} ({goal}, unit {unit:g})" for name, goal, unit in each) for each in (cone.about, here)
    )
    raise InputError(
        f"what was said, of which the cone is made, is about {said}, and here the objectives are {given}; state it "
        "with the objectives that are used here."
    )


def weighs(cone: Cone) -> bool:
    """Return True if the cone compares objectives with each other, so that their units matter: not the orthant."""
    return bool((np.count_nonzero(cone.facets, axis=1) > 1).any())


def proposed_units(objectives: Objectives, spreads: Floats) -> dict[str, float]:
    """Return a unit for each objective: a tenth of the spread of its values, rounded to 1-2-5."""
    for o, spread in zip(objectives.each, spreads, strict=True):
        if spread > 0 and not 10 / _LARGEST <= spread <= _LARGEST:
            raise InputError(f"no unit fits {shown(o.name)}, whose values spread by {spread:.3g}; rescale them.")
    return {o.name: rounded_unit(float(spread)) for o, spread in zip(objectives.each, spreads, strict=True)}


def with_proposed_units(objectives: Objectives, spreads: Floats) -> Objectives:
    """Return the objectives with the proposed units, for those that have none."""
    given = {o.name: o.unit for o in objectives.each if o.unit != 1}
    lacking = np.where(objectives.units == 1, spreads, 0.0)
    return objectives.having("unit", proposed_units(objectives, lacking) | given)


@advisory()
def units_remark(
    objectives: Objectives, spreads: Floats, cone: Cone, epsilon: float = 0.0, what: str = "spread"
) -> str | None:
    """Return a sentence with a proposal where the cone or an epsilon mixes objectives of very different spread.

    Return None if any unit was given, if all names state one unit of measurement ("price (EUR)", "rent (EUR)"), and if
    the cone makes up for the spreads. `spreads` (D,) are largest minus least value in the columns' own units, or
    another measure of size with the name `what`.
    """
    spreads = np.asarray(spreads, dtype=np.float64)
    known = np.flatnonzero(np.isfinite(spreads) & (spreads > 0))
    if objectives.in_steps or len(known) < 2 or not (epsilon > 0 or (weighs(cone) and not _in_own_units(cone))):
        return None
    measures = {o.measured[1] for o in objectives.each}
    if len(measures) == 1 and measures != {""}:
        return None
    felt = (spreads if epsilon > 0 else spreads * np.abs(cone.facets).max(axis=0))[known]
    if felt.max() <= TENFOLD * felt.min():
        return None
    widest, narrowest = int(known[felt.argmax()]), int(known[felt.argmin()])
    who = "the cone weighs" if weighs(cone) else "epsilon measures"
    far, near = objectives.each[widest], objectives.each[narrowest]
    given = unit_options(proposed_units(objectives, spreads))
    example = f", for example {given} (in Python: Objective(name, unit=...))" if what == "spread" else ""
    return (
        f"{who} {far.name!r} ({what} {spreads[widest]:.3g}) and {near.name!r} ({what} {spreads[narrowest]:.3g}) in one "
        f"measure, so the first decides nearly alone; say how much of each is one step{example}."
    )


def _in_own_units(cone: Cone) -> bool:
    """Return True for a cone of exchanges and choices only, which are made in the columns' own units."""
    return bool(cone.said) and all(any(word in said for word in _EXCHANGES) for said in cone.said)


def unit_options(units: Mapping[str, float]) -> str:
    """Return units as options of a command line.

    >>> unit_options({"price (EUR)": 500.0, "speed": 1.0})
    "--unit 'price (EUR)=500' --unit speed=1"
    """
    return " ".join(f"--unit {shlex.quote(unit_text(name, unit))}" for name, unit in units.items())


def unit_text(name: str, unit: float) -> str:
    """Return an argument of --unit."""
    column = '"' + name.replace('"', '""') + '"' if re.search(r'[<>=!"]|\s[aA][nN][dD]\s', name) else name
    return f"{column}={unit:.12g}"


# -- what was given --------------------------------------------------------------------------------------------------


def _listed(given: Any, what: str) -> list[Any]:
    if isinstance(given, str | bytes | Mapping | Objective):
        parts = [part.strip() for part in given.split(",")] if isinstance(given, str) else [given]
        raise InputError(f"{what} must be a list, got {shown(given)}; write [{', '.join(map(shown, parts))}].")
    try:
        if isinstance(given, Set) and what != "minimise":
            raise TypeError("a set has no order")
        return list(given)
    except TypeError:
        raise InputError(f"{what} must be a list of names, got {shown(given)}.") from None


def _record(entry: Any, what: str) -> Objective:
    if isinstance(entry, Objective):
        return entry
    if isinstance(entry, Mapping):
        return Objective.from_dict(entry)
    if not isinstance(entry, str):
        raise InputError(f"{what} must be a list of names or of Objective(...), got {shown(entry)} in it.")
    return Objective(entry)

"""What a study asks, as a value and as JSON: designs, objectives, cone, epsilon, delta, noise, algorithm, seed.

The JSON holds data only. Whatever it says is rebuilt by the constructors that also check a user's own arguments, and
nothing in it names code.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property
from typing import Any, Final, Required, Unpack

import numpy as np
from numpy.typing import ArrayLike

from conewise import noise as noises
from conewise.border import (
    NO_REAL_NUMBERS,
    Floats,
    as_count,
    as_floats,
    as_non_negative,
    as_positive,
    check_finite,
    check_sums,
    check_unmasked,
)
from conewise.cone.cone import Cone
from conewise.data.observations import LARGEST_OBSERVED
from conewise.errors import ConewiseError, InputError, shown
from conewise.limits import LARGEST_SEED, MOST_DESIGNS
from conewise.models import Prior
from conewise.noise.text import noise_from_dict, noise_to_dict
from conewise.problems.box import Box
from conewise.question.objectives import Objective
from conewise.question.question import Question, Words
from conewise.rules import Algorithm
from conewise.studies.blocks import StudyBlocks, drawn_blocks
from conewise.studies.boxes import MOST_REFINEMENTS, Meshing, check_box
from conewise.studies.cells import CELL_COLUMNS, cell_values, check_separate
from conewise.studies.columns import check_complete, check_no_objective
from conewise.studies.possible import out_of_range
from conewise.studies.priors import model_to_dict, prices_for, prior_for
from conewise.studies.rules import (
    POSTERIOR,
    SEPARATE,
    build,
    check_options,
    judges_by_draws,
    resolved,
)
from conewise.studies.settings import as_study_box, box_model, first_stage, meshing_of, rows_of
from conewise.studies.texts import as_flag, as_label
from conewise.tables.designs import NAME_COLUMNS
from conewise.tables.frames import is_frame, records_of
from conewise.tables.names import first_repeated
from conewise.tables.spreadsheets import EXPORT_COLUMNS, TO_FILL_IN

__all__ = ["Row", "Specification", "noise_from_dict", "noise_to_dict", "specified"]

Row = dict[str, Any]
"""A design's columns: text, numbers, booleans or None under text."""

LONGEST_LEASE: Final = 1e9
"""Seconds; what ends beyond all calendars could not be shown."""
_LOOKS: Final = 2  # at one number of evaluations: what finished rounds have used, and all that is told
_TAKEN: Final = frozenset({*TO_FILL_IN, *NAME_COLUMNS})  # not asked of studies that exist: they can be told by id


@dataclass(frozen=True, eq=False)
class Specification:
    """The header of a study; frozen, complete, checked."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    question: Question
    """In the user's own directions, like everything else here."""
    algorithm: str
    options: Mapping[str, Any]
    seed: int
    lease: float
    """Seconds after which an evaluation that was handed out and not told is open again."""
    reserve: float = 0.0
    """The part of delta that is kept for changes of the question."""
    blocks: StudyBlocks | None = None
    """What the designs meet, where they are compared block by block."""
    box: Box | None = None
    """Whose candidates the designs are, where nobody has listed them."""
    stage: int = 0
    """How often candidates have joined."""

    @property
    def n_designs(self) -> int:
        """The number of designs K."""
        return len(self.names)

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        return self.question.cone.dim

    @property
    def separate(self) -> bool:
        """Whether objectives are measured separately: an evaluation then has one of them."""
        return self.algorithm == SEPARATE

    @property
    def posterior(self) -> bool:
        """Whether the rule stops by the posterior certificate."""
        return self.algorithm in POSTERIOR or (self.separate and "model" in self.options)

    @cached_property
    def prices(self) -> Floats | None:
        """(K, D): what a measurement of each objective of each design costs; (K, 1) of an evaluation of all of them.

        None where nobody has said what anything costs.
        """
        designs = self.built_options.get("prices")
        own = np.array([o.price for o in self.question.columns.each]) if self.separate else np.ones(1)
        if designs is None and (own == 1).all():
            return None
        return np.outer(np.ones(self.n_designs) if designs is None else np.asarray(designs), own)

    def build(self) -> Algorithm[Any]:
        """The algorithm, in whose eyes larger is better for every objective; built once."""
        return self._algorithm

    @cached_property
    def built_options(self) -> dict[str, Any]:
        """The options as the algorithm takes them: of a model, the prior itself."""
        if "model" not in self.options:
            return dict(self.options)
        if self.box is not None:
            return {**self.options, "looks": _LOOKS}
        model = self.options["model"]
        prices = prices_for(model, self.rows)
        built = {**self.options, "model": prior_for(model, self.rows)}
        if self.separate or judges_by_draws(self.algorithm):
            built["looks"] = _LOOKS
        return built if prices is None else {**built, "prices": prices}

    @cached_property
    def _algorithm(self) -> Algorithm[Any]:
        try:
            question = self.question
            if self.reserve:
                question = replace(question, delta=question.delta * (1 - self.reserve))
            if self.box is not None:
                return self.meshing.rule(self.places, self.stage)
            return self.rule(question, self.n_designs, self.built_options)
        except InputError:
            raise
        except ArithmeticError:
            asked = self.question
            raise InputError(
                f"epsilon = {asked.epsilon:g}, delta = {asked.delta:g} and the noise are too far apart to be computed "
                "with; choose other units, or another epsilon."
            ) from None
        except (TypeError, ValueError, MemoryError) as error:
            raise InputError(f"{self.algorithm} cannot take the options {self.options} ({str(error)[:80]}).") from None

    def rule(self, question: Question, n_designs: int, options: Mapping[str, Any]) -> Algorithm[Any]:
        """The rule of this study for a question about so many designs."""
        return build(self.algorithm, question, n_designs, options, self.blocks, apart=self.separate)

    # -- a box -------------------------------------------------------------------------------------------------------

    @property
    def refines(self) -> bool:
        """Whether candidates may still join, once the rule of the present ones has seen enough."""
        return self.box is not None and self.stage < MOST_REFINEMENTS

    @property
    def settings(self) -> list[dict[str, Any]]:
        """(K,): the candidates, by their parameters alone."""
        assert self.box is not None
        return [{p.name: row[p.name] for p in self.box.each} for row in self.rows]

    @cached_property
    def places(self) -> Floats:
        """(K, P): where the candidates lie in the box."""
        assert self.box is not None
        return self.box.placed(self.rows)

    @cached_property
    def meshing(self) -> Meshing:
        """The rules on growing sets of candidates."""
        return self.meshed(self.built_options)

    def meshed(self, options: Mapping[str, Any]) -> Meshing:
        """The same with other options."""
        assert self.box is not None
        question = replace(self.question, delta=self.question.delta * (1 - self.reserve))
        return meshing_of(self.box, question, self.places, options, self.separate)

    def as_values(self, values: ArrayLike, n: int) -> Floats:
        """(n, D) numbers that may enter the journal: of the right shape, finite, within what the noise allows."""
        array = as_floats(values, "values")
        if n == 1 and array.shape == (self.dim,):
            array = array.reshape(1, self.dim)
        if array.shape != (n, self.dim):
            raise InputError(
                f"values must have shape ({n}, {self.dim}), one row an evaluation and one column an objective "
                f"({', '.join(self.question.names)}), got {array.shape}."
            )
        if n:
            check_finite(array, "values")
            check_sums(array, "values", LARGEST_OBSERVED)
        outside = out_of_range(self.question.noise, array)
        if outside is not None:
            row, column = outside
            raise self._outside(array[row, column], row, column)
        return array.copy()

    def as_cells(self, values: Any, objectives: Sequence[int]) -> Floats:
        """(n, 1) numbers that may enter the journal, of these objectives, which are measured separately."""
        array = cell_values(values, objectives, self.question.names)
        if len(array):
            check_sums(array, "values", LARGEST_OBSERVED)
        of = np.array(objectives, dtype=np.intp)
        for d in np.unique(of).tolist():
            mine = np.flatnonzero(of == d)
            outside = out_of_range(self.noise_of(d), array[mine])
            if outside is not None:
                raise self._outside(array[mine[outside[0]], 0], int(mine[outside[0]]), d)
        return array

    def noise_of(self, objective: int) -> noises.Noise | None:
        """What is assumed of one objective by itself."""
        noise = self.question.noise
        return None if noise is None else noise.of_one(objective, self.dim)

    def _outside(self, value: float, row: int, column: int) -> InputError:
        return InputError(
            f"values has {float(value)!r} in row {row} for {self.question.names[column]!r}, outside "
            "the range that the study's noise assumes; no certificate would hold with it: unless it is a slip, "
            "make a study with a range that every value keeps."
        )

    def to_json(self) -> str:
        """One text; `from_json` reads it back to the same numbers, bit by bit."""
        plain = all(row == {"name": name} for row, name in zip(self.rows, self.names, strict=True))
        question = self.question
        data = {
            "designs": list(self.names),
            "rows": None if plain else list(self.rows),
            "objectives": self._written(),
            "minimise": list(question.minimised),
            "cone": question.cone.to_dict(),
            "epsilon": question.epsilon,
            "delta": question.delta,
            "noise": None if question.noise is None else noise_to_dict(question.noise),
            "algorithm": self.algorithm,
            "options": dict(self.options),
            "seed": self.seed,
            "lease": self.lease,
            **({"reserve": self.reserve} if self.reserve else {}),
            **({} if self.blocks is None else {"blocks": self.blocks.to_dict()}),
            **({} if self.box is None else {"box": self.box.to_dict()}),
        }
        return json.dumps(data, allow_nan=False, ensure_ascii=False)

    def _written(self) -> list[Row] | tuple[str, ...]:
        """The objectives: their names where these and their directions say all that is meant, else records."""
        columns = self.question.columns
        priced = self.separate and any(o.price != 1 for o in columns.each)
        if not columns.in_steps and not columns.levels and not priced:
            return columns.names
        return [{**_written(o), **({"price": o.price} if priced else {})} for o in columns.each]

    @classmethod
    def from_json(cls, text: str) -> Specification:
        """What `to_json` wrote; anything else is refused."""
        try:
            data = json.loads(text)
            if not isinstance(data["options"], dict):
                raise TypeError("options")
            rows = data["rows"] or [{"name": name} for name in data["designs"]]
            blocks = None if data.get("blocks") is None else StudyBlocks.from_dict(data["blocks"])
            box = None if data.get("box") is None else Box(**data["box"])
            apart = data["algorithm"] == SEPARATE and blocks is None
            return cls(
                *checked_designs(rows, data["designs"]),
                with_columns(
                    Question.stated(
                        cone=Cone.from_dict(data["cone"]),
                        success=data["options"].get("success"),
                        **{word: data[word] for word in ("epsilon", "delta", "noise", "objectives", "minimise")},
                    )
                ),
                resolved(data["algorithm"], data["options"], blocks, apart=apart),
                data["options"],
                as_count(data["seed"], "seed", minimum=0, maximum=LARGEST_SEED),
                as_positive(data["lease"], "lease"),
                as_reserve(data.get("reserve", 0.0)),
                blocks,
                box,
                0 if box is None else first_stage(box),
            )
        except Exception as error:  # whatever a stranger's text can do to the constructors, it is the text's fault
            raise ConewiseError(f"the header of the study cannot be read ({str(error)[:120]}).") from None


def as_reserve(reserve: float) -> float:
    """A part of delta that leaves something for the beginning: from 0 to below 1."""
    reserve = as_non_negative(reserve, "reserve")
    if reserve >= 1:
        raise InputError(f"reserve is the part of delta that is kept for changes, from 0 to below 1, got {reserve:g}.")
    return reserve


def as_lease(seconds: Any) -> float:
    """Seconds for which an evaluation may be in someone's hands."""
    number = as_positive(seconds, "lease")
    if number > LONGEST_LEASE:
        raise InputError(f"lease must be at most {LONGEST_LEASE:.0e} seconds, which are 31 years, got {number:g}.")
    return number


class Asked(Words, total=False):
    """The words of `Study.create` and `specified`."""

    designs: Required[Any]
    epsilon: Required[float]
    noise: Required[noises.Noise | Mapping[str, Any] | str | None]
    algorithm: str
    options: Mapping[str, Any] | None
    seed: int
    lease: float
    reserve: float
    block: str | None
    blocks: Sequence[str] | int | None
    population: int | str | None
    model: Prior | Mapping[str, Any] | str | None
    separate: bool


def specified(
    designs: Any,
    *,
    epsilon: float,
    noise: noises.Noise | Mapping[str, Any] | str | None,
    algorithm: str = "auto",
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    lease: float = 3600.0,
    reserve: float = 0.0,
    block: str | None = None,
    blocks: Any = None,
    population: int | str | None = None,
    model: Any = None,
    separate: bool = False,
    **words: Unpack[Words],
) -> Specification:
    """Return a specification from a user's arguments; build its algorithm, which refuses what it cannot answer."""
    if options is not None and not isinstance(options, Mapping):
        raise InputError(f"options must be a dictionary, got {type(options).__name__}.")
    box = designs if isinstance(designs, Box) else None
    chosen = {**({} if words.get("success") is None else {"success": words["success"]}), **(options or {})}
    if words.get("success") not in (None, chosen.get("success")):
        raise InputError(f"success is given twice, {words['success']!r} and {chosen['success']!r}; say which.")
    words["success"] = chosen.get("success")
    noise = box.noise if noise is None and box is not None else noise
    question = with_columns(Question.stated(epsilon=epsilon, noise=noise, **words))
    columns = question.columns
    if box is not None:
        designs = rows_of(as_study_box(box, columns.names), box.first())
    names, rows = checked_designs(designs)
    separate = as_flag(separate, "separate") or (isinstance(algorithm, str) and algorithm == SEPARATE)
    ours = _TAKEN | CELL_COLUMNS if separate else _TAKEN
    taken = next((name for name in columns.names if name.lower() in ours), None)
    if taken is not None:
        raise InputError(
            f"no objective may be called {taken!r}, which is a column of the tables to fill in; rename it."
        )
    check_no_objective(rows, columns.names)
    check_complete(rows)
    if separate:
        check_separate(algorithm, rows, block)
        algorithm = SEPARATE
    if question.noise is not None:  # what cannot be written down is refused now
        question.noise.check_dim(question.cone.dim, len(names))
        question = replace(question, noise=noise_from_dict(noise_to_dict(question.noise)))
    if model is not None:
        chosen["model"] = model
    if box is not None:
        check_box(algorithm, chosen)
        if block is not None:
            raise InputError("the settings of a box are evaluated by themselves, and share no blocks: leave them out.")
        chosen["model"] = box_model(chosen.get("model"))
    elif "model" in chosen:
        chosen["model"] = model_to_dict(chosen["model"])
    if chosen.get("prices") is not None:
        chosen["prices"] = as_floats(chosen["prices"], "prices").tolist()
    seed = as_count(seed, "seed", minimum=0, maximum=LARGEST_SEED)
    own = {column for row in rows for column in row}
    shared = drawn_blocks(block, blocks, population, seed, {*own, *columns.names, *_TAKEN, *EXPORT_COLUMNS})
    check_options(algorithm, chosen, shared, apart=separate)
    specification = Specification(
        names,
        rows,
        question,
        resolved(algorithm, chosen, shared, apart=separate),
        chosen,
        seed,
        as_lease(lease),
        as_reserve(reserve),
        shared,
        box,
        0 if box is None else first_stage(box),
    )
    specification.build()
    try:
        specification.to_json()
    except (TypeError, ValueError):
        raise InputError("options must be text, finite numbers or booleans under text.") from None
    return specification


# -- designs and objectives ------------------------------------------------------------------------------------------


def checked_designs(
    designs: Any, names: Sequence[str] | None = None, *, least: int = 2, known: Sequence[str] = ()
) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    """(names, rows) from names, rows or a number of designs; names are distinct, and none of them `known`."""
    check_unmasked(designs, "designs")
    if is_frame(designs):
        designs = records_of(designs)
    if isinstance(designs, str | bytes) or not (isinstance(designs, Sequence) or np.ndim(designs) < 2):
        raise InputError(f"designs must be names, rows (mappings), a frame or a number, got {type(designs).__name__}.")
    if not isinstance(designs, Sequence) and np.ndim(designs) == 0:
        designs = [str(k) for k in range(as_count(designs, "designs", minimum=2, maximum=MOST_DESIGNS))]
    found: list[str] = []
    rows: list[Row] = []
    for place, design in enumerate(designs):
        if isinstance(design, Mapping):
            row = {as_label(column, "a column of a design"): _cell(value, column) for column, value in design.items()}
            key = next((c for word in NAME_COLUMNS for c in row if c.lower() == word), None)
            name = _name_in(row[key], place) if key is not None else str(place)
        else:
            row, name = {}, _name_in(design, place)
        found.append(as_label(name if names is None else names[place], "the name of a design"))
        rows.append(row or {"name": found[-1]})
    if len(found) < least:
        what = "a comparison takes at least 2 designs" if least > 1 else "at least 1 design was expected"
        raise InputError(f"{what}, got {len(found)}.")
    if (twice := first_repeated([*known, *found])) is not None:
        raise InputError(f"two designs are called {twice!r}; a name is a design's identity.")
    return tuple(found), tuple(rows)


def _name_in(name: Any, place: int) -> str:
    if name is None or (isinstance(name, Sized) and not isinstance(name, str)) or is_dataclass(name) or name != name:
        raise InputError(f"the design in place {place + 1} needs a name, a text or a number, got {shown(name)}.")
    return str(name)


def with_columns(question: Question) -> Question:
    """Return the question with the names "f1", "f2", ... if it has none; refuse names that no table can have."""
    if not question.names:
        return replace(question, objectives=[f"f{d + 1}" for d in range(question.cone.dim)])
    for name in question.names:
        if as_label(name, "the name of an objective") in EXPORT_COLUMNS:
            raise InputError(f"no objective may be called {name!r}, which is a column of every export; rename it.")
    return question


def _written(objective: Objective) -> Row:
    """An objective with a unit or a level, in a form that a conewise without them refuses to read."""
    level = {} if objective.level is None else {"level": objective.level}
    return {"name": objective.name, "goal": objective.goal, "unit": objective.unit, **level}


def _cell(value: Any, column: str) -> Any:
    if isinstance(value, np.generic) and not isinstance(value, NO_REAL_NUMBERS):
        value = value.item()
    if not isinstance(value, str | int | float | bool | None) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise InputError(
            f"column {column!r} of a design holds {value!r:.40}; text, finite numbers, booleans or None were expected."
        )
    return value

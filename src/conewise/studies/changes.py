"""Changes of what a study asks, as values and as journal entries: designs, objectives, epsilon, the end."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

from conewise.border import as_count, as_epsilon
from conewise.cone.cone import Cone, as_cone
from conewise.errors import ConewiseError, InputError, shown
from conewise.noise import Gaussian, GaussianUnknown, Noise, together
from conewise.noise.text import as_noise, noise_from_dict, noise_to_dict
from conewise.question.objectives import Objective, as_objectives
from conewise.question.question import Question
from conewise.studies.columns import check_like, check_no_objective
from conewise.studies.spec import Row, checked_designs
from conewise.studies.storage.journal import CHANGES, Entry

Kind = Literal["add", "drop", "change", "objective", "join"]

_KEYS: Final[dict[str, frozenset[str]]] = {
    "add": frozenset({"designs", "rows", "unseen", "reason"}),
    "drop": frozenset({"dropped", "unseen", "reason"}),
    "change": frozenset({"epsilon", "max_evaluations", "reason"}),
    "objective": frozenset({"objective", "cone", "noise", "unseen", "reason"}),
    "join": frozenset({"designs", "rows"}),
}


@dataclass(frozen=True)
class Change:
    """One change; what does not belong to its kind is empty."""

    kind: Kind
    designs: tuple[str, ...] = ()
    """The names of the designs that are added, or of the candidates of a box that join."""
    rows: tuple[Row, ...] = ()
    dropped: tuple[int, ...] = ()
    """The designs that are dropped, by the numbers in their evaluations' ids."""
    epsilon: float | None = None
    max_evaluations: int | None = None
    unseen: bool = False
    """Whether it was decided without regard to any value of the study."""
    reason: str = ""
    objective: Row | None = None
    """The objective that is added, as plain data; with it the cone and the noise of all objectives from then on."""
    cone: Row | None = None
    noise: Row | None = None

    def asked(self, before: Question) -> Question:
        """The question with the objective that is added, in the directions of whoever asks."""
        assert self.objective is not None
        assert self.cone is not None
        assert self.noise is not None
        columns = (*before.columns.each, Objective.from_dict(self.objective))
        cone, noise = Cone.from_dict(self.cone), noise_from_dict(self.noise)
        return replace(before, cone=cone, noise=noise, objectives=columns)

    def to_note(self) -> str:
        """The text that stands in the journal."""
        data = {key: value for key in sorted(_KEYS[self.kind]) if (value := getattr(self, key)) not in (None, (), "")}
        return json.dumps(data, allow_nan=False, ensure_ascii=False)

    @classmethod
    def of(cls, entry: Entry) -> Change:
        """What an entry says; ValueError where it says nothing that `to_note` could have written."""
        if entry.kind not in CHANGES:
            raise ValueError(f"the kind {entry.kind!r:.20} is no change")
        try:
            data = json.loads(entry.note)
            if not isinstance(data, dict) or not data.keys() <= _KEYS[entry.kind]:
                raise ValueError("unknown keys")
            data["designs"], data["rows"] = _designs(data.get("designs", []), data.get("rows"))
            data["dropped"] = tuple(as_count(k, "a design", minimum=0) for k in data.get("dropped", []))
            if data.get("epsilon") is not None:
                data["epsilon"] = as_epsilon(data["epsilon"])
            if data.get("max_evaluations") is not None:
                data["max_evaluations"] = as_count(data["max_evaluations"], "max_evaluations")
            if entry.kind == "objective":
                Objective.from_dict(data["objective"]), Cone.from_dict(data["cone"]), noise_from_dict(data["noise"])
            return cls(cast(Kind, entry.kind), **data)
        except (ConewiseError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError(f"a change cannot be read ({str(error)[:60]})") from None


def _designs(names: Any, rows: Any) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    if not names:
        return (), ()
    plain = [{"name": name} for name in names]
    return checked_designs(plain if rows is None else rows, names, least=1)


def added(
    designs: Any, known: Sequence[str], before: Sequence[Row], unseen: bool, reason: str, objectives: Sequence[str] = ()
) -> Change:
    """Designs to add, as `Study.create` takes them: new to the study, with columns like those `before`."""
    if isinstance(designs, str | bytes | int):
        raise InputError(f"designs to add are a list of names or rows, or a frame, got {shown(designs)}.")
    names, rows = checked_designs(designs, least=1, known=known)
    check_no_objective(rows, objectives)
    check_like(rows, before)
    return Change("add", names, rows, unseen=unseen, reason=reason)


def _beside(before: Question, own: Noise) -> Noise:
    """What was assumed before, and of one more objective something of its own."""
    assumed, dim = before.assumed, before.cone.dim
    if isinstance(assumed, Gaussian) and (assumed.sigma is None or assumed.sigma.ndim > 1):
        raise InputError(
            "a covariance, or noise that differs between designs, does not grow by an objective: say what is assumed "
            f"of the {dim + 1} objectives from now on, `noise`."
        )
    return together([*(assumed.of_one(d, dim) for d in range(dim)), own])


def with_objective(
    objective: Any, cone: Any, noise: Any, before: Question, taken: Collection[str], unseen: bool, reason: str
) -> Change:
    """An objective to add, with the cone and the noise of all objectives from then on; checked against the question.

    An orthant grows by itself, and so does normal noise of which nothing is known; an objective with a noise of its own
    leaves the others as they are; all else has to be said.
    """
    new = as_objectives([objective]).each[0]
    if new.name in (*before.names, *taken):
        raise InputError(f"{new.name!r:.60} is the name of another column of the study; rename the objective.")
    dim = before.cone.dim
    if cone is None:
        if before.cone != Cone.orthant(dim):
            raise InputError(f"say which cone orders the {dim + 1} objectives from now on: `cone`.")
        cone = Cone.orthant(dim + 1)
    if noise is None and new.noise is not None:
        noise = _beside(before, cast(Noise, new.noise))
    if noise is None:
        if not (isinstance(before.noise, GaussianUnknown) and before.noise == GaussianUnknown()):
            raise InputError(f"say what is assumed of the {dim + 1} objectives from now on: `noise`.")
        noise = before.noise
    noise = as_noise(noise)
    data = {"name": new.name, "goal": new.goal, **({"unit": new.unit} if new.unit != 1 else {})}
    data |= {} if new.level is None else {"level": new.level}
    change = Change("objective", unseen=unseen, reason=reason, objective=data, cone=as_cone(cone, dim + 1).to_dict())
    change = replace(change, noise=noise_to_dict(noise))
    change.asked(before)
    return change

"""Make cones from statements about exchanges that are acceptable, designs that are preferred, and what counts most.

Each statement gives a few directions of improvement (`statements`). The certain order is the smallest cone that holds
them and every objective on its own. More statements only enlarge the cone, so a design that was dominated stays
dominated. Proofs and limits: docs/preferences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from conewise.border import DEGENERATE, Bools, Floats
from conewise.cone.cone import Cone, as_cone
from conewise.cone.polyhedra import needed_rows, smallest_combination, unit
from conewise.cone.text import stored_text
from conewise.errors import ConeError, InputError, shown
from conewise.order.dominance import pareto_mask, weakly_dominates
from conewise.preferences.questions import next_question
from conewise.preferences.statements import Amounts, Speaker, Statement
from conewise.preferences.text import read
from conewise.question.objectives import Objective, Objectives, as_objectives

_NUDGE: Final = 1e-9  # stated rays move outwards by this share of their length, as a margin for rounding
_OPPOSED: Final = 8 * DEGENERATE  # unit rays contradict each other if they cancel up to this
_WIDER: Final = 1e-6  # and by this share if they nearly follow from other statements


@dataclass(frozen=True)
class Conflict:
    """A minimal set of statements that cannot all hold; false if there is no contradiction."""

    statements: tuple[Statement, ...] = ()
    take_back: tuple[Statement, ...] = ()
    """Statements that resolve every contradiction when any one of them is taken back; () if one is not enough."""

    def __bool__(self) -> bool:
        return bool(self.statements)

    def __len__(self) -> int:
        return len(self.statements)

    def __iter__(self) -> Any:
        return iter(self.statements)

    def __str__(self) -> str:
        if not self:
            return "the statements agree"
        said = "; ".join(f'"{statement}"' for statement in self.statements)
        if len(self.statements) == 1:
            one_sided = (self.statements[0].rays > 0).any(axis=1).all()
            why = (
                "weighs so much against so little that no cone can be computed with it; give the objectives units in "
                "which these amounts are of similar size"
                if one_sided
                else "says that getting worse is getting better; take it back"
            )
            return f"{said} {why}"
        one = " or ".join(f'"{statement}"' for statement in self.take_back)
        remedy = f"take back {one}" if one else "take one of them back, and look again: there are more"
        return f"these statements contradict each other: {said}; {remedy}"


@dataclass(frozen=True, init=False)
class Preferences:
    """Statements about exchanges between objectives. This is a value: each statement makes a new one.

    Objectives are names or `Objective` records; amounts and values are in their own units and directions.

    >>> said = Preferences([Objective("price", "min"), "speed"]).accepts(give={"price": 100}, get={"speed": 1000})
    >>> said
    Preferences('100 price for 1000 speed is worth it')
    >>> bool(said.cone.contains([-99, 1000])), bool(said.cone.contains([-101, 1000]))
    (True, False)
    """

    objectives: Objectives
    statements: tuple[Statement, ...]

    def __init__(
        self, objectives: Iterable[str | Objective | Mapping[str, Any]], *, minimise: Sequence[str] = ()
    ) -> None:
        known = objectives if isinstance(objectives, Objectives) else as_objectives(objectives, minimise)
        if not len(known):
            raise InputError("preferences need at least one objective.")
        self.__dict__.update(objectives=known, statements=())

    # -- statements -----------------------------------------------------------------------------------------

    def accepts(self, give: Amounts, get: Amounts) -> Preferences:
        """Return a copy with an exchange added: `give` is what gets worse, `get` what gets better in return."""
        return self._with(self._speaker.exchange(give, get))

    def prefers(self, better: Any, over: Any, *, names: tuple[str, str] | None = None) -> Preferences:
        """Return a copy with a choice added. A design is a dict by name, or a list of values in order."""
        return self._with(self._speaker.choice(better, over, names))

    def cannot_say(self, one: Any, other: Any, *, names: tuple[str, str] | None = None) -> Preferences:
        """Return a copy with an undecided answer added, so that the pair is not asked about again."""
        return self._with(self._speaker.undecided(one, other, names))

    def important(self, shares: Mapping[str, float]) -> Preferences:
        """Return a copy with least shares of the weight added, counted in units: `{"price": 0.2}`."""
        return self._with(self._speaker.importance(shares))

    def ranked(self, *names: str) -> Preferences:
        """Return a copy with a ranking added: one unit of each counts at least as much as one of the next."""
        return self._with(self._speaker.ranked(names))

    def never(self, *give: str, get: Sequence[str] = ()) -> Preferences:
        """Return a copy with this added: no gain (in `get`, or at all) pays for a loss in these objectives.

        Nothing becomes dominated because of it, but a statement to the contrary is a contradiction.
        """
        return self._with(self._speaker.never(give, get))

    def better_under(self, cone: Cone) -> Preferences:
        """Return a copy in which the improvements under a cone come first; every gain must count in the cone.

        >>> Preferences(["a", "b"]).accepts(give={"a": 1}, get={"b": 9}).better_under(Cone.planar(120))
        Preferences('better under planar:120', '1 a for 9 b is worth it')
        """
        cone = as_cone(cone, self.dim)
        if cone.dim != self.dim:
            raise ConeError(f"the cone {cone} orders {cone.dim} objectives, but there are {self.dim}; choose another.")
        if not cone.includes(Cone.orthant(cone.dim)):
            raise ConeError(
                f"statements add to a cone in which every gain counts, and under {cone} some do not; leave out one of "
                "them."
            )
        order = Statement(f"cone: {cone}", f"better under {cone}", cone.rays)
        return self._holding((order, *self.statements))

    def said(self, text: str | Mapping[str, Any], designs: Mapping[str, Any] | None = None) -> Preferences:
        """Return a copy with one statement in text form added, or with all those of a dictionary from `to_dict`.

        Designs in a text are looked up by name in `designs`.

        >>> Preferences(["cost", "speed"], minimise=["cost"]).said("accept: 3 cost for 20 speed")
        Preferences('3 cost for 20 speed is worth it')
        """
        if isinstance(text, Mapping):
            return self._with_all(text)
        if not isinstance(text, str):
            raise InputError(f"a statement is a text, got {type(text).__name__}.")
        kind, _, rest = text.partition(":")
        if kind.strip().lower() == "cone":
            return self.better_under(Cone.parse(rest, dim=self.dim))
        return self._with(read(self._speaker, text, designs or {}))

    def without(self, statement: Statement | int) -> Preferences:
        """Return a copy without one statement, which is given itself or by its index."""
        place = statement if isinstance(statement, int) else self._place(statement)
        if not -len(self.statements) <= place < len(self.statements):
            raise InputError(f"there are {len(self.statements)} statements, counted from 0, got {place}.")
        place %= len(self.statements)
        return self._holding(self.statements[:place] + self.statements[place + 1 :])

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and text, for JSON or TOML; `from_dict` reads them back.

        >>> Preferences(["a", "b"]).ranked("a", "b").to_dict()["statements"]
        ['ranked: a, b']
        """
        listed = [
            {"name": o.name, "goal": o.goal, **({"unit": o.unit} if o.unit != 1 else {})} for o in self.objectives
        ]
        return {"objectives": listed, "statements": [statement.text for statement in self.statements]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Preferences:
        """Return the preferences that `to_dict` wrote."""
        if not isinstance(data, Mapping) or "objectives" not in data:
            raise InputError('the dictionary of preferences needs "objectives" and "statements", as to_dict writes it.')
        return cls(data["objectives"]).said(data)

    # -- consequences ---------------------------------------------------------------------------------------

    @cached_property
    def cone(self) -> Cone:
        """Cone that follows from all statements, in units; it keeps their sentences.

        Every preferred design is better under it, to the last bit. For this, stated rays are moved outwards by 1e-9 of
        their length (up to 1e-6 if they nearly follow from others). A contradiction is refused and its statements are
        named.
        """
        conflict = self.conflicts()
        if conflict:
            raise ConeError(f"{conflict}.")
        rays = _rays_of(self.statements, self.dim)
        fuzz = np.array([s.fuzz for s in self.statements for _ in s.rays])
        try:
            found = Cone.orthant(self.dim) if not len(rays) else _cone(rays, fuzz, rays != 0)
            if not self._holds_in(found, rays):
                found = _cone(rays, fuzz, np.ones(rays.shape, dtype=bool))
        except ConeError as error:  # the message is about rays, which the user did not give
            why = str(error).partition(";")[0]
            raise ConeError(
                f"the {len(self.statements)} statements make no cone that can be computed with: {why}; take some of "
                "them back."
            ) from None
        about = [(o.name, o.goal, o.unit) for o in self.objectives] if self.statements else []
        return found.remembering((statement.words for statement in self.statements), about)

    def conflicts(self) -> Conflict:
        """Return a smallest set of statements that contradict each other, and what to take back; false if all agree."""
        return _conflict_among(self.statements, self.dim)

    def ask(self, means: ArrayLike) -> tuple[int, int] | None:
        """Return the two designs of (K, D) means to ask about next; None if no answer would change anything.

        Among the Pareto optimal designs, this is the pair whose worse answer leaves the fewest. Means are in the
        objectives' own units and directions.
        """
        points = self._speaker.points(means)
        front = np.flatnonzero(pareto_mask(points, self.cone, keep_duplicates=False))
        known = self.asked_about

        def asked(i: int, j: int) -> bool:
            return frozenset((tuple(points[front[i]].tolist()), tuple(points[front[j]].tolist()))) in known

        found = next_question(points[front], self.cone.facets, asked)
        return None if found is None else (int(front[found[0]]), int(front[found[1]]))

    @property
    def asked_about(self) -> set[frozenset[tuple[float, ...]]]:
        """Pairs of designs that were answered about, in units, larger is better."""
        return {frozenset(s.pair) for s in self.statements if s.pair is not None}

    def remaining(self, means: ArrayLike) -> np.ndarray:
        """Return a (K,) mask of the designs that are Pareto optimal under the statements."""
        return pareto_mask(self._speaker.points(means), self.cone)

    # -- internals ------------------------------------------------------------------------------------------

    @property
    def dim(self) -> int:
        """Number of objectives D."""
        return len(self.objectives)

    @property
    def _speaker(self) -> Speaker:
        return Speaker(self.objectives)

    def _holds_in(self, cone: Cone, rays: Floats) -> bool:
        """Return True if every statement is an improvement under the cone, to the last bit."""
        pairs = np.array([s.pair for s in self.statements if s.pair and len(s.rays)]).reshape(-1, 2, self.dim)
        return bool(cone.contains(rays).all() and weakly_dominates(pairs[:, 0], pairs[:, 1], cone).all())

    def _place(self, statement: Statement) -> int:
        for place, known in enumerate(self.statements):
            if known is statement:
                return place
        raise InputError("this statement is not among those that were made; see `statements`.")

    def _with_all(self, data: Mapping[str, Any]) -> Preferences:
        """Return a copy with all statements of a dictionary added."""
        said = data.get("statements")
        if isinstance(said, str) or not isinstance(said, Sequence) or not all(isinstance(one, str) for one in said):
            raise InputError("a dictionary of preferences has statements, a list of texts, as to_dict writes it.")
        _same_meaning(as_objectives(data.get("objectives", ())), self.objectives, said)
        if data.get("trust", 1.0) != 1.0:
            raise InputError(
                f'a dictionary of preferences has "trust": {shown(data["trust"])}, and answers that may be wrong are '
                'no longer weighed; take "trust" out, and the statements that may be wrong.'
            )
        found = self
        for text in said:
            found = found.said(stored_text(text))
        return found

    def _with(self, statement: Statement) -> Preferences:
        return self._holding((*self.statements, statement))

    def _holding(self, statements: tuple[Statement, ...]) -> Preferences:
        made = Preferences(self.objectives)
        made.__dict__["statements"] = statements
        return made

    def __repr__(self) -> str:
        said = ", ".join(repr(statement.words) for statement in self.statements)
        return f"Preferences({said or 'nothing said yet'})"


def _same_meaning(told: Objectives, known: Objectives, said: Sequence[str]) -> None:
    """Refuse statements about objectives that have another goal or unit here."""
    in_units = any(str(text).startswith(("importance:", "ranked:", "cone:")) for text in said)
    for one in told:
        here = next((o for o in known if o.name == one.name), None)
        if here is None:
            raise InputError(f"what was said is about {shown(one.name)}, which is no objective here; compare it too.")
        if here.goal != one.goal:
            raise InputError(f"what was said takes {shown(one.name)} as {one.goal}, and here it is {here.goal}.")
        if in_units and here.unit != one.unit:
            raise InputError(
                f"what was said counts {shown(one.name)} in steps of {one.unit:g}, and here one step is {here.unit:g}; "
                "give it the same unit."
            )


def _cone(rays: Floats, fuzz: Floats, moving: Bools) -> Cone:
    return Cone._generated(_solid(rays, fuzz, moving), gains=True)


def _solid(rays: Floats, fuzz: Floats, moving: Bools) -> Floats:
    """Return rays of a cone that holds the axes and these unit rays with a margin for rounding.

    Each ray gets slightly worse in the objectives that are `moving`, (m, D). A ray that moves in all objectives, by t
    along the diagonal, lies inside by at least t / sqrt(D): facets of a cone that holds the axes have no negative
    entry. If a ray moves in the objectives of its statement only, facets without these objectives stay unchanged. A ray
    that barely differs from what the other rays generate is moved further, or left out if it still follows.
    """
    dim = rays.shape[1]
    diagonal, axes = moving / np.sqrt(dim), np.eye(dim)
    room = np.maximum(_NUDGE, np.sqrt(dim) * fuzz)
    stated = np.flatnonzero((rays < 0).any(axis=1))  # other rays follow from the axes
    while True:
        moved = rays[stated] - room[stated, None] * diagonal[stated]
        every = unit(np.vstack([axes, moved]))
        kept, barely = needed_rows(every)
        close = [n - dim for n in barely if n >= dim]
        if not close:
            return every[[n for n in kept if n not in barely]]
        near = stated[close[0]]
        if room[near] < _WIDER:
            room[near] = _WIDER
        else:
            stated = stated[stated != near]


def stated_cone(
    spec: str | None,
    objectives: Objectives,
    statements: Sequence[str | Mapping[str, Any]] = (),
    designs: Mapping[str, Any] | None = None,
) -> Cone:
    """Return the cone of a text form, of statements, or of both together, as the commands take them.

    Besides what `Cone.parse` reads, the text may name objectives: "price=20%, speed=30%" and "ranked:speed,price".

    >>> stated_cone("ranked:speed,cost", as_objectives(["cost", "speed"]))
    <Cone in R^2: one unit of speed counts at least as much as one of cost>
    """
    if spec is not None and not statements and _by_name(spec, objectives) is None:
        return _of_size(spec, objectives)  # under this cone not every gain need count
    said = stated_preferences(spec, objectives, statements, designs)
    return said.cone if said.statements else Cone.orthant(said.dim)


def stated_preferences(
    spec: str | None,
    objectives: Objectives,
    statements: Sequence[str | Mapping[str, Any]] = (),
    designs: Mapping[str, Any] | None = None,
) -> Preferences:
    """Return the preferences that a text form and statements give together; the orthant adds no statement."""
    said = Preferences(objectives)
    named = None if spec is None else _by_name(spec, objectives)
    if named is not None:
        said = said.said(named)
    for text in statements:
        said = said.said(text, designs)
    if spec is None or named is not None:
        return said
    cone = _of_size(spec, objectives)
    return said if cone == Cone.orthant(said.dim) else said.better_under(cone)


def _of_size(spec: str, objectives: Objectives) -> Cone:
    cone = Cone.parse(spec, dim=len(objectives))
    if cone.dim != len(objectives):
        raise ConeError(
            f"the cone {cone} orders {cone.dim} objectives, but there are {len(objectives)}: "
            f"{', '.join(objectives.names)}; choose columns with `objectives`, or another cone."
        )
    return cone


def _by_name(spec: str, objectives: Objectives) -> str | None:
    """Return the statement that a text form with names stands for; None if it is a cone's own text form."""
    kind, colon, rest = spec.partition(":")
    kind = kind.strip().lower()
    if colon and kind in ("ranked", "importance") and any(name in rest for name in objectives.names):
        return f"{kind}: {rest}"
    shares = "=" in spec and ("%" in spec or any(spec.strip().startswith(name) for name in objectives.names))
    return f"importance: {spec}" if shares else None


# -- contradictions, by Farkas' lemma (docs/preferences) ---------------------------------------------------------


def _rays_of(statements: Iterable[Statement], dim: int) -> Floats:
    """Return (m, D): the rays of all statements, at length 1."""
    found = [s.rays for s in statements if len(s.rays)]
    return unit(np.vstack(found)) if found else np.empty((0, dim))


def _conflict_among(statements: Sequence[Statement], dim: int) -> Conflict:
    """Return a smallest set of statements that contradict each other, and what to take back; false if all agree."""
    found = _contradiction(statements, dim)
    alone = [s for s in found if not _contradiction([other for other in statements if other is not s], dim)]
    return Conflict(tuple(found), tuple(alone))


def _contradiction(statements: Sequence[Statement], dim: int) -> list[Statement]:
    """Return a minimal set of statements that contradict each other; [] if all agree."""
    involved = _unsatisfiable(statements, dim)
    for statement in tuple(involved):
        fewer = [other for other in involved if other is not statement]
        if _unsatisfiable(fewer, dim):
            involved = fewer
    return involved


def _unsatisfiable(statements: Sequence[Statement], dim: int) -> list[Statement]:
    """Return statements that cannot all hold, found by the multipliers of Farkas' lemma; [] if all can hold."""
    owners = [s for s in statements for _ in s.rays]
    rays = _rays_of(statements, dim)
    axes = np.eye(dim)
    if len(rays):
        weights, shortest = smallest_combination(np.vstack([axes, rays]))
        if float(np.linalg.norm(shortest)) <= _OPPOSED:
            return _owners(owners, weights[dim:])
    for statement in statements:
        for lost, paid in statement.forbidden:
            used = _exchange_found(rays, lost, paid)
            if used is not None:
                return [*_owners(owners, used), statement]
    return []


def _owners(owners: Sequence[Statement], weights: Floats) -> list[Statement]:
    """Return the statements whose rays have a weight, in the order in which they were made."""
    used = [owner for owner, weight in zip(owners, weights, strict=True) if weight > 1e-9]
    return list({id(owner): owner for owner in used}.values())


def _exchange_found(rays: Floats, lost: int, paid: tuple[int, ...]) -> Floats | None:
    """Return (m,): weights of rays whose sum loses in `lost` and gains at most in `paid`; None if there are none."""
    if not len(rays) or not (rays[:, lost] < 0).any():
        return None
    from scipy.optimize import linprog

    others = [d for d in range(rays.shape[1]) if d not in paid and d != lost]
    # A combination that gains elsewhere is not this exchange. A loss elsewhere is no obstacle: an axis offsets it.
    upper = np.vstack([rays[:, others].T, rays[:, [lost]].T])
    bounds = np.append(np.zeros(len(others)), -1.0)
    found = linprog(np.ones(len(rays)), A_ub=upper, b_ub=bounds, method="highs")
    return np.asarray(found.x) if found.status == 0 else None

"""What the explorer looks at: a table, an embedded example, or a study that goes on while the page is open."""

from __future__ import annotations

import re
import shlex
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from conewise.analysis.explanations import unused
from conewise.border import LARGEST_MEASURED, Floats, read_only
from conewise.certificate.rounding import Estimated
from conewise.cone.cone import Cone
from conewise.dashboard.knowledge import Knowledge, of_study, upcoming
from conewise.digits import rounded_up
from conewise.errors import ConewiseError, InputError, printable, shown
from conewise.noise import Gaussian, Noise
from conewise.preferences.preferences import stated_cone
from conewise.problems import SimulatedBandit
from conewise.question.objectives import Objectives, as_objectives, unit_text
from conewise.rules import Result, Status
from conewise.studies.study import Study, StudyStatus
from conewise.tables.columns import quoted_name
from conewise.tables.designs import DesignTable, signs, two_of_one_name
from conewise.tables.names import first_repeated

Levels = tuple[tuple[int, float], ...]
"""What is acceptable: the number of an objective, and the least or the most that a design may have of it."""

_BETWEEN_LOOKS: Final = 0.5  # seconds: however many pages are open, the journal is read no more often
_CERTIFIED: Final = 4  # digits of a certified epsilon, which a page shows whole
_DIGITS: Final = 20  # longer numbers in names are sorted as text
_SAME: Final = 1 - 1e-9  # cosine between facets of one cone, which a page tells with six digits


@dataclass(frozen=True, eq=False)
class Designs:
    """Designs with known values or averages so far, and the version by which a page knows whether it is up to date."""

    version: int
    names: Sequence[str]
    objectives: tuple[str, ...]
    minimised: tuple[str, ...]
    values: Floats
    """(K, D) in the user's own sign and units; NaN where a study has not evaluated a design yet."""
    units: tuple[float, ...] = ()
    """How much of each objective is one step, where that was said."""
    levels: Levels = ()
    """The most (or least) that is acceptable of some objectives, by their number."""
    probability: Floats | None = None
    """(K,): how probably each is Pareto optimal under the study's own cone, by its model; None without one."""
    averages: bool = False
    """Whether the values are a study's averages so far, by which nothing is proved."""
    said: tuple[Cone, Levels, np.ndarray] | None = None
    """Of a study: its own cone and levels, and (K,) its status of each design; None for what is no study."""
    means: Floats = field(init=False)
    """(K', D): those that are known and miss no level, in steps, larger is better."""
    known: np.ndarray = field(init=False)
    """(K',): their places among the K designs."""

    def __post_init__(self) -> None:
        there = np.isfinite(self.values).all(axis=1)
        for place, level in self.levels:
            there &= self.misses(place, self.values[:, place], level) <= 0
        known = np.flatnonzero(there)
        object.__setattr__(self, "known", known)
        object.__setattr__(self, "means", read_only(self.meaning.steps(self.values[known])))

    @cached_property
    def meaning(self) -> Objectives:
        """Names, directions and units."""
        given = dict(zip(self.objectives, self.units, strict=True)) if self.units else {}
        return as_objectives(self.objectives, self.minimised).having("unit", given)

    @property
    def dim(self) -> int:
        """The number of objectives D."""
        return len(self.objectives)

    @property
    def key(self) -> Hashable:
        """What an answer that is remembered was about."""
        return self.version, self.levels

    @property
    def nobody(self) -> str | None:
        """Why no design counts, in words; None where one does."""
        if len(self.known):
            return None
        if not np.isfinite(self.values).all(axis=1).any():
            return "no design has values yet"
        return f"no design meets the levels{', by the averages so far' if self.averages else ''}"

    def within(self, levels: Levels) -> Designs:
        """The same designs, of which only those that miss no level count."""
        return self if levels == self.levels else replace(self, levels=levels)

    def status(self, cone: Cone) -> np.ndarray | None:
        """Return the study's status of each design, (K,), where a cone and the levels are the study's; else None."""
        if self.said is None or self.said[1] != self.levels:
            return None
        cosines = self.said[0].facets @ cone.facets.T
        return self.said[2] if min(cosines.max(axis=0).min(), cosines.max(axis=1).min()) > _SAME else None

    def misses(self, place: int, values: Floats, level: float) -> Floats:
        """By how much values of one objective are worse than a level; not above 0 where they meet it."""
        return values - level if self.objectives[place] in self.minimised else level - values

    def shown(self, places: Iterable[int]) -> list[str]:
        """The names of some designs as a page may show them: one line each, that cannot turn what stands beside it."""
        return [printable(str(self.names[k])) for k in places]

    @cached_property
    def folded(self) -> list[str]:
        """The names without regard to capitals, to search in."""
        return [str(name).casefold() for name in self.names]

    @cached_property
    def name_ranks(self) -> Floats:
        """(K,): the place of each name in the order in which people sort, so that d2 comes before d10."""
        keys = _natural(self.folded)
        ranks = np.empty(len(keys))
        ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        return ranks


def not_out(status: np.ndarray) -> np.ndarray:
    """Return the places of the designs that a study has not ruled out: kept and undecided ones."""
    return np.flatnonzero(np.isin(status, (Status.KEPT.value, Status.UNDECIDED.value)))


def _natural(names: Sequence[str]) -> list[str]:
    """The names with zeros before every number, so that plain texts compare as numbers do."""
    return [re.sub("[0-9]+", lambda digits: digits[0].zfill(_DIGITS), name) for name in names]


@dataclass(frozen=True)
class Assumptions:
    """What a page starts with: the noise of one evaluation and the goal, and whether they are a study's own."""

    noise: Noise
    epsilon: float
    delta: float
    stated: str
    """The noise in the user's own words."""
    fixed: bool
    """Whether the noise belongs to a study, so that the page states it and does not ask."""


class Source(Protocol):
    """Where designs come from."""

    title: str
    command: str | None
    """The command that gives the same front, without the cone; None where there is none."""
    report: str | None
    """The command that makes a report, without the cone and the shortlist; None where there is none."""
    cone: Cone
    """The cone to start with."""
    levels: Levels
    """What is acceptable to start with."""
    assumptions: Assumptions
    live: bool

    def designs(self) -> Designs:
        """As they are now; a study that cannot be read is a ConewiseError of one sentence."""
        ...

    def standing(self) -> dict[str, Any] | None:
        """Where a study stands, for the page; None for what does not change."""
        ...

    def knowledge(self) -> Knowledge | None:
        """What a study knows of its designs beside their averages; None for what is no study."""
        ...

    def upcoming(self) -> dict[str, Any] | None:
        """What a study would evaluate next; None for what is no study."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


class Fixed:
    """A table or an embedded example: read once."""

    live = False

    def __init__(
        self,
        title: str,
        designs: Designs,
        cone: Cone,
        command: str | None,
        levels: Levels = (),
        report: str | None = None,
    ) -> None:
        self.title, self.cone, self.command, self.levels, self.report = title, cone, command, levels, report
        # The paper's noise, accuracy and confidence (Ararat & Tekin 2023, section 7), for the reader to change.
        self.assumptions = Assumptions(Gaussian(1.0), epsilon=0.1, delta=0.01, stated="normal", fixed=False)
        self._designs = designs

    def designs(self) -> Designs:
        """The same for ever."""
        return self._designs

    def standing(self) -> None:
        """Nothing happens here."""

    def knowledge(self) -> None:
        """Every value is known."""

    def upcoming(self) -> None:
        """Nothing is to be evaluated."""

    def close(self) -> None:
        """Nothing is held."""


def from_table(table: DesignTable, cone: Cone) -> Fixed:
    """All rows of a table; two designs of one name are refused."""
    names: list[str] = []
    values = []
    for chunk in table.chunks():
        names += chunk.names
        values.append(chunk.values)
    if (twice := first_repeated(names)) is not None:
        raise two_of_one_name(table.path.name, twice)
    units = tuple(table.meaning.units.tolist()) if table.meaning.in_steps else ()
    there = np.concatenate(values)
    refuse_too_large(table.meaning, there)
    designs = Designs(1, names, table.objectives, table.minimised, read_only(there), units)
    words = ["--objectives", ",".join(map(quoted_name, table.objectives))]
    words += ["--minimise", ",".join(map(quoted_name, table.minimised))] if table.minimised else []
    for name, unit in table.meaning.stated().items():
        words += ["--unit", unit_text(name, unit)]
    front, report = (
        shlex.join(["conewise", *command, *words, *([option, table.name] if table.name else [])])
        for command, option in (
            (["front", str(table.path)], "--name"),
            (["report", str(table.path), "--known"], "--design"),
        )
    )
    return Fixed(table.path.name, designs, cone, front, _levels(table.meaning), report)


def refuse_too_large(meaning: Objectives, values: Floats) -> None:
    """Differences and weighted sums of values (K, D) on the page must be numbers."""
    with np.errstate(over="ignore"):
        sizes = np.abs(meaning.steps(values)).max(axis=0, initial=0.0)
    for name, column, size in zip(meaning.names, values.T, sizes.tolist(), strict=True):
        if size > LARGEST_MEASURED:
            largest = column[np.abs(column).argmax()]
            raise InputError(
                f"the column {shown(name)} holds {largest:g}, too large a number to be compared with others; divide "
                "the column by a constant."
            )


def _levels(meaning: Objectives) -> Levels:
    """The levels that objectives have, as they are measured."""
    return tuple((place, float(o.level)) for place, o in enumerate(meaning.each) if o.level is not None)


def from_problem(problem: SimulatedBandit, cone: Cone) -> Fixed:
    """The true means of an embedded example."""
    minimised = tuple(name for name in problem.objectives if name in problem.minimised)
    values = problem.means * signs(problem.objectives, minimised) + 0.0
    designs = Designs(1, problem.names, tuple(problem.objectives), minimised, read_only(values))
    return Fixed(problem.about.partition(".")[0], designs, cone, None)


class Live:
    """A study, read again whenever someone looks; its file may go away and come back."""

    live = True
    command: str | None = None

    def __init__(
        self,
        where: str,
        *,
        name: str | None,
        cone: str | None,
        said: Sequence[str | Mapping[str, Any]] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._where, self._name, self._clock = where, name, clock
        self.report: str | None = of_study(where, name, "report")
        self._guard = threading.Lock()
        self._study: Study | None = None
        self._opened: tuple[int, int] | None = None
        self._looked = -np.inf
        self._known: Knowledge | None = None
        self._seen: tuple[Designs, dict[str, Any], Result] | None = None
        if "://" not in where and not Path(where).exists():
            raise InputError(f"there is no file {where}.")
        try:
            study = self._open()
            self.title = f"Study {study.name}"
            own = cone is None and not said
            self.cone = study.cone if own else stated_cone(cone, study.question.columns, said)
            self.levels = _levels(study.question.columns)
            self.assumptions = _assumptions(study)
        except BaseException:
            self.close()
            raise

    def designs(self) -> Designs:
        """The averages so far."""
        return self._look()[0]

    def standing(self) -> dict[str, Any]:
        """What the study itself answers, under its own cone."""
        return self._look()[1]

    def knowledge(self) -> Knowledge:
        """Kept, covered, beaten or undecided; standard errors; with a model, probabilities."""
        result = self._look()[2]
        with self._guard:
            if self._known is None or self._known.result is not result:
                self._known = Knowledge(result, self._open().standard_errors())
            return self._known

    def upcoming(self) -> dict[str, Any]:
        """The next batch, by the data as they are."""
        self._look()
        with self._guard:
            return upcoming(self._open(), self._where, self._name)

    def close(self) -> None:
        """Let go of the journal."""
        if self._study is not None:
            self._study.close()
            self._study = None

    def _forget(self) -> None:
        self.close()
        self._seen = None

    def _look(self) -> tuple[Designs, dict[str, Any], Result]:
        with self._guard:
            study = self._open()
            now = self._clock()
            if self._seen is None or now - self._looked >= _BETWEEN_LOOKS:
                try:
                    self._seen = self._read(study)
                except ConewiseError:
                    self._forget()  # opened afresh at the next look: a database may be back by then
                    raise
                self._looked = self._clock()
            return self._seen

    def _open(self) -> Study:
        """The study as it is on disk now: an open file that was deleted could still be read, and would mislead."""
        place = self._identity()
        if self._study is not None and place != self._opened:
            self._forget()
        if self._study is None:
            self._study, self._opened = Study.open(self._where, name=self._name, read_only=True), place
        return self._study

    def _identity(self) -> tuple[int, int] | None:
        """Which file it is; None for a database elsewhere."""
        if "://" in self._where:
            return None
        try:
            found = Path(self._where).stat()
        except OSError:
            self._forget()
            name = Path(self._where).name
            raise ConewiseError(f"the study {name} has disappeared; the page goes on when it is back.") from None
        return found.st_dev, found.st_ino

    def _read(self, study: Study) -> tuple[Designs, dict[str, Any], Result]:
        status = study.status()
        values = status.result.averages
        before = self._seen[0] if self._seen is not None else None
        said = study.cone, _levels(study.question.columns), status.result.status
        known = None if before is None else before.said
        same = known is not None and known[:2] == said[:2] and np.array_equal(known[2], said[2])
        if before is not None and same and np.array_equal(before.values, values, equal_nan=True):
            designs = before
        else:
            # Time-based, so that a page notices also a study that was replaced by another.
            version, units = time.time_ns() // 1000, status.result.units
            designs = Designs(
                version,
                study.names,
                study.objectives,
                study.minimised,
                read_only(values),
                units,
                probability=status.result.probability,
                averages=True,
                said=said,
            )
        return designs, _standing(study, status), status.result


def _assumptions(study: Study) -> Assumptions:
    """The study's own, turned as its objectives are; where its noise is unknown the page asks for a level to try."""
    stated = study.noise
    if stated is None or Estimated.of(stated, study.dim).any:
        return Assumptions(Gaussian(1.0), study.epsilon, study.delta, "normal", fixed=False)
    noise = stated.turned(study.question.columns.signs, study.question.columns.units)
    return Assumptions(noise, study.epsilon, study.delta, stated.words, fixed=True)


def _standing(study: Study, status: StudyStatus) -> dict[str, Any]:
    words, certified, guarantee = status.result.status, status.result.certified, status.result.guarantee
    return {
        "cone": str(study.cone),
        "evaluations": status.evaluations,
        "in_flight": status.in_flight,
        "finished": status.finished,
        "remaining": status.remaining,
        "at_least": status.at_least,
        "unused": unused(status.evaluations, status.result.evaluations, status.finished),
        **{word.key: int((words == word.value).sum()) for word in Status},
        "epsilon": study.epsilon,
        "certified_epsilon": _up(status.certified_epsilon),
        "by_prior": "prior" in certified,
        "every_truth": _up(certified.get("every truth")),
        "not_guaranteed": None if guarantee else guarantee.reason,
    }


def _up(epsilon: float | None) -> float | None:
    """A certified epsilon with as many digits as a page shows, and never less than what holds."""
    return None if epsilon is None or not np.isfinite(epsilon) else rounded_up(epsilon, _CERTIFIED)

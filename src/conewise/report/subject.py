"""What a report is about: an answer with its question, from a study, a table of measurements or saved JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from conewise._version import SCHEMA
from conewise.analysis.analyse import Analysis, analyse
from conewise.analysis.explanations import ended, unused
from conewise.analysis.guesses import Price, front_words, standard_errors
from conewise.border import Floats, as_count, as_words, check_names
from conewise.cone.cone import Cone
from conewise.cone.text import stored_text
from conewise.data.observations import Observations
from conewise.errors import ConewiseError, InputError, closest, counted
from conewise.question.objectives import Objective, Objectives, as_objectives
from conewise.question.question import AnsweringInWords, Guarantee, Heuristic, Notion, Question
from conewise.reading import text_of
from conewise.rules import Result, Status
from conewise.rules.contract import Algorithm, State, planner_of
from conewise.rules.evidence import Evidence
from conewise.studies.view import StudyView
from conewise.tables.measurements import Source

_STUDY: Final = "the study"
_PLANNED: Final = 20  # evaluations proposed
_LOOKS: Final = 24  # points of a history
_REPLAYED: Final = 300_000  # told evaluations beyond which a study is not replayed for its history
_SEARCHED: Final = 10_000  # names, for the one that was meant
_FOLLOWED: Final = 1_000  # designs beyond which it is not either: every point of a history judges all of them


@dataclass(frozen=True)
class Moment:
    """Where an identification stood after so many evaluations."""

    evaluations: int
    kept: int
    covered: int
    beaten: int
    undecided: int
    certified_epsilon: float | None
    misses_a_level: int = 0

    @classmethod
    def of(cls, result: Result) -> Moment:
        """From an answer."""
        counted = {status.key: int((result.status == status.value).sum()) for status in Status}
        return cls(result.evaluations, **counted, certified_epsilon=result.certified_epsilon)


@dataclass(frozen=True, eq=False)
class Subject(AnsweringInWords):
    """An answer, what was asked, and everything else that a reader may want to know."""

    title: str
    result: Result
    """With the names of its designs and objectives."""
    question: Question
    """In the units and directions of whoever asked."""
    noise: str
    """What was assumed, in words; that is all a saved answer knows of it."""
    method: str
    sentences: tuple[str, ...] = ()
    """What else there is to say of the data and the answer."""
    next: tuple[tuple[int, int], ...] = ()
    """Design and times."""
    remaining: int | None = None
    at_least: bool = False
    """Whether more may remain than that."""
    evidence: Evidence | None = None
    history: tuple[Moment, ...] = ()
    history_note: str = ""
    """Why there is no history, where there is none."""
    source: str = ""
    """What it was made from, in words."""
    known: bool = False
    """Whether the values are taken as exact, so that nothing has to be evaluated or guaranteed."""
    prices: tuple[Price, ...] = ()
    """What deciding everything at other epsilons would cost."""
    shortlist: tuple[int, ...] = ()
    """Designs that somebody wants to see side by side."""
    standard_errors: Floats | None = None
    """(K, D): of the averages, as they were measured; None where they are not known."""

    @property
    def names(self) -> Sequence[str]:
        """The designs."""
        return self.result.designs

    @property
    def tabled(self) -> bool:
        """Whether it was made from a table, whose values somebody may declare known; a study's never are."""
        return bool(self.source) and not self.source.startswith(_STUDY)

    @property
    def meaning(self) -> Objectives:
        """Names, directions and units of the objectives."""
        return self.question.columns

    def with_shortlist(self, names: Sequence[str]) -> Subject:
        """The same with a shortlist, by name; a name that no design has is refused."""
        names = as_words(names, "shortlist")
        places = {name: k for k, name in reversed(list(enumerate(self.names)))}
        stray = next((name for name in names if name not in places), None)
        if stray is not None:
            meant = closest(stray, self.names[:_SEARCHED])
            hint = "" if meant is None else f"; perhaps {meant[:60]!r} is meant"
            raise InputError(f"the shortlist names {stray[:60]!r}, and no design is called that{hint}.")
        return replace(self, shortlist=tuple(dict.fromkeys(places[name] for name in names)))


def expect(given: object, kind: type, what: str, words: str) -> None:
    """Refuse what is of another kind, before it fails somewhere inside."""
    if not isinstance(given, kind):
        raise InputError(f"{what} must be {words}, got {type(given).__name__}.")


def of_result(
    result: Result, question: Question, *, names: Sequence[str] | None = None, title: str = "Identification"
) -> Subject:
    """An answer of `identify` or of one's own loop, as far as it speaks for itself.

    What the question does not say of the objectives is what the result says, or they are numbered.
    """
    expect(result, Result, "result", "a Result, as identify and a rule's recommend give it")
    expect(question, Question, "question", "the Question that was asked")
    k, dim = result.means.shape
    meaning = question.columns
    if not question.names:
        units = result.units or (1.0,) * dim
        labels = result.objectives or tuple(f"objective {d + 1}" for d in range(dim))
        records = [Objective(label, unit=unit) for label, unit in zip(labels, units, strict=True)]
        meaning = as_objectives(records, result.minimised)
    known = result.designs or [str(i) for i in range(k)]
    if names is not None:
        known = as_words(names, "names")
        check_names(known, k)
    answer = result.answering(question, known, meaning)
    return Subject(
        title,
        answer,
        replace(question, objectives=meaning),
        "" if question.noise is None else question.noise.words,
        "",
        answer.remarks,
        history_note="An answer alone does not say how it came about.",
    )


def of_state(
    rule: Algorithm[State],
    state: State,
    question: Question,
    *,
    names: Sequence[str] | None = None,
    title: str = "Identification",
) -> Subject:
    """One's own loop over a rule as it stands: with confidence, rivals and what it would ask next.

    Values were told in steps with larger as better; the question is in the units and directions of whoever asks.
    """
    plain, known = of_result(rule.recommend(state), question, names=names, title=title), planner_of(rule)
    asked, wanted, plan = rule.ask(state, _PLANNED), dict[int, int](), known.plan(state)
    for design, times in zip((asked.designs // known.parts).tolist(), asked.counts.tolist(), strict=True):
        wanted[design] = wanted.get(design, 0) + times  # a rule may ask for each look, or each objective, apart
    remaining, seen = None if plan is None else plan.remaining, known.seen(state)
    units = question.columns.units if question.names else np.ones(question.cone.dim)
    return replace(
        plain,
        method=f"the rule {type(rule).__name__}",
        next=tuple(wanted.items()),
        remaining=remaining if wanted else 0,
        at_least=plan is not None and plan.at_least,
        evidence=known.evidence(state),
        history_note="A state does not say in which steps it was reached.",
        standard_errors=None if seen is None else standard_errors(seen, units),
    )


# -- studies -------------------------------------------------------------------------------------------------------


def of_study(study: StudyView, title: str | None = None) -> Subject:
    """A study as it stands; its journal also says how it got there."""
    expect(study, StudyView, "study", "an open study, as Study.open gives it")
    status, plan = study.status(), study.plan(_PLANNED)
    rule = study.rule()
    history, note = _history(study, rule, status.result)
    standing = ended(status.result) if status.finished else "is not finished"
    sentences = [
        f"The study {standing}: {counted(status.evaluations)} {_is_or_are(status.evaluations)} told, "
        f"{status.in_flight:,} {_is_or_are(status.in_flight)} in someone's hands."
    ]
    if study.dropped or study.beaten_before:
        apart = [f"dropped: {', '.join(study.dropped)}"] if study.dropped else []
        apart += [f"beaten before others were added: {', '.join(study.beaten_before)}"] if study.beaten_before else []
        sentences.append(f"Designs that are not compared: {'; '.join(apart)}.")
    if status.aside:
        sentences.append(
            f"{counted(status.aside)} {_was_or_were(status.aside)} set aside when the question was changed; the answer "
            "rests on others."
        )
    if rest := unused(status.evaluations - status.aside, status.result.evaluations, status.finished):
        sentences.append(rest)
    if status.failures:
        sentences.append(
            f"{counted(status.failures)} failed on the way and {_was_or_were(status.failures)} handed out again."
        )
    if status.corrected:
        sentences.append(
            f"{counted(status.corrected, 'told value')} {_was_or_were(status.corrected)} corrected later; the first "
            f"{'value stays' if status.corrected == 1 else 'values stay'} in the journal."
        )
    sure, guess = bool(status.result.guarantee), study.guess()
    if status.withdrawn:
        sentences.append(
            f"{counted(status.withdrawn, 'told value')} {_was_or_were(status.withdrawn)} withdrawn; "
            f"{'it stays' if status.withdrawn == 1 else 'they stay'} in the journal"
            + (", and the guarantee rests on reasons that have nothing to do with the values." if sure else ".")
        )
    if (status.result.status == Status.UNDECIDED.value).any():
        sentences += front_words(guess, status.result.designs)
    sentences += [remark.sentence for remark in study.warnings()]
    return Subject(
        title or study.name,
        status.result,
        study.question,
        "nothing" if study.noise is None else study.noise.words,
        f"the rule {study.algorithm!r}",
        tuple(sentences),
        tuple(zip(plan.designs.tolist(), plan.counts.tolist(), strict=True)),
        status.remaining,
        status.at_least,
        _evidence(study, rule, status.result),
        history,
        note,
        f"{_STUDY} {study.name}",
        prices=guess.prices,
        standard_errors=study.standard_errors(),
    )


def _was_or_were(number: int) -> str:
    return "was" if number == 1 else "were"


def _is_or_are(number: int) -> str:
    return "is" if number == 1 else "are"


def _evidence(study: StudyView, rule: Algorithm[Any], result: Result) -> Evidence | None:
    """How the evaluations that an answer rests on compare the designs; None where the study says less than its rule."""
    known = planner_of(rule)
    state = rule.start()
    if known.evidence(state) is None:
        return None
    for part in _told(study, result):
        state = rule.tell(state, part)
    proven = result.guarantee.proof or not rule.recommend(state).guarantee.proof
    return known.evidence(state) if proven else None  # None where values were withdrawn for what they are


def as_it_ran(study: StudyView, looks: int = 3) -> tuple[Subject, ...]:
    """A study after equal parts of what was told, the last of them the whole, each with the confidence of its time."""
    rule, parts = study.rule(), _told(study, study.result(), as_count(looks, "looks"))
    if planner_of(rule).evidence(rule.start()) is None:
        raise InputError(f"the rule {study.algorithm!r} has no confidence to show on the way; certified rules have.")
    state, stages = rule.start(), []
    for part in parts:
        state = rule.tell(state, part)
        stages.append(
            of_state(
                rule,
                state,
                study.question,
                names=study.names,
                title=f"{study.name} after {counted(state.evaluations)}",
            )
        )
    return tuple(stages)


def _told(study: StudyView, result: Result, pieces: int = 1) -> list[Observations]:
    """What an answer rests on, in the order in which it was told; a design's own evaluations by their number.

    A finished study may have been told more than it had asked for by then, and numbers may be missing in an open one.
    """
    told, (compared, start) = study.evaluations(), study.streams()
    stream = told.design if told.which is None else told.design * study.dim + told.which
    mine = (compared[stream] >= 0) & (told.number >= start[stream])
    design, number = compared[stream][mine], (told.number - start[stream])[mine]
    values, told_at = study.question.columns.steps(told.values[mine]), told.told_at[mine]
    if not len(design):
        return []
    if told.which is not None:  # one objective each: cells, as the rule has them
        values = values[np.arange(len(values)), told.which[mine]][:, None]
    first = np.concatenate([[0], np.flatnonzero(np.diff(design)) + 1])
    place = np.arange(len(design)) - np.repeat(first, np.diff([*first, len(design)]))
    used = result.counts[design] if told.which is None else study.used()[stream][mine]
    kept = np.flatnonzero((number == place) & (number < used))
    arrival = kept[np.argsort(told_at[kept], kind="stable")]
    by_design = arrival[np.argsort(design[arrival], kind="stable")]  # the places in time that each design has
    order = np.empty(len(design), dtype=np.intp)
    order[by_design] = kept
    ordered = order[arrival]
    return [Observations.single(design[part], values[part]) for part in np.array_split(ordered, pieces) if len(part)]


def _history(study: StudyView, rule: Algorithm[Any], last: Result) -> tuple[tuple[Moment, ...], str]:
    if last.evaluations == 0:
        return (), "Nothing is told yet."
    if study.n_designs > _FOLLOWED or last.evaluations > _REPLAYED:
        return (), (
            f"Not replayed: that is done for up to {_FOLLOWED:,} designs and {_REPLAYED:,} evaluations, since every "
            "point judges all designs again."
        )
    state, moments = rule.start(), []
    for part in _told(study, last, _LOOKS)[:-1]:
        state = rule.tell(state, part)
        moments.append(Moment.of(rule.recommend(state)))
    return (*moments, Moment.of(last)), ""


# -- tables --------------------------------------------------------------------------------------------------------


def of_table(
    table: Source,
    cone: Cone,
    title: str,
    *,
    final: bool = False,
    block: str | None = None,
    **further: Any,
) -> Subject:
    """A table of measurements, analysed; blocks, or a `model`, `features` and the like as `analyse` takes them."""
    found = analyse(table, cone, final=final, block=block, **further)
    return replace(
        of_analysis(found, title),
        method=_method(final or block is not None, found.success),
        source=f"the table {title}",
    )


def of_analysis(found: Analysis, title: str = "Analysis") -> Subject:
    """What `conewise.analyse` found."""
    expect(found, Analysis, "found", "the Analysis that conewise.analyse returned")
    pulls, noise = found.next(_PLANNED), found.question.noise
    return Subject(
        title,
        found.result,
        found.question,
        "nothing" if noise is None else noise.words,
        f"an analysis of measurements, success {found.question.success!r}",
        found.explanations,
        tuple(zip(pulls.designs.tolist(), pulls.counts.tolist(), strict=True)),
        found.plan.remaining if _is_open(found) else 0,
        found.plan.at_least,
        found.evidence,
        standard_errors=None if found.guess is None else found.guess.standard_errors,
        history_note="A table does not say when its rows were measured.",
        source="measurements",
        prices=() if found.guess is None else found.guess.prices,
    )


def _method(final: bool, success: Notion) -> str:
    looked = "one look at a finished table" if final else "a table that may grow and be looked at again"
    return f"{looked}, success {success!r}"


def _is_open(found: Analysis) -> bool:
    return bool((found.result.status == Status.UNDECIDED.value).any())


# -- saved answers ---------------------------------------------------------------------------------------------------


def _titled(files: str | list[str]) -> str:
    """The name of the file, or of the first of several."""
    first, *others = [files] if isinstance(files, str) else files
    return Path(first).name + (f" and {len(others):,} more" if others else "")


def _one(design: Mapping[str, Any], key: str, kind: type) -> Any:
    """A single value of a saved design."""
    value = design[key]
    single = type(value) is kind
    if not single or value < 0:
        raise TypeError(f"{key!r} is {value!r:.20}")
    return value


def _amount(value: Any, what: str, most: float = np.inf) -> float:
    """A saved number that is not negative, and below the largest that there can be."""
    number = float(value)
    if not 0 <= number < most:
        raise ValueError(f"{what} is {value!r:.20}")
    return number


def _errors(designs: Sequence[Mapping[str, Any]], objectives: Sequence[str]) -> Floats | None:
    """(K, D): the standard errors of a saved answer; None where it has none."""
    said = [[(design.get("standard_errors") or {}).get(o) for o in objectives] for design in designs]
    errors = np.array([[np.nan if e is None else _amount(e, "a standard error") for e in row] for row in said])
    return None if np.isnan(errors).all() else errors


def _probability(designs: Sequence[Mapping[str, Any]]) -> Floats | None:
    """(K,): what a model said of each design; None where there was none."""
    said = [design.get("probability") for design in designs]
    return None if None in said else np.array([float(p) for p in said if p is not None])


def of_saved(path: str | Path, title: str | None = None) -> Subject:
    """The JSON that `conewise analyse --json` printed; it holds the answer, and not what the radii are made of."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file {path}.")
    try:
        data = json.loads(text_of(path))
        schema = int(data.get("schema", 1))
        if schema > SCHEMA:
            raise InputError(
                f"{path.name} has schema {schema}, and this version reads up to {SCHEMA}: it was written by a newer "
                "conewise; update, or give the table of measurements itself."
            )
        objectives, minimised = tuple(data["objectives"]), tuple(data["minimised"])
        designs = data["designs"]
        cone = Cone.parse(stored_text(data["cone"]), dim=len(objectives)).remembering(data.get("said", ()))
        told = [[np.nan if d["means"][o] is None else float(d["means"][o]) for o in objectives] for d in designs]
        units = {o: float(unit) for o, unit in (data.get("units") or {}).items()}
        levels = {o: float(level) for o, level in (data.get("levels") or {}).items()}
        question = Question.stated(
            cone=cone,
            epsilon=_amount(data["epsilon"], "epsilon"),
            delta=_amount(data["delta"], "delta", 1),
            success=data["success"],
            objectives=objectives,
            minimise=minimised,
            units=units,
            levels=levels,
        )
        meaning = question.columns
        means = meaning.steps(np.array(told, dtype=np.float64).reshape(-1, len(objectives)))
        names = [str(d["name"]) for d in designs]
        if not names:
            raise ValueError("it has no designs")
        places = {name: k for k, name in enumerate(names)}
        given = data["guarantee"]
        proof = None
        if proven := given or data.get("guarantee_if_normal"):
            epsilon, risk = _amount(proven["epsilon"], "epsilon"), _amount(proven["delta"], "delta", 1)
            proof = Guarantee(epsilon, risk, str(proven["theorem"]), str(proven["assumption"]))
        worth = proof if given and proof else Heuristic(str(data["not_guaranteed_because"]), proof)
        result = Result(
            np.array([_one(d, "returned", bool) for d in designs], dtype=bool),
            np.array([Status(d["status"]).value for d in designs], dtype="<U16"),
            int(_amount(data["evaluations"], "evaluations")),
            worth,
            None if data["certified_epsilon"] is None else _amount(data["certified_epsilon"], "certified_epsilon"),
            "not said in the saved answer",
            means,
            np.array([_one(d, "evaluations", int) for d in designs], dtype=np.int64),
            np.array([-1 if d.get("by") is None else places[d["by"]] for d in designs], dtype=np.intp),
            np.array([_one(d, "certainly_pareto", bool) if "certainly_pareto" in d else False for d in designs]),
            probability=_probability(designs),
            certified={key: None if e is None else float(e) for key, e in (data.get("certified") or {}).items()},
        )
        said = "name" if schema > 1 else "design"
        times: Counter[int] = Counter()  # of a design, whichever of its objectives is measured
        for step in data["plan"] or ():
            times[places[step[said]]] += int(step["times"])
        planned = tuple(times.items())
        return Subject(
            title or _titled(data["file"]),
            result.named(names, meaning),
            question,
            str(data["noise"]),
            _method(bool(data["final"]), question.success),
            tuple(map(str, data["explanations"])),
            planned,
            int(_amount(data["remaining"], "remaining")),
            bool(data.get("remaining_at_least", False)),
            history_note="A saved answer does not say how it came about.",
            source=f"the saved analysis {path.name} of {_titled(data['file'])}",
            prices=tuple(
                Price(_amount(price["epsilon"], "epsilon"), int(_amount(price["remaining"], "remaining")))
                for price in (data.get("guess") or {}).get("prices", ())
            ),
            standard_errors=_errors(designs, objectives),
        )
    except ConewiseError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else str(error)[:80]
        raise InputError(
            f"{path.name} is not what `conewise analyse --json` prints ({why}); make it anew, "
            "or give the table of measurements itself."
        ) from None

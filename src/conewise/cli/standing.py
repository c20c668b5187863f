"""Where a study stands: as JSON, line by line, and in one line."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from conewise.analysis.explanations import HOPELESS, ended, unused
from conewise.analysis.guesses import Guess, price_words
from conewise.analysis.oddities import Remark, mark_between
from conewise.cli.show import average, designs_data, guarantee_data, guess_data
from conewise.digits import readable, rounded_up
from conewise.errors import counted
from conewise.report.data import Table
from conewise.rules import Result, Status
from conewise.rules.contract import in_status
from conewise.studies.boxes import BoxResult
from conewise.studies.evaluations import Lease
from conewise.studies.identity import Identity
from conewise.studies.ledger import LATEST
from conewise.studies.study import Study, StudyStatus

_SHOWN: Final = 20  # designs listed by name on a terminal
_WARNINGS: Final = 5  # odd values listed there


def as_data(study: Study, status: StudyStatus) -> dict[str, Any]:
    """Everything, for scripts."""
    result = status.result
    return {
        "study": study.name,
        "place": study.place,
        "n_designs": study.n_designs,
        "objectives": list(study.objectives),
        "minimised": list(study.minimised),
        "units": study.question.columns.stated(),
        "levels": study.question.columns.stated_levels(),
        "cone": str(study.cone),
        "said": list(study.cone.said),
        "epsilon": study.epsilon,
        "delta": study.delta,
        "delta_spent": study.delta_spent,
        "dropped": list(study.dropped),
        "beaten_before": list(study.beaten_before),
        "algorithm": study.algorithm,
        "separate": study.separate,
        "block": None if study.blocks is None else study.blocks.column,
        "n_blocks": None if study.blocks is None else study.blocks.n_blocks,
        "population": None if study.blocks is None else study.blocks.population,
        "evaluations": status.evaluations,
        "measured": measured(study, status),
        "cost": status.cost,
        "in_flight": status.in_flight,
        "expired": status.expired,
        "waiting": status.waiting,
        "set_aside": status.aside,
        "failed": status.failed,
        "failures": status.failures,
        "corrected": status.corrected,
        "withdrawn": status.withdrawn,
        "finished": status.finished,
        "remaining": status.remaining,
        "remaining_at_least": status.at_least,
        "by_status": by_status(status),
        "returned_names": result.names(study.names),
        "certified_epsilon": _finite(status.certified_epsilon),
        "certified": dict(result.certified) or None,
        **guarantee_data(result.guarantee),
        "guess": guess_data(study.guess(), study.names),
        "stopped_because": result.stopped_because,
        "warnings": warnings_data(study.warnings()),
    }


def measured(study: Study, status: StudyStatus) -> dict[str, int] | None:
    """How often each objective was measured in all, where these are measured separately."""
    if status.repetitions is None:
        return None
    return dict(zip(study.objectives, status.repetitions.sum(axis=0).tolist(), strict=True))


def warnings_data(remarks: Sequence[Remark]) -> list[dict[str, Any]]:
    """What is odd about the values, for scripts."""
    return [{"sentence": remark.sentence, "ids": list(remark.evaluations)} for remark in remarks]


def by_status(status: StudyStatus) -> dict[str, int]:
    """How many designs are kept, covered, beaten and undecided, and how many certainly Pareto optimal."""
    counts = Counter(str(word) for word in status.result.status)
    certain = int(status.result.certain.sum())
    return {word.key: counts[word.value] for word in Status} | {"certainly_pareto": certain}


def as_rows(study: Study, status: StudyStatus) -> list[tuple[str, str]]:
    """For people: a title, and what there is to say."""
    counts = by_status(status)
    result = status.result
    names = result.names(study.names)
    return [
        (f"Study {study.name}", f"{_finished(status)}, in {study.place}"),
        ("returned now", in_a_row(names) or "none yet"),
        *_guessed(study, status),
        ("designs", f"{study.n_designs}: {status_counts(counts)}"),
        *((("not compared", note),) if (note := _not_compared(study)) else ()),
        *((("blocks", note),) if (note := _blocks(study, status)) else ()),
        *((("acceptable", ", ".join(wanted)),) if (wanted := study.question.columns.levels) else ()),
        ("worth", worth_words(result)),
        ("certified epsilon", _certified(study, status)),
        *(((f"for {kind}", reached(epsilon)) for kind, epsilon in result.certified.items() if kind != "prior")),
        *((("finer mesh", str(result.mesh)),) if isinstance(result, BoxResult) and result.mesh else ()),
        ("evaluations told", f"{status.evaluations:,}{_changed(status)}"),
        *((("measured", _times(each)),) if (each := measured(study, status)) else ()),
        *((("cost so far", f"{status.cost:,.6g}"),) if status.cost is not None else ()),
        *((("of these used", note),) if (note := _unused(status)) else ()),
        ("in flight", f"{status.in_flight:,}" + (f", and {status.expired} whose lease is over" * bool(status.expired))),
        ("failures", f"{status.failures:,}"),
        ("still to do", remaining(study, status)),
    ]


def in_a_row(names: Sequence[str]) -> str:
    """The first designs by name, and how many there are beyond."""
    mark, more = mark_between(names[:_SHOWN]), len(names) - _SHOWN
    return mark.join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def worth_words(result: Result) -> str:
    """What an answer is worth, and what one step is where epsilon counts in steps."""
    return f"{result.guarantee}{result.step if result.guarantee.proof else ''}"


def _certified(study: Study, status: StudyStatus) -> str:
    """The epsilon that holds, and the one that was asked for; in steps with what these are, where there are units."""
    columns, found = study.question.columns, _finite(status.certified_epsilon)
    if not columns.in_steps:
        return f"{reached(found)} (asked for: {study.epsilon:g})"
    holds = "none yet" if found is None else columns.within(found)
    return f"{holds}; asked for: {columns.counted(study.epsilon)}"


def _guessed(study: Study, status: StudyStatus) -> list[tuple[str, str]]:
    """Where something is open: what the averages say by themselves, and what other epsilons would cost."""
    if not (status.result.status == Status.UNDECIDED.value).any():
        return []
    guess: Guess = study.guess()
    names = [name for name, is_there in zip(study.names, guess.pareto.tolist(), strict=True) if is_there]
    if not names:
        return []
    prices = price_words(guess.prices, study.question, HOPELESS).strip()
    rows = [("best guess", f"{in_a_row(names)}, by the averages alone")]
    return [*rows, *([("another epsilon", prices)] if prices else [])]


def by_design_data(study: Study, status: StudyStatus) -> dict[str, Any]:
    """A record for each design, and what is in whose hands, for scripts."""
    result, times = status.result, status.repetitions
    held = [{"id": one.evaluation, "worker": one.worker, "expires": one.expires} for one in study.leases()]
    records = designs_data(result, study.standard_errors())
    for k, record in enumerate(records):
        own = None if times is None else dict(zip(study.objectives, times[k].tolist(), strict=True))
        record["repetitions"] = own
    return {"designs": records, "leases": held}


def by_design(study: Study, status: StudyStatus) -> Table:
    """A line for each design: where it stands, its averages, and who has which of its evaluations until when."""
    result, hands, errors = status.result, _hands(study), study.standard_errors()
    order = sorted(range(len(result.designs)), key=lambda k: not result.pareto[k])  # the returned ones first
    likely = result.probability
    rows = tuple(
        (
            result.designs[k],
            result.standing(k),
            _evaluated(status, k),
            *map(average, result.averages[k].tolist(), errors[k].tolist()),
            *(() if likely is None else (f"{likely[k]:.3f}", str(result.evidence[k]))),
            hands.get(result.designs[k], ""),
        )
        for k in order
    )
    ours = () if likely is None else ("probably Pareto", "evidence")
    header = ("design", "status", "evaluations", *study.objectives, *ours, "in hands")
    return Table("Designs (times are UTC)", header, rows)


def _evaluated(status: StudyStatus, design: int) -> str:
    """How often a design was evaluated; where objectives are measured separately, each of them."""
    if status.repetitions is None:
        return f"{int(status.result.counts[design]):,}"
    return " + ".join(f"{times:,}" for times in status.repetitions[design].tolist())


def _times(each: dict[str, int]) -> str:
    return ", ".join(f"{name} {times:,}" for name, times in each.items())


def _hands(study: Study) -> dict[str, str]:
    """Who has which evaluations of a design, by the design's name."""
    held: dict[str, dict[str, list[Lease]]] = {}
    for lease in study.leases():
        name = study.name_of(Identity.parse(lease.evaluation).design)
        held.setdefault(name, {}).setdefault(lease.worker or "someone without a name", []).append(lease)
    return {name: ", ".join(in_hand(worker, some) for worker, some in by.items()) for name, by in held.items()}


def in_hand(worker: str, leases: Sequence[Lease]) -> str:
    """Return a phrase that says which evaluations a worker holds, and until when."""
    until = datetime.fromtimestamp(min(max(lease.expires for lease in leases), LATEST), UTC)
    what = leases[0].evaluation if len(leases) == 1 else counted(len(leases))
    return f"{worker}: {what} until {until:%Y-%m-%d %H:%M}"


def odd_rows(study: Study) -> list[tuple[str, str]]:
    """What is odd about the values, in the form of `as_rows`."""
    return [("look at", remark.sentence) for remark in shown(study.warnings())]


def in_one_line(study: Study, status: StudyStatus) -> str:
    """For a log."""
    return (
        f"{counted(status.evaluations)}, {status.in_flight} in flight, {counted(status.failures, 'failure')}; "
        f"{status_counts(by_status(status))}; certified epsilon {_certified(study, status)}; "
        f"still to do: {remaining(study, status)}"
    )


def shown(remarks: Sequence[Remark]) -> list[Remark]:
    """The first few, and how many there are beyond."""
    more = len(remarks) - _WARNINGS
    return [*remarks[:_WARNINGS], *([Remark(f"{more} more; `status --json` has them all.")] if more > 0 else [])]


def _unused(status: StudyStatus) -> str:
    told, used = status.evaluations - status.aside, status.result.evaluations
    rest = unused(told, used, status.finished)
    if rest and status.finished and (status.result.status == Status.UNDECIDED.value).any():
        lie = "lies" if told - used == 1 else "lie"
        rest = f"The answer rests on {used:,} of the {told:,} told evaluations; {told - used:,} {lie} beyond the limit."
    aside = f"{counted(status.aside)} set aside when the question was changed." if status.aside else ""
    return " ".join(filter(None, (aside, rest)))


def _blocks(study: Study, status: StudyStatus) -> str:
    blocks = study.blocks
    if blocks is None:
        return ""
    of = {None: "a sample of an unlimited population", blocks.n_blocks: "all that averages are over"}
    over = of.get(blocks.population, f"of {blocks.population or 0:,} that averages are over")
    most = int(status.result.counts.max(initial=0))
    return f"{blocks.n_blocks:,} ({blocks.column}), {over}; at most {most:,} met by a design"


def _not_compared(study: Study) -> str:
    words = {"dropped": study.dropped, "beaten before others were added": study.beaten_before}
    return "; ".join(f"{word}: {in_a_row(names)}" for word, names in words.items() if names)


def _changed(status: StudyStatus) -> str:
    counts = {"corrected": status.corrected, "withdrawn": status.withdrawn}
    return "".join(f", {count:,} {word}" for word, count in counts.items() if count)


def status_counts(counts: dict[str, int]) -> str:
    """Return a phrase that counts the designs of each status."""
    shown = [word for word in Status if word is not Status.MISSES or counts[word.key]]
    return ", ".join(in_status(word, counts[word.key]) for word in shown)


def _finished(status: StudyStatus) -> str:
    if not status.finished:
        return "not finished"
    return ended(status.result) if (status.result.status == Status.UNDECIDED.value).any() else "finished"


def remaining(study: Study, status: StudyStatus) -> str:
    """What is still to do, in words; a limit that ends the study before is named."""
    if status.finished:
        return "nothing"
    if status.remaining is None:
        return "unknown"
    words = f"{'at least' if status.at_least else 'about'} {counted(status.remaining)}"
    limit = study.max_evaluations
    if limit is None or status.evaluations + status.remaining <= limit:
        return words
    return f"{words} to decide all; the study ends after {counted(limit)} in all"


def _finite(number: float | None) -> float | None:
    return None if number is None or not math.isfinite(number) else number


def reached(epsilon: float | None) -> str:
    """A certified epsilon, and never less than what holds."""
    return "none yet" if epsilon is None or not math.isfinite(epsilon) else readable(rounded_up(epsilon, 4), 4)

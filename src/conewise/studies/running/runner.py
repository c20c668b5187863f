"""Run a study with evaluators: hand out, evaluate, tell, and never wait for the slowest.

The runner keeps its crew busy and the study informed; it decides nothing. What is evaluated next is the study's to say,
and the answer depends on the values alone, not on who computed them, when, or how often the run was interrupted.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from conewise.analysis.explanations import ended
from conewise.border import as_count, as_positive
from conewise.errors import ConewiseError, InputError
from conewise.problems.evaluators import as_evaluator, in_one_line
from conewise.studies.cells import OBJECTIVE
from conewise.studies.evaluations import AlreadyTold, Evaluation
from conewise.studies.identity import Identity
from conewise.studies.ledger import OUT_OF_RANGE
from conewise.studies.possible import out_of_range
from conewise.studies.running.executors import Call, Crew, Done, Inline, Outcome, ThroughExecutor, Work
from conewise.studies.running.presence import release_abandoned, worker_name
from conewise.studies.running.processes import LocalProcesses, why_it_stays
from conewise.studies.spec import LONGEST_LEASE
from conewise.studies.study import Study

TASK_SECONDS: Final = 0.2  # work in a task: a hundred times what it costs to hand one over
_SHORT: Final = 0.5  # seconds: shorter evaluations are queued one task ahead, so that no worker waits for the journal
_TASK_BYTES: Final = 32_768  # results of a task fit into a pipe, so that no worker ever waits to be listened to
_LARGEST_TASK: Final = 500
_TICK: Final = 0.2  # seconds between looks at the clock, at Ctrl-C and at `stop`
WAIT_FOR_OTHERS: Final = 1.0  # seconds between questions when everything open is with other workers
_NEWEST: Final = 0.5  # weight of the newest task in the average time of an evaluation
_LOSSES: Final = 10  # workers lost in a row, without one evaluation in between
_LEASE_SPARE: Final = 60.0  # seconds on top of what a task may take at most
_FIRST_FAILURES: Final = 3  # attempts at the beginning of a run: if all of them fail, so will the others
_FAILURES_IN_A_ROW: Final = 30  # attempts without one that succeeded: something has broken for all of them
ALONE: Final = 5.0  # seconds that a run waits for its first evaluation before it begins others


@dataclass(frozen=True)
class RunEvent:
    """Something that happened in a run, for a display or a log; "tick" comes several times a second."""

    kind: Literal["told", "failed", "lost", "late", "waiting", "tick"]
    text: str = ""
    count: int = 0
    in_flight: int = 0


@dataclass(frozen=True)
class RunReport:
    """What a run did."""

    told: int
    failures: int
    seconds: float
    finished: bool
    """Whether the study asks for nothing more: it has its answer, or its limit came first."""
    stopped_because: str


def run_study(
    study: Study,
    evaluator: Any,
    *,
    jobs: int | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
    batch: int | None = None,
    retries: int = 2,
    time_limit: float | None = None,
    on_event: Callable[[RunEvent], None] | None = None,
    stop: Callable[[], bool] | None = None,
    max_evaluations: int | None = None,
) -> RunReport:
    """Evaluate what a study asks for until it is finished, `jobs` at a time in processes of our own.

    `evaluator` is a function of a design (a dict) and a seed that returns D numbers, `"module:function"`, a command
    such as `"./simulate --x {x} --seed {seed}"`, or a value of `conewise.problems.evaluators`. `jobs=0` evaluates in
    the calling process; by default so does a function that no other process can be given, such as one of a notebook.
    Instead of `jobs`, or with it as the number of evaluations under way, `executor` is any
    `concurrent.futures.Executor` or a function that makes one, which is called again when its workers die. `batch`
    fixes how many evaluations go into one task; by default as many as take a fifth of a second. Where designs share
    blocks, the block is one more entry of the design: design["question"], `{question}` in a command. Where objectives
    are measured separately, so is the one to measure: design["objective"], `{objective}`; the function returns its
    value, or several by name, of which it is taken.

    A failed evaluation is recorded and tried again, with a new seed, up to `retries` times; then the run stops with a
    ConewiseError. It stops at once where no attempt can succeed (a function of other arguments, values of another
    shape), when the first attempts all fail, and at a value outside the range that the study's noise assumes: the
    assumption is then refuted. Failed attempts that were evaluated again are named in the guarantee.

    `time_limit` (seconds) ends a function that hangs, with its process. When `stop` says so, or after
    `max_evaluations` in this run, nothing more is handed out and what is under way is finished; Ctrl-C hands it back
    instead, and KeyboardInterrupt follows. However a run ends, what was told is in the journal, and another run
    continues.
    """
    retries = as_count(retries, "retries", minimum=0)
    limit = None if time_limit is None else as_positive(time_limit, "time_limit")
    size = None if batch is None else as_count(batch, "batch")
    most = None if max_evaluations is None else as_count(max_evaluations, "max_evaluations")
    chosen = as_evaluator(evaluator)
    block = None if study.blocks is None else study.blocks.column
    columns = dict.fromkeys(column for row in study.rows for column in row)
    chosen.check([*columns, *(() if block is None else (block,)), *((OBJECTIVE,) if study.separate else ())])
    work = Work(chosen, study.objectives, limit, block)
    with _interruptions() as interrupted, _crew(jobs, executor, work) as crew:
        run = _Run(study, crew, work, size, retries, on_event or (lambda event: None), most)
        return run.until_done(interrupted, stop or (lambda: False))


class _Run:
    """The state of one run: what is in hand, what is under way, how long an evaluation takes."""

    def __init__(
        self,
        study: Study,
        crew: Crew,
        work: Work,
        batch: int | None,
        retries: int,
        on_event: Callable[[RunEvent], None],
        most: int | None = None,
    ) -> None:
        self.most = most
        self.study, self.crew, self.work = study, crew, work
        self.batch, self.retries, self.on_event = batch, retries, on_event
        self.worker = worker_name()
        self.hand: deque[Evaluation] = deque()
        self.flying: dict[Identity, Evaluation] = {}
        self.alone: set[Identity] = set()  # evaluations that go into a task of their own: one of them ended a worker
        self.failures: Counter[Identity] = Counter()
        self.losses = 0
        self.told = self.failed = self.in_a_row = 0
        self.proved = False  # whether an evaluation of this run has succeeded
        self.tried_at = 0.0
        self.seconds_each: float | None = None
        self.largest = max(1, min(_LARGEST_TASK, _TASK_BYTES // (9 * (len(work.objectives) + 4))))
        self.lease = min(LONGEST_LEASE, max(study.lease, 3 * (work.time_limit or 0.0) + _LEASE_SPARE))
        self.error: ConewiseError | None = None
        self.ask_at = 0.0

    def until_done(self, interrupted: Callable[[], bool], stop: Callable[[], bool]) -> RunReport:
        """The loop: fill, collect, tell."""
        start = time.monotonic()
        why = ""
        try:
            release_abandoned(self.study)
            while not interrupted():
                if not why and self.error is None and stop():
                    why = "stopped on request"
                elif not why and self.error is None and self.told == self.most:
                    why = "max_evaluations of this run are told"
                if why or self.error is not None:  # nothing more is handed out; what is under way is finished
                    self._hand_back(self.hand)
                    if not self.flying:
                        break
                elif not self._fill():
                    why = f"the study {ended(self.study.result())}"
                    break
                self._take_in(self.crew.collect(_TICK))
                self._say("tick")
            if interrupted():
                self._take_in(self.crew.collect(0.0))
        finally:
            # An error in the study itself (a full disk) is the one to report; handing back is then a courtesy.
            with suppress(ConewiseError, OSError):
                self._hand_back([*self.hand, *self.flying.values()])
        if interrupted():
            raise KeyboardInterrupt(f"{self.told} evaluations were told in this run")
        if self.error is not None:
            raise self.error
        finished = self.study.finished
        return RunReport(self.told, self.failed, time.monotonic() - start, finished, why)

    # -- out -----------------------------------------------------------------------------------------------------------

    def _fill(self) -> bool:
        """Keep the crew busy; False when nothing is left to do for anyone."""
        size = self._task_size()
        depth = 2 if self.seconds_each is not None and self.seconds_each < _SHORT else 1
        now = time.monotonic()
        room = self.crew.room(depth)
        if not self.proved and (not self.flying or now < self.tried_at + ALONE):
            room = min(room, 0 if self.flying else 1)  # one evaluation first: if it fails, perhaps all do
        wanted = room * size - len(self.hand)
        if self.most is not None:
            wanted = min(wanted, self.most - self.told - len(self.flying) - len(self.hand))
        if wanted > 0 and now >= self.ask_at:
            asked = self.study.ask(wanted, worker=self.worker, lease=self.lease)
            got = [evaluation for evaluation in asked if evaluation.identity not in self.flying]
            self.hand.extend(got)
            if asked.finished:  # whatever is still under way was ahead of the study and is not needed
                return False
            if not got and not self.hand and not self.flying:
                self._say("waiting", self._others())
            if len(got) < wanted:  # until something has come back here, only others can open more
                self.ask_at = now + WAIT_FOR_OTHERS
        while room > 0 and self.hand:
            # what there is goes to as many workers as there are, rather than in full tasks to a few
            self._submit(min(size, math.ceil(len(self.hand) / room)))
            room -= 1
        return True

    def _others(self) -> str:
        leases = self.study.leases()
        if not leases:
            return "nothing is open at this moment"
        owners = ", ".join(sorted({in_one_line(lease.worker) or "someone without a name" for lease in leases})[:3])
        minutes = (min(lease.expires for lease in leases) - time.time()) / 60
        return (
            f"all that is wanted, {len(leases)} evaluation{'s' * (len(leases) > 1)}, is in the hands of {owners}; "
            f"the first lease ends in {max(minutes, 0):.0f} minutes; release frees what nobody will evaluate"
        )

    def _submit(self, size: int) -> None:
        task = [self.hand.popleft()]
        while self.hand and len(task) < size and not self.alone & {task[0].identity, self.hand[0].identity}:
            task.append(self.hand.popleft())
        self.tried_at = time.monotonic()
        rows = {evaluation.design: {**evaluation.row, "name": evaluation.name} for evaluation in task}
        self.flying.update((evaluation.identity, evaluation) for evaluation in task)
        self.crew.submit(tuple(Call(e.identity, e.seed, e.block, e.objective) for e in task), rows)

    def _task_size(self) -> int:
        if not self.proved:
            return 1
        if self.batch is not None:
            return min(self.batch, self.largest)
        if self.seconds_each is None:
            return 1
        return max(1, min(self.largest, int(TASK_SECONDS / max(self.seconds_each, 1e-9))))

    def _hand_back(self, evaluations: Sequence[Evaluation] | deque[Evaluation]) -> None:
        if evaluations:
            self.study.release(list(evaluations))
            for evaluation in list(evaluations):
                self.flying.pop(evaluation.identity, None)
            self.hand.clear()

    # -- in ------------------------------------------------------------------------------------------------------------

    def _take_in(self, done: list[Done]) -> None:
        """Tell everything that came back in one transaction; then see to what did not."""
        if not done:
            return
        self.ask_at = 0.0
        outcomes = [outcome for part in done for outcome in part.outcomes if outcome.id in self.flying]
        good = [outcome for outcome in outcomes if outcome.values is not None]
        self._measure(outcomes)
        if good:
            self._tell(good)
            self.losses = 0
        for outcome in outcomes:
            if outcome.hopeless:
                self._stop(InputError(outcome.reason))
            elif outcome.values is None:
                self._failed(outcome.id, outcome.reason)
        for part in done:
            self._lost(part)
            if part.error is not None:
                self._stop(part.error)

    def _measure(self, outcomes: list[Outcome]) -> None:
        if not outcomes:
            return
        mean = sum(outcome.seconds for outcome in outcomes) / len(outcomes)
        before = self.seconds_each
        self.seconds_each = mean if before is None else (1 - _NEWEST) * before + _NEWEST * mean

    def _tell(self, good: list[Outcome]) -> None:
        """All at once; where the study refuses that, one by one, to see which."""
        ids = [outcome.id for outcome in good]
        values = [outcome.values for outcome in good if outcome.values is not None]
        self.proved = True
        try:
            self.study.tell(ids, values, worker=self.worker)
        except InputError as error:
            if len(good) > 1:
                for outcome in good:
                    self._tell([outcome])
            elif isinstance(error, AlreadyTold):
                self.flying.pop(ids[0], None)
                self._say("late", f"{ids[0]} was told by another worker, whose values stay")
            else:
                self._impossible(ids[0], values[0], error)
            return
        for evaluation in ids:
            self.flying.pop(evaluation, None)
        self.told += len(good)
        self.in_a_row = 0
        self._say("told", count=len(good))

    def _impossible(self, evaluation: Identity, values: list[float], error: InputError) -> None:
        """A value that the study refuses is never replaced by another draw: that would choose among the values."""
        if not all(map(math.isfinite, values)):
            self._failed(evaluation, str(error))
            return
        name, noise = self.flying[evaluation].name, self.study.noise
        if evaluation.objective is not None and noise is not None:
            noise = noise.of_one(evaluation.objective, self.study.dim)
        outside = out_of_range(noise, np.array([values]))
        if outside is None:
            self._stop(InputError(f"evaluation {evaluation} of design {name!r} cannot be stored: {error}"))
            return
        column = outside[1] if evaluation.objective is None else evaluation.objective
        what = f"{values[outside[1]]!r} for {self.study.objectives[column]!r}"
        failed = self.flying.pop(evaluation)
        self.study.fail(failed, f"{OUT_OF_RANGE}{what}")
        self.failed += 1
        self._stop(
            ConewiseError(
                f"evaluation {evaluation} of design {name!r} gave {what}, outside the range that the study's noise "
                "assumes: the assumption is refuted, and no guarantee holds in this study any more; make a new one "
                "with a range that every value keeps (what was told can be exported and told there)."
            )
        )

    def _stop(self, error: ConewiseError) -> None:
        """The first reason to stop is the one that is told."""
        if self.error is None:
            self.error = error

    def _failed(self, evaluation: Identity, reason: str) -> None:
        failed = self.flying.pop(evaluation)
        self.study.fail(failed, reason)
        self.failed += 1
        self.in_a_row += 1
        self.failures[evaluation] += 1
        times = self.failures[evaluation]
        self._say("failed", f"design {failed.name!r}, evaluation {evaluation}, attempt {times}: {reason}", count=1)
        why = f"the last time because: {reason.rstrip('.')}"
        if times > self.retries:
            attempts = "1 attempt" if times == 1 else f"{times} attempts"
            self._stop(
                ConewiseError(
                    f"evaluation {evaluation} of design {failed.name!r} failed in {attempts}, {why}; "
                    "everything else is in the journal: mend the cause and run again to continue."
                )
            )
        elif not self.proved and self.failed >= _FIRST_FAILURES:
            self._stop(
                ConewiseError(f"the first {self.failed} attempts all failed, {why}; mend the cause and run again.")
            )
        elif self.in_a_row >= max(_FAILURES_IN_A_ROW, self.retries):
            self._stop(ConewiseError(f"{self.in_a_row} attempts in a row failed, {why}; mend the cause and run again."))

    def _lost(self, part: Done) -> None:
        """What a task did not get to is in hand again; the evaluation that ended the worker has failed."""
        missing = [self.flying[call.id] for call in part.calls if call.id in self.flying]
        if not missing:
            return
        if part.lost:
            self.losses += 1
            self._say("lost", part.lost, count=len(missing))
            if self.losses > _LOSSES + self.crew.width:
                self._stop(ConewiseError(f"workers end one after the other, the last time because: {part.lost}."))
            if part.suspect in self.flying:
                self._failed(part.suspect, part.lost)
                missing = [evaluation for evaluation in missing if evaluation.identity != part.suspect]
            elif part.suspect is None:
                self.alone.update(evaluation.identity for evaluation in missing)
        for evaluation in reversed(missing):
            del self.flying[evaluation.identity]
            self.hand.appendleft(evaluation)

    def _say(self, kind: Any, text: str = "", count: int = 0) -> None:
        self.on_event(RunEvent(kind, text, count, len(self.flying)))


def _crew(jobs: int | None, executor: Any, work: Work) -> Crew:
    if executor is not None:
        return ThroughExecutor(executor, work, jobs)
    wanted = as_count(jobs if jobs is not None else os.cpu_count() or 1, "jobs", minimum=0)
    if wanted and (why := why_it_stays(work.evaluator)):
        if jobs is not None or work.time_limit is not None:
            limit = " (without `time_limit`)" if work.time_limit is not None else ""
            raise InputError(
                f"{why}; define it in a module, a file of its own, and import it from there, or evaluate in this "
                f"process with `jobs=0`{limit}."
            )
        wanted = 0
    if wanted:
        return LocalProcesses(wanted, work)
    if work.time_limit is not None and not work.evaluator.ends_itself:
        raise InputError("a function in this process cannot be ended, so `time_limit` needs `jobs=1` or more.")
    return Inline(work)


@contextmanager
def _interruptions() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C (or SIGTERM) has come; the second one interrupts as usual. Only a main thread can listen."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return

    def note(number: int, frame: Any) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)

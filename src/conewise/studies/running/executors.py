"""Who evaluates: a crew takes tasks (a few evaluations each) and gives back what came of them.

Here are the contract, the calling process itself, and any `concurrent.futures.Executor`; processes of our own are next
door.
"""

from __future__ import annotations

import os
import sys
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from conewise.border import as_count
from conewise.errors import ConewiseError, InputError
from conewise.problems.evaluators import EvaluationFailed, Evaluator, Row, in_one_line, in_words
from conewise.studies.cells import OBJECTIVE
from conewise.studies.identity import Identity
from conewise.workers import check_workers, scheduler_has_gone, workers_of

PATIENCE: Final = 1.0  # seconds after which a task returns what it has, however many evaluations it was given
_FAILURES: Final = 3  # in a row: then a task returns what it has, and the run can see whether to go on


class Call(NamedTuple):
    """One evaluation as a worker sees it."""

    id: Identity
    seed: int
    block: str | None = None
    """What the design meets, under the name that the work has for it."""
    objective: str | None = None
    """What is to be measured, where objectives are measured separately."""


class EndedFromOutside(BaseException):
    """The run is over; no function of a user's takes this for an error of its own."""


class Outcome(NamedTuple):
    """What came of one evaluation: values, or the reason why there are none."""

    id: Identity
    values: list[float] | None
    reason: str
    seconds: float
    hopeless: bool = False
    """Whether no other attempt would succeed either."""


@dataclass(frozen=True)
class Work:
    """What every task of a run has in common."""

    evaluator: Evaluator
    objectives: tuple[str, ...]
    time_limit: float | None = None
    block: str | None = None
    """The column under which an evaluator finds the block, where designs share blocks."""

    def row(self, row: Row, call: Call) -> Row:
        """A design's columns as the evaluator sees them: with the block, or the objective, if there is one."""
        if call.objective is not None:
            return {**row, OBJECTIVE: call.objective}
        return row if self.block is None else {**row, self.block: call.block}

    def values(self, row: Row, call: Call) -> list[float]:
        """What the evaluator gives: one number an objective, or the one that is to be measured."""
        objectives = self.objectives if call.objective is None else (call.objective,)
        return self.evaluator.evaluate(self.row(row, call), call.seed, objectives, self.time_limit)


@dataclass(frozen=True)
class Done:
    """What came of a task; evaluations without an outcome were not begun, or went down with their worker."""

    calls: tuple[Call, ...]
    outcomes: list[Outcome] = field(default_factory=list)
    lost: str = ""
    """Why the worker ended, if it did."""
    suspect: Identity | None = None
    """The id of the evaluation during which it ended, where that is known."""
    error: ConewiseError | None = None
    """Something that no other attempt would mend."""


def perform(work: Work, calls: Sequence[Call], rows: Mapping[int, Row], board: Any = None) -> list[Outcome]:
    """Evaluate one after the other, in whatever process this is; after PATIENCE or failures the rest is left undone.

    Where an evaluator forks and its child comes back as well, the child ends here: it is not this process, and what it
    would say of further evaluations is nobody's answer.
    """
    outcomes: list[Outcome] = []
    begun, process = time.monotonic(), os.getpid()
    for position, call in enumerate(calls):
        start = time.monotonic()
        failing = len(outcomes) >= _FAILURES and all(outcome.values is None for outcome in outcomes[-_FAILURES:])
        if failing or (outcomes and start - begun > PATIENCE):
            break
        if board is not None:  # in this order: a late time on the board always belongs to the position on it
            board[0], board[1] = start, position
        try:
            values = work.values(rows[call.id.design], call)
            outcome = Outcome(call.id, values, "", time.monotonic() - start)
        except EvaluationFailed as error:
            outcome = Outcome(call.id, None, in_one_line(str(error)), time.monotonic() - start)
        except InputError as error:
            outcome = Outcome(call.id, None, in_one_line(str(error)), time.monotonic() - start, hopeless=True)
        except BaseException as error:  # a value that cannot be read, or what is no Exception
            ours = isinstance(error, KeyboardInterrupt) and board is None  # a process of our own ignores Ctrl-C
            if ours or isinstance(error, EndedFromOutside):
                raise
            outcome = Outcome(call.id, None, in_one_line(in_words(error)), time.monotonic() - start)
        finally:
            if os.getpid() != process:
                os._exit(0)
        outcomes.append(outcome)
        if outcome.hopeless:
            break
    return outcomes


class Crew(ABC):
    """Takes tasks while there is room, and gives back what is done."""

    width: int
    """How many evaluations can run at the same time."""

    @abstractmethod
    def room(self, depth: int) -> int:
        """How many tasks can be handed over now, if each worker is to have at most `depth` of them."""

    @abstractmethod
    def submit(self, calls: tuple[Call, ...], rows: Mapping[int, Row]) -> None:
        """Hand over a task; never waits for its end."""

    @abstractmethod
    def collect(self, timeout: float) -> list[Done]:
        """What is done by now, or the first that is within `timeout` seconds."""

    @abstractmethod
    def close(self) -> None:
        """End everything that is still under way."""

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Inline(Crew):
    """The calling process, one evaluation at a time: no start-up, and a debugger works."""

    width = 1

    def __init__(self, work: Work) -> None:
        self._work = work
        self._tasks: deque[tuple[tuple[Call, ...], Mapping[int, Row]]] = deque()
        work.evaluator.prepare()

    def room(self, depth: int) -> int:
        """One task at a time."""
        return 1 - len(self._tasks)

    def submit(self, calls: tuple[Call, ...], rows: Mapping[int, Row]) -> None:
        """Kept until `collect`."""
        self._tasks.append((calls, rows))

    def collect(self, timeout: float) -> list[Done]:
        """The evaluations happen here."""
        if not self._tasks:
            time.sleep(timeout)
            return []
        calls, rows = self._tasks.popleft()
        with redirect_stdout(sys.stderr):  # what a function prints is not our output
            return [Done(calls, perform(self._work, calls, rows))]

    def close(self) -> None:
        """Nothing is under way here between two calls."""
        self._tasks.clear()


class ThroughExecutor(Crew):
    """Any `concurrent.futures.Executor`; it stays open, for it belongs to whoever made it."""

    def __init__(self, executor: Any, work: Work, width: int | None = None) -> None:
        self._make: Callable[[], Any] | None = (
            executor if callable(executor) and not isinstance(executor, Executor) else None
        )
        self._executor = self._make() if self._make is not None else executor
        if hasattr(self._executor, "get_executor"):  # a Dask client
            self._executor = self._executor.get_executor(pure=False)
        if not isinstance(self._executor, Executor):
            kind = type(self._executor).__name__
            raise InputError(
                f"executor must be a concurrent.futures.Executor, a function that makes one, or a Dask client, "
                f"got {kind}."
            )
        _refuse_caching(self._executor)
        check_workers(self._executor)
        if work.time_limit is not None and not work.evaluator.ends_itself:
            raise InputError(
                "an executor cannot end a Python function that hangs, so `time_limit` cannot be kept; "
                "use `jobs` without `executor` (processes of our own) or a command."
            )
        self._work = work
        self._futures: dict[Future[list[Outcome]], tuple[Call, ...]] = {}
        self.width = as_count(width, "jobs") if width is not None else workers_of(self._executor)

    def room(self, depth: int) -> int:
        """By our own count: executors queue without limit."""
        return self.width * depth - len(self._futures)

    def submit(self, calls: tuple[Call, ...], rows: Mapping[int, Row]) -> None:
        """Only the rows that are needed travel."""
        try:
            future = self._executor.submit(perform, self._work, calls, rows)
        except BrokenExecutor as error:
            future = Future()
            future.set_exception(error)
        except (RuntimeError, OSError) as error:
            raise ConewiseError(f"the executor takes no more work: {' '.join(str(error).split())}.") from None
        self._futures[future] = calls

    def collect(self, timeout: float) -> list[Done]:
        """Whatever a future holds: outcomes, our own refusal, or the loss of a worker."""
        if not self._futures:
            time.sleep(timeout)
            return []
        ready, _ = wait(self._futures, timeout=timeout, return_when=FIRST_COMPLETED)
        found, broken = [], ""
        for future in ready:
            calls = self._futures.pop(future)
            error: BaseException | None
            try:
                error = future.exception()
            except BaseException as cancelled:  # CancelledError comes in two kinds, one of them no Exception
                if isinstance(cancelled, KeyboardInterrupt | SystemExit):
                    raise
                error = cancelled
            if error is None:
                found.append(Done(calls, future.result()))
            elif isinstance(error, InputError):
                found.append(Done(calls, error=error))
            else:
                reason = in_one_line(in_words(error), 200)
                broken = reason if isinstance(error, BrokenExecutor) else broken
                # Whoever cancels a task says nothing of the evaluations in it.
                alone = len(calls) == 1 and "Cancelled" not in type(error).__name__
                found.append(Done(calls, lost=reason, suspect=calls[0].id if alone else None))
        if ready and (gone := _gone_scheduler(self._executor)):
            return [*(replace(done, lost="", suspect=None) for done in found), Done((), error=gone)]
        return found + (self._rebuilt(broken) if broken else [])

    def _rebuilt(self, reason: str) -> list[Done]:
        """A broken executor takes nothing more: make another one, if we know how."""
        if self._make is None:
            text = f"the executor's workers have gone ({reason}); run again with a new executor to continue."
            return [Done((), error=ConewiseError(text))]
        found = [Done(calls, lost=reason) for calls in self._futures.values()]
        self._futures.clear()
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = self._make()
        return found

    def close(self) -> None:
        """What has not begun is cancelled; an executor of our own making is shut down."""
        for future in self._futures:
            future.cancel()
        if self._make is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)


def _gone_scheduler(executor: Executor) -> ConewiseError | None:
    """That is the end of a run, and no failed evaluation."""
    if not scheduler_has_gone(executor):
        return None
    return ConewiseError(
        "the Dask scheduler has gone; what was told is in the journal: run again to continue when it is back."
    )


def _refuse_caching(executor: Executor) -> None:
    """Dask takes functions for pure unless told otherwise, and then answers equal calls from memory."""
    kind = type(executor)
    if kind.__name__ != "ClientExecutor" or not kind.__module__.startswith("distributed"):
        return
    if getattr(executor, "_kwargs", {}).get("pure") is not False:
        raise InputError("Dask would cache noise: take the executor with client.get_executor(pure=False).")

"""Processes of our own to evaluate in.

Rather than a standard pool, because a function that hangs must be ended without losing what the others do, because the
evaluation that ended a process must be known by name, and because no worker may outlive a run that was killed.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

from conewise.border import as_count
from conewise.errors import ConewiseError, InputError
from conewise.problems.evaluators import Evaluator, Row, in_one_line
from conewise.studies.running.executors import Call, Crew, Done, EndedFromOutside, Work, perform

_STARTS: Final = 3  # workers in a row that end before their first task: then something is wrong with all of them
_GOODBYE: Final = 2.0  # seconds for workers to end what they started, before they are killed
_COMMAND_GRACE: Final = 10.0  # seconds beyond the limit for an evaluator that keeps it by itself


class _Worker:
    """A process, the tasks in its pipe, and a board on which it writes what it is doing since when."""

    def __init__(self, context: Any, work: Work) -> None:
        self.pipe, theirs = context.Pipe()
        self.board = context.RawArray("d", 2)
        self.process = context.Process(target=_serve, args=(theirs, self.board, work))
        self.tasks: deque[tuple[Call, ...]] = deque()
        self.known: set[int] = set()
        self.ready = False
        try:
            with _interrupts_held():  # until the worker has said that Ctrl-C is not for it
                self.process.start()
        finally:
            theirs.close()

    def late(self, limit: float | None) -> bool:
        started = self.board[0]
        return limit is not None and started > 0 and time.monotonic() - started > limit

    def messages(self) -> list[tuple[str, Any]]:
        """Everything that has arrived; the last one is ("gone", None) when nothing more can come."""
        found: list[tuple[str, Any]] = []
        # Asked before the pipe: it closes only when a child that the function has left behind ends as well.
        gone = self.process.exitcode is not None
        try:
            while self.pipe.poll():
                found.append(self.pipe.recv())
        except (EOFError, OSError):
            gone = True
        return [*found, ("gone", None)] if gone else found

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


class LocalProcesses(Crew):
    """`jobs` processes of our own. One that hangs beyond the time limit, or ends, is replaced by a new one."""

    def __init__(self, jobs: int, work: Work) -> None:
        from multiprocessing import get_context

        self.width = as_count(jobs, "jobs")
        self._work = work
        limit = work.time_limit
        self._limit = limit + _COMMAND_GRACE if limit is not None and work.evaluator.ends_itself else limit
        # Not fork: the parent may have threads, and an open database that no child should hold.
        self._context = get_context("spawn")
        self._workers: list[_Worker] = []
        self._bad_starts = 0
        try:
            self._workers.extend(_Worker(self._context, work) for _ in range(self.width))
        except BaseException:
            self.close()
            raise

    def room(self, depth: int) -> int:
        """Over all workers."""
        return sum(max(0, depth - len(worker.tasks)) for worker in self._workers)

    def submit(self, calls: tuple[Call, ...], rows: Mapping[int, Row]) -> None:
        """To a worker with least to do; the rows that it has seen before stay at home."""
        worker = min(self._workers, key=lambda worker: len(worker.tasks))
        new = {design: row for design, row in rows.items() if design not in worker.known}
        worker.tasks.append(calls)
        worker.known.update(new)
        with suppress(OSError):  # a worker that has gone is noticed by `collect`
            worker.pipe.send((calls, new))

    def collect(self, timeout: float) -> list[Done]:
        """Results, and what went down with workers that ended or were ended for being late."""
        from multiprocessing.connection import wait as ready

        end = time.monotonic() + timeout
        while True:
            found: list[Done] = []
            for worker in list(self._workers):
                found += self._from(worker)
                if worker in self._workers and worker.late(self._limit):
                    found += self._end_late(worker)
            left = end - time.monotonic()
            if found or left <= 0:
                return found
            ready([worker.pipe for worker in self._workers], timeout=min([left, *self._deadlines()]))

    def _deadlines(self) -> list[float]:
        """Seconds until somebody could be late, at the earliest."""
        if self._limit is None:
            return []
        now = time.monotonic()
        started = [worker.board[0] or now for worker in self._workers]
        return [max(0.001, start + self._limit - now) for start in started]

    def _from(self, worker: _Worker) -> list[Done]:
        found = []
        for kind, content in worker.messages():
            if kind == "ready":
                worker.ready, self._bad_starts = True, 0
            elif kind == "done":
                found.append(Done(worker.tasks.popleft(), content))
            elif kind == "unusable":  # no other worker would do better, so none takes its place
                found += [Done((), error=InputError(content)), *(Done(calls) for calls in worker.tasks)]
                self._retire(worker)
                break
            else:
                worker.process.join(_GOODBYE)
                worker.kill()
                found += self._replace(worker, _end_of(worker.process.exitcode))
        return found

    def _retire(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.kill()
        worker.pipe.close()

    def _end_late(self, worker: _Worker) -> list[Done]:
        worker.kill()
        found = []
        for kind, content in worker.messages():  # what it sent before it was killed
            if kind == "done":
                found.append(Done(worker.tasks.popleft(), content))
        limit = self._work.time_limit
        late = worker.late(self._limit) and bool(worker.tasks)  # now that nothing moves any more
        return found + self._replace(worker, f"no answer within {limit:g} seconds" if late else "")

    def _replace(self, worker: _Worker, reason: str) -> list[Done]:
        """Another worker in its place; what it had in hand comes back, with the one that it was busy with by name."""
        worker.pipe.close()
        position = self._workers.index(worker)
        if not worker.ready:
            self._bad_starts += 1
            if (worker.process.exitcode or 0) > 0 or self._bad_starts >= _STARTS:
                text = (
                    f"a worker could not start: {reason}; is the call that starts the run inside "
                    'if __name__ == "__main__":, as processes need it?'
                )
                self._workers.remove(worker)
                return [Done((), error=ConewiseError(text)), *(Done(calls) for calls in worker.tasks)]
        self._workers[position] = _Worker(self._context, self._work)
        tasks = list(worker.tasks)
        busy = worker.board[0] > 0 and bool(tasks) and bool(reason)
        suspect = tasks[0][int(worker.board[1])].id if busy else None
        # The first is what it was at, if anything; the others had not begun.
        return [
            Done(calls, lost=reason, suspect=suspect) if reason and place == 0 else Done(calls)
            for place, calls in enumerate(tasks)
        ]

    def close(self) -> None:
        """Ask them to end, so that commands end with them; then make sure."""
        for worker in self._workers:
            worker.process.terminate()
        end = time.monotonic() + _GOODBYE
        for worker in self._workers:
            worker.process.join(max(0.0, end - time.monotonic()))
            if worker.process.is_alive():
                worker.kill()
            worker.pipe.close()
            worker.process.close()
        self._workers.clear()


def why_it_stays(evaluator: Evaluator) -> str:
    """Why an evaluator cannot be handed to another process; empty where it can."""
    try:
        packed = pickle.dumps(evaluator)
    except Exception as error:  # whatever pickling raises, by version and by what is pickled
        return f"the function cannot be handed to a process ({in_one_line(str(error), 120)})"
    main = sys.modules.get("__main__")
    from_a_file = getattr(main, "__spec__", None) or os.path.isfile(getattr(main, "__file__", None) or "")
    if b"__main__" in packed and not from_a_file:  # a worker would look for it in vain
        return "a function that was typed into a notebook or at a prompt cannot be handed to a process"
    return ""


def _serve(pipe: Any, board: Any, work: Work) -> None:
    """A worker: tasks in, outcomes out, until the pipe closes or the run is gone."""

    def end(*_: object) -> None:
        raise EndedFromOutside

    # Ctrl-C in a terminal reaches every process of the group; what happens then is for the run to decide.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    rows: dict[int, Row] = {}
    with suppress(EndedFromOutside, EOFError, OSError):
        try:
            signal.signal(signal.SIGTERM, end)
            with suppress(OSError):
                os.dup2(2, 1)  # what a function prints is not the output of the run
            threading.Thread(target=_follow_parent, daemon=True).start()
            work.evaluator.prepare()
            pipe.send(("ready", None))
            while True:
                calls, new = pipe.recv()
                rows.update(new)
                outcomes = perform(work, calls, rows, board)
                board[0] = 0.0
                pipe.send(("done", outcomes))
        except InputError as error:
            pipe.send(("unusable", str(error)))
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: nothing is raised on the way out


def _follow_parent() -> None:
    """When the run is killed, its workers and their commands end too."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait as ready

    parent = parent_process()
    if parent is not None:
        ready([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_GOODBYE)
        os._exit(1)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """A process that is started now inherits that SIGINT waits."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_of(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"the worker process was killed by {signal.Signals(-code).name}"
    return f"the worker process ended with exit code {code}"

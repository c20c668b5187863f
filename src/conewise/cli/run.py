"""`conewise study run`: evaluate with a function or a command until the study is finished, and show how it goes."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from conewise.analysis.explanations import ended
from conewise.cli.options import dask_executor
from conewise.cli.show import print_json
from conewise.cli.standing import as_data, as_rows, in_a_row, in_one_line, remaining, worth_words
from conewise.cli.trial import read_trial
from conewise.errors import InputError, counted
from conewise.problems.evaluators import Command, Evaluator, PythonFunction
from conewise.question.objectives import as_objectives
from conewise.rules import Status
from conewise.studies.running.runner import RunEvent, run_study
from conewise.studies.study import Study

FIRST_LINE: Final = 2.0  # seconds until the first plain line in a log, and between the others
_BETWEEN_LINES: Final = 10.0
_BETWEEN_FRAMES: Final = 0.5
_OF_THE_TIME: Final = 20  # at most one twentieth of the time goes into looking where the study stands
_WINDOW: Final = 30.0  # seconds over which the rate is taken
INTERRUPTED: Final = 130
UNFINISHED: Final = 3


@click.command(short_help="Evaluate with a function or a command until the study is finished.")
@click.argument("place", metavar="STUDY")
@click.option("--name", help="Which study, where a file or database holds several.")
@click.option("--toml", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="A trial.toml with [run].")
@click.option("--function", help="module:function, called with a design (a dict) and a seed; returns the values.")
@click.option("--command", help='Such as "./simulate --x {x} --seed {seed}"; prints numbers or JSON.')
@click.option("--jobs", type=click.IntRange(0, 4096), help="Processes; all cores by default, 0 for this process.")
@click.option("--retries", type=click.IntRange(0), help="Further attempts at an evaluation that failed; 2 by default.")
@click.option("--time-limit", type=click.FloatRange(0, min_open=True), help="Seconds for one evaluation.")
@click.option("--dask", metavar="ADDRESS", help="Evaluate on the workers of this Dask scheduler.")
@click.option("--max-seconds", type=click.FloatRange(0), help="Hand out nothing more after this time; exit code 3.")
@click.option("--max-evaluations", type=click.IntRange(1), help="Make at most so many in this run; exit code 3.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def run(
    context: click.Context,
    place: str,
    name: str | None,
    toml: Path | None,
    function: str | None,
    command: str | None,
    jobs: int | None,
    retries: int | None,
    time_limit: float | None,
    dask: str | None,
    max_seconds: float | None,
    max_evaluations: int | None,
    as_json: bool,
) -> None:
    """Evaluate what the study asks for, in several processes or on a cluster, until it is finished.

    Every value is on disk before it counts. Ctrl-C, a crash or a power cut lose nothing: run it again and it continues.
    What evaluates is named here or in your own TOML file, never in the study.

    Exit code 0: the study is finished. 3: stopped before it was, by --max-seconds or --max-evaluations. 130:
    interrupted. 2: an error.

    Example: conewise study run trial.db --function simulator:evaluate --jobs 4
    """
    with Study.open(place, name=name) as opened:
        evaluator, settings = _settings(opened, toml, function, command)
        given = {"jobs": jobs, "retries": retries, "time_limit": time_limit, "max_evaluations": max_evaluations}
        settings |= {key: value for key, value in given.items() if value is not None}
        begun = time.monotonic()
        stop = None if max_seconds is None else lambda: time.monotonic() - begun > max_seconds
        try:
            with _executor(dask, jobs) as executor, _watching(opened, quiet=as_json) as watch:
                report = run_study(opened, evaluator, executor=executor, on_event=watch, stop=stop, **settings)
        except KeyboardInterrupt:
            told = opened.status().evaluations
            where = f"conewise study run {opened.place}"
            click.echo(
                f"Interrupted: all {told} evaluations are stored and what was under way is handed back; "
                f"continue with the same command ({where} ...).",
                err=True,
            )
            context.exit(INTERRUPTED)
        status = opened.status()
        if as_json:
            run_data = {"told": report.told, "failures": report.failures, "seconds": report.seconds}
            print_json({**as_data(opened, status), "run": {**run_data, "stopped_because": report.stopped_because}})
            context.exit(0 if status.finished else UNFINISHED)
        pace = f"{counted(report.told)} in {report.seconds:.1f} s"
        failures = f", {counted(report.failures, 'failed attempt')}" if report.failures else ""
        if status.finished:
            names = in_a_row(status.result.names(opened.names))
            open_ = (status.result.status == Status.UNDECIDED.value).any()
            how = f"The study {ended(status.result)}," if open_ else "Finished"
            click.echo(f"{how} after {pace}{failures}: {names or 'no design'}; {worth_words(status.result)}.")
        else:
            rest = remaining(opened, status)
            click.echo(
                f"Not finished ({report.stopped_because}) after {pace}{failures}; still to do: {rest}; "
                "run again to continue."
            )
            context.exit(UNFINISHED)


def _settings(
    opened: Study, toml: Path | None, function: str | None, command: str | None
) -> tuple[Evaluator, dict[str, Any]]:
    if sum(given is not None for given in (toml, function, command)) != 1:
        raise InputError("say what evaluates: exactly one of --function, --command and --toml.")
    settings: dict[str, Any] = {}
    folder = os.getcwd()
    if toml is not None:
        trial = read_trial(toml)
        named = as_objectives(trial.study["objectives"]).names
        if opened.objectives != named:
            theirs, ours = ", ".join(named), ", ".join(opened.objectives)
            raise InputError(f"{toml.name} has the objectives {theirs}, but the study has {ours}.")
        settings = dict(trial.run)
        function, command = settings.pop("function", None), settings.pop("command", None)
        if (function is None) == (command is None):
            raise InputError(f"{toml.name}, [run]: say exactly one of function and command.")
        folder = str(toml.resolve().parent)
    evaluator: Evaluator
    evaluator = PythonFunction(function, folder) if function is not None else Command(command or "", folder)
    return evaluator, settings


@contextmanager
def _executor(address: str | None, jobs: int | None) -> Iterator[Any]:
    """The workers of a Dask scheduler, or None for processes of our own."""
    if address is None:
        yield None
        return
    if jobs is not None:
        raise InputError("--jobs are processes here, and --dask is elsewhere; leave one of them out.")
    with dask_executor(address) as executor:
        yield executor


@contextmanager
def _watching(opened: Study, quiet: bool) -> Iterator[Callable[[RunEvent], None]]:
    """A live table on a terminal, lines now and then elsewhere, failures always."""
    live = not quiet and sys.stderr is not None and sys.stderr.isatty()  # None where somebody has closed it
    watch = _Watch(opened, live)
    if not live:
        yield (lambda event: watch.failures(event, _say)) if quiet else (lambda event: watch.lines(event, _say))
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as screen:
        yield lambda event: watch.frames(
            event,
            lambda drawn: screen.update(drawn, refresh=True),
            lambda text: screen.console.print(Text(text)),
        )


def _say(text: str) -> None:
    click.echo(text, err=True)


class _Watch:
    """What a run shows of itself."""

    def __init__(self, opened: Study, live: bool) -> None:
        self.study = opened
        self.begun = time.monotonic()
        self.next = self.begun + (0 if live else FIRST_LINE)
        self.told: deque[tuple[float, int]] = deque([(self.begun, 0)])
        self.total = 0
        self.line = ""
        self.last = RunEvent("tick")

    def lines(self, event: RunEvent, say: Callable[[str], None]) -> None:
        self.failures(event, say)
        if self._due(event, _BETWEEN_LINES):
            line = in_one_line(self.study, self.study.status())
            if line != self.line:
                say(f"{line}; {self._rate():.3g} a second")
            self.line = line

    def frames(self, event: RunEvent, draw: Callable[[Any], None], say: Callable[[str], None]) -> None:
        self.failures(event, say)
        if self._due(event, _BETWEEN_FRAMES):
            begun = time.monotonic()
            draw(self._drawn())
            self.next += _OF_THE_TIME * (time.monotonic() - begun)

    def failures(self, event: RunEvent, say: Callable[[str], None]) -> None:
        if event.kind == "told":
            self.total += event.count
            self.told.append((time.monotonic(), self.total))
        if event.kind in ("failed", "lost", "late") or (event.kind == "waiting" and self.last.kind != "waiting"):
            say(f"{event.kind}: {event.text}")
        if event.kind != "tick":
            self.last = event

    def _due(self, event: RunEvent, every: float) -> bool:
        now = time.monotonic()
        if event.kind != "tick" or now < self.next:
            return False
        self.next = now + every
        return True

    def _rate(self) -> float:
        now = time.monotonic()
        while len(self.told) > 2 and now - self.told[0][0] > _WINDOW:
            self.told.popleft()
        return (self.total - self.told[0][1]) / max(now - self.told[0][0], 1e-9)

    def _drawn(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        status, rate = self.study.status(), self._rate()
        drawn = Table.grid(padding=(0, 2))
        left = "" if not status.remaining or rate <= 0 else f", about {_duration(status.remaining / rate)} to go"
        run = ("this run", f"{counted(self.total)}, {rate:.3g} a second{left}")
        for place, row in enumerate([*as_rows(self.study, status), run]):
            drawn.add_row(*(Text(cell, style="" if place else "bold") for cell in row))
        return drawn


def _duration(seconds: float) -> str:
    for size, word in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {word}"
    return f"{seconds:.0f} seconds"

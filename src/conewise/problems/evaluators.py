"""Evaluations of one's own: a Python function or a command, described so that another process can run it.

An evaluator is a value: the text that names the function or the command, and the folder from which it is meant. What
it evaluates is one design (its row, a mapping of columns) with one seed; what it returns is one number an objective,
finite, in the user's own sign. Everything else is `EvaluationFailed` with a reason that fits in one line.
"""

from __future__ import annotations

import math
import os
import re
import shlex
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from conewise.errors import ConewiseError, InputError

Row = Mapping[str, Any]
"""A design: its columns, and its name under "name"."""

_DOTTED: Final = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_TARGET: Final = re.compile(rf"(?P<module>{_DOTTED}):(?P<function>{_DOTTED})")
_PLACE: Final = re.compile(r"\{\{|\}\}|\{(?P<column>[^{}]*)\}")
_GIVEN: Final = ("seed", "name")  # what a command may ask for beside the columns of a design
_LONGEST_REASON: Final = 300  # characters: a reason is one line of a journal
_AFTER_KILL: Final = 2.0  # seconds for the pipes of a killed command to close


class EvaluationFailed(ConewiseError):  # noqa: N818 - it is no mistake of anyone, and is read as a sentence
    """One evaluation gave no values; the reason is one line and another attempt may succeed."""


class Evaluator(Protocol):
    """Anything that turns a design and a seed into one number an objective, in whatever process it finds itself."""

    @property
    def ends_itself(self) -> bool:
        """Whether `time_limit` is kept by the evaluator; otherwise only the end of its process stops it."""
        ...

    def check(self, columns: Collection[str]) -> None:
        """Refuse designs that lack a column; called once, before the first evaluation."""
        ...

    def prepare(self) -> None:
        """Import what is needed, in the process that evaluates; InputError says what is missing."""
        ...

    def evaluate(self, row: Row, seed: int, objectives: Sequence[str], time_limit: float | None = None) -> list[float]:
        """The values in the order of the objectives; EvaluationFailed, or InputError where no attempt can succeed."""
        ...


class _InProcess:
    """What functions have in common."""

    @property
    def ends_itself(self) -> bool:
        """A function that hangs is ended with its process only."""
        return False

    def check(self, columns: Collection[str]) -> None:
        """Nothing is known of the columns that a function reads."""


@dataclass(frozen=True)
class PythonFunction(_InProcess):
    """`module:function`, imported where it runs; called with the design (a dict) and a seed, it returns D numbers.

    >>> PythonFunction("math:dist").target
    'math:dist'
    """

    target: str
    folder: str | None = None
    """A folder to import from as well, where there is such a folder; the module need not be installed."""

    def __post_init__(self) -> None:
        if not _TARGET.fullmatch(self.target):
            raise InputError(f"a function is written module:function, such as simulator:evaluate, got {self.target!r}.")

    def prepare(self) -> None:
        """Import the module, so that no evaluation has to wait for it."""
        self.load()

    def load(self) -> Callable[[dict[str, Any], int], Any]:
        """The function itself; InputError says what is missing."""
        from importlib import import_module

        module, function = self.target.split(":")
        if self.folder and self.folder not in sys.path and os.path.isdir(self.folder):
            sys.path.insert(0, self.folder)
        try:
            found: Any = import_module(module)
            for name in function.split("."):
                found = getattr(found, name)
        except (Exception, SystemExit) as error:
            raise InputError(f"the function {self.target} cannot be imported: {_words(error)}.") from None
        if not callable(found):
            raise InputError(f"{self.target} is {type(found).__name__}, where a function was expected.")
        return found  # type: ignore[no-any-return]

    def evaluate(self, row: Row, seed: int, objectives: Sequence[str], time_limit: float | None = None) -> list[float]:
        """Whatever the function raises is a failed evaluation."""
        return _call(self.load(), row, seed, objectives)

    def __str__(self) -> str:
        return self.target


@dataclass(frozen=True)
class LocalFunction(_InProcess):
    """A function that is at hand, rather than named; processes get it by reference, so it lives in a module."""

    function: Callable[[dict[str, Any], int], Any]

    def prepare(self) -> None:
        """It is here already."""

    def evaluate(self, row: Row, seed: int, objectives: Sequence[str], time_limit: float | None = None) -> list[float]:
        """Whatever the function raises is a failed evaluation."""
        return _call(self.function, row, seed, objectives)

    def __str__(self) -> str:
        return getattr(self.function, "__qualname__", repr(self.function))


@dataclass(frozen=True)
class Command:
    """A command line with `{column}`, `{name}` and `{seed}` to fill in, which prints its values.

    It is split as a shell would split it, and then each value goes into the one argument where it stands: no shell ever
    reads a value. `{{` and `}}` are braces. What it prints is a JSON list, a JSON object with the objectives' names, or
    numbers separated by blanks or commas; where it prints more, the last line counts.

    >>> Command("./simulate --x {x} --seed {seed}").arguments({"x": 0.5, "name": "a"}, seed=7)
    ['./simulate', '--x', '0.5', '--seed', '7']
    """

    line: str
    folder: str | None = None
    """Where the command runs; relative paths in it start there."""

    def __post_init__(self) -> None:
        words = self._words()
        if not words:
            raise InputError("a command was expected, got an empty line.")
        if any(match["column"] is not None for match in _PLACE.finditer(words[0])):
            raise InputError(f"the program {words[0]!r} must be named, not filled in from a design.")

    @property
    def ends_itself(self) -> bool:
        """A command that takes too long is killed, and everything that it started in its group."""
        return True

    def check(self, columns: Collection[str]) -> None:
        """Every `{column}` must be there."""
        for place in self._places():
            if place in _GIVEN or place in columns:
                continue
            known = ", ".join(dict.fromkeys([*columns, *_GIVEN]))
            raise InputError(f"the command asks for {{{place}}}, but the designs have {known}; write {{{{ for a brace.")
        if "seed" in columns:
            raise InputError("a column of the designs is called seed, and so is the seed; rename the column.")

    def prepare(self) -> None:
        """Whether there is such a program shows when it is started."""

    def arguments(self, row: Row, seed: int) -> list[str]:
        """The words of the command with every value in its place."""
        return [_filled(word, {**row, "seed": seed}) for word in self._words()]

    def evaluate(self, row: Row, seed: int, objectives: Sequence[str], time_limit: float | None = None) -> list[float]:
        """Run it once; an exit code other than 0, output that is not D numbers, or too long a time is a failure."""
        code, printed, complaint = _run(self.arguments(row, seed), self.folder, time_limit)
        last = _last_line(complaint)
        if code != 0:
            how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise EvaluationFailed(_short(f"the command {how}{f': {last}' if last else ' and said nothing'}"))
        try:
            return read_values(printed, objectives)
        except EvaluationFailed as error:
            raise EvaluationFailed(_short(f"{error}{f' (last line of stderr: {last})' if last else ''}")) from None

    def _words(self) -> list[str]:
        try:
            return shlex.split(self.line)
        except ValueError as error:
            raise InputError(f"the command {self.line!r} cannot be split into words: {error}.") from None

    def _places(self) -> Iterator[str]:
        for word in self._words():
            yield from (match["column"] for match in _PLACE.finditer(word) if match["column"] is not None)

    def __str__(self) -> str:
        return self.line


def as_evaluator(given: Any, folder: str | None = None) -> Evaluator:
    """From text (`module:function`, else a command), from a function, or an evaluator as it is.

    >>> as_evaluator("simulator:evaluate")
    PythonFunction(target='simulator:evaluate', folder=None)
    """
    if isinstance(given, str):
        return PythonFunction(given, folder) if _TARGET.fullmatch(given.strip()) else Command(given, folder)
    if callable(getattr(given, "evaluate", None)) and callable(getattr(given, "check", None)):
        evaluator: Evaluator = given
        return evaluator
    if callable(given):
        return LocalFunction(given)
    raise InputError(
        f"an evaluator is a function, module:function, a command or a value with evaluate, got {type(given).__name__}."
    )


def as_values(returned: Any, objectives: Sequence[str]) -> list[float]:
    """D finite numbers from what a function returned: a sequence, an array, a mapping by objective, or one number.

    >>> as_values({"speed": 2, "cost": 1}, ["cost", "speed"])
    [1.0, 2.0]
    """
    if isinstance(returned, Mapping):
        missing = next((name for name in objectives if name not in returned), None)
        if missing is not None:
            found = ", ".join(map(str, returned)) or "nothing"
            raise EvaluationFailed(_short(f"no value for the objective {missing!r} among {found}"))
        entries = [returned[name] for name in objectives]
    elif isinstance(returned, str | bytes) or returned is None:
        raise EvaluationFailed(_short(f"{len(objectives)} numbers were expected, got {returned!r}"))
    else:
        try:
            entries = list(returned)
        except TypeError:
            entries = [returned]
    if len(entries) != len(objectives):
        raise EvaluationFailed(
            f"{len(entries)} value{'' if len(entries) == 1 else 's'} for {len(objectives)} "
            f"objective{'' if len(objectives) == 1 else 's'} ({', '.join(objectives)})"
        )
    return [_number(entry, name) for entry, name in zip(entries, objectives, strict=True)]


def read_values(printed: str, objectives: Sequence[str]) -> list[float]:
    """D finite numbers from printed text: the whole of it, or its last line."""
    text = printed.strip()
    if not text:
        raise EvaluationFailed("the command printed nothing")
    try:
        return as_values(_parsed(text), objectives)
    except EvaluationFailed:
        if "\n" not in text:
            raise
    return as_values(_parsed(_last_line(text)), objectives)


def _call(function: Callable[..., Any], row: Row, seed: int, objectives: Sequence[str]) -> list[float]:
    try:
        returned = function(dict(row), seed)
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)[1:]
        where = f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""
        raise EvaluationFailed(_short(f"{_words(error)}{where}")) from None
    return as_values(returned, objectives)


def _number(entry: Any, name: str) -> float:
    """True and "1" are not measurements."""
    number = math.nan
    if not isinstance(entry, bool | str | bytes) and (hasattr(entry, "__float__") or hasattr(entry, "__index__")):
        try:
            number = float(entry)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
    if not math.isfinite(number):
        raise EvaluationFailed(_short(f"a finite number was expected for the objective {name!r}, got {entry!r}"))
    return number


def _parsed(text: str) -> Any:
    import json

    if text[0] in "[{":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise EvaluationFailed(_short(f"what the command printed is not JSON: {text[:60]}")) from None
    try:
        return [float(word) for word in re.split(r"[\s,;]+", text.strip(",; \t\n"))]
    except ValueError:
        raise EvaluationFailed(_short(f"numbers or JSON were expected, the command printed {text[:60]!r}")) from None


def _filled(word: str, values: Mapping[str, Any]) -> str:
    def place(match: re.Match[str]) -> str:
        column = match["column"]
        if column is None:
            return match[0][0]
        value = values.get(column)
        if value is None:
            raise EvaluationFailed(f"the design has no value for {{{column}}}")
        text = str(value)
        if "\0" in text:
            raise EvaluationFailed(f"the value of {{{column}}} has a zero byte, which no command can be given")
        if match.start() == 0 and text.startswith("-") and isinstance(value, str) and not _is_number(text):
            # A name such as --help would be read as an option of the program, and names may come from others.
            raise EvaluationFailed(f"the value {text!r} of {{{column}}} looks like an option; write --option={{...}}")
        return text

    return _PLACE.sub(place, word)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _run(arguments: list[str], folder: str | None, time_limit: float | None) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; the command has a session of its own, so that all of it can be ended."""
    try:
        process = subprocess.Popen(
            arguments,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        what = folder if folder is not None and not os.path.isdir(folder) else arguments[0]
        raise InputError(f"the command cannot be started: {error.strerror or error}: {what}.") from None
    with _not_left_behind(process):
        try:
            printed, complaint = process.communicate(timeout=time_limit)
        except subprocess.TimeoutExpired:
            raise EvaluationFailed(f"no answer within {time_limit:g} seconds") from None
        return process.returncode, printed, complaint


@contextmanager
def _not_left_behind(process: subprocess.Popen[str]) -> Iterator[None]:
    """When the block is left by an exception, the command and all that it started are ended first."""
    try:
        yield
    except BaseException:
        with suppress(ProcessLookupError, PermissionError):  # gone already, or only its remains are there
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        # what it started in another session may still hold the pipes: not ours to wait for
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_AFTER_KILL)
        raise
    finally:
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _words(error: BaseException) -> str:
    said = str(error)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""


def _short(text: str) -> str:
    """One line of printable characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _LONGEST_REASON else f"{line[: _LONGEST_REASON - 3]}..."

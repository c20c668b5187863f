"""Describe a user's evaluation, a Python function or a command, so that another process can run it.

An evaluator is a value: the text that names the function or the command, and the folder to run it in. It evaluates one
design (a mapping of columns) with one seed. It returns one finite number for each objective, in the user's own sign.
Any other outcome is `EvaluationFailed` with a reason in one line.
"""

from __future__ import annotations

import inspect
import os
import re
import shlex
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from conewise.errors import InputError
from conewise.problems.commands import run_command
from conewise.problems.returned import EvaluationFailed, as_values, in_one_line, last_line, read_values

__all__ = [
    "Command",
    "EvaluationFailed",
    "Evaluator",
    "LocalFunction",
    "PythonFunction",
    "Row",
    "as_evaluator",
    "as_values",
    "in_one_line",
    "read_values",
]

Row = Mapping[str, Any]
"""A design: its columns, and its name under "name"."""

_DOTTED: Final = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_TARGET: Final = re.compile(rf"(?P<module>{_DOTTED}):(?P<function>{_DOTTED})")
_PLACE: Final = re.compile(r"\{\{|\}\}|\{(?P<column>[^{}]*)\}")
_GIVEN: Final = ("seed", "name")  # placeholders that a command may use beside the columns of a design
_NEGATIVE: Final = re.compile(r"-(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?(?![^\W_]|[-.])", re.ASCII)


class Evaluator(Protocol):
    """Contract of values that turn a design and a seed into one number for each objective, in any process."""

    @property
    def ends_itself(self) -> bool:
        """True if the evaluator keeps `time_limit`; otherwise only ending its process stops it."""
        ...

    def check(self, columns: Collection[str]) -> None:
        """Refuse designs that lack a column; called once, before the first evaluation."""
        ...

    def prepare(self) -> None:
        """Import what is needed, in the process that evaluates; raise InputError if something is missing."""
        ...

    def evaluate(self, row: Row, seed: int, objectives: Sequence[str], time_limit: float | None = None) -> list[float]:
        """Return the values in the order of the objectives.

        Raise EvaluationFailed, or InputError if no further attempt can succeed.
        """
        ...


class _InProcess:
    """Behaviour that all evaluators of Python functions share."""

    @property
    def ends_itself(self) -> bool:
        """False: a function that hangs ends only with its process."""
        return False

    def check(self, columns: Collection[str]) -> None:
        """Accept all designs, since the columns that a function reads are unknown."""


@dataclass(frozen=True)
class PythonFunction(_InProcess):
    """A function `module:function`, imported where it runs and called with a design (a dict) and a seed.

    >>> PythonFunction("math:dist").target
    'math:dist'
    """

    target: str
    folder: str | None = None
    """A folder that is added to the import path if it exists; the module need not be installed."""

    def __post_init__(self) -> None:
        if not _TARGET.fullmatch(self.target):
            raise InputError(f"a function is written module:function, such as simulator:evaluate, got {self.target!r}.")

    def prepare(self) -> None:
        """Import the module before the first evaluation, and check the arguments of the function."""
        _check_arguments(self.load(), self.target)

    def load(self) -> Callable[[dict[str, Any], int], Any]:
        """Return the function; raise InputError if it cannot be imported."""
        from importlib import import_module

        module, function = self.target.split(":")
        if self.folder and self.folder not in sys.path and os.path.isdir(self.folder):
            sys.path.insert(0, self.folder)
        try:
            found: Any = import_module(module)
            for name in function.split("."):
                found = getattr(found, name)
        except (Exception, SystemExit) as error:
            said = in_one_line(in_words(error))
            raise InputError(f"the function {self.target} cannot be imported: {said.rstrip('.')}.") from None
        if not callable(found):
            raise InputError(f"{self.target} is {type(found).__name__}, where a function was expected.")
        return found  # type: ignore[no-any-return]

    def evaluate(self, row: Row, seed: int, objectives: Sequence[str], time_limit: float | None = None) -> list[float]:
        """Call the function; any exception that it raises is a failed evaluation."""
        return _call(self.load(), row, seed, objectives)

    def __str__(self) -> str:
        return self.target


@dataclass(frozen=True)
class LocalFunction(_InProcess):
    """A function object. Other processes receive it by reference, so it must be defined in a module."""

    function: Callable[[dict[str, Any], int], Any]

    def check(self, columns: Collection[str]) -> None:
        """Refuse a function that cannot be called with a design and a seed."""
        _check_arguments(self.function, str(self))

    def prepare(self) -> None:
        """Do nothing: the function is loaded already."""

    def evaluate(self, row: Row, seed: int, objectives: Sequence[str], time_limit: float | None = None) -> list[float]:
        """Call the function; any exception that it raises is a failed evaluation."""
        return _call(self.function, row, seed, objectives)

    def __str__(self) -> str:
        return getattr(self.function, "__qualname__", repr(self.function))


@dataclass(frozen=True)
class Command:
    """A command line with `{column}`, `{name}` and `{seed}` to fill in, which prints its values.

    The line is split as a shell would split it. Each value is then inserted into the argument with its placeholder, so
    no shell ever reads a value. `{{` and `}}` are braces. The output is a JSON list, a JSON object with the objectives'
    names, or numbers separated by blanks or commas. If the command prints more, the last line counts.

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
        """True: a command that takes too long is killed with every process that it started in its group."""
        return True

    def check(self, columns: Collection[str]) -> None:
        """Refuse designs that lack a column of a placeholder."""
        for place in self._places():
            if place in _GIVEN or place in columns:
                continue
            known = ", ".join(dict.fromkeys([*columns, *_GIVEN]))
            raise InputError(f"the command asks for {{{place}}}, but the designs have {known}; write {{{{ for a brace.")
        if "seed" in columns:
            raise InputError("a column of the designs is called seed, and so is the seed; rename the column.")

    def prepare(self) -> None:
        """Do nothing: a missing program shows when it is started."""

    def arguments(self, row: Row, seed: int) -> list[str]:
        """Return the words of the command with all values filled in."""
        return [_filled(word, {**row, "seed": seed}) for word in self._words()]

    def evaluate(self, row: Row, seed: int, objectives: Sequence[str], time_limit: float | None = None) -> list[float]:
        """Run the command once and return its values.

        An exit code other than 0, output that is not D numbers, or exceeding the time limit is a failed evaluation.
        """
        code, printed, complaint = run_command(self.arguments(row, seed), self.folder, time_limit)
        last = last_line(complaint)
        if code != 0:
            how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise EvaluationFailed(in_one_line(f"the command {how}{f': {last}' if last else ' and said nothing'}"))
        try:
            return read_values(printed, objectives)
        except EvaluationFailed as error:
            raise EvaluationFailed(in_one_line(f"{error}{f' (last line of stderr: {last})' if last else ''}")) from None

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
    """Return an evaluator from text (`module:function`, else a command), from a function or from an evaluator.

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


def _call(function: Callable[..., Any], row: Row, seed: int, objectives: Sequence[str]) -> list[float]:
    try:
        returned = function(dict(row), seed)
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)[1:]
        if isinstance(error, TypeError) and not frames:  # raised by the call itself: the arguments do not fit
            raise _wrong_arguments(getattr(function, "__qualname__", "the function"), str(error)) from None
        where = f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""
        raise EvaluationFailed(in_one_line(f"{in_words(error)}{where}")) from error
    return as_values(returned, objectives)


def _check_arguments(function: Callable[..., Any], name: str) -> None:
    """Refuse a function that cannot be called with a design and a seed, before the first call."""
    try:
        takes = inspect.signature(function)
    except (TypeError, ValueError):
        return  # some functions written in C have no signature
    try:
        takes.bind({}, 0)
    except TypeError as error:
        raise _wrong_arguments(f"{name}{takes}", str(error)) from None


def _wrong_arguments(what: str, why: str) -> InputError:
    said = in_one_line(what, 120)
    return InputError(
        f"an evaluator is called with a design (a dict) and a seed, as in evaluate(design, seed), which {said} "
        f"does not take: {in_one_line(why)}."
    )


def _filled(word: str, values: Mapping[str, Any]) -> str:
    """Return a word of a command with its values filled in; refuse a value that would be read as an option."""

    def place(match: re.Match[str]) -> str:
        column = match["column"]
        if column is None:
            return match[0][0]
        value = values.get(column)
        if value is None:
            raise InputError(f"the command needs {{{column}}}, for which design {values.get('name')!r} has no value.")
        text = str(value)
        if "\0" in text:
            raise InputError(f"the value of {{{column}}} has a zero byte, which no command can be given.")
        return text

    filled = _PLACE.sub(place, word)
    number = not word.startswith("{name}") and _NEGATIVE.match(filled)
    if filled.startswith("-") and not word.startswith("-") and not number:
        # A name such as --help or -inf would be read as an option of the program, and names may come from others.
        raise InputError(
            f"{filled!r:.60}, filled in for {word}, would be read as an option of the command; write it as part of an "
            f"argument, such as --value={word}."
        )
    return filled


def in_words(error: BaseException) -> str:
    """Return the class and the message of an error."""
    try:
        said = str(error)
    except Exception:  # str(error) itself may fail
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__

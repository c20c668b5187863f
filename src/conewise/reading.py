"""Reading a file, standard input or a member of an archive whole: never without end, and not in silence for long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from threading import Timer
from typing import BinaryIO, Final

from conewise import limits
from conewise.errors import InputError

_PIECE: Final = 2**16  # bytes read at a time


@contextmanager
def patience(work: str, done: Callable[[], int], unit: str) -> Iterator[None]:
    """Say once on stderr that this work goes on, and how much is done, if it takes longer than some seconds."""
    words = "conewise: still {}, {:,} {} so far."
    shown = sys.stderr or StringIO()  # None where somebody has closed it
    timer = Timer(limits.PATIENCE, lambda: print(words.format(work, done(), unit), file=shown, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def pieces(source: BinaryIO, what: str, most: int, remedy: str) -> Iterator[bytes]:
    """Yield all bytes of a file or a pipe, which may have no end; refuse more than `most` of them."""
    done = 0
    with patience(f"reading {what}", lambda: done, "bytes"):
        while piece := source.read(_PIECE):
            done += len(piece)
            if done > most:
                raise InputError(f"{what} is too large to read whole (the limit is {most >> 20:,} MiB); {remedy}.")
            yield piece


def text_of(path: Path, remedy: str = "name a smaller file") -> str:
    """Return a text in UTF-8, without the mark that some editors put before its first letter."""
    with as_text(path.name), path.open("rb") as file:
        if path.is_file() and path.stat().st_size <= _PIECE:  # no thread for each of many small files
            return file.read(_PIECE).decode("utf-8-sig")
        return b"".join(pieces(file, path.name, limits.LARGEST_JSON, remedy)).decode("utf-8-sig")


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that are not empty, with their numbers from 1; a line has a largest length."""
    with as_text(path.name), path.open(encoding="utf-8-sig") as file:
        number = 0
        while line := file.readline(limits.LARGEST_JSON):
            number += 1
            if len(line) == limits.LARGEST_JSON:
                raise InputError(
                    f"{path.name}, line {number} is longer than {limits.LARGEST_JSON} characters; one record a line "
                    "was expected."
                )
            if line.strip():
                yield number, line


@contextmanager
def as_text(what: str) -> Iterator[None]:
    """Name the file or pipe that is not text."""
    try:
        yield
    except UnicodeDecodeError as error:
        word = f"{error.object[error.start : error.end]!r}"[1:]
        raise InputError(f"{what} is not text in UTF-8 (it holds {word}); save it as UTF-8.") from None

"""Runs as lines of a file: each is written when it is made, with the commit of the library, and none is made twice."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks import commits

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Line = TypeVar("Line", bound=DataclassInstance)

CODE = "code"
"""The key of the commit; lines without it were made before it was kept, or by another library."""


def read(path: Path, kind: type[Line]) -> list[Line]:
    """What is there; nothing where there is no file."""
    return [line for line, _ in coded(path, kind)]


def coded(path: Path, kind: type[Line]) -> list[tuple[Line, str]]:
    """The same, each with its commit; empty where it is not on record."""
    return [
        (kind(**{key: value for key, value in line.items() if key != CODE}), line.get(CODE, ""))
        for line in _lines(path)
    ]


def made_with(*paths: Path) -> str:
    """A sentence: the commit of the library with which the runs in some files were made, or the commits."""
    return commits.said(line.get(CODE, "") for path in paths for line in _lines(path))


def fill(path: Path, makers: Iterable[Callable[[], DataclassInstance]], minutes: float) -> None:
    """Make one run after the other, until so many minutes of CPU time are over."""
    start = time.process_time()
    for make in makers:
        if time.process_time() - start > 60 * minutes:
            return
        line = json.dumps({**asdict(make()), CODE: commits.commit()})
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []

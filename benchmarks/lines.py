"""Runs as lines of a file: each is written when it is made, and none is made twice."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Line = TypeVar("Line", bound=DataclassInstance)


def read(path: Path, kind: type[Line]) -> list[Line]:
    """What is there; nothing where there is no file."""
    if not path.exists():
        return []
    return [kind(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def fill(path: Path, makers: Iterable[Callable[[], DataclassInstance]], minutes: float) -> None:
    """Make one run after the other, until so many minutes of CPU time are over."""
    start = time.process_time()
    for make in makers:
        if time.process_time() - start > 60 * minutes:
            return
        line = json.dumps(asdict(make()))
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

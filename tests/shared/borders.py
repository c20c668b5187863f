"""How often a call crosses from one module of the library into another: what a reader has to follow."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import conewise

HOME = str(Path(conewise.__file__).parent)


def borders(call: Callable[[], Any]) -> Counter[tuple[str, str]]:
    """(caller's module, callee's module) of every Python call between two modules, a generator's next among them."""
    found: Counter[tuple[str, str]] = Counter()

    def watch(frame: FrameType, event: str, argument: object) -> None:
        caller = frame.f_back
        if event != "call" or caller is None:
            return
        files = caller.f_code.co_filename, frame.f_code.co_filename
        if files[0] != files[1] and all(file.startswith(HOME) for file in files):
            found[Path(files[0]).stem, Path(files[1]).stem] += 1

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(before)
    return found

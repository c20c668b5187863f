"""Which code a figure is of: the commit that changed the library last.

A measurement that may be continued on another day keeps it with every line (`benchmarks.lines`), so that a page can
say whether all of its runs are of one commit.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def commit(root: Path = ROOT) -> str:
    """The last commit that touched `src`, with a `+` where files have been changed since; empty outside a checkout."""
    changed = _git(root, "status", "--porcelain", "--", "src")
    found = _git(root, "log", "-1", "--format=%h", "--abbrev=7", "--", "src").strip()
    return f"{found}+" if found and changed else found


def said(codes: Iterable[str]) -> str:
    """A sentence about the code of some runs, in the order of how many there are of each."""
    counts = Counter(codes)
    unknown = counts.pop("", 0)
    named = ", ".join(name for name, _ in counts.most_common())
    if not named:
        return "Of which commit the library was is not on record."
    rest = f" ({unknown} of {unknown + counts.total()} runs do not say)" if unknown else ""
    return f"Library of commit{'s' if len(counts) > 1 else ''} {named}{rest}."


def here() -> str:
    """The sentence about runs that were made just now."""
    return said([commit()])


def _git(root: Path, *arguments: str) -> str:
    try:
        ran = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return ran.stdout if ran.returncode == 0 else ""

"""Pages on which a measurement has a section between two marks, which it replaces; SAMPLES.md before all.

What stands between sections is written by hand, and stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

PAGE = Path(__file__).with_name("SAMPLES.md")


def placed(text: str, name: str, lines: Iterable[str]) -> str:
    """A page with a section in the place of the one of the same name, or at its end."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    head, _, rest = text.partition(begin)
    section = "\n".join([begin, *lines]).rstrip()
    tail = rest.partition(end)[2].lstrip()
    return f"{head.rstrip()}\n\n{section}\n{end}\n{f'{chr(10)}{tail}' if tail else ''}"


def write(name: str, lines: Iterable[str], page: Path = PAGE) -> None:
    """Put a section into the page."""
    page.write_text(placed(page.read_text(encoding="utf-8"), name, lines), encoding="utf-8")

"""The page of promises names tests and cells that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")


def held_by() -> list[tuple[str, str]]:
    """(file, test) of every reference; a reference that begins with :: is to the file before it."""
    found, file = [], ""
    for name in re.findall(r"`((?:[a-z0-9]+/[\w/]*(?:\.py)?)?(?:::\w+)?)`", PAGE):
        path, _, test = name.partition("::")
        file = path or file
        if file and file != "tests/":
            found.append((file, test))
    return sorted(set(found))


@pytest.mark.parametrize(("file", "test"), held_by(), ids=["::".join(each) for each in held_by()])
def test_what_holds_a_promise_exists(file, test):
    shipped = file.startswith("conewise/")  # the suites that those of others inherit
    path = ROOT / ("src" if shipped else "tests") / file
    assert path.exists()
    if test:
        assert re.search(rf"^{' {4}' if shipped else ''}def {test}\(", path.read_text(encoding="utf-8"), re.MULTILINE)


def test_cells_that_are_named_are_measured():
    measured = (ROOT / "docs" / "validation-promises.md").read_text(encoding="utf-8")
    cells = re.findall(r"cells? ((?:\*[^*]+\*(?: and )?)+)", PAGE)
    names = [name for cell in cells for name in re.findall(r"\*([^*]+)\*", cell)]
    assert len(names) >= 6
    for name in names:
        assert name.removesuffix(" …") in measured

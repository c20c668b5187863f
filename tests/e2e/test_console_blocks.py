"""What README and the pages of tables and features print in a terminal is what commands print, in examples/tables."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from shared.commandline import run

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "examples" / "tables"
PAGES = [ROOT / "README.md", ROOT / "docs" / "table.md", ROOT / "docs" / "features.md"]


def shown(page: Path) -> list[tuple[str, list[str]]]:
    """Commands of a page with the lines that are printed below them; those that print nothing there are left out."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *printed = part.rstrip().splitlines()
            if printed:
                found.append((command, printed))
    return found


SHOWN = [(page.name, *each) for page in PAGES for each in shown(page)]


def test_every_page_shows_what_commands_print():
    assert {name for name, _, _ in SHOWN} == {"README.md", "table.md", "features.md"}


@pytest.mark.parametrize(("page", "command", "printed"), SHOWN, ids=lambda value: value[:40] if value else "")
def test_it_prints_what_is_shown(capsys, monkeypatch, page, command, printed):
    monkeypatch.chdir(TABLES)
    program, *arguments = shlex.split(command)
    assert program == "conewise"
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    lines = [line.rstrip() for line in out.splitlines()]
    if printed[-1] == "...":  # and more, which is not shown
        printed = printed[:-1]
        lines = lines[: len(printed)]
    assert lines == [line.rstrip() for line in printed]


@pytest.mark.parametrize(
    ("table", "page"), [("cars.csv", "table.md"), ("runs.csv", "features.md"), ("settings.csv", "features.md")]
)
def test_the_table_that_a_page_prints_is_the_file(table, page):
    assert (TABLES / table).read_text(encoding="utf-8") in (ROOT / "docs" / page).read_text(encoding="utf-8")

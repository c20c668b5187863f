"""The page of commands in the documentation is the help of the commands, word for word."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from conewise.cli.main import commands

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def generator():
    return runpy.run_path(str(DOCS / "cli_help.py"))


@pytest.fixture(scope="module")
def page():
    return (DOCS / "cli.md").read_text(encoding="utf-8")


def test_the_committed_page_is_what_the_generator_makes(generator, page, monkeypatch):
    # The terminal on which the page is made must not show in it, so a narrow and colourful one is pretended.
    for name, value in (("COLUMNS", "60"), ("FORCE_COLOR", "1"), ("TERM", "xterm-256color")):
        monkeypatch.setenv(name, value)
    assert page == generator["page"](), "run `python docs/cli_help.py` and look at what changed"


@pytest.mark.parametrize("name", sorted(commands.commands))
def test_every_command_stands_there_with_all_its_options(name, page):
    section = page.split(f"\n## conewise {name}\n")[1].split("\n## ")[0]
    options = [word for param in commands.commands[name].params for word in param.opts if word.startswith("-")]
    assert [option for option in options if f"\n  {option}" not in section] == []
    assert f"Example: conewise {name} " in section
    assert "\n  --json " in section

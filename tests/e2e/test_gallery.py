"""The page of the gallery is what its scripts say and print, and every script draws."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from matplotlib import pyplot as plt

DOCS = Path(__file__).resolve().parents[2] / "docs"
NUMBER = re.compile(r"\d[\d.,]*")
ROUGHLY = 0.02  # the last digits of a model's answer are those of a machine's linear algebra
GALLERY = runpy.run_path(str(DOCS / "gallery_page.py"))


def numbers(text: str) -> list[float]:
    return [float(found.replace(",", "").rstrip(".")) for found in NUMBER.findall(text)]


def test_every_script_is_on_the_page():
    assert set(GALLERY["SCRIPTS"]) == set((DOCS / "gallery").glob("*.py"))


@pytest.mark.parametrize("script", GALLERY["SCRIPTS"], ids=lambda script: script.stem)
def test_the_page_is_what_the_script_says(script):
    printed, figure = GALLERY["ran"](script)
    assert figure.axes
    plt.close(figure)
    section, page = GALLERY["section"](script, printed), GALLERY["PAGE"].read_text(encoding="utf-8")
    there = page[page.index(section.strip().splitlines()[0]) :]
    assert NUMBER.sub("#", there).startswith(NUMBER.sub("#", section.strip())), "make gallery"
    wanted = numbers(section)
    assert numbers(there)[: len(wanted)] == pytest.approx(wanted, rel=ROUGHLY), "make gallery"
    assert (DOCS / "_static" / f"gallery_{script.stem}.png").stat().st_size > 10_000


@pytest.mark.parametrize("table", sorted((DOCS / "gallery" / "data").glob("*.csv")), ids=lambda path: path.name)
def test_every_table_says_where_it_comes_from(table):
    assert f"| `{table.name}` |" in (DOCS / "gallery" / "data" / "SOURCES.md").read_text(encoding="utf-8")

"""CITATION.cff has what its schema asks for, and speaks of this version and of the paper that the README names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import conewise as cw

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
REQUIRED = {"cff-version", "message", "title", "authors"}  # by the schema 1.2.0
KNOWN = REQUIRED | {"abstract", "date-released", "keywords", "license", "preferred-citation", "type", "version"}


def top_level() -> dict[str, str]:
    return dict(re.findall(r"^([a-z-]+):[ ]?(.*)$", TEXT, flags=re.MULTILINE))


def test_it_has_the_keys_of_its_schema():
    keys = [line.split(":")[0] for line in TEXT.splitlines() if line and not line.startswith((" ", "#"))]
    assert len(keys) == len(set(keys))
    assert set(keys) >= REQUIRED
    assert set(keys) <= KNOWN
    assert top_level()["cff-version"] == "1.2.0"
    assert top_level()["license"] == "MIT"


def test_it_speaks_of_this_version_and_of_its_day_in_the_changelog():
    assert top_level()["version"] == cw.__version__
    heading = f"## {cw.__version__} ({top_level()['date-released']})"
    assert heading in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()


def test_it_is_yaml_and_cites_the_paper_of_the_readme():
    yaml = pytest.importorskip("yaml")
    paper = yaml.safe_load(TEXT)["preferred-citation"]
    assert set(paper) >= {"type", "title", "authors", "year"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert paper["title"] in readme
    for author in paper["authors"]:
        assert f"{author['given-names']} {author['family-names']}" in readme
    assert str(paper["year"]) in readme

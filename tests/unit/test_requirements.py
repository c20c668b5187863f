"""Every dependency has a range, its lowest versions can be listed, and its licence stands on the page."""

from __future__ import annotations

import runpy
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = [text for wanted in PROJECT["project"]["optional-dependencies"].values() for text in wanted]
OURS = sorted({*PROJECT["project"]["dependencies"], *EXTRAS})
TESTS = PROJECT["dependency-groups"]["test"]

lowest = runpy.run_path(str(ROOT / ".ci" / "lowest.py"))["lowest"]
licences = runpy.run_path(str(ROOT / "docs" / "licences.py"))

MAY_BE_DEPENDED_ON = ("MIT", "BSD", "Apache", "PSF", "Python Software Foundation", "LGPL", "Zlib", "ISC", "MPL")
"""Licences under which a package may be used by a program of any licence."""


@pytest.mark.parametrize("text", OURS)
def test_a_dependency_has_a_floor_and_a_ceiling_and_what_runs_here_is_between(text):
    wanted = Requirement(text)
    signs = {part.operator for part in wanted.specifier}
    assert signs == {">=", "<"}
    assert Version(distribution(wanted.name).version) in wanted.specifier


@pytest.mark.parametrize("text", [*OURS, *TESTS])
def test_the_lowest_version_is_one_that_the_range_admits(text):
    wanted = Requirement(text)
    assert Version(lowest()[wanted.name]) in wanted.specifier


def test_one_range_for_a_package_wherever_it_stands():
    stated = {canonicalize_name(Requirement(text).name): Requirement(text).specifier for text in OURS}
    for text in TESTS:
        wanted = Requirement(text)
        ours = stated.get(canonicalize_name(wanted.name), wanted.specifier)
        assert {p for p in ours if p.operator == ">="} == {p for p in wanted.specifier if p.operator == ">="}


@pytest.mark.parametrize("text", OURS)
def test_the_page_states_the_licence_that_the_package_states(text):
    name = canonicalize_name(Requirement(text).name)
    if Version(distribution(name).version) == Version(lowest()[Requirement(text).name]):
        pytest.skip("the page is about the newest versions, which may word it in another way than the oldest")
    line = f"| {name} | {licences['licence'](distribution(name))} |"
    assert line in licences["PAGE"].read_text(encoding="utf-8"), "run python docs/licences.py"


def test_nothing_comes_along_whose_licence_would_bind_a_user():
    for name, (said, _) in licences["table"]().items():
        assert any(word in said for word in MAY_BE_DEPENDED_ON), f"{name}: {said}"
        assert "AGPL" not in said
        assert "GPL" not in said or "LGPL" in said


def test_python_versions_are_the_same_wherever_they_are_listed():
    classified = [line.split(" :: ")[-1] for line in PROJECT["project"]["classifiers"] if "Python :: 3." in line]
    text = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    assert "PYTHONS = [" + ", ".join(f'"{version}"' for version in classified) + "]" in text
    assert PROJECT["project"]["requires-python"] == f">={classified[0]}"

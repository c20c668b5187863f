"""What errors say: one line, harmless to a terminal, with a remedy that works, in the words of whoever reads it."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import conewise
from conewise.errors import ConeError, ConewiseError, InputError, closest, from_extra, printable

SOURCES = sorted(Path(conewise.__file__).parent.rglob("*.py"))
PROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize("kind", [ConewiseError, InputError, ConeError])
def test_an_error_is_one_line_that_cannot_steer_a_terminal(kind):
    said = str(kind("no column 'a\x1b[2Jb\nc\u202ed\u2028e\x00'; it has x."))
    assert said.isprintable()
    assert said == "no column 'a\ufffd[2Jb c\ufffdd e\ufffd'; it has x."


def test_what_is_printable_stays_as_it_is():
    assert printable("Größe, 大きさ (µm)") == "Größe, 大きさ (µm)"


def test_an_extra_is_installed_from_a_checkout():
    assert from_extra("tables") == "run pip install '.[tables]' in a checkout of conewise"


def test_nobody_is_sent_to_a_name_on_an_index():
    for path in SOURCES:
        assert not re.search(r"install conewise|conewise\[", path.read_text(encoding="utf-8")), path


def sentences(path: Path) -> list[str]:
    """Every text in a `raise` of a module, with {} for what is filled in."""
    raised = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Raise)]
    return [
        part.value
        for node in raised
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def test_the_library_names_arguments_and_no_options():
    for path in SOURCES:
        if "cli" in path.relative_to(Path(conewise.__file__).parent).parts:
            continue
        for sentence in sentences(path):
            plain = re.sub(r"`conewise [^`]*`", "", sentence)
            assert not re.search(r"(?<![\w-])--[a-z]+(?!=)\b", plain.replace("--value=", "")), f"{path}: {sentence}"


def test_dependencies_have_ceilings_that_admit_what_is_installed():
    from packaging.requirements import Requirement

    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(w for extra in project["optional-dependencies"].values() for w in extra)]
    assert any(Requirement(text).name == "h11" for text in project["optional-dependencies"]["explore"])
    for text in wanted:
        requirement = Requirement(text)
        assert any(part.operator == "<" for part in requirement.specifier), f"{text} has no ceiling"
        try:
            installed = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            continue
        assert requirement.specifier.contains(installed), f"{requirement.name} {installed} is not admitted"


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("steel a", ["steel A", "steel B"], "steel A"),
        ("steel a", ["steel B", "steel A"], "steel A"),
        ("STEEL_a", ["steel A", "steel B"], "steel A"),
        ("steel d", ["steel A", "steel B"], None),
        ("stel A", ["steel A", "copper"], "steel A"),
        ("epsilonn", ["epsilon", "delta"], "epsilon"),
        ("zinc", ["steel A", "copper"], None),
        ("a", ["A", "a "], None),
        ("x", [], None),
    ],
)
def test_the_name_suggested_is_the_one_that_was_meant_or_none(word, known, meant):
    assert closest(word, known) == meant

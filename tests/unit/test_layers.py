"""Imports point one way: a room may use the rooms before it in ROOMS, never those after it, at any depth of a file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import conewise

PACKAGE = Path(conewise.__file__).parent

ROOMS = [
    ("errors", "_version", "_limits"),
    ("_arrays",),
    ("_conetext", "_polyhedra", "_exactsums", "_distinct", "_products", "_workers", "_memory"),
    ("_conechecks", "_lift", "_widest"),
    ("cones",),
    ("order", "_rivals"),
    ("fronts", "gaps", "directions"),
    ("complexity", "noise"),
    ("_noisetext",),
    ("objectives",),
    ("_statements", "_questions", "_weightings"),
    ("_statementtext",),
    ("preferences",),
    ("budgets",),
    ("goals",),
    ("feedback",),
    ("problems",),
    ("tables",),
    ("readers",),
    ("certificate", "models"),
    ("algorithms",),
    ("analysis",),
    ("studies",),
    ("experiments", "testing"),
    ("report",),
    ("dashboard",),
    ("cli", "demo"),
    ("__main__",),
]
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}
FRONT_DOOR = "__init__"  # the public names: may import anything, and only the outermost rooms may import it
OUTERMOST = {*ROOMS[-2], *ROOMS[-1]}

MODULES = sorted(PACKAGE.rglob("*.py"))

FOUND_BY_NAME = {
    ("cones", "conewise.report.plots"),
    ("cones", "conewise.report.notebooks"),
    ("analysis", "conewise.report.notebooks"),
    ("algorithms", "conewise.report.pictures"),
}
"""Drawing and showing live in later rooms: a cone, a result and an analysis find them by name when asked."""


def room_of(path: Path) -> str:
    inside = path.relative_to(PACKAGE)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def imported_rooms(source: str, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """(line, room) of every import of conewise in a source text, inside functions and type checks as well."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            targets = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = tuple((node.module or "").split(".")) if node.module else ()
            if node.level:
                base = package[: len(package) - node.level + 1] + base
            # "from conewise import order" names a room; "from conewise import Cone" goes through the front door.
            targets = [(*base, alias.name) for alias in node.names]
        else:
            continue
        for target in targets:
            if target[0] == "conewise":
                room = target[1] if len(target) > 1 else FRONT_DOOR
                yield node.lineno, room if room in LEVEL else FRONT_DOOR


def offences(room: str, source: str, package: tuple[str, ...] = ("conewise",)) -> list[str]:
    """What breaks the direction in a file of that room, in words."""
    if room == FRONT_DOOR:
        return []
    found = []
    for line, target in imported_rooms(source, package):
        if target == room or (target == FRONT_DOOR and room in OUTERMOST):
            continue
        if target == FRONT_DOOR or LEVEL[target] >= LEVEL[room]:
            found.append(f"line {line}: {room} imports {target}")
    return found


def test_every_module_has_a_room():
    homeless = {room_of(path) for path in MODULES} - set(LEVEL) - {FRONT_DOOR}
    assert not homeless, f"say in ROOMS where {sorted(homeless)} belong: which rooms may they import?"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_to_earlier_rooms(path):
    package = ("conewise", *path.relative_to(PACKAGE).parts[:-1])
    assert offences(room_of(path), path.read_text(encoding="utf-8"), package) == []


def texts_to_import(source: str) -> Iterator[str]:
    """What is given to `import_module` as a text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant) and str(argument.value).startswith("conewise"):
                    yield argument.value


def test_what_is_imported_by_its_name_is_listed():
    found = set()
    for path in MODULES:
        room = room_of(path)
        for name in texts_to_import(path.read_text(encoding="utf-8")):
            if room != FRONT_DOOR and LEVEL[name.split(".")[1]] >= LEVEL[room]:
                found.add((room, name))
    assert found == FOUND_BY_NAME


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("cones", "from conewise.order import pareto_mask"),
        ("cones", "import conewise.order"),
        ("cones", "from conewise import order"),
        ("cones", "from conewise import Cone"),
        ("cones", "import conewise as cw"),
        ("gaps", "def late():\n    from conewise.complexity import hardness"),
        ("gaps", "if TYPE_CHECKING:\n    import conewise.goals"),
        ("gaps", "from .goals import Verdict"),
        ("gaps", "from . import goals"),
        ("order", "from conewise._rivals import escapes"),
        ("problems", "import json, conewise.studies.loop"),
    ],
)
def test_the_check_sees_every_form_of_import(room, source):
    assert len(offences(room, source)) == 1


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("order", "from conewise.cones import Cone"),
        ("goals", "from conewise.gaps import lift_norm\nfrom conewise._rivals import covers"),
        ("problems", "from conewise.problems.hard import HardInstance\nfrom conewise.complexity import hardness"),
        ("demo", "from conewise import Cone"),
        ("cones", "import numpy\nfrom scipy.optimize import nnls"),
    ],
)
def test_the_check_lets_earlier_rooms_and_strangers_pass(room, source):
    assert offences(room, source) == []


def test_the_check_follows_relative_imports_out_of_a_package():
    assert offences("problems", "from ..studies import loop", ("conewise", "problems"))
    assert not offences("problems", "from .hard import HardInstance", ("conewise", "problems"))

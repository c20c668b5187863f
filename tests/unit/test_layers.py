"""Imports point one way, at any depth of a file.

A room may use the rooms before it in ROOMS, never those after it. Inside a room that is a package, a module may use the
modules before it in INSIDE, and none of them goes through the room's own door.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import conewise

PACKAGE = Path(conewise.__file__).parent

ROOMS = [
    ("errors", "_version", "limits"),
    ("border", "reading"),
    ("digits", "workers", "_memory"),
    ("cone",),
    ("noise",),
    ("order",),
    ("fronts",),
    ("question",),
    ("preferences",),
    ("data",),
    ("problems",),
    ("tables",),
    ("readers",),
    ("certificate", "models"),
    ("rules",),
    ("algorithms", "analysis"),
    ("studies",),
    ("experiments", "testing"),
    ("report",),
    ("dashboard",),
    ("cli", "demo"),
    ("__main__",),
]
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}

INSIDE: dict[str, list[tuple[str, ...]]] = {
    "cone": [("text", "polyhedra"), ("checks", "lift", "widest"), ("cone",)],
    "order": [("dominance",), ("gaps", "directions"), ("complexity",), ("budgets",)],
    "question": [("objectives",), ("question",)],
    "preferences": [("statements", "questions"), ("text",), ("preferences",)],
    "data": [("sums", "resolution"), ("observations",)],
    "noise": [("kinds",), ("mixed",), ("text",)],
    "problems": [
        ("simulated", "returned", "rehearsal", "parameters"),
        ("hard", "recorded", "onebyone", "embedded", "commands"),
        ("evaluators",),
        ("box", "called"),
    ],
    "tables": [
        ("names", "spreadsheets", "files", "standings"),
        ("columns", "outputs"),
        ("clauses", "csvfiles", "parquetfiles", "frames"),
        ("jsonfiles",),
        ("readers",),
        ("designs",),
        ("shards", "outcomes", "designcolumns", "designrows"),
        ("means",),
        ("selection", "measurements"),
        ("known", "sums", "blocked", "featured"),
    ],
    "readers": [("imported", "packed"), ("searches", "evaluations", "optunastudies", "mlflowruns")],
    "certificate": [
        ("tuning", "looks", "rounding"),
        ("weights", "radii"),
        ("pilots", "mixed"),
        ("history", "fit"),
        ("streams", "thresholds", "contrasts"),
        ("claims",),
        ("certificate",),
        ("blocks.differences", "blocks.wagers", "blocks.tabled"),
        ("blocks.kinds",),
        ("blocks.paired",),
    ],
    "models": [
        ("features", "levels"),
        ("axes", "failures"),
        ("priors", "choice"),
        ("posterior",),
        ("screen",),
        ("certificate",),
    ],
    "rules": [
        ("evidence",),
        ("contract",),
        (
            "adaptive.answers",
            "adaptive.contrasts",
            "adaptive.outlook",
            "published.common",
            "published.hedge",
            "published.rectangles",
        ),
        ("adaptive.elimination", "adaptive.fixed", "published.vogp", "naive"),
        ("adaptive.layouts",),
        ("modelled",),
        ("published.ape", "published.auer", "published.ege", "published.paveba", "published.psips"),
        ("adaptive.challenger", "published.drawn", "published.epal"),
        ("published.ehvi", "published.pfes"),
    ],
    "analysis": [
        ("oddities", "planning", "unproven", "fitting"),
        ("units",),
        ("gathering", "guesses"),
        ("explanations", "separate"),
        ("blocks", "modelled"),
        ("analyse",),
    ],
    "studies": [
        ("rules", "identity", "texts", "priors", "possible", "columns"),
        ("results",),
        ("blocks", "asking", "cells"),
        ("boxes",),
        ("settings",),
        ("spec", "storage.journal"),
        ("loop",),
        ("evaluations", "changes"),
        ("storage.chain",),
        ("storage.postgres", "storage.sqlitefile"),
        ("storage.sqlite",),
        ("storage.places",),
        ("export", "ledger", "remarks"),
        ("versions",),
        ("fold",),
        ("reader",),
        ("opened",),
        ("view",),
        ("changing",),
        ("study",),
        ("running.executors", "running.presence"),
        ("running.processes",),
        ("running.runner",),
    ],
    "experiments": [("repeat", "compare", "papers.ararat_tekin_2023_tables"), ("beyond", "papers.ararat_tekin_2023")],
    "testing": [("algorithms", "intervals", "problems", "storages")],
    "report": [
        ("words", "data", "drawing", "grounds", "subject", "bundle"),
        ("headline", "known", "plots", "notebooks"),
        ("answer", "manyaxes"),
        ("sections", "slim", "pictures"),
        ("page", "markdown"),
    ],
    "dashboard": [
        ("knowledge", "views", "preferences", "doorway", "guard"),
        ("sources",),
        ("angles", "shares", "estimates", "levels", "patience", "statements"),
        ("answers", "listing", "returning"),
        ("saved",),
        ("desk",),
        ("server",),
    ],
    "cli": [
        ("options", "show"),
        ("stating", "origins", "meaning", "flags", "standing", "readers"),
        ("results",),
        (
            "budget",
            "cone",
            "explore",
            "looking",
            "mending",
            "prefer",
            "reproduce",
            "starting",
            "trial",
        ),
        ("analyse", "front", "run"),
        ("changing",),
        ("report", "study"),
        ("main",),
    ],
}
"""Rooms that are packages: their modules, from those that know least on."""
FRONT_DOOR = "__init__"  # the public names: may import anything, and only the outermost rooms may import it
OUTERMOST = {*ROOMS[-2], *ROOMS[-1]}

MODULES = sorted(PACKAGE.rglob("*.py"))

FOUND_BY_NAME = {
    ("cone", "conewise.report.plots"),
    ("cone", "conewise.report.notebooks"),
    ("analysis", "conewise.report.notebooks"),
    ("rules", "conewise.report.notebooks"),
    ("rules", "conewise.report.pictures"),
}
"""Drawing and showing live in later rooms: a cone, a result and an analysis find them by name when asked."""


def room_of(path: Path) -> str:
    inside = path.relative_to(PACKAGE)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


@cache
def imported(source: str, package: tuple[str, ...]) -> list[tuple[int, tuple[str, ...]]]:
    """(line, what) of every import from conewise in a source text, inside functions and type checks as well."""
    found = []
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
        found += [(node.lineno, target[1:]) for target in targets if target[0] == "conewise"]
    return found


def imported_rooms(source: str, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """(line, room) of every import from conewise."""
    for line, target in imported(source, package):
        yield line, target[0] if target and target[0] in LEVEL else FRONT_DOOR


def offences_inside(room: str, module: str, source: str, package: tuple[str, ...]) -> list[str]:
    """What breaks the direction between the modules of a room, in words."""
    levels = {name: level for level, names in enumerate(INSIDE[room]) for name in names}
    found = []
    for line, target in imported(source, package):
        if target[:1] != (room,):
            continue
        # "from conewise.tables import files" names a module; "from conewise.problems import load" is the room's door.
        names = [".".join(target[1:end]) for end in range(2, len(target) + 1)]
        name = next((name for name in names if name in levels), None)
        if name is None:
            found.append(f"line {line}: {room}.{module} goes through the door of {room}")
        elif levels[name] >= levels[module] and name != module:
            found.append(f"line {line}: {room}.{module} imports {name}")
    return found


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


def test_the_page_for_those_who_extend_lists_the_rooms_in_their_order():
    page = (Path(__file__).parents[2] / "docs" / "extend.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", page.partition("## A new cone")[0], flags=re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`([a-z]\w*)(?:\.py|/)`", row)]
    assert set(listed) == {room for room in LEVEL if not room.startswith("_")} - {"demo", "algorithms"}
    assert [LEVEL[name] for name in listed] == sorted(LEVEL[name] for name in listed)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_to_earlier_rooms(path):
    package = ("conewise", *path.relative_to(PACKAGE).parts[:-1])
    assert offences(room_of(path), path.read_text(encoding="utf-8"), package) == []


def module_of(path: Path) -> str:
    """The name of a module inside its room."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts[1:])


INNER = [path for path in MODULES if room_of(path) in INSIDE and path.stem != FRONT_DOOR]


def test_every_room_that_is_a_package_lists_its_modules():
    there: dict[str, set[str]] = {}
    for path in MODULES:
        if len(path.relative_to(PACKAGE).parts) > 1 and path.stem != FRONT_DOOR:
            there.setdefault(room_of(path), set()).add(module_of(path))
    listed = {room: {name for names in levels for name in names} for room, levels in INSIDE.items()}
    assert listed == there, "say in INSIDE which modules of their room new modules may import"


@pytest.mark.parametrize("path", INNER, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_inside_a_room_point_to_earlier_modules(path):
    package = ("conewise", *path.relative_to(PACKAGE).parts[:-1])
    assert offences_inside(room_of(path), module_of(path), path.read_text(encoding="utf-8"), package) == []


@pytest.mark.parametrize(
    ("room", "module", "source", "offence"),
    [
        ("studies", "fold", "from conewise.studies.ledger import Ledger", None),
        ("studies", "fold", "from conewise.studies.study import Study", "fold imports study"),
        ("studies", "fold", "from conewise.studies import study", "fold imports study"),
        ("studies", "fold", "import conewise.studies.study", "fold imports study"),
        ("studies", "fold", "def late():\n    from .study import Study", "fold imports study"),
        ("studies", "fold", "from conewise.studies import identify", "goes through the door of studies"),
        ("studies", "fold", "import conewise.studies", "goes through the door of studies"),
        ("studies", "storage.journal", "from conewise.studies.storage import sqlite", "imports storage.sqlite"),
        ("studies", "storage.sqlite", "from .journal import Entry", None),
        ("studies", "storage.postgres", "from .sqlitefile import FORMAT", "imports storage.sqlitefile"),
        ("studies", "fold", "from conewise.analysis.analyse import analyse", None),
    ],
)
def test_the_check_inside_a_room_sees_every_form_of_import(room, module, source, offence):
    package = ("conewise", room, *module.split(".")[:-1])
    found = offences_inside(room, module, source, package)
    assert found == [] if offence is None else len(found) == 1 and offence in found[0]


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
        ("cone", "from conewise.order.dominance import pareto_mask"),
        ("cone", "import conewise.order.dominance"),
        ("cone", "from conewise import order"),
        ("cone", "from conewise import Cone"),
        ("cone", "import conewise as cw"),
        ("order", "def late():\n    from conewise.question.question import verdict"),
        ("order", "if TYPE_CHECKING:\n    import conewise.question.question"),
        ("order", "from .question import Verdict"),
        ("order", "from . import question"),
        ("problems", "import json, conewise.studies.loop"),
    ],
)
def test_the_check_sees_every_form_of_import(room, source):
    assert len(offences(room, source)) == 1


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("order", "from conewise.cone.cone import Cone"),
        ("question", "from conewise.order.gaps import lift_norm\nfrom conewise.order.gaps import covers"),
        ("problems", "from conewise.problems.hard import HardInstance\nfrom conewise.order.complexity import hardness"),
        ("demo", "from conewise import Cone"),
        ("cone", "import numpy\nfrom scipy.optimize import nnls"),
    ],
)
def test_the_check_lets_earlier_rooms_and_strangers_pass(room, source):
    assert offences(room, source) == []


def test_the_check_follows_relative_imports_out_of_a_package():
    assert offences("problems", "from ..studies import loop", ("conewise", "problems"))
    assert not offences("problems", "from .hard import HardInstance", ("conewise", "problems"))

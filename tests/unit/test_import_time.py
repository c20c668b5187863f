"""`import conewise` brings numpy and little else. What is imported decides how long it takes, and does not vary."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"scipy", "moocore", "matplotlib", "click", "rich", "pandas", "sqlite3", "requests", "multiprocessing"}


def loaded_after(code: str) -> set[str]:
    """Modules in a fresh interpreter after some code."""
    script = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_import_loads_nothing_heavy():
    loaded = loaded_after("import conewise")
    assert "conewise.cone.cone" in loaded
    assert {name.split(".")[0] for name in loaded} & HEAVY == set()
    assert {"conewise.rules", "conewise.models", "conewise.studies", "conewise.tables"} & loaded == set()


def test_packages_come_when_they_are_asked_for():
    rooms = ["models", "tables", "rules", "analysis", "readers", "studies", "report", "testing"]
    asked = "; ".join(f"assert conewise.{room}.__name__ == 'conewise.{room}'" for room in rooms)
    assert {f"conewise.{room}" for room in rooms} <= loaded_after(f"import conewise\n{asked}")


@pytest.mark.parametrize(
    "code",
    [
        "cone = conewise.Cone.planar(45); cone.rays; cone.widths; cone.dual; cone.complexity; cone.project([1, -1])",
        "cone = conewise.Cone.orthant(5); cone.rays; cone.widths; cone.complexity; cone.includes(cone)",
        "conewise.cover_gaps([[0, 1], [1, 0]], conewise.Cone.importance(0.29))",
        "conewise.problems.load('snw').means",
    ],
)
def test_simplicial_cones_need_neither_qhull_nor_a_solver(code):
    loaded = loaded_after(f"import conewise\n{code}")
    assert {"scipy.optimize", "scipy.spatial", "matplotlib"} & loaded == set()


def test_the_check_sees_a_heavy_import():
    assert "scipy.optimize" in loaded_after("import conewise\nconewise.Cone.ice_cream(60).rays")

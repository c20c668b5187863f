"""Every module has tests of its own, where whoever reads the module looks for them.

The tests of src/conewise/room/module.py are in tests/unit/room/test_module.py, or in tests/property/room where they are
laws. What several modules do together is tested besides, in any file.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import conewise

PACKAGE = Path(conewise.__file__).parent
TESTS = Path(__file__).parents[1]

ELSEWHERE = {
    "_limits.py": None,  # names and numbers, which the tests of their users have
    "_version.py": None,  # a number, which the build and CITATION.cff are compared with
    "cli/reproduce.py": "e2e/test_cli.py",  # a quarter of a minute of work: one run, in a process of its own
    "experiments/papers/ararat_tekin_2023.py": "golden/test_paper_tables.py",  # against the printed numbers
    "experiments/papers/ararat_tekin_2023_tables.py": "golden/test_paper_tables.py",  # the printed numbers themselves
    "studies/storage/postgres.py": "contract/test_storages.py",  # one suite for every storage, on a real server
    "studies/storage/sqlite.py": "contract/test_storages.py",  # the same suite; the file itself: test_sqlitefile.py
    "testing/algorithms.py": "contract/test_algorithms.py",  # a suite, which every algorithm passes
    "testing/problems.py": "contract/test_problems.py",  # a suite, which every problem passes
    "testing/storages.py": "contract/test_storages.py",  # a suite, which every storage passes
}
"""Modules whose tests are elsewhere, with the place and the reason."""


def modules() -> list[str]:
    """Every module, by its path in the package."""
    paths = (path for path in PACKAGE.rglob("*.py") if not path.stem.startswith("__"))
    return sorted(path.relative_to(PACKAGE).as_posix() for path in paths)


def mirrors(module: str) -> list[Path]:
    """Where the tests of a module may be."""
    path = Path(module)
    name = f"test_{path.stem.lstrip('_')}.py"
    return [TESTS / kind / path.parent / name for kind in ("unit", "property")]


@pytest.mark.parametrize("module", modules())
def test_a_module_has_tests_of_its_own(module):
    found = any(path.exists() for path in mirrors(module))
    if module in ELSEWHERE:
        assert not found, f"{module} has tests of its own now: take it out of ELSEWHERE"
        assert ELSEWHERE[module] is None or (TESTS / ELSEWHERE[module]).exists()
    else:
        assert found, f"say what holds of {module} in {mirrors(module)[0].relative_to(TESTS)}"


def test_no_exception_outlives_its_module():
    assert set(ELSEWHERE) <= set(modules())


def test_no_file_of_tests_is_called_like_a_module_that_is_not_there():
    """A module that was moved takes its tests along: folders of tests/unit are rooms of the package, and two more."""
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    folders = {path.name for path in (TESTS / "unit").iterdir() if path.is_dir() and not path.name.startswith("__")}
    assert folders <= rooms | {"benchmarks"}


def test_the_mirror_of_a_private_module_has_no_underscore():
    first, second = mirrors("tables/_files.py")
    assert first == TESTS / "unit" / "tables" / "test_files.py"
    assert second == TESTS / "property" / "tables" / "test_files.py"

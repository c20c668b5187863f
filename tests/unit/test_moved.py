"""Old addresses work with one warning that names the new one, or say what to do instead."""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import conewise as cw
from conewise import _moved


@pytest.mark.parametrize("old", sorted(_moved.MODULES))
def test_a_moved_module_has_the_names_of_the_new_one(old, monkeypatch):
    monkeypatch.delitem(sys.modules, old, raising=False)
    with pytest.warns(DeprecationWarning, match=f"{_moved.MODULES[old]} now; the old name goes with {_moved.UNTIL}"):
        moved = import_module(old)
    new = import_module(_moved.MODULES[old])
    public = [name for name in vars(new) if not name.startswith("_")]
    assert public
    assert all(getattr(moved, name) is getattr(new, name) for name in public)
    assert new.__name__ == _moved.MODULES[old]  # the module itself is as it was
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = moved.no_such_name


def test_the_warning_points_at_whoever_wrote_the_import(tmp_path):
    (tmp_path / "theirs.py").write_text("import conewise\nfrom conewise.problems.measurements import LongTable\n")
    command = [sys.executable, "-W", "always", "theirs.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "theirs.py:2: DeprecationWarning: conewise.problems.measurements is" in ran.stderr
    assert ran.stderr.count("DeprecationWarning") == 1


def test_other_missing_modules_are_missing():
    with pytest.raises(ModuleNotFoundError, match=r"conewise\.problems\.nowhere"):
        import_module("conewise.problems.nowhere")


@pytest.mark.parametrize("old", sorted([*_moved.MODULES, *_moved.ELSEWHERE]))
def test_the_changelog_says_what_warns(old):
    page = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    home, _, name = old.rpartition(".")
    named = f"| `{old}` |" if old in _moved.MODULES else f"| `{name}` in `{home}` |"
    (row,) = (line for line in page.splitlines() if line.startswith(named))
    assert row.rstrip(" |").endswith("| warns")


@pytest.mark.parametrize("name", sorted(_moved.RENAMED))
def test_a_renamed_class_is_the_new_one(name):
    with pytest.warns(DeprecationWarning, match=f"conewise.{name} is {_moved.RENAMED[name]} now"):
        assert getattr(cw, name) is getattr(cw, _moved.RENAMED[name])
    assert name not in cw.__all__


@pytest.mark.parametrize("name", sorted(_moved.GONE))
def test_a_name_that_is_gone_says_what_to_use(name):
    with pytest.raises(AttributeError, match=f"conewise.{name} is gone since 0.2: .*Question"):
        getattr(cw, name)
    assert name not in cw.__all__


def test_the_finder_is_installed_once():
    before = list(sys.meta_path)
    _moved.install()
    assert sys.meta_path == before


@pytest.mark.parametrize("old", sorted(_moved.MODULES))
def test_a_moved_module_is_an_attribute_of_its_old_package(old, monkeypatch):
    package, _, name = old.rpartition(".")
    monkeypatch.delitem(vars(import_module(package)), name, raising=False)  # where it was imported before
    with pytest.warns(DeprecationWarning, match=f"{old} is {_moved.MODULES[old]} now") as caught:
        assert getattr(import_module(package), name) is import_module(_moved.MODULES[old])
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nowhere'"):
        _ = import_module(package).nowhere


@pytest.mark.parametrize("old", sorted(_moved.ELSEWHERE))
def test_a_name_that_moved_is_found_where_it_was(old):
    home, _, name = old.rpartition(".")
    with pytest.warns(DeprecationWarning, match=f"{old} is {_moved.ELSEWHERE[old]} now"):
        found = getattr(import_module(home), name)
    assert f"{found.__module__}.{found.__qualname__}" == _moved.ELSEWHERE[old]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("from conewise import OptimalProportions", "conewise.OptimalProportions is SuccessiveElimination now"),
        ("from conewise.studies import journal", "conewise.studies.journal is conewise.studies.storage.journal now"),
        ("from conewise.studies.reader import StudyReader", "StudyReader is conewise.studies.view.StudyView now"),
    ],
)
def test_an_import_of_a_name_warns_once_and_where_it_stands(line, words, monkeypatch):
    monkeypatch.delitem(vars(import_module("conewise.studies")), "journal", raising=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(line, "theirs.py", "exec"), {})
    assert [(w.filename, w.category) for w in caught] == [("theirs.py", DeprecationWarning)]
    assert words in str(caught[0].message)


@pytest.mark.parametrize("name", sorted(_moved.GONE))
def test_an_import_of_a_name_that_is_gone_says_what_to_use(name):
    with pytest.raises(ImportError, match=f"conewise.{name} is gone since 0.2: .*Question"):
        exec(f"from conewise import {name}", {})
    assert not hasattr(cw, name)

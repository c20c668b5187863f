"""Old addresses work with one warning that names the new one, or say what to do instead."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

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

"""An empty path is refused wherever a path is taken: it would be the folder in which the command runs."""

from __future__ import annotations

import pytest
from shared.commandline import refused, run

import conewise as cw

KNOWN = ("front", "table.csv", "--objectives", "a,b")
MEASURED = ("analyse", "table.csv", "--objectives", "a,b")


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("name,a,b\nx,1,2\ny,2,1\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("front", ""),
        ("front", "table.csv", ""),
        ("analyse", "", "--objectives", "a,b"),
        ("prefer", ""),
        ("report", ""),
        ("explore", ""),
        ("cone", "planar:90", "--plot", ""),
        (*KNOWN, "--out", ""),
        (*KNOWN, "--said", ""),
        (*MEASURED, "--out", ""),
        (*MEASURED, "--features", "a", "--designs", ""),
        ("report", "table.csv", "-o", ""),
        ("study", "init", ""),
        ("study", "create", ""),
        ("study", "create", "trial.toml", "--storage", ""),
        ("study", "status", ""),
        ("study", "list", ""),
        ("study", "tell", "study.db", "--file", ""),
        ("study", "export", "study.db", ""),
        ("study", "run", "study.db", "--toml", ""),
        ("reproduce", "--out", ""),
    ],
    ids=lambda words: " ".join(word or "''" for word in words),
)
def test_an_empty_path_is_refused(capsys, tmp_path, arguments):
    said = refused(capsys, *arguments)
    assert "an argument is empty; leave it out" in said
    assert sorted(tmp_path.iterdir()) == [tmp_path / "table.csv"]


@pytest.mark.parametrize("paths", ["", ["", "table.csv"], ("table.csv", "")], ids=repr)
def test_an_empty_path_of_a_table_is_refused(paths):
    with pytest.raises(cw.InputError, match="a path is empty"):
        cw.front(paths)


def test_the_folder_itself_can_be_named(capsys):
    assert run(capsys, "front", ".", "--objectives", "a,b")[0] == 0

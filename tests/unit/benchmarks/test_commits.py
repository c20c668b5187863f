"""A measurement says of which commit of the library it is."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks import commits, lines


@dataclass(frozen=True)
class Run:
    seed: int


def git(root: Path, *arguments: str) -> str:
    named = ("-c", "user.name=Marie", "-c", "user.email=marie@example.org")
    command = ["git", "-C", str(root), *named, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "library.py").write_text("one = 1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "The library")
    return tmp_path


def test_the_commit_is_the_last_one_that_changed_the_library(checkout: Path) -> None:
    library = git(checkout, "log", "-1", "--format=%h", "--abbrev=7")
    (checkout / "page.md").write_text("figures\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "A page")
    assert commits.commit(checkout) == library


def test_a_library_that_was_changed_since_is_marked(checkout: Path) -> None:
    (checkout / "src" / "library.py").write_text("one = 2\n")
    assert commits.commit(checkout).endswith("+")


def test_without_a_checkout_there_is_no_commit(tmp_path: Path) -> None:
    assert commits.commit(tmp_path) == ""


@pytest.mark.parametrize(
    ("codes", "sentence"),
    [
        (["abc1234"] * 3, "Library of commit abc1234."),
        (["old", "new", "new"], "Library of commits new, old."),
        (["abc1234", "", ""], "Library of commit abc1234 (2 of 3 runs do not say)."),
        ([""], "Of which commit the library was is not on record."),
        ([], "Of which commit the library was is not on record."),
    ],
)
def test_the_sentence_names_every_commit(codes: list[str], sentence: str) -> None:
    assert commits.said(codes) == sentence


def test_a_run_is_kept_with_its_commit_and_read_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text('{"seed": 1}\n')
    monkeypatch.setattr(commits, "commit", lambda: "abc1234")
    lines.fill(path, [lambda: Run(2)], 1.0)
    assert lines.read(path, Run) == [Run(1), Run(2)]
    assert json.loads(path.read_text().splitlines()[1]) == {"seed": 2, "code": "abc1234"}
    assert lines.made_with(path) == "Library of commit abc1234 (1 of 2 runs do not say)."

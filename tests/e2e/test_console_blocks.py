"""What README and pages print in a terminal is what commands print, in examples/tables."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from shared.commandline import run

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "examples" / "tables"
PAGES = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in ("table", "features", "blocks", "objectives"))]


def shown(page: Path) -> list[tuple[str, list[str]]]:
    """Commands of a page with the lines that are printed below them; those that print nothing there are left out."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *printed = part.rstrip().splitlines()
            if printed:
                found.append((command, printed))
    return found


SHOWN = [(page.name, *each) for page in PAGES for each in shown(page)]


def test_every_page_shows_what_commands_print():
    assert {name for name, _, _ in SHOWN} == {page.name for page in PAGES}


@pytest.mark.parametrize(("page", "command", "printed"), SHOWN, ids=lambda value: value[:40] if value else "")
def test_it_prints_what_is_shown(capsys, monkeypatch, page, command, printed):
    monkeypatch.chdir(TABLES)
    program, *arguments = shlex.split(command)
    assert program == "conewise"
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    lines = [line.rstrip() for line in out.splitlines()]
    assert is_shown([line.rstrip() for line in printed], lines), "\n".join(lines)


def is_shown(printed: list[str], lines: list[str]) -> bool:
    """Whether these lines are what is shown of them, where a line of three dots stands for any that are left out."""
    pattern = "".join("(.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in printed)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


@pytest.mark.parametrize(
    ("printed", "right"),
    [(["a", "b", "c"], True), (["a", "..."], True), (["...", "b", "..."], True), (["b", "..."], False), (["a"], False)],
)
def test_three_dots_stand_for_what_is_left_out_and_for_nothing_else(printed, right):
    assert is_shown(printed, ["a", "b", "c"]) is right


BY_JOB = [
    ROOT / "README.md",
    *(ROOT / "docs" / f"{name}.md" for name in ("index", "start", "analyse", "report", "explore", "preferences")),
]


def commands(page: Path) -> list[str]:
    """Every command of a page that reads a table or a study, or neither; without what stands behind a #."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(
        r"^(?:\$ |\|.*\| `)?(conewise (?:analyse|budget|cone|explore|front|prefer|report|study) .*?)(?:\s+#.*|` \|)?$",
        text,
        flags=re.MULTILINE,
    )
    return [command for command in found if command != "conewise explore snw"]


def test_the_commands_of_pages_by_job_run_in_the_tables_that_are_shipped(capsys, monkeypatch, tmp_path):
    folder = shutil.copytree(TABLES, tmp_path / "tables")
    monkeypatch.chdir(folder)
    for words in (["study", "init"], ["study", "create", "trial.toml"]):
        assert run(capsys, *words)[0] == 0
    ran = []
    for page in BY_JOB:
        for command in commands(page):
            _, kind, *words = shlex.split(command)
            if (kind, *words[:1]) in {("study", "init"), ("study", "create")}:
                continue
            words, to = (words[:-2], words[-1]) if words[-2:-1] == [">"] else (words, None)
            if kind == "explore" or (kind == "prefer" and to is None):  # one waits for a browser, the other for answers
                assert (folder / words[0]).exists(), command
                continue
            code, out, said = run(capsys, kind, *words, *(["--force"] if kind == "report" else []))
            if to is not None:
                (folder / to).write_text(out, encoding="utf-8")
            assert code == 0, (page.name, command, said)
            ran.append((page.name, kind))
    assert {name for name, _ in ran} == {page.name for page in BY_JOB if page.name != "explore.md"}
    assert {kind for _, kind in ran} >= {"front", "analyse", "report", "cone", "budget", "study"}


def test_a_day_in_the_laboratory_runs_line_by_line(capsys, monkeypatch, tmp_path):
    """The block of docs/studies; between `ask` and `tell` somebody fills the table in."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    (block,) = (b for b in re.findall(r"```console\n(.*?)```", page, flags=re.DOTALL) if "study init" in b)
    for line in block.strip().splitlines():
        program, *words = shlex.split(line.removeprefix("$ "), comments=True)
        assert program == "conewise"
        to = words[words.index(">") + 1] if ">" in words else None
        code, out, said = run(capsys, *words[: words.index(">") if to else None])
        assert code == 0, (line, said)
        if to:
            header, *rows = out.splitlines()
            Path(to).write_text("\n".join([header, *(f"{row[:-1]}41.2,5.0" for row in rows)]), encoding="utf-8")
        if "release" in words:
            assert "1 evaluation handed back" in out


@pytest.mark.parametrize(
    ("table", "page"),
    [
        ("cars.csv", "table.md"),
        ("recipes.csv", "analyse.md"),
        ("runs.csv", "features.md"),
        ("settings.csv", "features.md"),
    ],
)
def test_the_table_that_a_page_prints_is_the_file(table, page):
    assert (TABLES / table).read_text(encoding="utf-8") in (ROOT / "docs" / page).read_text(encoding="utf-8")

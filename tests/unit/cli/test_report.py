"""`conewise report`: the ending, the format, and what it is about."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from conewise.cli.main import main

NAMES = ("old", "new")
MEASURED = "design,yield,cost\n" + "".join(f"{name},{k},{k % 3}\n" for k in range(6) for name in NAMES)


def refused(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    out, err = capsys.readouterr()
    assert (caught.value.code, out, err.count("\n")) == (2, "", 1)
    return err


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("out", "remedy"),
    [("answer.pdf", "or say --format, and print the HTML page to a PDF."), ("answer.docx", "or say --format.")],
)
def test_a_report_is_not_written_under_the_ending_of_something_else(capsys, folder, out, remedy):
    Path("trial.csv").write_text(MEASURED, encoding="utf-8")
    said = refused(capsys, "report", "trial.csv", "--objectives", "yield,cost", "-o", out)
    assert said == f"conewise: a report is .html or .md, got {out}; choose one of these endings {remedy}\n"
    assert not Path(out).exists()


def test_an_ending_of_ones_own_goes_with_format(capsys, folder):
    Path("trial.csv").write_text(MEASURED, encoding="utf-8")
    with pytest.raises(SystemExit) as caught:
        main(["report", "trial.csv", "--objectives", "yield,cost", "-o", "answer.txt", "--format", "md"])
    assert caught.value.code == 0, capsys.readouterr().err
    assert Path("answer.txt").read_text(encoding="utf-8").startswith("# trial")


@pytest.mark.parametrize("held", [b"", b"no database"])
def test_a_report_of_a_file_called_as_a_study_is_about_a_study(capsys, folder, held):
    Path("trial.db").write_bytes(held)
    assert "trial.db is not a study: it is no SQLite database" in refused(capsys, "report", "trial.db")


def test_a_table_with_blocks_has_a_report_as_it_has_an_answer(capsys, folder):
    rng = np.random.default_rng(0)
    hard = rng.normal(size=60)
    rows = [
        f"m{k},q{q},{int(k - 1 - hard[q] + rng.logistic() > 0)},{1 + 0.5 * k + 0.1 * rng.normal():.3f},{3 - k}"
        for k in range(3)
        for q in range(60)
    ]
    Path("calls.csv").write_text("\n".join(["model,question,right,seconds,price", *rows]), encoding="utf-8")
    asked = ["--design", "model", "--block", "question", "--objectives", "right,seconds,price", "--epsilon", "0.2"]
    asked += ["--minimise", "seconds,price", "--noise", "price=known", "--delta", "0.05", "--population", "200"]
    with pytest.raises(SystemExit, match="0"):
        main(["analyse", "calls.csv", *asked, "--json"])
    found = json.loads(capsys.readouterr().out)
    with pytest.raises(SystemExit, match="0"):
        main(["report", "calls.csv", *asked, "--json"])
    said = json.loads(capsys.readouterr().out)
    assert {d["name"]: d["status"] for d in said["designs"]} == {d["name"]: d["status"] for d in found["designs"]}
    assert said["guarantee"] == found["guarantee"]
    with pytest.raises(SystemExit, match="0"):
        main(["report", "calls.csv", *asked, "-o", "page.md"])
    page = Path("page.md").read_text(encoding="utf-8")
    assert "blocks in random order out of the 200" in page
    assert "no noise (price)" in page


def test_a_report_reads_what_analyse_reads(capsys, folder):
    """Objectives that were measured separately, and tables that another program wrote."""
    cells = [f"{name},{k % 2 or ''},{'' if k % 2 else k % 3}" for k in range(40) for name in NAMES]
    Path("apart.csv").write_text("\n".join(["design,yield,cost", *cells]), encoding="utf-8")
    melted = [f"{name},{metric},{k % 3}" for k in range(9) for name in NAMES for metric in ("yield", "cost")]
    Path("melted.csv").write_text("\n".join(["design,metric,value", *melted]), encoding="utf-8")
    assert "(--separate)" in refused(capsys, "report", "apart.csv", "--objectives", "yield,cost")
    for asked in (
        ["apart.csv", "--objectives", "yield,cost", "--separate", "--noise", "gaussian:0.5"],
        ["melted.csv", "--from", "melted", "--separate"],
    ):
        found = []
        for command in ("analyse", "report"):
            with pytest.raises(SystemExit, match="0"):
                main([command, *asked, "--json"])
            found.append(json.loads(capsys.readouterr().out))
        one, other = ([(d["name"], d["status"], d["evaluations"]) for d in said["designs"]] for said in found)
        assert sorted(one) == sorted(other)
        assert found[0]["guarantee"] == found[1]["guarantee"]
    assert "goes with --from melted" in refused(capsys, "report", "melted.csv", "--melted", "metric,value")
    assert "--from is for measurements" in refused(capsys, "report", "melted.csv", "--known", "--from", "melted")


@pytest.mark.parametrize("beside", [["-o", "page.html"], ["--format", "md"], ["--force"]])
def test_numbers_are_printed_and_not_written(capsys, folder, beside):
    Path("trial.csv").write_text(MEASURED, encoding="utf-8")
    said = refused(capsys, "report", "trial.csv", "--objectives", "yield,cost", "--json", *beside)
    assert said == f"conewise: {beside[0]} is for a file; --json prints the numbers.\n"


def test_a_file_that_is_no_text_is_named(capsys, folder):
    Path("trial.csv").write_text(MEASURED, encoding="utf-8")
    for name in ("answer.json", "short.csv"):
        Path(name).write_bytes(b'{"name\n\xe9"')
    assert "answer.json is not text in UTF-8" in refused(capsys, "report", "answer.json")
    asked = ("report", "trial.csv", "--objectives", "yield,cost", "--shortlist", "short.csv")
    assert "short.csv is not text in UTF-8" in refused(capsys, *asked)

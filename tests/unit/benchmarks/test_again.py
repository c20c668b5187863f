"""Kept runs are made again, and what differs is said."""

from dataclasses import dataclass

import pytest

from benchmarks import again, promises, samples, validate


@dataclass(frozen=True)
class Run:
    seed: int
    evaluations: int
    seconds: float


LINES = [(Run(seed, 10 * seed, 1.0), "abc1234") for seed in range(8)]


def test_runs_that_come_out_the_same_may_take_another_time():
    kept = again.Kept("runs.jsonl", LINES, lambda one: Run(one.seed, 10 * one.seed, 2.0))
    assert again.compared(kept, 5, 1.0, 0).row == again.Row(
        "runs.jsonl, 8 lines. Library of commit abc1234.", "5 of 5 the same", "", "", "all", True
    )


def test_a_run_that_comes_out_otherwise_is_named_with_both():
    kept = again.Kept("runs.jsonl", LINES, lambda one: Run(one.seed, 10 * one.seed + (one.seed == 3), 1.0))
    found = again.compared(kept, 8, 1.0, 0)
    assert found.changed == ("{'seed': 3, 'evaluations': 30} is now {'seed': 3, 'evaluations': 31}",)
    assert (found.row.ours, found.row.met) == ("7 of 8 the same", False)


def test_one_line_is_made_again_however_little_time_there_is():
    kept = again.Kept("runs.jsonl", LINES, lambda one: one)
    assert again.compared(kept, 8, 0.0, 0).made == 1


def test_other_seeds_draw_other_lines():
    made = []
    for seed in (1, 2):
        again.compared(again.Kept("runs.jsonl", LINES, lambda one: made.append(one.seed) or one), 4, 1.0, seed)
    assert set(made[:4]) != set(made[4:])


def test_every_row_of_the_pages_is_one_that_can_be_made_again():
    """A cell that was renamed, or a page of another form, would be found out by nobody but whoever runs it."""
    pages = {page.name: page for page in again.pages()}
    cells = {(cell.rule, cell.notion, cell.instance) for cell in (*validate.cells(), *validate.further_cells())}
    on_page = {tuple(cell.strip() for cell in row.split("|")[1:4]) for (row, _), _ in pages["validation.md"].found}
    assert on_page == cells
    assert len(pages["validation-promises.md"].found) == len(promises.CELLS)
    assert all(code for page in pages.values() for _, code in page.found)
    assert len(pages["validation-exact.md"].found) > len(validate.exact_cells())
    ran = samples.on_page(samples.PAGE.read_text(encoding="utf-8"))
    assert len(pages["SAMPLES.md"].found) == sum(not rule.startswith("EGE") for _, rule in ran)


def test_a_promise_made_again_is_the_row_that_stands_there(monkeypatch):
    """Its counts take a minute: here they are those of the row."""
    page = next(page for page in again.pages() if page.name == "validation-promises.md")
    line = next(line for line, _ in page.found if "pass rates" in line[0])
    broken, bad = (int(line[0].split("|")[place]) for place in (3, 7))
    monkeypatch.setattr(promises, "failures", lambda place, control, runs: bad if control else broken)
    assert page.make(line) == line


@pytest.mark.parametrize("control", [False, True])
def test_a_cell_made_again_is_the_row_that_stands_there(monkeypatch, control):
    page = next(page for page in again.pages() if page.name == "validation.md")
    line = next(line for line, _ in page.found if line[1] is control and ", " not in line[0].split("|")[5])
    asked = []

    def measured(cell, runs):
        asked.append(cell.scale)
        failures, evaluations = (float(line[0].split("|")[place]) for place in (5, 7))
        return validate.Measured(cell, runs, int(failures), 0, evaluations, 1.0)

    monkeypatch.setattr(validate, "measure", measured)
    assert page.make(line) == line
    assert asked == [1 / 8 if control else 1.0]


def test_a_mean_made_again_is_compared_to_the_digits_of_the_page(monkeypatch):
    page = next(page for page in again.pages() if page.name == "SAMPLES.md")
    line = next(line for line, _ in page.found if "20 of 20 right" in line.figures)
    monkeypatch.setattr(samples, "measure", lambda cell: samples.Run(1000 + cell.run % 2, True, 10, 1.0, 1.0))
    assert page.make(line).figures == "1000 +- 0.11 evaluations, 20 of 20 right"


def test_every_file_of_runs_can_be_read():
    assert all(kept.found for kept in again.files())


def test_a_difference_is_an_error_of_the_command(monkeypatch, capsys):
    kept = again.Kept("runs.jsonl", LINES, lambda one: Run(one.seed, -1, 1.0))
    monkeypatch.setattr(again, "files", lambda: iter([kept]))
    monkeypatch.setattr(again, "pages", lambda: iter(()))
    assert again.main(["--runs", "2"]) == 1
    assert "0 of 2 the same" in capsys.readouterr().out
    assert again.main(["--only", "other"]) == 0


def test_a_part_is_not_written():
    with pytest.raises(SystemExit):
        again.main(["--only", "SAMPLES", "--write"])

"""Design and number identify an evaluation: a study's own export, told back, changes nothing."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import numpy as np
import pytest
from shared.commandline import run
from shared.studies import make, values_of

import conewise as cw
from conewise.noise import Bounded, Gaussian

KINDS = ("rows", "separate", "blocks", "objective added")
CHANGES = {
    "separate": {"separate": True},
    "blocks": {
        "noise": Bounded(-9, 9),
        "block": "question",
        "blocks": [f"q{k}" for k in range(40)],
        "population": "all",
    },
}


def lived(where, kind, seed):
    """A study with everything that happens to evaluations: in flight, failed, told late, corrected and withdrawn."""
    names = ["a", "=2+2", "c;=3", "007", "1e5", "'f"]
    study, rng = make(where, designs=names, **CHANGES.get(kind, {})), random.Random(seed)
    for turn in range(5):
        batch = list(study.ask(6, worker="=1+1"))
        rng.shuffle(batch)
        study.tell(batch[:4], values_of(batch[:4]))
        study.fail(batch[4:5], "the pump broke")
        if turn == 2 and kind == "objective added":
            study.add_objective(cw.Objective("age", noise="known"), noise=Gaussian([0.5, 0.5, 1.0]), reason="new")
            kind = "three"
        if kind == "three":
            more = list(study.ask(6))
            study.tell(more, [[*pair, 1 / 3] for pair in values_of(more)])
            break
    told = study.evaluations().ids
    first, second, third = rng.sample(told[-9:] if kind == "three" else told, 3)
    width = {"separate": 1, "three": 3}.get(kind, 2)
    study.correct(first, [0.123456789012345678] * width, "digits exchanged")
    study.withdraw([second, third], "mislabelled")
    if kind != "three":
        again = study.ask(3)
        study.tell(again[:1], values_of(again[:1]))
    return study


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_an_export_that_is_told_back_changes_nothing(tmp_path, capsys, kind, seed):
    path = tmp_path / "trial.db"
    with lived(path, kind, seed) as study:
        before, entries, n = study.evaluations(), len(study.log()), len(study.evaluations())
        for name in ("told.csv", "told.jsonl", "told.parquet"):
            study.export(tmp_path / name)
            code, out, err = run(capsys, "study", "tell", str(path), "--file", str(tmp_path / name))
            assert (code, err) == (0, "")
            assert out == f"0 evaluations stored in {path}, {n} there already.\n"
        for backend in ("pandas", "polars", "pyarrow"):
            told = study.tell(before.to_frame(backend))
            assert (told.stored, told.repeated) == (0, n)
        assert len(study.log()) == entries
        assert study.evaluations().values.tobytes() == before.values.tobytes()


def resaved(text, seed):
    """A table as a spreadsheet saves it: other orders of rows and columns, fewer digits, a column of remarks."""
    rng, rows = random.Random(seed), list(csv.DictReader(io.StringIO(text)))
    columns = list(rows[0])
    rng.shuffle(rows), rng.shuffle(columns)
    digits = rng.choice([9, 12, 15])

    def saved(column, cell):
        if column == "number":
            return f"{float(cell):.1f}"
        return f"{float(cell):.{digits}g}" if column in ("gain", "cost", "age") and cell else cell

    table = io.StringIO()
    out = csv.DictWriter(table, [*columns, "remark"])
    out.writeheader()
    out.writerows({column: saved(column, row[column]) for column in columns} | {"remark": "ok"} for row in rows)
    return table.getvalue()


@pytest.mark.parametrize("kind", KINDS)
def test_a_spreadsheet_in_between_changes_nothing(tmp_path, capsys, kind):
    path, out = tmp_path / "trial.db", tmp_path / "told.csv"
    with lived(path, kind, 5) as study:
        before, entries = study.evaluations(), len(study.log())
        study.export(out)
        table = out.read_text(encoding="utf-8")
        for seed in range(6):
            out.write_text(resaved(table, seed), encoding="utf-8")
            code, said, err = run(capsys, "study", "tell", str(path), "--file", str(out))
            assert code == 0, err
            assert said.startswith("0 evaluations stored")
        assert len(study.log()) == entries
        assert study.evaluations().values.tobytes() == before.values.tobytes()


def test_twelve_unfinished_studies_stay_unfinished(tmp_path):
    """Exports that were told back until nothing changed made each of them finished, and some of them wrong."""
    rng = np.random.default_rng(20190226)
    for run_ in range(12):
        means = rng.normal(size=(5, 2))
        asked = {"designs": list("abcde"), "noise": Gaussian(1.0), "epsilon": 0.3, "seed": run_}
        with make(tmp_path / f"{run_}.db", **asked) as study:
            study.record([k % 5 for k in range(15)], np.tile(means, (3, 1)) + rng.normal(size=(15, 2)))
            before = study.status()
            assert not before.finished
            for _ in range(5):
                study.export(tmp_path / "told.jsonl", force=True)
                rows = [json.loads(line) for line in (tmp_path / "told.jsonl").read_text().splitlines()]
                assert study.tell(rows).stored == 0
            after = study.status()
            assert not after.finished
            assert (after.evaluations, after.certified_epsilon) == (15, before.certified_epsilon)


@pytest.fixture
def exported(tmp_path):
    """A study of three evaluations of each design, its export, and the header and rows of that."""
    path, out = tmp_path / "trial.db", tmp_path / "told.csv"
    with make(path) as study:
        study.record([k % 6 for k in range(18)], np.arange(36).reshape(18, 2) / 7)
        study.export(out)
        header, *rows = out.read_text(encoding="utf-8").splitlines()
        yield study, str(path), out, header, rows


def test_rows_that_were_added_to_an_export_are_stored_alone(exported, capsys):
    study, path, out, header, rows = exported
    new = ['"c",,0.5,0.25,,', '"a",3,1.5,2.5,"me",', '"c",,0.5,0.25,,']
    out.write_text("\n".join([header, *rows, *new]), encoding="utf-8")
    code, said, err = run(capsys, "study", "tell", path, "--file", str(out))
    assert (code, said) == (0, f"3 evaluations stored in {path}, 18 there already.\n"), err
    ids = study.evaluations().ids
    assert len(ids) == 21
    assert {"d0n3", "d2n3", "d2n4"} <= set(ids)
    code, _, err = run(capsys, "study", "tell", path, "--file", str(out))  # the new ones have no identity yet
    assert code == 2
    assert "the rows of " in err
    assert "without a number were told before" in err
    assert study.tell({"design": "b", "number": None, "gain": 1, "cost": 2}).evaluations == ("d1n3",)
    assert study.tell({"design": "b", "number": 3.0, "gain": 1, "cost": 2}).repeated == 1


@pytest.mark.parametrize("kept", [["design", "gain", "cost", "worker", "told_at"], ["number"]])
def test_an_export_without_its_numbers_is_not_new(exported, capsys, kept):
    study, path, out, _, _ = exported
    rows = study.evaluations().to_frame("pandas").astype({"number": "object"})
    rows = rows.assign(number=None) if kept == ["number"] else rows[kept]
    with pytest.raises(cw.InputError, match=r"record 0 has a time at which it was told .* and no number"):
        study.tell(rows)
    rows.to_csv(out, index=False)
    code, _, err = run(capsys, "study", "tell", path, "--file", str(out))
    assert (code, len(study.evaluations())) == (2, 18)
    assert "put the number back that the export gave it; of a new measurement leave told_at empty" in err
    assert study.tell(rows.assign(told_at=None).iloc[:2]).stored == 2


def test_an_export_from_before_a_withdrawal_does_not_bring_the_value_back(exported, capsys):
    study, path, out, _, _ = exported
    study.withdraw(["d0n1"], "mislabelled")
    code, said, err = run(capsys, "study", "tell", path, "--file", str(out))
    assert code == 0, err
    assert said.startswith(f"0 evaluations stored in {path}, 17 there already, 1 withdrawn with the same values")
    assert "d0n1" not in study.evaluations().ids


def test_designs_that_are_called_like_numbers_are_told_by_name(tmp_path, capsys):
    path, out = tmp_path / "trial.db", tmp_path / "told.jsonl"
    with make(path, designs=["2", "1", "0"]) as study:
        out.write_text('{"design": 2, "gain": 1, "cost": 2}\n', encoding="utf-8")
        code, _, err = run(capsys, "study", "tell", str(path), "--file", str(out))
        assert code == 0, err
        out.write_text('{"design": 2, "number": 0, "gain": 1, "cost": 2}\n', encoding="utf-8")
        code, said, err = run(capsys, "study", "tell", str(path), "--file", str(out))
        assert (code, said) == (0, f"0 evaluations stored in {path}, 1 there already.\n"), err
        assert study.evaluations().name == ["2"]
        assert study.tell({"design": np.int64(2), "gain": 1, "cost": 2}).evaluations == ("d2n0",)


def test_a_number_that_is_typed_and_one_that_is_given_are_two(exported):
    study = exported[0]
    rows = [{"design": "a", "gain": 1, "cost": 2}, {"design": "a", "number": 3, "gain": 3, "cost": 4}]
    assert study.tell(rows).evaluations == ("d0n4", "d0n3")
    handed = next(one for one in study.ask(30) if one.name == "b")
    told = study.tell({"design": "b", "number": handed.number, "gain": 1, "cost": 2})  # in flight, and told
    assert told.evaluations == (handed.id,)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ('"a",0,0,9,,', "row 19 (below the header): evaluation d0n0 ('a') is stored as [0.0, 0.14285714285714285] "),
        ('"a",0,0,9,,', "was now told as [0.0, 9.0]; use `correct` (conewise study correct STUDY d0n0 0.0 9.0)"),
        ('"a",0,0,0.14286,,', "is stored as"),
        ('"a",5,1,1,,', "d0n5 ('a') has the number 5, but the next new one of this design is 3"),
        ('"a",x,1,1,,', "column 'number' holds 'x', where a number was expected"),
        ('"a",-1,1,1,,', "column 'number' holds '-1', where a whole number from 0 on was expected"),
        ('"a",1.5,1,1,,', "leave it empty for a new measurement"),
        ('"z",0,1,1,,', "there is no design called 'z'"),
        ('"a",3,,1,,', "row 19 (below the header) lacks values, and is not stored yet: a new evaluation has all"),
        ('"a",0,,1,,', "is stored as [0.0, 0.14285714285714285] and was now told as [nan, 1.0]"),
    ],
)
def test_a_row_that_contradicts_the_study_is_refused_with_all_others(exported, capsys, row, words):
    study, path, out, header, rows = exported
    before = Path(path).read_bytes()
    out.write_text("\n".join([header, *rows, row, '"c",,0.5,0.25,,']), encoding="utf-8")
    code, said, err = run(capsys, "study", "tell", path, "--file", str(out))
    assert (code, said) == (2, "")
    assert words in err
    assert Path(path).read_bytes() == before
    assert len(study.evaluations()) == 18


def test_a_table_of_another_origin_is_new_known_or_refused_and_never_in_silence(exported, tmp_path):
    study = exported[0]
    with make(tmp_path / "other.db", seed=8) as other:  # of another study: all are new, and again all are known
        told = other.tell(study.evaluations().to_frame("pandas"))
        assert (list(told.evaluations), told.stored, told.repeated) == (study.evaluations().ids, 18, 0)
        assert other.tell(study.evaluations().to_frame("pandas")).repeated == 18
        other.tell([{"design": "a", "gain": 7, "cost": 7}])
        study.tell([{"design": "a", "gain": 8, "cost": 8}])
        with pytest.raises(cw.InputError, match=r"record 3: evaluation d0n3 \('a'\) is stored as \[8.0, 8.0\]"):
            study.tell(other.evaluations().to_frame("pandas"))
    plain = [{"design": name, "number": k, "gain": 1, "cost": 2} for name in "ab" for k in (1, 2)]
    with make(tmp_path / "plain.db") as fresh:
        with pytest.raises(cw.InputError, match=r"the next new one of this design is 0.*rename the column"):
            fresh.tell(plain)  # numbers from 1 on are another count
        assert fresh.tell([row | {"number": row["number"] - 1} for row in plain]).stored == 4


def test_a_column_of_the_designs_may_be_called_number(tmp_path):
    designs = [{"name": name, "number": 4} for name in "abc"]
    with make(tmp_path / "trial.db", designs=designs) as study:
        assert study.tell([{"design": "a", "number": 4, "gain": 1, "cost": 2}] * 2).stored == 2
        assert study.tell(study.evaluations().to_frame("pandas")).repeated == 2


@pytest.mark.parametrize(
    ("kind", "ending"), [("rows", ".csv"), ("separate", ".csv"), ("blocks", ".csv"), ("rows", ".parquet")]
)
def test_an_evaluation_that_stands_twice_in_exports_is_refused_by_the_analysis(tmp_path, kind, ending):
    """A file twice, an export and a later one, and rows that were copied below; one of each is as before."""
    asked = {"objectives": ["gain", "cost"], "minimise": ["cost"], "delta": 0.1, "separate": kind == "separate"}
    with make(tmp_path / "trial.db", **CHANGES.get(kind, {})) as study:
        for turn in range(4):
            batch = study.ask(12)
            study.tell(batch, values_of(batch))
            study.export(tmp_path / f"{turn}{ending}")
    files = [tmp_path / f"{turn}{ending}" for turn in range(4)]
    twice = r"evaluation 0 of 'a' stands in two rows, and would count twice"
    for given in (files[1:], [files[0], files[3]]):
        with pytest.raises(cw.InputError, match=twice):
            cw.analyse(given, cw.Cone.orthant(2), **asked)
    if ending == ".csv":
        lines = files[3].read_text(encoding="utf-8").splitlines()
        files[3].write_text("\n".join([*lines, *lines[3:]]), encoding="utf-8")
        with pytest.raises(cw.InputError, match="stands in two rows"):
            cw.analyse(files[3], cw.Cone.orthant(2), **asked)
        files[3].write_text("\n".join(lines), encoding="utf-8")
    assert set(cw.analyse(files[3], cw.Cone.orthant(2), **asked).names) == set("abcdef")


def test_rows_that_no_study_has_told_yet_may_stand_below_an_export(exported):
    _, _, out, header, rows = exported
    out.write_text("\n".join([header, *rows, '"a",,1,1,,', '"a",,1,1,,']), encoding="utf-8")
    found = cw.analyse(out, cw.Cone.orthant(2), objectives=["gain", "cost"], delta=0.1)
    assert found.result.counts.tolist() == [5, 3, 3, 3, 3, 3]

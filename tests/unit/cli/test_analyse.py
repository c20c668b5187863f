"""`conewise analyse` inside this process: formats, sentences, files, and one line for a mistake."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from conewise.cli.main import main
from conewise.tables.spreadsheets import unguarded

NAMES = ["plain", "007", "=1+1", "with, comma", "\x1b[31mred"]
MEANS = [[9.0, 210.0], [14.0, 380.0], [22.0, 540.0], [15.0, 360.0], [24.0, 200.0]]  # cost small, speed large
STATUS = ["kept", "kept", "kept", "beaten", "beaten"]
LONG = ("--objectives", "cost,speed", "--minimise", "cost")


def measured(each=40, seed=0):
    rng = np.random.default_rng(seed)
    return [
        [name, *(np.array(mean) + [0.5, 8.0] * rng.normal(size=2)).tolist()]
        for _ in range(each)
        for name, mean in zip(NAMES, MEANS, strict=True)
    ]


def write(path, rows=None, header=("design", "cost", "speed")):
    rows = measured() if rows is None else rows
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows), "utf-8")
    elif path.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([dict(zip(header, r, strict=True)) for r in rows]), path)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
    return path


def summarised(rows):
    """One row a design: means, standard errors, counts."""
    table = []
    for name in dict.fromkeys(row[0] for row in rows):
        x = np.array([row[1:] for row in rows if row[0] == name])
        error = x.std(axis=0, ddof=1) / np.sqrt(len(x))
        table.append([name, x[:, 0].mean(), error[0], x[:, 1].mean(), error[1], len(x)])
    return table


@pytest.fixture
def run(capsys):
    def call(*arguments: object, code: int = 0) -> tuple[str, str]:
        with pytest.raises(SystemExit) as caught:
            main(["analyse", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert caught.value.code == code, err
        return out, err

    return call


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("final", [False, True])
def test_every_format_gives_the_same_answer(tmp_path, run, ending, final):
    path = write(tmp_path / f"trial.{ending}")
    asked = (path, *LONG, "--json", "--plan", 5, *(["--final"] if final else []))
    out, err = run(*asked, "--noise", "unknown")
    data = json.loads(out)
    assert err == ""
    bare = json.loads(run(*asked)[0])
    assert bare["guarantee"] is None
    assert bare["guarantee_if_normal"] == data["guarantee"]
    assert "say --noise unknown" in bare["not_guaranteed_because"]
    assert not any(row["certainly_pareto"] for row in bare["designs"])
    assert "if the noise is normal" in bare["explanations"][0]
    assert [row["name"] for row in data["designs"]] == NAMES
    assert [row["status"] for row in data["designs"]] == STATUS
    assert [row["returned"] for row in data["designs"]] == [True, True, True, False, False]
    assert all(row["evaluations"] == 40 for row in data["designs"])
    assert data["designs"][0]["means"]["cost"] == pytest.approx(9, abs=0.5)  # with its own sign
    assert list(data) == [
        "schema",
        *(
            "file",
            "cone",
            "said",
            "objectives",
            "minimised",
            "units",
            "units_from_values",
            "levels",
            "noise",
            "final",
            "block",
        ),
        *("success", "epsilon", "delta", "evaluations"),
        *(
            "n_designs",
            "designs",
            "certified_epsilon",
            "certified",
            "guarantee",
            "not_guaranteed_because",
            "guarantee_if_normal",
            "guess",
            "remaining",
            "remaining_at_least",
            "plan",
            "explanations",
        ),
    ]
    assert (data["cone"], data["final"], data["epsilon"], data["delta"]) == ("orthant:2", final, 0, 0.05)
    assert (data["certified_epsilon"], data["remaining"], data["plan"]) == (0, 0, [])
    assert list(data["guarantee"]) == ["epsilon", "delta", "theorem", "assumption"]
    assert (
        any(
            "declared final: if you look again after adding data what is certified is lost" in s
            for s in data["explanations"]
        )
        is final
    )


def test_a_wide_table_is_found_by_itself_or_named(tmp_path, run):
    rows = measured()
    header = ("design", "cost_mean", "cost_se", "speed_mean", "speed_se", "n")
    usual = write(tmp_path / "usual.csv", summarised(rows), header)
    first = json.loads(run(usual, "--minimise", "cost", "--final", "--json")[0])
    assert [row["status"] for row in first["designs"]] == STATUS
    assert first["objectives"] == ["cost", "speed"]
    odd = write(tmp_path / "odd.csv", summarised(rows), ("plant", "c", "dc", "s", "ds", "times"))
    named = ("--design", "plant", "--means", "c,s", "--errors", "dc,ds", "--counts", "times")
    second = json.loads(run(odd, *named, "--minimise", "c", "--final", "--json")[0])
    assert [row["status"] for row in second["designs"]] == STATUS
    assert second["certified_epsilon"] == first["certified_epsilon"]
    evaluations = json.loads(run(write(tmp_path / "long.csv", rows), *LONG, "--final", "--json")[0])
    assert evaluations["certified_epsilon"] == pytest.approx(first["certified_epsilon"], abs=1e-9)


@pytest.mark.parametrize(
    ("assumption", "words"),
    [
        ("gaussian:0.5,8", "normal noise, independent between objectives, standard deviations 0.5, 8"),
        ("subgaussian:8", "subgaussian noise of parameter 8"),
        ("bounded:0.0,0:100.0,1000", "of any distribution"),
    ],
)
def test_noise_may_be_declared(tmp_path, run, assumption, words):
    out, _ = run(write(tmp_path / "trial.csv"), *LONG, "--noise", assumption, "--epsilon", 30, "--success", "cover")
    assert words in out


def test_the_plan_names_designs_and_how_often(tmp_path, run):
    rows = measured(each=9)
    path = write(tmp_path / "trial.csv", rows)
    arguments = (path, *LONG, "--noise", "gaussian:0.5,80", "--plan", 20)
    data = json.loads(run(*arguments, "--json")[0])
    assert 0 < sum(row["times"] for row in data["plan"]) <= 20
    assert {row["name"] for row in data["plan"]} <= set(NAMES)
    assert data["remaining"] > 20
    out, _ = run(*arguments)
    name, times = data["plan"][0]["name"], data["plan"][0]["times"]
    assert f"the most valuable first: {name} ({times} time" in out
    assert f"about {data['remaining']:,} more evaluations" in out


def test_every_design_goes_to_a_file_with_its_name_as_text(tmp_path, run):
    path = write(tmp_path / "trial.csv")
    _, err = run(path, *LONG, "--out", tmp_path / "answer.csv")
    assert err == f"Written to {tmp_path / 'answer.csv'}.\n"
    with (tmp_path / "answer.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {unguarded(row["design"]): row["status"] for row in rows} == dict(zip(NAMES, STATUS, strict=True))
    assert not [row for row in rows if row["design"].startswith("=")]  # nothing that a spreadsheet would compute
    assert list(rows[0]) == ["design", "status", "returned", "evaluations", "condition", "cost", "speed"]
    assert {row["condition"] for row in rows} == {"if the noise is normal"}
    assert float(rows[0]["cost"]) > 0


def test_names_cannot_steer_the_terminal(tmp_path, run):
    out, _ = run(write(tmp_path / "trial.csv"), *LONG)
    assert "\x1b" not in out
    assert "=1+1" in out
    assert "[31mred" in out


def test_long_answers_are_cut_and_say_where_the_rest_is(tmp_path, run):
    rng = np.random.default_rng(0)
    rows = [[f"d{k}", float(k % 97) + rng.normal(), float(k % 89)] for k in range(300) for _ in range(3)]
    out, _ = run(write(tmp_path / "trial.csv", rows), *LONG)
    assert "... and 240 more: --out FILE or --json has them all." in out
    assert len(out.splitlines()) < 90


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "say with --objectives which columns were measured"),
        (("--objectives", "price"), "no column 'price'; it has design, cost, speed"),
        ((*LONG, "--design", "plant"), "no column 'plant'"),
        ((*LONG, "--cone", "planar:200"), "200"),
        ((*LONG, "--cone", "orthant:3"), "orders 3 objectives, but there are 2: cost, speed"),
        ((*LONG, "--delta", "1"), "delta must lie strictly between 0 and 1"),
        ((*LONG, "--epsilon", "-1"), "epsilon must be 0 or more"),
        ((*LONG, "--noise", "loud"), "--noise must be unknown, unknown:STEP, binary, known, gaussian:SIGMA"),
        ((*LONG, "--noise", "gaussian:much"), "'much' is not a number"),
        ((*LONG, "--noise", "gaussian:-1"), "sigma must be above 0"),
        ((*LONG, "--noise", "bounded:0"), "bounded:LOW:HIGH"),
        ((*LONG, "--noise", "bounded:0:1"), "outside the range that the noise assumes"),
        ((*LONG, "--noise", "subgaussian:1.0,2"), "one SIGMA"),
        ((*LONG, "--success", "cover"), "epsilon = 0 asks for the exact Pareto set"),
        ((*LONG, "--plan", "0"), "not in the range"),
        ((*LONG, "--out", "none/x.csv"), "there is no folder"),
        (("--means", "cost,speed"), "name it with --counts"),
        (("--means", "cost", "--counts", "speed"), "two rows for 'plain'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_mistakes_are_one_line(tmp_path, run, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    out, err = run(write(tmp_path / "trial.csv", measured(each=3)), *arguments, code=2)
    assert out == ""
    assert re.fullmatch(r"conewise: [^\n]+\.\n", err)
    assert words in err


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([["a", 1.0, None], ["b", 1.0, 2.0]], "row 1 (below the header), column 'speed' is empty"),
        ([["a", 1.0, 2.0], ["b", 1.0, "fast"]], "row 2 (below the header), column 'speed' holds 'fast'"),
        ([], "no rows below its header"),
    ],
)
def test_tables_with_mistakes_are_refused_with_the_place(tmp_path, run, rows, words):
    out, err = run(write(tmp_path / "trial.csv", rows), *LONG, code=2)
    assert (out, err.count("\n")) == ("", 1)
    assert words in err


def test_incomplete_rows_are_skipped_when_told_to(tmp_path, run):
    rows = [*measured(), ["plain", None, 3.0]]
    path = write(tmp_path / "trial.csv", rows)
    assert "--incomplete skip" in run(path, *LONG, code=2)[1]
    out, _ = run(path, *LONG, "--incomplete", "skip")
    assert "1 of 201 rows had no value for some objective and was left out; that is sound only if" in out


# -- with a model ----------------------------------------------------------------------------------------------------

HEADED = ("design", "temp", "cost", "speed")
BY_MODEL = (*LONG, "--features", "temp", "--model", "linear", "--epsilon", 2, "--noise", "gaussian:1")


def described(names=range(5)):
    rng = np.random.default_rng(3)
    return [[f"d{k}", 10 * k, 10 * k + rng.normal(), 30 * k + rng.normal()] for _ in range(6) for k in names]


def test_features_give_probabilities_and_two_promises(tmp_path, run):
    path = write(tmp_path / "trial.csv", described(), HEADED)
    data = json.loads(run(path, *BY_MODEL, "--json")[0])
    assert set(data["certified"]) == {"prior", "every truth"}
    assert data["certified"]["prior"] == data["certified_epsilon"] <= data["certified"]["every truth"]
    assert data["success"] == "cover"
    assert all(0 <= row["probability"] <= 1 and row["evidence"] == "measured" for row in data["designs"])
    out = run(path, *BY_MODEL, "--out", tmp_path / "all.csv")[0]
    assert "probably Pareto" in out
    assert "measured" in out
    assert "on average over the prior" in out.lower()
    with (tmp_path / "all.csv").open(encoding="utf-8") as file:
        header, *lines = list(csv.reader(file))
    assert header[-2:] == ["probability", "evidence"]
    assert all(line[-1] == "measured" for line in lines)


def test_designs_that_were_never_evaluated_are_listed(tmp_path, run):
    path = write(tmp_path / "trial.csv", described((0, 1, 4)), HEADED)
    designs = write(tmp_path / "designs.csv", [[f"d{k}", 10 * k] for k in range(5)], HEADED[:2])
    data = json.loads(run(path, *BY_MODEL, "--designs", designs, "--confirm", "--json", "--plan", 3)[0])
    assert [row["evidence"] for row in data["designs"]] == ["measured"] * 2 + ["predicted"] * 2 + ["measured"]
    assert data["certified"]["every truth"] is None
    assert data["designs"][2]["means"] == {"cost": None, "speed": None}
    rough = (*BY_MODEL, "--designs", designs, "--epsilon", 20, "--json", "--plan", 3)
    asked = [json.loads(run(path, *rough, *more)[0])["plan"] for more in ([], ["--confirm-all"])]
    assert asked == [[], [{"name": "d2", "times": 1}, {"name": "d3", "times": 1}]]


@pytest.mark.parametrize("separate", [False, True])
def test_a_plan_is_the_only_word_on_what_to_evaluate_next(tmp_path, run, separate):
    path = write(tmp_path / "trial.csv", described((0, 1, 4)), HEADED)
    designs = write(tmp_path / "designs.csv", [[f"d{k}", 10 * k] for k in range(5)], HEADED[:2])
    arguments = (path, *BY_MODEL, "--designs", designs)
    if separate:
        rows = [[row[0], row[1], ""] if n % 2 else [row[0], "", row[2]] for n, row in enumerate(measured(each=4))]
        arguments = (write(tmp_path / "apart.csv", rows), *LONG, "--separate", "--noise", "gaussian:50.0,8000")
    plain, planned = (run(*arguments, *more)[0] for more in ([], ["--plan", 2]))
    assert re.search(r"^(Evaluate .* next\.|Up to the next look: )", plain, re.MULTILINE)
    assert re.search(r"^Next 2 (evaluations|measurements)", planned, re.MULTILINE)
    assert "\nEvaluate " not in planned
    assert "\nUp to the next look: " not in planned


def test_one_is_no_plural(tmp_path, run):
    path = write(tmp_path / "trial.csv", [["solo", 1.0, 2.0]], ("plant", "cost", "speed"))
    assert "1 evaluation of 1 design under" in run(path, "--objectives", "cost,speed", "--design", "plant")[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["--features", "heat"], "trial.csv has no column 'heat'; it has design, temp, cost, speed."),
        (["--features", "cost"], "the column 'cost' is an objective"),
        (["--epsilon", 0], "does not matter, or --max-evaluations."),
        (["--block", "temp"], "leave --block or the model out"),
        (["--designs", "none.csv"], "there is no file"),
    ],
)
def test_mistakes_with_a_model_are_one_line(tmp_path, run, changes, words):
    out, err = run(write(tmp_path / "trial.csv", described(), HEADED), *BY_MODEL, *changes, code=2)
    assert (out, err.count("\n")) == ("", 1)
    assert words in err

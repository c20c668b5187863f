"""What --unit and --level say of columns, and one sentence for what they cannot."""

from __future__ import annotations

import json

import numpy as np
import pytest

import conewise as cw
from conewise.cli.main import main
from conewise.cli.meaning import all_named, assumed_of, meant_by
from conewise.noise import Gaussian
from conewise.question.objectives import as_objectives

DRUGS = {"strong": (5.0, 9.0), "mild": (4.0, 2.0), "weak": (1.0, 2.6)}
COLUMNS = ["--objectives", "effect,toxicity", "--minimise", "toxicity"]
NORMAL = ["--noise", "unknown"]
TOML = """
epsilon = 0.5
delta = 0.05
seed = 1
[[objectives]]
name = "effect"
[[objectives]]
name = "toxicity"
goal = "min"
level = 3
[designs]
list = ["strong", "mild", "weak"]
[noise]
kind = "gaussian"
sigma = 0.4
"""


@pytest.fixture
def columns():
    return as_objectives(["price (EUR)", "speed"], minimise=["price (EUR)"])


def test_units_and_levels_belong_to_their_columns(columns):
    found, auto = meant_by(columns, ["price (EUR)=500"], ["price (EUR)<=9000", "speed>=2"])
    assert [o.unit for o in found.each] == [500.0, 1.0]
    assert [o.level for o in found.each] == [9000.0, 2.0]
    assert not auto


def test_auto_leaves_the_other_units_to_be_proposed(columns):
    found, auto = meant_by(columns, ["auto", "speed=3"])
    assert auto
    assert found.each[1].unit == 3.0


@pytest.mark.parametrize(
    ("units", "levels", "words"),
    [
        (["speed=fast"], [], "'fast' is not a number"),
        (["speed=1", "speed=2"], [], "two units of 'speed'; say which"),
        ([], ["speed>=fast"], "'fast' is not a number"),
        ([], ["speed>=1", "speed>=2"], "two levels of 'speed'; an objective has one"),
        ([], ["speed<=1"], "'speed' should be large, so its level is the least that is acceptable, 'speed>=...'"),
        ([], ["price (EUR)>=1"], "should be small, so its level is the most that is acceptable"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(columns, units, levels, words):
    with pytest.raises(cw.InputError) as caught:
        meant_by(columns, units, levels)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_option_names_objectives():
    some = all_named(["speed"], ["price (EUR)"], ["auto", "weight=3"], ["speed>=2"], ["unknown", '"a=b"=binary'])
    assert some == ["speed", "price (EUR)", "weight", "a=b"]
    assert all_named([]) == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--objectives", "effect", "--minimise", "toxicity"], ["effect", "toxicity"]),
        (["--objectives", "effect", "--noise", "correct=binary"], ["effect", "correct"]),
        (["--objectives", "correct", "--unit", "effect=2", "--level", "effect>=1"], ["correct", "effect"]),
        (["--minimise", "toxicity", "--noise", "correct=binary"], ["toxicity", "correct"]),
    ],
)
def test_whatever_an_option_names_is_compared(tmp_path, capsys, words, found):
    rng = np.random.default_rng(0)
    lines = [
        f"{name},{e + rng.normal()},{t + rng.normal()},{rng.integers(2)}"
        for name, (e, t) in DRUGS.items()
        for _ in range(5)
    ]
    path = tmp_path / "t.csv"
    path.write_text("design,effect,toxicity,correct\n" + "\n".join(lines), encoding="utf-8")
    run(["analyse", str(path), *words, "--json"])
    assert json.loads(capsys.readouterr().out)["objectives"] == found


def test_known_values_are_compared_in_all_columns_unless_some_are_chosen(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("design,effect,toxicity,price\na,1,2,3\nb,2,1,3\n", encoding="utf-8")
    for words, found in (
        (["--minimise", "price"], ["effect", "toxicity", "price"]),
        (["--objectives", "effect", "--minimise", "price"], ["effect", "price"]),
        (["--objectives", "effect", "--minimise", "price", "--level", "price<=9"], ["effect", "price"]),
        (["--objectives", "effect", "--unit", "toxicity=2"], ["effect", "toxicity"]),
    ):
        run(["front", str(path), *words, "--json"])
        assert json.loads(capsys.readouterr().out)["objectives"] == found


def run(arguments):
    """A command that ends well."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(3)
    rows = [(name, *(np.array(mean) + 0.3 * rng.normal(size=2))) for _ in range(40) for name, mean in DRUGS.items()]
    path = tmp_path / "drugs.csv"
    path.write_text("name,effect,toxicity\n" + "".join(f"{n},{e},{t}\n" for n, e, t in rows), encoding="utf-8")
    return path


def test_a_level_of_a_table_of_measurements(table, capsys, tmp_path):
    run(["analyse", str(table), *COLUMNS, *NORMAL, "--level", "toxicity<=3", "--epsilon", "0.3", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert {d["name"]: d["status"] for d in found["designs"]} == {
        "strong": "misses a level",
        "mild": "kept",
        "weak": "beaten",
    }
    assert found["levels"] == {"toxicity": 3}
    assert "levels met within epsilon" in found["guarantee"]["theorem"]
    saved = tmp_path / "answer.json"
    saved.write_text(json.dumps(found), encoding="utf-8")
    for source, more in ((saved, []), (table, [*COLUMNS, "--level", "toxicity<=3", "--epsilon", "0.3"])):
        page = tmp_path / f"{source.stem}.md"
        run(["report", str(source), *more, "-o", str(page)])
        text = page.read_text(encoding="utf-8")
        assert "1 misses a level" in text
        assert "at most 3 is acceptable" in text


def test_nothing_acceptable_is_said_as_an_answer(table, capsys, tmp_path):
    page = tmp_path / "none.md"
    run(["report", str(table), *COLUMNS, "--level", "toxicity<=1", "--final", "-o", str(page)])
    assert "no design is acceptable" in page.read_text(encoding="utf-8")
    capsys.readouterr()
    run(["analyse", str(table), *COLUMNS, *NORMAL, "--level", "toxicity<=1", "--final"])
    text = capsys.readouterr().out
    assert "none is kept, 3 miss a level" in text
    assert "The data certify that nothing is acceptable: every design misses a level (toxicity <= 1)." in text


@pytest.mark.parametrize(
    ("clauses", "words"),
    [
        (["toxicity>=3"], "should be small"),
        (["weight<=3"], "has no column 'weight'; it has name, effect, toxicity"),
        (["toxicity<=nan"], "the level of 'toxicity' must be finite, got 'nan'"),
        (["toxicity<=3", "toxicity<=4"], "gives two levels"),
        (["toxicity"], "level"),
    ],
)
def test_a_level_that_makes_no_sense_is_one_line(table, capsys, clauses, words):
    options = [word for clause in clauses for word in ("--level", clause)]
    with pytest.raises(SystemExit) as caught:
        main(["analyse", str(table), *COLUMNS, *options])
    assert caught.value.code == 2
    text = capsys.readouterr().err
    assert words in text
    assert text.count("\n") == 1


def test_a_study_with_a_level_is_created_told_and_opened_again(tmp_path, capsys):
    path = tmp_path / "trial.toml"
    path.write_text(TOML, encoding="utf-8")
    run(["study", "create", str(path), "--level", "effect>=0.5"])
    rng = np.random.default_rng(0)
    with cw.Study.open(tmp_path / "trial.db") as study:
        assert study.question.columns.levels == ("effect >= 0.5", "toxicity <= 3")
        while batch := study.ask(20):
            study.tell(batch, [rng.normal(DRUGS[e.name], 0.4) for e in batch])
        assert study.result().status.tolist() == ["misses a level", "kept", "covered"]
    capsys.readouterr()
    run(["study", "status", str(tmp_path / "trial.db"), "--json"])
    assert json.loads(capsys.readouterr().out)["by_status"]["misses_a_level"] == 1
    run(["study", "status", str(tmp_path / "trial.db")])
    assert "1 misses a level" in capsys.readouterr().out


@pytest.mark.parametrize("clause", ["toxicity<=4", "colour>=1", "effect<=1"])
def test_a_study_is_not_created_with_a_level_that_makes_no_sense(tmp_path, capsys, clause):
    path = tmp_path / "trial.toml"
    path.write_text(TOML, encoding="utf-8")
    with pytest.raises(SystemExit) as caught:
        main(["study", "create", str(path), "--level", clause])
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not list(tmp_path.glob("*.db"))


def test_levels_are_arguments_of_a_study_and_refused_where_no_proof_knows_them(tmp_path):
    asked = {
        "designs": 3,
        "cone": cw.Cone.orthant(2),
        "epsilon": 0.5,
        "delta": 0.1,
        "noise": Gaussian(1.0),
        "objectives": ["a", "b"],
    }
    with cw.Study.create(tmp_path / "a.db", levels={"a": 1.5}, **asked) as study:
        assert study.question.columns.levels == ("a >= 1.5",)
    with pytest.raises(cw.InputError, match="does not know levels"):
        cw.Study.create(tmp_path / "b.db", levels={"a": 1.5}, **asked, algorithm="naive")
    assert not (tmp_path / "b.db").exists()


# -- noise ---------------------------------------------------------------------------------------------------------


def test_noise_of_all_and_of_some_objectives():
    three = as_objectives(["correct", "a=b, c", "price"])
    assert assumed_of(three, ()) == (three, None)  # nothing is said, so that nothing is guaranteed
    assert repr(assumed_of(three, ("bounded:0:1",))[1]) == "Bounded(0.0, 1.0)"
    some, others = assumed_of(three, ("correct=binary", '"a=b, c"=0.5', "known"))
    assert repr(some.noise(others)) == "ByObjective([Binary(), Gaussian(0.5), Known()])"
    priced, others = assumed_of(three, ("price=known",))
    assert others is None
    assert repr([each.noise for each in priced]) == "[None, None, Known()]"


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("correct=binomial",), "noise of the objective 'correct' must be unknown, .* got 'binomial'"),
        (("binomial",), "--noise must be unknown, .* got 'binomial'"),
        (("colour=binary",), "noise is given for 'colour', which is not among correct, price"),
        (("correct=binary", "correct=known"), "two things of 'correct'"),
        (("unknown", "binary"), "two things of all objectives"),
        (("correct=known", "known"), "no objective has noise"),
        (("correct=gaussian:1.0,2",), "given for 2 objectives, but there are 1"),
    ],
)
def test_noise_that_says_nothing_is_refused(texts, words):
    def noise():
        objectives, others = assumed_of(as_objectives(["correct", "price"]), texts)
        return objectives.noise(others)

    with pytest.raises(cw.InputError, match=words):
        noise()

"""Files of trials: what they say, and what makes no sense in them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from shared.laboratory import TOML as LABORATORY
from shared.laboratory import data, refused
from shared.simulators import trade_off

import conewise as cw
from conewise.cli.main import main
from conewise.cli.trial import read_trial
from conewise.report.answer import answer
from conewise.report.page import html_page
from conewise.report.subject import of_result, of_study
from conewise.studies import boxes
from conewise.studies.study import Study
from conewise.tables.designrows import read_designs


def test_a_study_file_states_exchanges(tmp_path):
    path = tmp_path / "trial.toml"
    path.write_text(
        'objectives = ["price", "speed"]\nminimise = ["price"]\naccept = ["30 price for 5 speed"]\nepsilon = 1.0\n'
        'delta = 0.1\n[designs]\nlist = ["a", "b"]\n[noise]\nkind = "gaussian"\nsigma = 1.0\n',
        encoding="utf-8",
    )
    cone = read_trial(path).study["cone"]
    assert cone.said == ("30 price for 5 speed is worth it",)
    path.write_text(path.read_text(encoding="utf-8").replace('["30 price', '[3, "30 price'), encoding="utf-8")
    with pytest.raises(cw.InputError, match="accept is a list of statements"):
        read_trial(path)


TOML = """
epsilon = 1.0
delta = 0.1

[[objectives]]
name = "price (EUR)"
goal = "min"
unit = 500
noise = 400

[[objectives]]
name = "power"
unit = 10
noise = 4

[designs]
list = ["a", "b", "c"]
"""


def test_a_trial_file_has_objectives_with_units(tmp_path):
    path = tmp_path / "trial.toml"
    path.write_text(TOML, encoding="utf-8")
    trial = read_trial(path)
    with cw.Study.create(tmp_path / "t.db", **trial.study) as study:
        assert study.objectives == ("price (EUR)", "power")
        assert study.minimised == ("price (EUR)",)
        assert study.question.columns.units.tolist() == [500, 10]
        assert study.noise.sigma.tolist() == [400, 4]
        rng = np.random.default_rng(0)
        while batch := study.ask(10):
            means = {"a": (15_000, 70), "b": (20_000, 120), "c": (30_000, 100)}
            study.tell(batch, [rng.normal(means[e.name], (400, 4)) for e in batch])
        result = study.result()
        assert result.names() == ["a", "b"]
        assert result.averages[0] == pytest.approx([15_000, 70], rel=0.1)
        subject = of_study(study)
        assert answer(subject)["rows"][0]["means"] == pytest.approx([15_000, 70], rel=0.1)
        assert "one step is price 500 EUR, power 10" in repr(result)
        assert "One step is price 500 EUR" in html_page(subject)
    plain = answer(of_result(result, cw.Question(cw.Cone.orthant(2), epsilon=1, delta=0.1)))
    assert plain["objectives"][0]["unit"] == 500


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("unit = 0", "unit of the objective 'power' must be above 0"),
        ("unit = nan", "must be finite"),
        ("units = 3", "an objective has no 'units'"),
        ('goal = "less"', 'must be "max" or "min"'),
        ("level = nan", "must be finite"),
    ],
)
def test_what_makes_no_sense_in_a_trial_file_is_one_line(capsys, tmp_path, line, words):
    path = tmp_path / "trial.toml"
    path.write_text(TOML.replace("unit = 10", line), encoding="utf-8")
    with pytest.raises(SystemExit) as caught:
        main(["study", "create", str(path)])
    assert caught.value.code == 2
    text = capsys.readouterr().err
    assert words in text
    assert text.count("\n") == 1
    assert not list(tmp_path.glob("*.db"))


def written(path, text):
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_a_number_of_a_design_has_ascii_digits_only(tmp_path):
    path = written(tmp_path / "t.csv", "name,x,y,z\na,1_000,\uff11,1\nb,2_000,2,2\n")
    assert [(d["x"], d["y"], d["z"]) for d in read_designs(path)] == [("1_000", "\uff11", 1), ("2_000", "2", 2)]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('objectives = ["gain", "cost"]', "", "does not say objectives; a study needs objectives, epsilon, delta"),
        ("[noise]", "[noize]", "'noize' is not a key of it; did you mean 'noise'?"),
        ("epsilon = 0.1", "epsilom = 0.1", "did you mean 'epsilon'?"),
        ("epsilon = 0.1", 'epsilon = "0.1"', "epsilon must be a number, got '0.1'"),
        ("epsilon = 0.1", "epsilon = true", "epsilon must be a number, got 'True'"),
        ("epsilon = 0.1", "epsilon = -1.0", "epsilon"),
        ("epsilon = 0.1", "epsilon = 1e400", "epsilon must be finite"),
        ("seed = 3", f"seed = {'9' * 5000}", "trial.toml is not valid TOML: Exceeds the limit"),
        ("seed = 3", f"seed = {'9' * 400}", "seed must be at most"),
        ("seed = 3", f"seed = {'[' * 5000}{']' * 5000}", "trial.toml is not valid TOML: "),
        ('file = "designs.csv"', f"count = {'9' * 400}", "designs must be at most 10000000"),
        ("delta = 0.05", "delta = 1.5", "delta must lie strictly between 0 and 1"),
        ("seed = 3", "seed = 3.5", "seed must be a whole number"),
        ("seed = 3", "colour = 3", "'colour' is not a key of it; it may have name, objectives"),
        ("seed = 3", "seed = 3\nlease = 0", "lease must be above 0"),
        ('cone = "planar:100"', 'cone = "planer:100"', "no cone is called 'planer'"),
        ('cone = "planar:100"', 'cone = "orthant:3"', "3"),
        ('minimise = ["cost"]', 'minimise = ["mass"]', "minimise names 'mass'"),
        ('minimise = ["cost"]', 'minimise = "cost"', "minimise must be a list, got 'cost'"),
        ('minimise = ["cost"]', "minimise = [1]", "objectives and minimise are lists of names"),
        ('file = "designs.csv"', 'file = "desings.csv"', "there is no file"),
        ('file = "designs.csv"', "", "[designs]: say exactly one of file, list and count"),
        ('file = "designs.csv"', 'file = "designs.csv"\ncount = 3', "say exactly one of file, list and count, got 2"),
        ('file = "designs.csv"', 'file = "designs.csv"\nname = "label"', "has no column 'label'; it has name, x"),
        ('file = "designs.csv"', 'list = ["a", "b"]\nname = "x"', "name is a column of a file"),
        ('file = "designs.csv"', 'list = ["a", "a"]', "two designs are called 'a'"),
        ('file = "designs.csv"', "count = 1", "at least 2"),
        ('kind = "gaussian"', 'kind = "cauchy"', "the kind of the noise must be one of gaussian"),
        ("sigma = 0.1", "sigma = 0", "sigma must be above 0"),
        ("sigma = 0.1", "simga = 0.1", "did you mean 'sigma'?"),
        ("sigma = 0.1", "sigma = [1, 2, 3]", "the noise is given for 3 objectives, but there are 2"),
        ('name = "naive"', 'name = "naiv"', "algorithm must be"),
        ('name = "naive"', "name = 3", "name in [algorithm] must be text"),
        ("evaluations_each = 4", "evaluation_each = 4", "has no option 'evaluation_each'"),
        ("jobs = 0", "job = 0", "did you mean 'jobs'?"),
        ("jobs = 0", 'jobs = "all"', "jobs must be a whole number"),
        ("seed = 3", "seed = ", "is not valid TOML"),
    ],
    ids=lambda value: value[:40].replace("\n", " "),
)
def test_slips_in_a_toml_are_one_line(folder, capsys, old, new, words):
    assert old in LABORATORY
    (folder / "trial.toml").write_text(LABORATORY.replace(old, new), encoding="utf-8")
    assert words in refused(capsys, "create", "trial.toml")
    assert not (folder / "trial.db").exists()


def test_every_key_of_a_toml_arrives(folder, capsys):
    text = LABORATORY.replace('file = "designs.csv"', 'file = "sub/table.csv"\nname = "maker"').replace(
        "seed = 3", 'seed = 4\nname = "alloys"\nlease = 60'
    )
    text = text.replace("sigma = 0.1", "cov = [[0.01, 0.002], [0.002, 0.02]]")
    (folder / "sub").mkdir()
    (folder / "sub" / "table.csv").write_text("maker;x;n\nA;0.5;3\nB;1;04\n", encoding="utf-8")
    (folder / "trial.toml").write_text(text, encoding="utf-8")
    made = data(capsys, "create", "trial.toml", "--storage", "elsewhere.db")
    assert (made["study"], made["place"], made["n_designs"]) == ("alloys", "elsewhere.db", 2)
    with Study.open("elsewhere.db") as study:
        assert study.names == ("A", "B")
        assert study.rows == [{"name": "A", "x": 0.5, "n": 3}, {"name": "B", "x": 1.0, "n": 4}]
        assert (study.seed, study.lease, study.minimised) == (4, 60.0, ("cost",))
        assert study.noise.cov.tolist() == [[0.01, 0.002], [0.002, 0.02]]
        assert study.options == {"evaluations_each": 4}
    again = data(capsys, "create", "trial.toml", "--storage", "elsewhere.db", "--name", "second")
    assert again["study"] == "second"
    assert "holds 2 studies; say which by name: alloys, second" in refused(capsys, "status", "elsewhere.db")
    assert data(capsys, "status", "elsewhere.db", "--name", "second")["study"] == "second"
    assert [found["study"] for found in data(capsys, "list", "elsewhere.db")["studies"]] == ["alloys", "second"]
    assert "already holds a study called 'second'" in refused(
        capsys, "create", "trial.toml", "--storage", "elsewhere.db", "--name", "second"
    )


# -- boxes -----------------------------------------------------------------------------------------------------------

BOX = """[box]
candidates = 8

[box.parameters]
x = { from = 0, to = 1 }
maker = ["A", "B"]

[model]
kind = "smooth"
kernels = ["squared"]
sizes = [3]
discrepancies = [0.01]
between = [0.5, 2]

[algorithm]
max_evaluations = 8
"""


def with_box(folder, box=BOX, also=""):
    text = LABORATORY.replace('[designs]\nfile = "designs.csv"\n', also + box).replace("epsilon = 0.1", "epsilon = 0.5")
    (folder / "trial.toml").write_text(text.replace(NAIVE, ""), encoding="utf-8")


def test_a_trial_with_a_box_is_run_to_its_end(folder, capsys, monkeypatch):
    for name in ("POOL", "FINER"):
        monkeypatch.setattr(boxes, name, 32)
    with_box(folder)
    assert data(capsys, "create", "trial.toml")["algorithm"] == "model"
    (asked,) = data(capsys, "ask", "trial.db")["handed_out"]
    assert {"x", "maker"} <= asked["columns"].keys()
    data(capsys, "tell", "trial.db", asked["id"], *trade_off(asked["columns"], asked["seed"]).tolist())
    assert data(capsys, "run", "trial.db", "--toml", "trial.toml")["finished"]
    status = data(capsys, "status", "trial.db", "--designs")
    assert len(status["designs"]) > 8
    assert f"for the {len(status['designs'])} candidates" in status["guarantee"]["theorem"]


@pytest.mark.parametrize(
    ("box", "also", "words"),
    [
        (BOX, "[designs]\ncount = 3\n\n", "say .box. or .designs., not both"),
        ("[box]\ncandidates = 8\n", "", "no parameters; write the line .box.parameters."),
        ("[box.parameters]\nx = { from = 1, to = 0 }\n", "", "trial.toml, .box.: the parameter 'x' must run from"),
        ("[box]\npoints = 8\n", "", "'points' is not a key of it; it may have parameters"),
        (BOX.replace("[model]", '[model]\nfeatures = ["x"]'), "", "the model of a box has no 'features'"),
    ],
)
def test_mistakes_about_a_box_are_one_line(folder, capsys, box, also, words):
    with_box(folder, box, also)
    assert re.search(words, refused(capsys, "create", "trial.toml"))


# -- models ----------------------------------------------------------------------------------------------------------

NAIVE = '[algorithm]\nname = "naive"\nevaluations_each = 4\n'
MODEL = '[model]\nkind = "linear"\nfeatures = ["x"]\nsizes = [3, 30]\n'


def with_model(folder, model=MODEL, algorithm=""):
    text = LABORATORY.replace(NAIVE, model + algorithm)
    assert text != LABORATORY
    (folder / "trial.toml").write_text(text, encoding="utf-8")


def test_a_trial_with_a_model_is_run_asked_and_told(folder, capsys):
    with_model(folder, algorithm="[algorithm]\nbatch = 2\nconfirm = true\n")
    created = data(capsys, "create", "trial.toml")
    assert created["algorithm"] == "model"
    asked = data(capsys, "ask", "trial.db", "-n", "2")["handed_out"]
    assert len({one["name"] for one in asked}) == 2
    for one in reversed(asked):
        gain, cost = trade_off(one["columns"], one["seed"]).tolist()
        data(capsys, "tell", "trial.db", one["id"], gain, cost)
    ran = data(capsys, "run", "trial.db", "--toml", "trial.toml")
    assert ran["finished"]
    status = data(capsys, "status", "trial.db", "--designs")
    assert set(status["certified"]) == {"prior", "every truth"}
    assert "on average over the prior" in status["guarantee"]["theorem"]
    assert all(0 <= row["probability"] <= 1 for row in status["designs"])
    assert all(row["evidence"] == "measured" for row in status["designs"] if row["returned"])  # confirmed
    with pytest.raises(SystemExit):
        main(["study", "status", "trial.db", "--designs"])
    out = capsys.readouterr().out
    assert "probably Pareto" in out
    assert "for every truth" in out


@pytest.mark.parametrize("name", ["vogp", "ehvi"])
def test_published_rules_with_a_model_are_named_in_a_trial(folder, capsys, name):
    with_model(folder, algorithm=f'[algorithm]\nname = "{name}"\nmax_evaluations = 6\n')
    assert data(capsys, "create", "trial.toml")["algorithm"] == name
    assert data(capsys, "run", "trial.db", "--toml", "trial.toml")["finished"]
    assert data(capsys, "status", "trial.db")["evaluations"] <= 6


def test_the_command_line_says_it_as_well_as_the_file(folder, capsys):
    with_model(folder, model="")
    created = data(capsys, "create", "trial.toml", "--features", "x", "--model", "linear", "--price", "batch")
    assert created["algorithm"] == "model"
    with Study.open("trial.db") as study:
        assert study.options == {"model": {"kind": "linear", "features": ["x"], "price": "batch"}}
        assert study.rule().prices.tolist() == [3, 4, 12]
    assert "needs features" in refused(capsys, "create", "trial.toml", "--storage", "b.db", "--price", "batch")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ('[model]\nkind = "linear"\nfeatures = ["y"]\n', "the designs have no column 'y'; they have name, x, batch"),
        ('[model]\nkind = "linear"\nfeatures = []\n', "the features of the model are empty"),
        ('[model]\nkind = "linear"\nfeatures = ["maker"]\n', "'maker'"),
        ('[model]\nkind = "smooth"\nfeatures = ["x"]\nkernels = []\n', "kernels is empty"),
        ('[model]\nkind = "cubic"\nfeatures = ["x"]\n', "model must be"),
        ('[model]\nkind = "linear"\nfeature = ["x"]\n', "did you mean 'features'?"),
        ('[model]\nfeatures = ["x"]\n', "model must be a prior"),
        (MODEL + '[algorithm]\nname = "naive"\nevaluations_each = 4\n', "naive has no option 'model'"),
    ],
)
def test_mistakes_about_a_model_are_one_line(folder, capsys, model, words):
    with_model(folder, model)
    assert words in refused(capsys, "create", "trial.toml")

"""Files of trials: what they say, and what makes no sense in them."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.cli.main import main
from conewise.cli.trial import read_designs, read_trial
from conewise.report.answer import answer
from conewise.report.page import html_page
from conewise.report.subject import of_result, of_study


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
        ("level = 3.0", "does not know levels"),
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

"""A remark changes no answer: where its arithmetic fails there is none, and the answer stands."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from shared.commandline import refused, run

import conewise as cw
from conewise.border import advisory, unit_interval

LEAST, MOST = 5e-324, 1.7e308


@pytest.mark.parametrize("cone", ["ranked", "orthant", "importance:0.2", "planar:100"])
@pytest.mark.parametrize("value", [-LEAST, LEAST, 1e-310, 1e-200, 1e200, 1e300, MOST])
def test_a_front_of_any_values_is_an_answer_or_one_sentence(tmp_path, monkeypatch, capsys, cone, value):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(f"name,a,b\np,{value!r},1\nq,0,3\n")
    (tmp_path / "m.csv").write_text(f"name,a,b\np,{value!r},1\np,{value!r},2\nq,0,3\nq,0,4\n")
    asked = ("--objectives", "a,b", "--cone", cone)
    for command in (("front", "t.csv"), ("front", "t.csv", "--all"), ("analyse", "m.csv", "--noise", "gaussian:1")):
        code, out, err = run(capsys, *command, *asked)
        assert code in (0, 2)
        assert "cannot be computed" not in err
        assert (code == 0) == bool(out)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cw.UnitsWarning)
        found = {"name": ["p", "q"], "a": [value, 0.0], "b": [1.0, 3.0]}
        if abs(value) < 1e300:
            kept = cw.front(found, objectives=["a", "b"], cone=cw.Cone.parse(cone, dim=2))["name"]
            assert ("q" in kept) == (value < 1 or cone == "orthant")


def test_the_least_number_is_no_reason_to_refuse(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("name,a,b\np,-5e-324,1\nq,0,3\n")
    code, out, err = run(capsys, "front", "t.csv", "--objectives", "a,b", "--cone", "ranked")
    assert (code, out.splitlines()) == (0, ["name,a,b", "q,0,3"])
    assert "1 of 2 designs is Pareto" in err


@pytest.mark.parametrize("cone", ["orthant", "ranked", "planar:100"])
def test_a_gap_beyond_all_numbers_is_infinite(tmp_path, monkeypatch, capsys, cone):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("name,a,b\np,-1.7e308,1\nq,1.7e308,1e308\n")
    code, out, err = run(capsys, "front", "t.csv", "--objectives", "a,b", "--cone", cone, "--all")
    assert code == 0
    assert out.splitlines()[1].startswith("p,-1.7e308,1,beaten,2,")
    assert "Warning" not in err


@pytest.mark.parametrize("spread", ["2e300", "1e-200", "1.7e308"])
def test_a_unit_that_nobody_gave_is_not_complained_about(tmp_path, monkeypatch, capsys, spread):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(f"name,a,b\np,{spread},1\nq,0,3\n")
    said = refused(capsys, "front", "t.csv", "--objectives", "a,b", "--unit", "auto")
    assert f"no unit fits 'a', whose values spread by {float(spread):.3g}" in said
    code, _, err = run(capsys, "front", "t.csv", "--objectives", "a,b", "--unit", "auto", "--unit", "a=1e90")
    assert code == 0, err


def test_what_fails_in_a_remark_leaves_it_out():
    @advisory()
    def remark(spread: float) -> str:
        return f"{np.float64(1.0) / spread:g}"

    assert remark(2.0) == "0.5"
    assert remark(0.0) is None
    with pytest.raises(TypeError), advisory():  # a mistake of ours, and no arithmetic
        raise TypeError


@pytest.mark.parametrize("column", [[-MOST, MOST, 0.0], [0.0, LEAST, LEAST], [1.0, MOST, -1e300]])
def test_features_of_any_size_lie_between_0_and_1(column):
    for model in (cw.models.Smooth([[entry] for entry in column]), cw.models.Smooth({"x": column})):
        values = model.features.values
        assert (values.min(), values.max()) == (0.0, 1.0)
    options = list(dict.fromkeys(column))
    features = cw.problems.Box({"x": options}, candidates=2).each[0].features(np.linspace(0.0, 0.99, 50))
    assert (features.min(), features.max()) == (0.0, 1.0)


def test_features_are_to_the_last_bit_what_they_were():
    rng = np.random.default_rng(5)
    for scale in (1e-300, 1e-5, 1.0, 1e5, 1e300):
        numbers = rng.normal(size=200) * scale
        low = numbers.min()
        assert (unit_interval(numbers) == (numbers - low) / (numbers.max() - low)).all()

"""What --unit and --level say of columns, and one sentence for what they cannot."""

from __future__ import annotations

import pytest

import conewise as cw
from conewise.cli.meaning import fixed_units, meant_by
from conewise.objectives import as_objectives


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


def test_noisy_values_do_not_choose_their_units(columns):
    assert fixed_units(columns, ["speed=2"]).each[1].unit == 2.0
    with pytest.raises(cw.InputError, match="no guarantee holds for units that noisy values chose"):
        fixed_units(columns, ["auto"])

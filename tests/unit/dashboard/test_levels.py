"""Levels as the page states them: read, refused, shown on a command line, and who misses one."""

from __future__ import annotations

import shlex

import numpy as np
import pytest
from click.testing import CliRunner
from shared.explorer import designs_of, unpacked

import conewise as cw
from conewise.cli.explore import source_named
from conewise.cli.main import commands
from conewise.dashboard.desk import Desk
from conewise.dashboard.levels import as_options, levels_in, missed
from conewise.dashboard.sources import Fixed
from conewise.errors import InputError

VALUES = np.array([[1.0, 5.0], [2.0, 9.0], [3.0, 2.0], [4.0, 10.0]])
DESIGNS = designs_of(VALUES, ["a", "b", "c", "d"], ("cost",), ("cost", "speed, at 25 °C"))


@pytest.mark.parametrize(
    "asked", [[], {"2": 1}, {"x": 1}, {"0": "1"}, {"0": None}, {"0": float("inf")}, {"-1": 1}, {0: 1}]
)
def test_what_is_no_level_is_refused_in_one_sentence(asked):
    with pytest.raises(InputError, match=r'as in \{"0": 12.5\}'):
        levels_in(asked, 2)


def test_who_misses_a_level_is_out_and_puts_nobody_out():
    within = DESIGNS.within(levels_in({"0": 3, "1": 3}, 2))
    assert within.known.tolist() == [0, 1]
    assert missed(within, 3) == [{"objective": 0, "level": 3.0, "by": 1.0}]
    assert missed(within, 2) == [{"objective": 1, "level": 3.0, "by": 1.0}]
    assert missed(within, 0) == []
    assert DESIGNS.within(()) is DESIGNS
    desk = Desk(Fixed("t", DESIGNS, cw.Cone.orthant(2), None))
    loose = desk.front({"first": {"degrees": 90}, "before": {"degrees": 90, "levels": {"0": 3}}})
    assert loose["moved"]["entered"]["names"] == ["d"]
    found = desk.front({"first": {"degrees": 90}, "levels": {"0": 3}, "table": {"everyone": True}})
    assert found["table"]["misses"] == [False, False, False, True]
    assert found["table"]["pareto"] == [True, True, False, False]
    one = desk.design({"first": {"degrees": 90}, "levels": {"0": 3}, "index": 3})
    assert (one["pareto"], one["rivals"], one["misses"][0]["by"]) == (False, [], 1.0)
    assert desk.shortlist({"first": {"degrees": 90}, "levels": {"0": 3}, "index": [3]})["csv"].endswith(
        "misses a level\r\n"
    )
    page = desk.saved({"first": {"degrees": 90}, "levels": {"0": 3}, "index": [0]})["html"]
    assert '"levels":[[0,3.0]]' in unpacked(page, "data")  # a control of the page, where it can be moved
    assert desk.angles({"levels": {"0": 3}})["names"] != desk.angles({})["names"]


def test_the_command_takes_them_as_they_are_written(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text('name,cost,"speed, at 25 °C"\na,1,5\nb,2,9\nc,3,2\nd,4,10\n', encoding="utf-8")
    options = shlex.split(as_options(DESIGNS.within(((0, 3.0), (1, 6.0)))))
    done = CliRunner().invoke(commands, ["front", str(table), "--minimise", "cost", *options, "--json"])
    assert done.exit_code == 0, done.output
    assert '"b"' in done.stdout
    assert '"d"' not in done.stdout


def test_a_page_begins_with_the_levels_of_the_command_or_of_the_study(tmp_path):
    """As they are measured, whatever the unit; the page may take them away again, so that nobody is left out here."""
    table = tmp_path / "drugs.csv"
    table.write_text("name,effect,toxicity\na,5,9\nb,4,2\n", encoding="utf-8")
    found = source_named(str(table), ["effect"], ["toxicity"], None, None, ("toxicity=2",), ("toxicity<=3",))
    start = Desk(found).start({})
    assert start["levels"] == [[1, 3.0]]
    assert start["designs"] == 2
    asked = {"objectives": [cw.Objective("toxicity", "min", unit=2, level=3)], "cone": cw.Cone.orthant(1)}
    db = str(tmp_path / "study.db")
    with cw.Study.create(db, designs=["a", "b"], epsilon=1, delta=0.1, noise=cw.noise.Gaussian(1), **asked):
        pass
    live = source_named(db, [], [], None, None)
    assert Desk(live).start({})["levels"] == [[0, 3.0]]
    live.close()
    with pytest.raises(cw.InputError, match="--unit and --level are for tables"):
        source_named(db, [], [], None, None, (), ("toxicity<=3",))
    with pytest.raises(cw.InputError, match="embedded example"):
        source_named("snw", [], [], None, None, (), ("toxicity<=3",))

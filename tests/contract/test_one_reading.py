"""A number with a decimal comma is refused with its spelling, wherever the command line takes a number."""

from __future__ import annotations

import pytest
from shared.commandline import refused, run

import conewise as cw

TABLE = "design,price,speed\na,1,2\na,2,2.5\nb,3,1\nb,2,0.5\n"
MEASURED = ("analyse", "table.csv", "--objectives", "price,speed")
KNOWN = ("front", "table.csv", "--objectives", "price,speed", "--name", "design")


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(TABLE)


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ((*KNOWN, "--cone", "importance:0,2"), "write importance:0.2, or importance:0.0,2 for two"),
        ((*KNOWN, "--cone", "importance:price=0,2"), "write 0.2"),
        ((*KNOWN, "--cone", "price=0,2, speed=0,3"), "write 0.2"),
        ((*KNOWN, "--unit", "price=0,5"), "write 0.5"),
        ((*KNOWN, "--unit", "price=2,000"), "write 2.000 or 2000"),
        ((*KNOWN, "--level", "price>=0,5"), "write 0.5"),
        ((*KNOWN, "--where", "price == 0,5"), "write 0.5"),
        ((*KNOWN, "--accept", "0,5 price for 1000 speed"), "write 0.5"),
        ((*KNOWN, "--accept", "100 price for 10,000 speed"), "write 10.000 or 10000"),
        ((*KNOWN, "--prefer", "price=1,5, speed=2 > price=1, speed=3"), "write 1.5"),
        ((*MEASURED, "--noise", "gaussian:1,5"), "write 1.5, or 1.0,5 for two"),
        ((*MEASURED, "--noise", "bounded:0:2,5"), "write 2.5, or 2.0,5 for two"),
        ((*MEASURED, "--noise", "unknown:0,1"), "write 0.1, or 0.0,1 for two"),
        ((*MEASURED, "--noise", "price=0,5"), "write 0.5"),
        (("cone", "planar:112,5"), "write planar:112.5"),
    ],
    ids=lambda given: " ".join(given[-1:]) if isinstance(given, tuple) else "",
)
def test_a_decimal_comma_is_refused_with_its_spelling(capsys, arguments, written):
    assert written in refused(capsys, *arguments)


@pytest.mark.parametrize("text", ["gaussian:1.0,5", "gaussian:1, 5", "gaussian:1,5.0"])
def test_a_list_of_two_numbers_shows_that_it_is_one(text):
    with pytest.raises(cw.InputError, match="2 objectives, but there are 1"):
        cw.front({"f": [1.0]}, objectives=[cw.Objective("f", noise=text)])


def test_a_text_in_quotes_is_a_text(capsys, tmp_path):
    (tmp_path / "sizes.csv").write_text('name,size,f\na,"0,5",1\nb,"0,7",2\n')
    code, out, _ = run(capsys, "front", "sizes.csv", "--objectives", "f", "--where", 'size == "0,5"')
    assert (code, out.splitlines()[1:]) == (0, ['a,1,"0,5"'])

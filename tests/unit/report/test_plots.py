"""What is shown: a cone in words, tables as Markdown and CSV, and pictures that are the same bytes every time."""

from __future__ import annotations

import csv
import io
import json
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import conewise as cw
from conewise.cli.main import commands
from conewise.experiments.beyond import BudgetRow, ConeRow
from conewise.experiments.papers.ararat_tekin_2023 import Reproduction, reproduce
from conewise.report import plots
from conewise.report.data import Table, budget_table, cone_table, difference_table, reproduction_tables
from conewise.report.words import describe, weightings

# -- words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("orthant:1", ["Larger is better."]),
        ("[[-1]]", ["Smaller is better."]),
        (
            "orthant:3",
            ["under each of 3 weightings of the 3 objectives", "the classical componentwise order", "beta = 1"],
        ),
        ("planar:135", ["Wider than the componentwise order", "between 29.3 % and 70.7 %", "no more evaluations"]),
        ("planar:45", ["Narrower than the componentwise order", "up to 2 times the evaluations", "beta = 1.41421"]),
        (
            "[[1,0.2],[-0.5,1]]",
            ["Neither wider nor narrower", "A loss of 1 in objective 1", "at least 5 in objective 2"],
        ),
        ("[[1,3],[3,1]]", ["A loss of 1 in objective 2 is accepted for a gain of at least 3 in objective 1"]),
        ("ranked:3", ["objective 1 between 33.3 % and 100 %", "objective 3 between 0 % and 33.3 %"]),
    ],
)
def test_a_cone_in_words(spec, expected):
    lines = describe(cw.Cone.parse(spec))
    for words in expected:
        assert any(words in line for line in lines), lines
    assert all(line.endswith(".") and "\n" not in line for line in lines)


@pytest.mark.parametrize("degrees", [20, 60, 89, 91, 120, 160])
def test_the_exchange_rate_in_words_is_the_cones_own(degrees):
    """A loss of 1 for a gain of r is just accepted: (r, -1) lies on the edge of the cone."""
    cone = cw.Cone.planar(degrees)
    rates = [line for line in describe(cone) if line.startswith("A loss")]
    assert len(rates) == (2 if degrees > 90 else 0)
    for line in rates:
        rate = float(line.split("at least ")[1].split()[0])
        assert cone.contains([1.001 * rate, -1.0])
        assert not cone.contains([0.999 * rate, -1.0])


@pytest.mark.parametrize("rays", [[[1, -0.1], [1, -0.5]], [[-0.5, 1], [-0.1, 1]], [[2, -1], [-1, 2]]])
def test_an_exchange_rate_is_a_least_or_a_most_one(rays):
    """A cone may lie wholly on the side of losses; there a gain can be too large, not only too small."""
    cone = cw.Cone.from_rays(rays)
    rates = [line for line in describe(cone) if line.startswith("A loss")]
    assert len(rates) == 2
    for line in rates:
        words = line.rstrip(".").split()
        lost, won = int(words[words.index("is") - 1]) - 1, int(words[-1]) - 1
        rate = float(words[-4])
        more, less = np.empty(2), np.empty(2)
        more[[won, lost]], less[[won, lost]] = (1.001 * rate, -1), (0.999 * rate, -1)
        assert cone.contains(more) == ("at least" in line)
        assert cone.contains(less) == ("at most" in line)


@pytest.mark.parametrize("degrees", [100, 120, 160])
def test_named_exchanges_go_the_way_the_objectives_are_measured(degrees):
    """Strength should be large and price small, so a gain of strength is a rise and a gain of price a fall."""
    cone = cw.Cone.planar(degrees)
    named = describe(cone, ["strength", "price"], ["price"])
    rate = np.tan(np.radians(degrees / 2 - 45)) ** -1
    assert f"A rise of 1 in price is accepted for a rise of at least {rate:.4g} in strength." in named
    assert f"A fall of 1 in strength is accepted for a fall of at least {rate:.4g} in price." in named
    assert named[0].endswith("weightings of strength and price.")
    assert named[-1] == "For price less is better, so a gain there is a decrease."
    assert not any("objective 1" in line or "objective 2" in line for line in named)


@pytest.mark.parametrize(
    "spec", ["orthant:1", "[[-1]]", "ranked:3", "planar:45", "importance:0.1,5", "[[1,0.2],[-0.5,1]]"]
)
def test_names_take_the_place_of_numbers(spec):
    cone = cw.Cone.parse(spec)
    names = [f"<n{d}>\n" for d in range(cone.dim)]
    plain, named = describe(cone), describe(cone, names)
    assert len(plain) == len(named)
    assert not any("objective 1" in line for line in named)
    assert all("\n" not in line and line.endswith(".") for line in named)  # no name breaks a line
    assert sum("<n0>" in line for line in named) >= 1
    with pytest.raises(cw.InputError, match="names for them"):
        describe(cone, [*names, "one more"])


@pytest.mark.parametrize("spec", ["planar:120", "ranked:3", "[[1,-2,4],[4,1,-2],[-2,4,1]]", "[[1,0],[3,4]]"])
def test_a_weighting_in_words_gives_the_score(spec):
    """Read back as a sum over the values as they are measured, minimised ones with their own sign."""
    cone = cw.Cone.parse(spec)
    names = [f"n{d}" for d in range(cone.dim)]
    measured = np.random.default_rng(0).normal(size=cone.dim)
    turned = measured * [-1, *[1] * (cone.dim - 1)]
    for text, score in zip(weightings(cone, names, ["n0"]), cone.facets @ turned, strict=True):
        total = 0.0
        for term in text.replace(" − ", " + −").split(" + "):
            size, name = (term.lstrip("−").rpartition(" ")[0] or "1"), term.lstrip("−").rpartition(" ")[2]
            total += (-1 if term.startswith("−") else 1) * float(size) * measured[int(name[1:])]
        assert total == pytest.approx(score, abs=0.01)


def test_a_long_weighting_is_cut():
    (text, *_) = weightings(cw.Cone.importance(0.05, dim=7), list("abcdefg"))
    assert text == "0.985 a + 0.0704 b + 0.0704 c + 0.0704 d and 3 smaller terms"


def test_the_command_line_uses_names_as_well(tmp_path):
    words = ["cone", "[[1,1],[1,9]]", "--objectives", "strength,price", "--minimise", "price"]
    shown = CliRunner().invoke(commands, [*words, "--json", "--plot", str(tmp_path / "cone.svg")])
    assert json.loads(shown.stdout)["words"] == describe(cw.Cone([[1, 1], [1, 9]]), ["strength", "price"], ["price"])
    assert (tmp_path / "cone.svg").exists()
    table = CliRunner().invoke(commands, words).stdout
    assert "strength" in table.split("Facets")[1]
    ranked = CliRunner().invoke(commands, ["cone", "ranked", "--objectives", "a,b,c", "--json"])
    assert json.loads(ranked.stdout)["dim"] == 3
    for mistake, sentence in (
        (["--minimise", "price"], "give their names with --objectives"),
        (["--objectives", "a,b,c"], "2 objectives, but there are 3 names"),
        (["--objectives", "a,b", "--minimise", "c"], "not among the objectives"),
    ):
        refused = CliRunner().invoke(commands, ["cone", "planar:90", *mistake])
        assert isinstance(refused.exception, cw.InputError)
        assert sentence in str(refused.exception)


# -- tables --------------------------------------------------------------------------------------------------------

TABLE = Table("A | title", ("name", "x|y"), (("a, b", "1"), ('say "c"', "2|3")), "A note.")


def test_a_table_as_markdown():
    assert TABLE.markdown().splitlines() == [
        "## A | title",
        "",
        "| name | x\\|y |",
        "| --- | --: |",
        "| a, b | 1 |",
        '| say "c" | 2\\|3 |',
        "",
        "A note.",
    ]


def test_a_table_as_csv_reads_back():
    assert list(csv.reader(io.StringIO(TABLE.csv()))) == [["name", "x|y"], ["a, b", "1"], ['say "c"', "2|3"]]


@pytest.fixture(scope="module")
def result() -> Reproduction:
    return reproduce(runs=20, seed=3)


def test_every_number_of_the_paper_stands_beside_ours(result):
    tables = {table.title.partition(":")[0]: table for table in reproduction_tables(result)}
    assert list(tables) == [
        "Table 1",
        "Table 2",
        "Supplementary table, success rate in %",
        "Supplementary table, Pareto designs left uncovered",
        "Supplementary table, returned designs that are too far",
        "Supplementary table, share of the Pareto set missed in %",
    ]
    assert tables["Table 1"].rows[0][1:] == ("153 / 153 (+0)", "180 / 180 (+0)", "196 / 196 (+0)")
    assert tables["Table 1"].rows[1][1].startswith("0.666 / 0.666 (")
    assert all(len(table.rows) == 12 for title, table in tables.items() if title.startswith("Supplementary"))
    assert sum(len(table.rows) * (len(table.header) - 1) for table in tables.values()) == len(result.cells)
    marked = sum("(!)" in cell for table in tables.values() for row in table.rows for cell in row)
    assert marked == len(result.outside)


def test_the_table_of_differences_has_a_row_for_every_number(result):
    table = difference_table(result)
    assert len(table.rows) == len(result.cells) == 177
    for row, cell in zip(table.rows, result.cells, strict=True):
        assert row[:3] == (cell.table, cell.row, cell.column)
        assert float(row[5]) == pytest.approx(float(row[4]) - float(row[3]), abs=2e-4)
        assert (row[-1] == "yes") == (float(row[6]) - 1e-4 <= float(row[3]) <= float(row[7]) + 1e-4)


def test_tables_beyond_the_paper():
    rows = [ConeRow("planar:45", 2**0.5, 53, 1000, 100, 7, 10)]
    assert cone_table("T", rows, "note").rows == (("planar:45", "1.4142", "53", "1000", "100", "70.0"),)
    small = [BudgetRow("ties", "paper", 100, 0.1, 3, 2000)]
    assert budget_table(small).rows == (("ties", "paper", "100", "10", "0.15", "3", "2000"),)


# -- pictures ------------------------------------------------------------------------------------------------------


def drawings() -> dict[str, object]:
    snw = cw.problems.load("snw")
    cones = [cw.Cone.planar(angle) for angle in (45, 90, 135)]
    rows = [ConeRow(f"planar:{angle}", 1.0, 5, 10, 5, 3, 10) for angle in (45, 90, 135)]
    return {
        "pareto sets": lambda: plots.pareto_sets(snw, cones, [cw.pareto_mask(snw.means, cone) for cone in cones]),
        "planar cones": lambda: plots.planar_cones(cones),
        "a cone of the plane": lambda: plots.cone_picture(cw.Cone([[1, 0.2], [-0.5, 1]])),
        "a cone of space": lambda: plots.cone_picture(cw.Cone.ice_cream(60, facets=7)),
        "angles": lambda: plots.angle_curves(rows, [45, 90, 135]),
    }


@pytest.mark.parametrize(
    ("name", "ending", "magic"),
    [
        ("pareto sets", "svg", b"<?xml"),
        ("planar cones", "png", b"\x89PNG"),
        ("a cone of the plane", "pdf", b"%PDF"),
        ("a cone of the plane", "svg", b"<?xml"),
        ("a cone of space", "png", b"\x89PNG"),
        ("angles", "svg", b"<?xml"),
    ],
)
def test_a_picture_is_the_same_bytes_every_time(tmp_path, name, ending, magic):
    first, second = (tmp_path / f"{copy}.{ending}" for copy in ("first", "second"))
    for path in (first, second):
        plots.save(drawings()[name](), path)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes().startswith(magic)
    assert first.stat().st_size > 2000


def test_figure_1_shows_every_design_once_in_its_own_direction():
    snw, cone = cw.problems.load("snw"), cw.Cone.planar(90)
    front = cw.pareto_mask(snw.means, cone)
    (axis,) = plots.pareto_sets(snw, [cone], [front]).axes
    dominated, pareto = (np.asarray(points.get_offsets()) for points in axis.collections)
    np.testing.assert_allclose(pareto, snw.means[front] * [-1, 1])  # area is minimised: shown as it is measured
    assert len(dominated) + len(pareto) == 206
    assert axis.get_xlabel() == "log2 area (smaller is better)"
    assert axis.get_ylabel() == "log2 throughput (larger is better)"


@pytest.mark.parametrize(
    "cone",
    [cw.Cone.planar(10), cw.Cone.planar(170), cw.Cone([[1, 0.2], [-0.5, 1]]), cw.Cone([[-1, 0], [0, -1]])],
    ids=str,
)
def test_a_wedge_is_the_cone(cone):
    start, opening = plots._wedge(cone)
    for share, inside in ((0.01, True), (0.5, True), (0.99, True), (-0.01, False), (1.01, False)):
        angle = np.radians(start + share * opening)
        assert bool(cone.contains([np.cos(angle), np.sin(angle)])) == inside


def test_a_cone_of_space_has_its_rays_facets_and_weightings():
    cone = cw.Cone([[1, 0.2, 0], [-0.5, 1, 0.3], [0, 0.1, 1], [0.4, 0.4, 0.1]])
    (axis,) = plots.cone_picture(cone, objectives=["a", "b", "c"]).axes
    tips = np.array([[end[1] for end in line.get_data_3d()] for line in axis.lines])
    np.testing.assert_allclose(tips[: len(cone.rays)], cone.rays)
    np.testing.assert_allclose(tips[len(cone.rays) :], 0.9 * cone.facets)
    assert len(axis.collections) == 1
    triangles = plots._sides(cone)
    for triangle, normal in zip(triangles, cone.facets, strict=True):
        np.testing.assert_allclose(triangle @ normal, 0, atol=1e-9)  # each lies in the plane of its facet
        assert cone.contains(triangle, tolerance=1e-9).all()
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["rays", "weightings w_n"]


def test_a_cone_draws_itself():
    (axis,) = cw.Cone.planar(120).plot(objectives=["cost (EUR)", "yield (%)"]).axes
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("gain in cost (EUR)", "gain in yield (%)")
    (wedge,) = axis.patches
    assert (wedge.theta1, wedge.theta2) == (pytest.approx(-15), pytest.approx(105))
    assert {line.get_xdata()[1] for line in axis.lines[:2]} == set(cw.Cone.planar(120).rays[:, 0].tolist())


def test_curves_over_angles_show_the_rows():
    rows = [ConeRow(f"planar:{angle}", 1 + 1 / angle, 5, 10, 5, angle // 20, 10) for angle in (45, 90, 135)]
    left, right = plots.angle_curves(rows, [45, 90, 135]).axes
    assert left.lines[0].get_xydata().tolist() == [[angle, 1 + 1 / angle] for angle in (45, 90, 135)]
    assert right.lines[0].get_xydata().tolist() == [[45, 20], [90, 40], [135, 60]]
    assert {axis.get_xlabel() for axis in (left, right)} == {"opening angle of the cone (degrees)"}
    with pytest.raises(cw.InputError, match="3 rows and 2 angles"):
        plots.angle_curves(rows, [45, 90])


@pytest.mark.parametrize("cone", [cw.Cone.orthant(1), cw.Cone.importance(0.1, dim=5), cw.Cone.ranked(4)], ids=str)
def test_a_cone_of_other_dimensions_is_drawn_by_its_weightings(cone):
    names = [f"f{d}" for d in range(cone.dim)]
    axis, bar = cone.plot(objectives=names).axes
    (drawn,) = axis.images
    shares = cone.facets / np.abs(cone.facets).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(drawn.get_array(), 100 * shares)
    assert [text.get_text() for text in axis.get_xticklabels()] == names
    assert bar.get_ylabel() == "share of the weight, %"
    assert "first" not in axis.get_title()


def test_a_very_large_cone_is_drawn_in_part_and_says_so():
    axis, _ = cw.Cone.orthant(60).plot().axes
    assert axis.images[0].get_array().shape == (40, 40)
    assert axis.get_title().endswith("(the first 40 of 60 weightings and 40 of 60 objectives)")
    with pytest.raises(cw.InputError, match="orders 4 objectives, but there are 1 names"):
        cw.Cone.orthant(4).plot(objectives=["a"])


def test_a_picture_needs_a_known_ending(tmp_path):
    with pytest.raises(cw.InputError, match=r"must end in \.png, \.svg or \.pdf, got cone\.bmp"):
        plots.save(plots.planar_cones([cw.Cone.planar(45)]), tmp_path / "cone.bmp")


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(cw.ConewiseError, match=r"pictures need matplotlib: run pip install '\.\[plot\]' in a checkout"):
        plots.cone_picture(cw.Cone.planar(45))

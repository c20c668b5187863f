"""What is shown: a cone in words, tables as Markdown and CSV, and pictures that are the same bytes every time."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from click.testing import CliRunner

import conewise as cw
from conewise.cli.main import commands
from conewise.experiments.beyond import ConeRow
from conewise.report import plots

# -- words ---------------------------------------------------------------------------------------------------------


# -- tables --------------------------------------------------------------------------------------------------------


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
    wedge = plots.cone_picture(cone).axes[0].patches[0]
    start, opening = wedge.theta1, wedge.theta2 - wedge.theta1
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
    triangles = plots.triangles(cone)
    for triangle, normal in zip(triangles, cone.facets, strict=True):
        np.testing.assert_allclose(triangle @ normal, 0, atol=1e-9)  # each lies in the plane of its facet
        assert cone.contains(triangle, tolerance=1e-9).all()
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["rays", "weightings w_n"]


def test_a_cone_draws_itself():
    (axis,) = cw.Cone.planar(120).plot(objectives=["cost (EUR)", "yield (%)"], minimised=["cost (EUR)"]).axes
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("less cost (EUR) is better", "gain in yield (%)")
    (wedge,) = axis.patches
    assert (wedge.theta1, wedge.theta2) == (pytest.approx(-15), pytest.approx(105))
    assert {line.get_xdata()[1] for line in axis.lines[:2]} == set(cw.Cone.planar(120).rays[:, 0].tolist())


def test_a_command_draws_a_cone_in_the_directions_of_the_objectives(tmp_path):
    path = tmp_path / "cone.svg"
    named = ["--objectives", "speed,price,weight", "--minimise", "price"]
    done = CliRunner().invoke(commands, ["cone", "importance:0.2,3", *named, "--plot", str(path)])
    assert done.exit_code == 0, done.output
    drawn = path.read_text(encoding="utf-8")
    assert [words in drawn for words in ("gain in speed", "less price is better", "gain in price")] == [1, 1, 0]


def test_curves_over_angles_show_the_rows():
    rows = [ConeRow(f"planar:{angle}", 1 + 1 / angle, 5, 10, 5, angle // 20, 10) for angle in (45, 90, 135)]
    left, right = plots.angle_curves(rows, [45, 90, 135]).axes
    assert left.lines[0].get_xydata().tolist() == [[angle, 1 + 1 / angle] for angle in (45, 90, 135)]
    assert right.lines[0].get_xydata().tolist() == [[45, 20], [90, 40], [135, 60]]
    (band,) = right.collections
    ends = {tuple(point) for point in band.get_paths()[0].vertices.round(1).tolist()}
    assert {(45, 2.5), (45, 55.6), (90, 12.2), (90, 73.8)} <= ends  # exact 95 % intervals of 2 and 4 in 10
    assert [text.get_text() for text in right.get_legend().get_texts()] == [
        "exact 95 % interval",
        "runs that succeeded",
    ]
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

"""Colours and grounds: the reader's style, every kind of vision, every text legible."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb
from shared.answers import drawn, made_up, words_in

import conewise as cw
from conewise.experiments.beyond import ConeRow
from conewise.report import pictures, plots
from conewise.report.grounds import DARK, EITHER, LIGHT, literals, palette

ROOT = Path(__file__).parents[3]


def test_names_that_would_be_cut_to_the_same_begin_where_they_differ():
    shared = "an alloy that was heated for a long time at "
    shown = literals([f"{shared}{degrees} degrees, and cooled in oil" for degrees in (300, 400)] + ["cast"])
    assert shown == ["… at 300 degrees, and c…", "… at 400 degrees, and c…", "cast"]
    assert literals(["x" * 30, "x" * 30]) == ["x" * 23 + "…"] * 2  # one name


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_a_transparent_figure_has_no_ground(dim):
    figure = drawn(made_up(dim=dim).plot(transparent=True))
    assert figure.patch.get_alpha() == 0
    assert {axis.patch.get_alpha() for axis in figure.axes} == {0}
    assert made_up().plot().patch.get_alpha() != 0


def every_picture(subject, **options):
    """One of each kind, by name."""
    snw, objectives = cw.problems.load("snw"), ["a (mm)", "b", "c", "d"]
    rows = [ConeRow("planar:45", 1.5, 5, 10, 5, 3, 10), ConeRow("planar:90", 1.0, 5, 10, 5, 9, 10)]
    four = made_up(dim=4)
    return {
        "cone": plots.cone_picture(cw.Cone.planar(120), **options),
        "cone in space": plots.cone_picture(cw.Cone.importance(0.1, 3), **options),
        "angles": plots.angle_curves(rows, [45, 90], **options),
        "plane": made_up().plot(names=list(map(str, range(40))), **options),
        "strip": made_up(dim=1).plot(**options),
        "cones": pictures.pareto_under_cones(snw.means, [cw.Cone.planar(45), cw.Cone.planar(90)], **options),
        "regions": pictures.dominance_regions(snw.means, cw.Cone.planar(90), 60, names=snw.names, **options),
        "confidence": pictures.confidence_regions(subject, **options),
        "status": pictures.status_over_evaluations(subject.history, 0.3, **options),
        "gaps": pictures.gaps_and_evaluations(made_up(), cw.Cone.orthant(2), **options),
        "parallel": four.plot(objectives=objectives, **options),
        "matrix": pictures.scatter_matrix(four.means, four.status, objectives=objectives, **options),
        "facets": four.plot(cone=cw.Cone.importance(0.1, 4), space="facets", objectives=objectives, **options),
    }


def luminance(colour):
    """Relative luminance, as WCAG 2.2 defines it."""
    parts = np.array(to_rgb(colour))
    return float(linear(parts) @ [0.2126, 0.7152, 0.0722])


def linear(parts):
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(first, second):
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("style", "options", "grounds", "least"),
    [
        ("default", {}, ["white"], 4.5),
        ("dark_background", {}, ["black"], 4.5),
        ("default", {"transparent": True}, ["white", "black"], 3.9),
        ("dark_background", {"transparent": True}, ["white", "black"], 3.9),
    ],
)
def test_every_text_can_be_read_on_its_ground(subject, style, options, grounds, least):
    with plt.style.context(style):
        for name, figure in every_picture(subject, **options).items():
            written = words_in(figure)
            assert written, name
            for text, colour in written:
                for ground in grounds:
                    assert contrast(colour, ground) >= least, (name, text, ground)


def test_colours_follow_the_style_of_the_reader():
    with plt.style.context("dark_background"):
        assert palette() is DARK
        (axis,) = made_up().plot().axes
        assert to_hex(axis.collections[-1].get_facecolor()[0]) == DARK.pareto.lower()
    with plt.style.context("default"):
        assert palette() is LIGHT
    assert palette(transparent=True) is EITHER
    for found, grounds in ((LIGHT, ["white"]), (DARK, ["black"]), (EITHER, ["white", "black"])):
        for colour in (found.pareto, found.undecided, found.soft):
            assert min(contrast(colour, ground) for ground in grounds) >= 3
    assert min(contrast(c, ground) for c in EITHER.series for ground in ("white", "black")) >= 3


# Linear maps of linear RGB by Machado, Oliveira & Fernandes 2009, severity 1.
DEFICIENCIES = {
    "none": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def seen_as(colour, deficiency):
    """CIELAB coordinates (D65) of a colour for somebody with that kind of vision."""
    rgb = np.clip(np.array(DEFICIENCIES[deficiency]) @ linear(np.array(to_rgb(colour))), 0, 1)
    to_xyz = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])
    x, y, z = (
        np.cbrt(v) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in to_xyz @ rgb / [0.9505, 1.0, 1.0888]
    )
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_statuses_differ_for_every_kind_of_vision(deficiency):
    """A difference of 2.3 is just noticeable: statuses are ten times as far apart, other series three times."""
    for found in (LIGHT, DARK, EITHER):
        for colours, least in (((found.pareto, found.undecided, found.out), 25), (found.series, 6.9)):
            seen = np.array([seen_as(colour, deficiency) for colour in colours])
            apart = np.linalg.norm(seen[:, None] - seen[None, :], axis=2)
            assert apart[~np.eye(len(seen), dtype=bool)].min() >= least
    assert np.linalg.norm(seen_as("#D55E00", "deutan") - seen_as("#7A7A00", "deutan")) < 25  # it can fail


def test_styles_of_the_reader_hold():
    import matplotlib as mpl

    with mpl.rc_context({"axes.labelcolor": "#abcdef"}):
        (axis,) = made_up().plot().axes
    assert axis.xaxis.label.get_color() == "#abcdef"


def test_reproduced_figures_have_the_style_of_the_docs():
    """The same colour and marker for a cone of an angle, no box around it, and paper whatever the reader's style."""
    from runpy import run_path

    from conewise.cli.reproduce import figures_of
    from conewise.experiments.papers.ararat_tekin_2023 import reproduce

    docs = run_path(str(ROOT / "docs" / "pictures.py"))
    with plt.style.context("dark_background"):
        figures = figures_of(reproduce(runs=1, seed=0), [])
    for n, degrees in enumerate((45, 90, 135)):
        panel = figures["figure1"].axes[n]
        assert panel.get_title() == f"planar:{degrees}"
        assert to_hex(panel.collections[1].get_facecolor()[0]).upper() == docs["COLOURS"][degrees]
        assert plots.MARKERS[n] == docs["MARKERS"][degrees]
        assert not panel.spines["top"].get_visible()
        assert to_hex(panel.get_facecolor()) == to_hex(figures["figure1"].get_facecolor()) == "#ffffff"
        assert to_rgb(panel.title.get_color())[0] < 0.3

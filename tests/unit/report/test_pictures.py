"""Pictures of answers: what is drawn is what the numbers say, never more labels than a reader can take."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.text import Text
from shared import studies

import conewise as cw
from conewise.algorithms import Result
from conewise.errors import ConewiseError, InputError
from conewise.experiments.beyond import ConeRow
from conewise.goals import Heuristic
from conewise.report import pictures, plots
from conewise.report.grounds import DARK, EITHER, LIGHT, palette
from conewise.report.subject import Moment, as_it_ran, of_result, of_study


def made_up(k=40, dim=2, seed=0):
    """A Result with all three statuses."""
    means = np.random.default_rng(seed).normal(size=(k, dim))
    front = cw.pareto_mask(means, cw.Cone.orthant(dim))
    status = np.where(front, "kept", "beaten").astype("<U10")
    status[np.flatnonzero(~front)[: max(1, k // 10)]] = "undecided"
    return Result(front, status, 10 * k, Heuristic("made up"), None, "x", means, np.arange(k) + 1)


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    with studies.make(tmp_path_factory.mktemp("study") / "trial.db") as study:
        while batch := study.ask(20):
            study.tell(batch, [studies.value_of(e.design, e.seed) for e in batch])
        return of_study(study)


def drawn(figure):
    figure.canvas.draw()
    return figure


def points(axis):
    return sum(len(c.get_offsets()) for c in axis.collections if isinstance(c, PathCollection))


# -- what is drawn -----------------------------------------------------------------------------------------------------


def test_two_objectives_are_a_plane_with_their_own_signs():
    result = made_up()
    (axis,) = drawn(result.plot(objectives=["cost", "yield in %"], minimised=["cost"])).axes
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("cost (smaller is better)", "yield in % (larger is better)")
    assert points(axis) == 40
    pareto = axis.collections[-1].get_offsets()
    assert np.allclose(np.sort(pareto[:, 0]), np.sort(-result.means[result.pareto, 0]))
    assert [text.get_text().split(":")[0] for text in axis.get_legend().get_texts()] == [
        "beaten",
        "undecided",
        "kept",
    ]


@pytest.mark.parametrize(("dim", "panels"), [(1, 1), (3, 4), (5, 1)])
def test_any_number_of_objectives_has_a_picture(dim, panels):
    assert len(drawn(made_up(dim=dim).plot()).axes) == panels


def test_facets_are_shown_as_scores():
    result, cone = made_up(), cw.Cone.planar(60)
    (axis,) = drawn(result.plot(cone=cone, space="facets")).axes
    assert axis.get_xlabel() == "score under w1"
    (named,) = result.plot(cone=cone, space="facets", objectives=["a (mm)", "b"], minimised=["b"]).axes
    assert named.get_xlabel() == "score under w1\n= 0.966 a (mm) + 0.259 b"  # w1 = (0.966, -0.259), and b is negated
    expected = (result.means @ cone.facets.T)[result.pareto]
    assert np.allclose(np.sort(axis.collections[-1].get_offsets()[:, 1]), np.sort(expected[:, 1]))


def test_parallel_lines_go_up_where_less_is_better():
    means = np.array([[1.0, 5.0], [3.0, 2.0]])  # larger is better: the second has the smaller cost
    figure = pictures.parallel_coordinates(means, ["kept", "kept"], objectives=["cost", "b"], minimised=["cost"])
    lines = [line.get_ydata() for line in drawn(figure).axes[0].lines if len(line.get_ydata()) == 2][:2]
    assert np.allclose(lines, [[0, 1], [1, 0]])


def test_pareto_sets_are_those_of_the_cones():
    snw = cw.problems.load("snw")
    cones = [cw.Cone.planar(a) for a in (45, 90, 135)]
    figure = drawn(pictures.pareto_under_cones(snw.means, cones, objectives=snw.objectives, minimised=snw.minimised))
    assert [axis.get_legend().get_texts()[1].get_text() for axis in figure.axes] == [
        "Pareto: 53",
        "Pareto: 26",
        "Pareto: 10",
    ]


def test_dominance_regions_hold_whom_they_should():
    means, cone = np.random.default_rng(3).normal(size=(80, 2)), cw.Cone.planar(100)
    figure = drawn(pictures.dominance_regions(means, cone, 7, objectives=["a", "b"], minimised=["b"]))
    (axis,) = figure.axes
    shown = means * [1, -1]
    for patch, holds in zip(
        axis.patches,
        (cw.weakly_dominates(means, means[7], cone), cw.weakly_dominates(means[7], means, cone)),
        strict=True,
    ):
        inside = patch.get_path().contains_points(np.delete(shown, 7, axis=0))
        assert inside.tolist() == np.delete(holds, 7).tolist()


def test_confidence_regions_are_what_the_half_widths_allow(subject):
    (axis,) = drawn(pictures.confidence_regions(subject)).axes
    assert len(axis.patches) == 6
    corners = pictures._parallelogram(cw.Cone.planar(60), np.array([0.3, 0.1]))
    assert len(corners) == 4
    reach = np.abs(corners @ cw.Cone.planar(60).facets.T)
    assert np.allclose(reach, [[0.3, 0.1]] * 4)
    wide = cw.Cone.planar(179.9)  # a parallelogram a thousand times as long as its half-widths
    assert np.allclose(np.abs(pictures._parallelogram(wide, np.array([0.3, 0.1])) @ wide.facets.T), [[0.3, 0.1]] * 4)


def test_confidence_regions_shrink_as_an_identification_runs(tmp_path):
    with studies.make(tmp_path / "trial.db") as study:
        studies.finish(study)
        stages = as_it_ran(study, looks=3)
    panels = drawn(pictures.confidence_regions(stages)).axes
    assert [panel.get_title() for panel in panels] == [
        f"after {stage.result.evaluations} evaluations" for stage in stages
    ]
    widths = [[np.ptp(patch.get_xy()[:, 0]) for patch in panel.patches] for panel in panels]
    assert [len(found) for found in widths] == [6, 6, 6]
    assert min(widths[0]) >= max(widths[-1]) * 0.99
    assert np.mean(widths[0]) > np.mean(widths[1]) > np.mean(widths[2])
    assert [panel.get_ylabel() != "" for panel in panels] == [True, False, False]
    assert panels[0].get_xlim() == panels[2].get_xlim()


def test_the_status_over_evaluations_adds_up(subject):
    above, below = drawn(pictures.status_over_evaluations(subject.history, subject.epsilon)).axes
    heights = np.array([line.get_ydata() for line in above.lines])
    assert (heights.sum(axis=0) == 6).all()
    assert below.lines[0].get_ydata()[-1] <= subject.epsilon


def test_gaps_and_evaluations_are_in_one_order():
    result, cone = made_up(30), cw.Cone.planar(120)
    above, below = drawn(pictures.gaps_and_evaluations(result, cone, names=[f"n{k}" for k in range(30)])).axes
    gaps = cw.suboptimality_gaps(result.means, cone)
    order = np.argsort(gaps, kind="stable")
    assert np.allclose([bar.get_height() for bar in above.patches], gaps[order])
    assert [bar.get_height() for bar in below.patches] == result.counts[order].tolist()
    assert [tick.get_text() for tick in below.get_xticklabels()] == [f"n{k}" for k in order]


def test_a_cone_is_labelled_with_names_of_its_objectives():
    for cone, names in ((cw.Cone.planar(120), ["a", "b in mm"]), (cw.Cone.ice_cream(60), ["a", "b in mm", "c"])):
        (axis,) = drawn(plots.cone_picture(cone, objectives=names)).axes
        assert axis.get_ylabel() == "gain in b in mm"
        with pytest.raises(InputError, match="1 names for them"):
            plots.cone_picture(cone, objectives=["a"])


# -- many designs, dark grounds, strange names -------------------------------------------------------------------------


def test_a_hundred_thousand_designs_get_a_bounded_number_of_marks():
    result = made_up(100_000)
    names = [f"n{k}" for k in range(100_000)]
    (axis,) = drawn(result.plot(names=names)).axes
    assert points(axis) <= 15_000
    assert len(axis.texts) <= 12
    below = drawn(pictures.gaps_and_evaluations(result, cw.Cone.orthant(2), names=names)).axes[1]
    assert "100,000 designs" in below.get_xlabel()
    assert len(below.get_xticklabels()) < 30
    status = np.full(100_000, "beaten")
    lines = (
        drawn(pictures.parallel_coordinates(np.random.default_rng(0).normal(size=(100_000, 4)), status)).axes[0].lines
    )
    assert len(lines) <= 410
    three = np.random.default_rng(0).normal(size=(100_000, 3))
    for figure in (
        pictures.scatter_matrix(three, status),
        pictures.pareto_under_cones(result.means, [cw.Cone.planar(45), cw.Cone.planar(90)]),
        pictures.dominance_regions(result.means, cw.Cone.orthant(2), 3, names=names),
    ):
        assert max(points(axis) for axis in figure.axes) <= 10_001
        assert len(words_in(figure)) < 100


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


def words_in(figure):
    """Every text that is shown, with its colour."""
    figure.canvas.draw()
    return [(t.get_text(), t.get_color()) for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]


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


def test_names_are_never_set_as_mathematics(tmp_path, subject):
    result = made_up(4)
    figure = result.plot(names=["$\\frac{$", "<b>", "$x$", "a_b"], objectives=["$\\frac{$", "two\nlines"])
    plots.save(figure, tmp_path / "names.png")
    assert (tmp_path / "names.png").stat().st_size > 1000
    assert {text for text, _ in words_in(figure)} >= {r"\$\frac{\$ (larger is better)", "two lines (larger is better)"}
    strange = ["$\\frac{$", "a $ b $", "c\n\nd", "x" * 300]
    four, cone = made_up(dim=4), cw.Cone.importance(0.1, 4)
    for draw in (
        lambda: four.plot(objectives=strange),
        lambda: four.plot(objectives=strange, cone=cone, space="facets"),
        lambda: pictures.scatter_matrix(four.means, four.status, objectives=strange, cone=cone, space="facets"),
        lambda: plots.cone_picture(cw.Cone.orthant(3), objectives=strange[:3]),
        lambda: pictures.confidence_regions(
            replace(subject, question=replace(subject.question, objectives=strange[:2]))
        ),
        lambda: pictures.gaps_and_evaluations(result, cw.Cone.orthant(2), names=strange),
    ):
        assert max(len(text) for text, _ in words_in(draw())) < 90


def test_a_notebook_shows_a_table():
    result = made_up(500)
    text = result._repr_html_()
    assert text.count("<tr>") == 1 + min(20, int(result.pareto.sum()))
    assert "not guaranteed: made up" in text
    assert "500 designs" in text
    nasty = Result(*[*vars(result).values()][:3], Heuristic("<b>"), *[*vars(result).values()][4:])
    assert "&lt;b&gt;" in nasty._repr_html_()


# -- mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: made_up().plot(space="facets"), "needs the cone"),
        (lambda: made_up().plot(space="moon"), 'must be "objectives" or "facets"'),
        (lambda: made_up().plot(objectives=["a"]), "2 objectives, but 1 names"),
        (lambda: pictures.dominance_regions(np.eye(3), cw.Cone.orthant(3), 0), "drawn for 2 objectives, got 3"),
        (lambda: pictures.dominance_regions(np.eye(2), cw.Cone.orthant(2), 5), "index below 2"),
        (lambda: pictures.pareto_under_cones(np.eye(3), [cw.Cone.orthant(3)]), "use parallel_coordinates"),
        (lambda: pictures.pareto_under_cones(np.eye(2), []), "between 1 and 6 cones"),
        (lambda: pictures.status_over_evaluations([], 0.1), "no history"),
        (lambda: pictures.confidence_regions([]), "between 1 and 6 moments"),
        (lambda: pictures.scatter_matrix(np.eye(9), ["kept"] * 9), "2 to 8 axes"),
        (
            lambda: pictures.confidence_regions(of_result(made_up(), cw.Question(cw.Cone.orthant(2), 0.1, 0.1))),
            "comes without confidence",
        ),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_sentence(draw, message):
    with pytest.raises(InputError, match=message):
        draw()


def test_without_matplotlib_the_remedy_is_named(monkeypatch):
    for module in ("matplotlib", "matplotlib.figure", "matplotlib.patches"):
        monkeypatch.setitem(sys.modules, module, None)
    for draw in (
        lambda: made_up().plot(),
        lambda: pictures.dominance_regions(np.eye(2), cw.Cone.orthant(2), 0),
        lambda: pictures.status_over_evaluations([Moment(1, 0, 0, 0, 2, None)], 0.1),
    ):
        with pytest.raises(ConewiseError, match=r"install '\.\[plot\]'"):
            draw()


def test_a_picture_of_many_designs_says_how_many_are_drawn():
    means = np.random.default_rng(0).normal(size=(6000, 2))
    result = Result(
        np.zeros(6000, dtype=bool), np.full(6000, "beaten"), 6000, Heuristic("x"), None, "x", means, np.ones(6000, int)
    )
    (axis,) = result.plot().axes
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["beaten: 6,000 (5,000 drawn)"]
    few = pictures.parallel_coordinates(means[:500], result.status[:500]).axes[0].get_legend().get_texts()
    assert [text.get_text() for text in few] == ["beaten: 500 (400 drawn)"]

"""Pictures of answers: what is drawn is what the numbers say, never more labels than a reader can take."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from shared import studies
from shared.answers import drawn, made_up, words_in

import conewise as cw
from conewise.errors import ConewiseError, InputError
from conewise.question.question import Heuristic
from conewise.report import pictures, plots
from conewise.report.grounds import palette
from conewise.report.manyaxes import styles
from conewise.report.subject import Moment, as_it_ran, of_result
from conewise.rules import Result


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
    corners = pictures.parallelogram(cw.Cone.planar(60), np.array([0.3, 0.1]))
    assert len(corners) == 4
    reach = np.abs(corners @ cw.Cone.planar(60).facets.T)
    assert np.allclose(reach, [[0.3, 0.1]] * 4)
    wide = cw.Cone.planar(179.9)  # a parallelogram a thousand times as long as its half-widths
    assert np.allclose(np.abs(pictures.parallelogram(wide, np.array([0.3, 0.1])) @ wide.facets.T), [[0.3, 0.1]] * 4)


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


def test_names_lie_neither_on_each_other_nor_on_points(tmp_path):
    with studies.make(tmp_path / "trial.db") as study:
        studies.finish(study)
        figure = drawn(pictures.confidence_regions(as_it_ran(study, looks=3)))
    for panel in figure.axes:
        boxes = [text.get_window_extent() for text in panel.texts]
        assert len(boxes) == 6  # a dozen or fewer: all are named
        assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
        points = np.concatenate([panel.transData.transform(dots.get_offsets()) for dots in panel.collections])
        assert not any(box.contains(*point) for box in boxes for point in points)


def test_a_shade_of_grey_means_one_thing(subject):
    looks = styles(palette())
    lines = pictures.status_over_evaluations([Moment(9, 1, 1, 1, 1, 0.1, 1)], 0.1).axes[0].lines
    assert {line.get_label(): line.get_color() for line in lines} == {k: look["color"] for k, look in looks.items()}
    means, status = np.arange(12.0).reshape(3, 4), ["beaten", "misses a level", "covered"]
    (axis,) = pictures.parallel_coordinates(means, status).axes
    looks = {line.get_label().split(":")[0]: (line.get_color(), line.get_linestyle()) for line in axis.lines[:3]}
    assert len(set(looks.values())) == 3


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
        (lambda: pictures.dominance_regions(np.eye(2), cw.Cone.orthant(2), "a"), "index below 2, got 'a'"),
        (lambda: pictures.parallel_coordinates(np.eye(3), [True, False, True]), "where it stands .*; got"),
        (lambda: pictures.scatter_matrix(np.eye(3), ["kept"]), "of each of 3 designs where it stands"),
        (lambda: made_up().plot(names=["a"]), "names must name each of"),
        (lambda: pictures.gaps_and_evaluations(made_up(), cw.Cone.orthant(2), names=["a"]), "names must name each of"),
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

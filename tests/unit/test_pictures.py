"""Pictures of answers: what is drawn is what the numbers say, never more labels than a reader can take."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from shared import studies

import conewise as cw
from conewise.algorithms import Result
from conewise.errors import ConewiseError, InputError
from conewise.goals import Heuristic
from conewise.report import pictures, plots
from conewise.report.subject import Moment, of_result, of_study


def made_up(k=40, dim=2, seed=0):
    """A Result with all three statuses."""
    means = np.random.default_rng(seed).normal(size=(k, dim))
    front = cw.pareto_mask(means, cw.Cone.orthant(dim))
    status = np.where(front, "pareto", "eliminated").astype("<U10")
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
        "not Pareto",
        "undecided",
        "Pareto",
    ]


@pytest.mark.parametrize(("dim", "panels"), [(1, 1), (3, 4), (5, 1)])
def test_any_number_of_objectives_has_a_picture(dim, panels):
    assert len(drawn(made_up(dim=dim).plot()).axes) == panels


def test_facets_are_shown_as_scores():
    result, cone = made_up(), cw.Cone.planar(60)
    (axis,) = drawn(result.plot(cone=cone, space="facets")).axes
    assert axis.get_xlabel() == "score under w1"
    expected = (result.means @ cone.facets.T)[result.pareto]
    assert np.allclose(np.sort(axis.collections[-1].get_offsets()[:, 1]), np.sort(expected[:, 1]))


def test_parallel_lines_go_up_where_less_is_better():
    means = np.array([[1.0, 5.0], [3.0, 2.0]])  # larger is better: the second has the smaller cost
    figure = pictures.parallel_coordinates(means, ["pareto", "pareto"], objectives=["cost", "b"], minimised=["cost"])
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
    status = np.full(100_000, "eliminated")
    lines = (
        drawn(pictures.parallel_coordinates(np.random.default_rng(0).normal(size=(100_000, 4)), status)).axes[0].lines
    )
    assert len(lines) <= 410


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_a_transparent_figure_has_no_ground(dim):
    figure = drawn(made_up(dim=dim).plot(transparent=True))
    assert figure.patch.get_alpha() == 0
    assert {axis.patch.get_alpha() for axis in figure.axes} == {0}
    assert made_up().plot().patch.get_alpha() != 0


def test_styles_of_the_reader_hold():
    import matplotlib as mpl

    with mpl.rc_context({"axes.labelcolor": "#abcdef"}):
        (axis,) = made_up().plot().axes
    assert axis.xaxis.label.get_color() == "#abcdef"


def test_names_are_never_set_as_mathematics(tmp_path):
    result = made_up(4)
    figure = result.plot(names=["$\\frac{$", "<b>", "$x$", "a_b"])
    plots.save(figure, tmp_path / "names.png")
    assert (tmp_path / "names.png").stat().st_size > 1000


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
        (lambda: pictures.scatter_matrix(np.eye(9), ["pareto"] * 9), "2 to 8 axes"),
        (
            lambda: pictures.confidence_regions(of_result(made_up(), cw.Cone.orthant(2), epsilon=0.1, delta=0.1)),
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
        lambda: pictures.status_over_evaluations([Moment(1, 0, 0, 2, None)], 0.1),
    ):
        with pytest.raises(ConewiseError, match=r"install conewise\[plot\]"):
            draw()

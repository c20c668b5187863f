"""Any number of objectives: scores of facets, and parallel lines that go up where it is better."""

from __future__ import annotations

import numpy as np
import pytest
from shared.answers import drawn, made_up

import conewise as cw
from conewise.report import pictures


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

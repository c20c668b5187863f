"""What a notebook shows: whole, light, escaped, and the numbers of what is shown."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from shared import studies

import conewise as cw
from conewise.data.observations import Observations

SVG = "{http://www.w3.org/2000/svg}"


def cells(html):
    """The tables of a piece of HTML that is also XML."""
    tables = ElementTree.fromstring(html).iter("table")
    return [[["".join(cell.itertext()) for cell in row] for row in table.iter("tr")] for table in tables]


@pytest.mark.parametrize(
    "spec", ["orthant:1", "planar:60", "ranked:3", "ice_cream:60.0,40", "importance:0.1,4", "orthant:8"]
)
def test_a_cone_in_a_notebook(spec):
    cone = cw.Cone.parse(spec)
    html = cone._repr_html_()
    assert len(html) < 20_000
    facets, rays = cells(html)
    shown = np.array([[float(cell) for cell in row[1:]] for row in facets[1:]])
    np.testing.assert_allclose(shown[:, :-1], cone.facets[:20], atol=1e-4, rtol=1e-3)
    np.testing.assert_allclose(shown[:, -1], cone.widths[:20], rtol=1e-3)
    directions = np.array([[float(cell) for cell in row[1:]] for row in rays[1:]])
    np.testing.assert_allclose(directions, cone.rays[:20], atol=1e-4, rtol=1e-3)
    text = "".join(ElementTree.fromstring(html).itertext())
    assert f"{len(cone.facets)} facets and {len(cone.rays)} rays in R^{cone.dim}" in text
    assert f"beta = {cone.complexity.beta:.6g}" in text
    assert len(list(ElementTree.fromstring(html).iter(f"{SVG}svg"))) == 1
    assert ("more." in text) == (len(cone.facets) > 20)


def test_a_bracket_of_beta_is_shown_as_one():
    cone = cw.Cone.from_rays(1 + 0.3 * np.random.default_rng(0).normal(size=(20, 6)))
    assert not cone.complexity.exact
    assert "beta from" in cone._repr_html_()


def test_an_analysis_in_a_notebook_and_as_a_picture():
    rng, designs = np.random.default_rng(0), np.repeat([0, 1, 2], 40)
    values = np.array([[0.0, 2.0], [2.0, 0.0], [-1.0, -1.0]])[designs] + rng.normal(size=(120, 2))
    names = ["<script>alert(1)</script>", "=cmd()", "c"]
    found = cw.analyse(Observations.single(designs, values), cw.Cone.orthant(2), delta=0.05, names=names)
    html = found._repr_html_()
    assert "<script" not in html
    ((head, *rows),) = cells(html)
    assert head == ["design", "status", "evaluations", "objective 1", "objective 2"]
    assert [row[:3] for row in rows] == [[name, "kept", "40"] for name in names[:2]]
    np.testing.assert_allclose([[float(c) for c in row[3:]] for row in rows], found.means[:2], rtol=1e-4)
    assert found.explanations[0] in "".join(ElementTree.fromstring(html).itertext())
    (axis,) = found.plot().axes
    assert {text.get_text() for text in axis.texts} == {names[0][:23] + "…", "=cmd()"}
    (axis,) = found.plot(names=None).axes
    assert not axis.texts


def test_every_picture_shows_itself(tmp_path):
    """A figure that pyplot does not know has no picture of its own in a notebook."""
    rng, designs = np.random.default_rng(0), np.repeat([0, 1, 2], 10)
    found = cw.analyse(Observations.single(designs, rng.normal(size=(30, 2))), cw.Cone.orthant(2), delta=0.05)
    with studies.make(tmp_path / "trial.db") as study:
        batch = study.ask(12)
        study.tell(batch, studies.values_of(batch))
        figures = [found.plot(), found.result.plot(), study.plot(), *(cw.Cone.orthant(dim).plot() for dim in (2, 3, 4))]
        assert {text.get_text() for text in figures[2].axes[0].texts} <= set(study.names)
    for figure in figures:
        assert figure._repr_png_().startswith(b"\x89PNG")


def test_names_cannot_turn_the_text_around_them():
    values = np.random.default_rng(0).normal(size=(10, 2))
    found = cw.analyse(
        Observations.single(np.repeat([0, 1], 5), values), cw.Cone.orthant(2), delta=0.05, names=["a\u202eb", "c"]
    )
    for text in (found.result._repr_html_(), repr(found), str(found.result), found._repr_html_()):
        assert "\u202e" not in text
        assert "a\ufffdb" in text

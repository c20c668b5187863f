"""Every cone has a picture."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise.report.drawing import cone_svg


def test_the_axes_say_what_is_better_of_each_objective():
    assert "gain in power" in cone_svg(cw.Cone.planar(60), ["price", "power"], ["price"])
    for cone in (cw.Cone.planar(60), cw.Cone.importance(0.1, 3)):
        drawn = cone_svg(cone, ["price", "power", "mass"][: cone.dim], ["price"])
        assert "less price" in drawn
        assert "gain in price" not in drawn


def test_what_the_axes_are_called_stays_inside():
    from xml.etree import ElementTree

    drawn = ElementTree.fromstring(cone_svg(cw.Cone.planar(110), ["strength (MPa)", "a price (EUR/kg) and more"]))
    upwards = next(text for text in drawn.iter("{http://www.w3.org/2000/svg}text") if "↑" in text.text)
    assert 0 <= float(upwards.get("x")) <= float(drawn.get("width")) - 6.8 * len(upwards.text)


@pytest.mark.parametrize("degrees", [45, 90, 120, 135, 170, 179.4])
def test_no_weighting_goes_through_what_is_written(degrees):
    """Dashed lines from the middle, and texts 12 high of about 6.8 a letter."""
    from xml.etree import ElementTree

    drawn = ElementTree.fromstring(cone_svg(cw.Cone.planar(degrees), ["price", "power"]))
    texts = {text.text: text for text in drawn.iter("{http://www.w3.org/2000/svg}text")}
    angle, along = texts[f"{degrees:g}°"], texts["gain in price →"]
    assert (along.get("text-anchor"), float(along.get("x"))) == ("end", 258)
    for text, left in ((angle, -0.5), (along, -1)):
        x, y, wide = float(text.get("x")), float(text.get("y")) - 4, 6.8 * len(text.text)
        for line in drawn.iter("{http://www.w3.org/2000/svg}line"):
            if line.get("stroke-dasharray"):
                ends = np.array([[float(line.get(f"{c}{n}")) for c in "xy"] for n in (1, 2)])
                points = ends[0] + np.linspace(0, 1, 50)[:, None] * (ends[1] - ends[0])
                crossed = np.abs(points - [x + (left + 0.5) * wide, y]) < [wide / 2, 5]
                assert not crossed.all(axis=1).any()
    assert angle.get("paint-order") == "stroke"


@pytest.mark.parametrize("spec", ["planar:30", "planar:170", "[[1]]", "orthant:3", "ice-cream:60", "importance:0.1,4"])
def test_every_cone_has_a_picture(spec):
    from xml.etree import ElementTree

    cone = cw.Cone.parse(spec)
    drawn = ElementTree.fromstring(cone_svg(cone, [f"<o{d}>" for d in range(cone.dim)]))
    assert drawn.find("{http://www.w3.org/2000/svg}title").text
    shapes = sum(len(list(drawn.iter(f"{{http://www.w3.org/2000/svg}}{tag}"))) for tag in ("polygon", "rect"))
    assert shapes >= 1

"""Every cone has a picture."""

from __future__ import annotations

import pytest

import conewise as cw
from conewise.report.drawing import cone_svg


def test_what_the_axes_are_called_stays_inside():
    from xml.etree import ElementTree

    drawn = ElementTree.fromstring(cone_svg(cw.Cone.planar(110), ["strength (MPa)", "a price (EUR/kg) and more"]))
    upwards = next(text for text in drawn.iter("{http://www.w3.org/2000/svg}text") if "↑" in text.text)
    assert 0 <= float(upwards.get("x")) <= float(drawn.get("width")) - 6.8 * len(upwards.text)


@pytest.mark.parametrize("spec", ["planar:30", "planar:170", "[[1]]", "orthant:3", "ice-cream:60", "importance:0.1,4"])
def test_every_cone_has_a_picture(spec):
    from xml.etree import ElementTree

    cone = cw.Cone.parse(spec)
    drawn = ElementTree.fromstring(cone_svg(cone, [f"<o{d}>" for d in range(cone.dim)]))
    assert drawn.find("{http://www.w3.org/2000/svg}title").text
    shapes = sum(len(list(drawn.iter(f"{{http://www.w3.org/2000/svg}}{tag}"))) for tag in ("polygon", "rect"))
    assert shapes >= 1

"""What makes no cone: one sentence with the remedy, and the direction that it names."""

from __future__ import annotations

import numpy as np
import pytest

import conewise as cw
from conewise import Cone, ConeError

NAN, INF = float("nan"), float("inf")


REFUSED = {
    "no rows": (lambda: Cone([]), "W must have shape", r"\(N, D\)"),
    "no columns": (lambda: Cone([[]]), "W must have shape", r"\(N, D\)"),
    "a single vector": (lambda: Cone([1, 2]), "W must have shape", r"got shape \(2,\)"),
    "a number": (lambda: Cone(3), "W must have shape", r"\(N, D\)"),
    "three axes": (lambda: Cone(np.ones((2, 2, 2))), "W must have shape", r"got shape \(2, 2, 2\)"),
    "text": (lambda: Cone("planar"), "W must be a rectangular array of real numbers", "check for text"),
    "text inside": (lambda: Cone([["1", "0"], ["0", "1"]]), "W must be a rectangular array", "check for text"),
    "ragged": (lambda: Cone([[1, 2], [3]]), "W must be a rectangular array", "rows of unequal length"),
    "complex": (lambda: Cone([[1j, 0], [0, 1]]), "W must be a rectangular array", "complex numbers"),
    "too large": (lambda: Cone([[10**400, 1], [1, 0]]), "W holds integers beyond 2.53", "subtract an offset"),
    "NaN": (lambda: Cone([[1, 0], [NAN, 1]]), "W has NaN or infinity in row 1", "must be finite"),
    "infinity": (lambda: Cone([[1, INF], [0, 1]]), "W has NaN or infinity in row 0", "must be finite"),
    "zero row": (lambda: Cone([[1, 0], [0, 0], [0, 1]]), "row 1 of W is zero", "remove it"),
    "too few rows": (lambda: Cone([[1, 1]]), r"not pointed: .*0\.7071.* lies in C and in -C", "add a row"),
    "a line": (lambda: Cone([[1, 0, 0], [0, 1, 0]]), r"not pointed: \(0, 0, 1\) lies in C and in -C", "add a row"),
    "dependent rows": (
        lambda: Cone([[1, 0, 1], [0, 1, 1], [1, 1, 2], [1, -1, 0]]),
        r"not pointed: \(.*0\.5774.*\) lies in C and in -C",
        "add a row",
    ),
    "opposite rows": (
        lambda: Cone([[0, 1], [1, 0], [0, -1]]),
        "empty interior: rows 0 and 2",
        "remove or tilt one of them",
    ),
    "rows all round": (
        lambda: Cone([[1, 0], [-1, 1], [-1, -1]]),
        "empty interior: rows 0, 1 and 2",
        "remove or tilt one of them",
    ),
    "one objective both ways": (lambda: Cone([[1], [-1]]), "empty interior: rows 0 and 1", "remove or tilt"),
    "angle 0": (lambda: Cone.planar(0), "degrees must lie strictly between 0 and 180", "got 0"),
    "angle 180": (lambda: Cone.planar(180), "degrees must lie strictly between 0 and 180", "half-plane"),
    "angle 270": (lambda: Cone.planar(270), "degrees must lie strictly between 0 and 180", "not convex"),
    "angle -45": (lambda: Cone.planar(-45), "degrees must lie strictly between 0 and 180", "got -45"),
    "angle 1e-9": (lambda: Cone.planar(1e-9), "too thin: .* is too near to a half line", "at least 0.0002"),
    "angle 1e-300": (lambda: Cone.planar(1e-300), "too thin: .* is too near to a half line", "at least 0.0002"),
    "angle 180 - 1e-9": (
        lambda: Cone.planar(180 - 1e-9),
        r"too wide: degrees = 179\.999999999 is too near to a half-plane",
        "at least 0.0002 below 180",
    ),
    "thin ice cream": (lambda: Cone.ice_cream(1e-9), "too thin: .* is too near to a half line", "at least 0.0002"),
    "ice cream of too many": (
        lambda: Cone.ice_cream(179.9998, 100),
        "100 facets cannot be told apart numerically at degrees = 179.9998",
        "take fewer facets",
    ),
    "wide ice cream": (lambda: Cone.ice_cream(180 - 1e-9), "too wide: .* near to a half-space", "below 180"),
    "rows nearly opposite": (
        lambda: Cone([[1, 0], [-1, 1e-11]]),
        "too thin: rows 0 and 1 .* vanishes within 5e-12",
        "tilt its rows apart, or choose more degrees",
    ),
    "three rows nearly opposite": (lambda: Cone([[1, 0], [-1, 1e-11], [0, 1]]), "too thin: rows 0 and 1", "tilt"),
    "rows nearly equal": (
        lambda: Cone([[1, 0], [1, 1e-11]]),
        r"too wide: within 5e-12 it contains the whole line along \(.*, 1\)",
        "tilt its rows apart, or choose fewer degrees",
    ),
    "rows nearly in a plane": (
        lambda: Cone([[1, 0, 0], [0, 1, 0], [1, 1, 1e-12]]),
        r"too wide: within .* the whole line along \(.*, 1\)",
        "tilt its rows apart",
    ),
    "shares nearly 1/2": (lambda: Cone.importance(0.5 - 1e-12), "too wide: .* the whole line", "tilt its rows apart"),
    "rays nearly equal": (
        lambda: Cone.from_rays([[1, 0], [1, 1e-12]]),
        r"too thin: the rays are all orthogonal to \(.*, 1\) within 5e-13",
        "add a ray",
    ),
    "rays nearly opposite": (
        lambda: Cone.from_rays([[1, 0], [-1, 1e-12]]),
        "too wide: rays 0 and 1 .* vanishes within 5e-13",
        "tilt one of them inwards",
    ),
    "angle NaN": (lambda: Cone.planar(NAN), "degrees must be finite", "got nan"),
    "angle as text": (lambda: Cone.planar("90"), "degrees must be a number", "got '90'"),
    "angle as a list": (lambda: Cone.planar([90]), "degrees must be a number", r"got \[90\]"),
    "share 1/2": (lambda: Cone.importance(0.5, 2), r"share must be .* below 1/dim = 0\.5", "choose a smaller share"),
    "share 0.4 of 3": (lambda: Cone.importance(0.4, 3), "share must be .* below 1/dim", "choose a smaller share"),
    "share below 0": (lambda: Cone.importance(-0.1, 2), "share must be at least 0", "choose 0 for the orthant"),
    "share NaN": (lambda: Cone.importance(NAN), "share must be finite", "got nan"),
    "dim 0": (lambda: Cone.orthant(0), "dim must be at least 1", "got 0"),
    "dim 2.5": (lambda: Cone.ranked(2.5), "dim must be a whole number", r"got 2\.5"),
    "dim True": (lambda: Cone.orthant(True), "dim must be a whole number", "got True"),
    "flat rays": (lambda: Cone.from_rays([[1, 0], [2, 0]]), r"rays are all orthogonal to \(0, 1\)", "add a ray"),
    "one ray": (lambda: Cone.from_rays([[1, 2]]), r"flat \(empty interior\)", "add a ray"),
    "opposite rays": (
        lambda: Cone.from_rays([[1, 0], [0, 1], [-1, 0]]),
        r"not pointed: \(.*1, .*0\) lies in C and in -C .rays 0 and 2",
        "remove one of these rays",
    ),
    "zero ray": (lambda: Cone.from_rays([[1, 0], [0, 0]]), "row 1 of V is zero", "remove it"),
    "NaN ray": (lambda: Cone.from_rays([[1, 0], [0, NAN]]), "V has NaN or infinity in row 1", "must be finite"),
    "two facets": (lambda: Cone.ice_cream(60, facets=2), "facets must be at least 3", "got 2"),
    "ice cream 180": (lambda: Cone.ice_cream(180), "degrees must lie strictly between 0 and 180", "got 180"),
    "not square": (lambda: Cone.exchange([[1, 2, 3], [1, 1, 1]]), "pi must be square", r"got shape \(2, 3\)"),
    "diagonal": (
        lambda: Cone.exchange([[2, 1], [1, 1]]),
        "pi must be positive with ones on its diagonal",
        "buys itself",
    ),
    "negative rate": (lambda: Cone.exchange([[1, -2], [2, 1]]), "pi must be positive", "ones on its diagonal"),
    "NaN rate": (lambda: Cone.exchange([[1, NAN], [2, 1]]), "pi has NaN or infinity in row 0", "must be finite"),
    "arbitrage": (
        lambda: Cone.exchange([[1, 0.5], [1, 1]]),
        r"pi allows arbitrage: exchanging asset (0 -> 1 -> 0|1 -> 0 -> 1) turns 1 unit into 2",
        "raise the rates",
    ),
    "free exchange": (lambda: Cone.exchange([[1, 2], [0.5, 1]]), "pi allows a free exchange", "raise the rates"),
    "arbitrage over three": (
        lambda: Cone.exchange([[1, 0.9, 9], [9, 1, 0.9], [0.9, 9, 1]]),
        r"arbitrage: exchanging asset (0 -> 1 -> 2 -> 0|1 -> 2 -> 0 -> 1|2 -> 0 -> 1 -> 2) turns 1 unit into 1\.37",
        "raise the rates",
    ),
    "another dimension": (lambda: Cone.orthant(2).includes(Cone.orthant(3)), "cannot compare a cone in R.2", "R.3"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_cones_are_refused_with_the_remedy(case):
    make, what, remedy = REFUSED[case]
    with pytest.raises(ConeError, match=what) as caught:
        make()
    assert caught.match(remedy)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("make", [Cone.planar, lambda angle: Cone.ice_cream(angle, 3)], ids=["planar", "ice cream"])
def test_the_smallest_angles_named_are_accepted(make):
    for degrees in (2e-4, 180 - 2.0001e-4):
        cone = make(degrees)
        assert len(cone.rays) == len(cone.facets) == cone.dim


@pytest.mark.parametrize("degrees", [2e-4, 1e-3, 1e-2, 1.0, 179.0, 179.999, 180 - 1e-3, 180 - 2.0001e-4])
@pytest.mark.parametrize("count", [4, 5, 12, 40])
def test_a_round_cone_has_all_its_facets_and_rays_or_is_refused(degrees, count):
    """Neighbouring facets of thin and of wide cones differ by little: none may be lost on the way."""
    if degrees < 1e-2 or degrees > 179.9:
        try:
            cone = Cone.ice_cream(degrees, count)
        except ConeError:
            return
    else:
        cone = Cone.ice_cream(degrees, count)
    assert len(cone.facets) == len(cone.rays) == count


def test_rows_that_cannot_be_told_apart_are_refused():
    """Within rounding each of them follows from the others."""
    turns = 2 * np.pi * np.arange(40) / 40
    rows = np.column_stack([2.6e-10 * np.cos(turns), 2.6e-10 * np.sin(turns), np.ones(40)])
    with pytest.raises(ConeError, match="too wide: within"):
        Cone(rows)


def test_the_direction_named_really_lies_in_the_cone_and_in_its_opposite():
    rows = np.array([[1.0, 2.0, 3.0], [2.0, -1.0, 0.5], [3.0, 1.0, 3.5]])  # the third is the sum of the others
    with pytest.raises(ConeError, match="not pointed") as caught:
        Cone(rows)
    words = str(caught.value).split("(")[1].split(")")[0]
    direction = np.array([float(word) for word in words.split(",")])
    np.testing.assert_allclose(rows @ direction, 0, atol=1e-3)
    assert np.linalg.norm(direction) == pytest.approx(1, abs=1e-3)


def test_a_zero_row_is_refused():
    with pytest.raises(cw.ConeError, match="row 1 of W is zero"):
        Cone([[1, 0], [0, 0], [0, 1]])


def test_a_cone_that_is_not_pointed_is_refused():
    with pytest.raises(cw.ConeError, match="not pointed"):
        Cone([[1, 1], [2, 2]])


@pytest.mark.parametrize("degrees", [270, -45])
def test_an_angle_outside_0_to_180_degrees_is_refused(degrees):
    with pytest.raises(cw.ConeError, match="strictly between 0 and 180"):
        Cone.planar(degrees)

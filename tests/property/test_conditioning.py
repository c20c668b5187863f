"""Every cone that is accepted, however thin or wide: lift, projection, widths, beta, rays and facets are right to 1e-6.

Against a twin that computes in a hundred digits. The cones are made as near to a flat one, or to one with a line, as a
scale from 0.1 down to 1e-10 brings them; beyond the limit (docs/rounding.md) they must be refused, in one sentence.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from shared.exact import ExactCone, dot, hundred_digits, length

import conewise as cw
from conewise import Cone, ConeError
from conewise.border import DEGENERATE
from conewise.cone import lift

RIGHT = 1e-6
SCALES = (1e-1, 1e-3, 1e-5, 3e-6, 1e-7, 1e-8, 1e-10)


@pytest.fixture(autouse=True)
def _digits():
    with hundred_digits():
        yield


def scattered(rng, dim, scale, count):
    """Vectors around a diagonal: as rays a cone thin in every direction, as rows a wide one."""
    return np.ones(dim) + scale * rng.normal(size=(count, dim))


def opposed(rng, dim, scale, count):
    """Two vectors nearly opposite to each other and others anywhere: as rows a thin wedge, as rays nearly a line."""
    basis = np.linalg.qr(rng.normal(size=(dim, dim)))[0]
    others = [basis[1] + 0.7 * rng.normal(size=dim) / np.sqrt(dim) for _ in range(count - 2)]
    return np.array([basis[0] + scale * basis[1], -basis[0] + scale * basis[1], *others])


def twins(rng, dim, scale, count):
    """A cone like any other, but for two vectors that nearly agree."""
    some = np.ones(dim) + 0.7 * rng.normal(size=(count - 1, dim))
    return np.vstack([some, some[0] + scale * rng.normal(size=dim)])


FAMILIES = {"scattered": scattered, "opposed": opposed, "twins": twins}


def off(value: float, exact: Decimal) -> float:
    """The relative error of a number."""
    return float(abs(Decimal(float(value)) - exact) / exact) if exact else abs(float(value))


def apart(vector: np.ndarray, exact: list[Decimal]) -> float:
    return float(length([Decimal(float(a)) - b for a, b in zip(vector, exact, strict=True)]))


def check_directions(computed: np.ndarray, exact: list[list[Decimal]]) -> None:
    """As many, and each as right as its distance to the nearest other asks for."""
    assert len(computed) == len(exact)
    for n, ray in enumerate(exact):
        near = min([1.0, *(apart(np.array(ray, dtype=float), other) for k, other in enumerate(exact) if k != n)])
        assert min(apart(vector, ray) for vector in computed) <= RIGHT * near


def check(cone: Cone, rng: np.random.Generator, *, generated: bool) -> None:
    exact, n = ExactCone(np.array(cone.to_dict()["rows"])), len(cone.facets)
    wanted = np.vstack([rng.normal(size=(2, n)), np.abs(rng.normal(size=(2, n))), np.eye(n)[:2], np.ones((1, n))])
    for b, norm in zip(wanted, cw.lift_norm(wanted, cone), strict=True):
        assert off(norm, length(exact.lift(b))) <= RIGHT
    for x in rng.normal(size=(3, cone.dim)):
        assert apart(cone.project(x), exact.project(x)) <= RIGHT * np.linalg.norm(x)
    assert max(off(a, b) for a, b in zip(cone.widths, exact.widths(), strict=True)) <= RIGHT
    if cone.complexity.exact:
        assert off(cone.complexity.beta, exact.beta(cone.complexity.pair)) <= RIGHT
    if generated:
        check_directions(cone.facets, ExactCone(cone.rays).rays())
    else:
        check_directions(cone.rays, exact.rays())
    inside = exact.lift(np.ones(n))
    assert cone.contains([float(x) for x in inside], interior=True)
    assert not cone.contains([-float(x) for x in inside])
    assert cone.dual.contains(cone.facets, tolerance=1e-9).all()


@pytest.mark.parametrize("solver", ["table", "least squares"])
@pytest.mark.parametrize("generated", [False, True], ids=["rows", "rays"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dim", [2, 3, 4])
def test_what_is_accepted_is_right(family, generated, dim, solver, monkeypatch):
    if solver == "least squares":
        monkeypatch.setattr(lift, "TABLE_COST", 0)
    if family == "twins" and dim == 2:
        pytest.skip("two rows are all that a planar cone has")
    rng = np.random.default_rng([dim, generated, *family.encode()])
    for scale in SCALES:
        vectors = FAMILIES[family](rng, dim, scale, dim + (family == "twins") + int(rng.integers(0, 2)) * (dim > 2))
        make = Cone.from_rays if generated else Cone
        if family != "twins" and scale < DEGENERATE / 10:
            with pytest.raises(ConeError, match=r"too (thin|wide): .* 1e-06 is too little to compute with; ") as caught:
                make(vectors)
            assert "\n" not in str(caught.value)
            continue
        try:
            cone = make(vectors)
        except ConeError:
            assert scale < 1e-3, "nothing is degenerate here"
            continue
        check(cone, rng, generated=generated)


@pytest.mark.parametrize("degrees", [2e-4, 1e-3, 1.0, 60.0, 90.0, 120.0, 179.0, 179.999, 179.9998])
def test_planar_cones_by_closed_forms_down_to_the_smallest_angle(degrees):
    """|u| with W u = (1, 1) is 1 / sin(theta / 2), the widths of a cone below 90 degrees are sin theta, and so on."""
    cone, theta = Cone.planar(degrees), np.radians(degrees)
    assert cw.lift_norm([1, 1], cone) == pytest.approx(1 / np.sin(theta / 2), rel=RIGHT)
    np.testing.assert_allclose(cone.widths, np.sin(theta) if degrees < 90 else 1.0, rtol=RIGHT)
    assert cone.complexity.beta == pytest.approx(1 / np.sin(theta) if degrees < 90 else 1.0, rel=RIGHT)
    between = np.arccos(np.clip(cone.rays[0] @ cone.rays[1], -1, 1))
    assert between == pytest.approx(theta, rel=RIGHT if 1 < degrees < 179 else 1e-3)


def test_the_angle_that_was_wrong_by_eight_digits_is_refused():
    with pytest.raises(ConeError, match="too thin: degrees = 8e-07 is too near to a half line to compute with; choose"):
        Cone.planar(8e-7)


@pytest.mark.parametrize("spread", [1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("assets", [2, 3, 4])
def test_exchanges_with_small_spreads_are_right(assets, spread):
    rng = np.random.default_rng(assets)
    price = np.exp(0.3 * rng.normal(size=assets))
    pi = price[None, :] / price[:, None] * np.exp(spread * rng.uniform(1, 2, size=(assets, assets)))
    np.fill_diagonal(pi, 1)
    cone = Cone.exchange(pi)
    assert cone.removed == ()
    if len(cone.facets) <= 8:
        check(cone, rng, generated=True)
    trades = [pi[i, j] * np.eye(assets)[i] - np.eye(assets)[j] for i in range(assets) for j in range(assets) if i != j]
    assert cone.contains(trades, tolerance=1e-12).all()


def test_what_nearly_follows_from_the_others_is_refused():
    """Between redundant (1e-10) and needed (1e-7) rounding would decide how many rays there are."""
    square = np.array([[1, 0, 1], [-1, 0, 1], [0, 1, 1], [0, -1, 1.0]])
    for gap, words in [(1e-12, None), (1e-9, "row 4 .* follows from the others within"), (1e-6, None)]:
        rows = np.vstack([square, [0.5 + gap, 0.5 + gap, 1]])
        if words is None:
            assert len(Cone(rows).facets) == (4 if gap < 1e-10 else 5)
            continue
        with pytest.raises(ConeError, match=words):
            Cone(rows)


def test_the_twin_agrees_with_what_is_known():
    exact = ExactCone([[1, 0], [0, 1]])
    assert [float(x) for x in exact.lift([3, 4])] == [3, 4]
    assert [float(x) for x in exact.project([3, -1])] == [3, 0]
    assert sorted([float(x) for x in ray] for ray in exact.rays()) == [[0, 1], [1, 0]]
    assert float(dot(exact.rows[0], exact.rows[1])) == 0


def around_the_diagonal(dim: int, seed: int) -> Cone:
    """A thin cone by its rays."""
    rng = np.random.default_rng([seed, dim])
    scale = 10 ** rng.uniform(-5.5, -3)
    return Cone.from_rays(np.ones(dim) + scale * rng.normal(size=(dim + 1 + seed % 2, dim)))


@pytest.mark.parametrize(("dim", "seed"), [(3, 30), (3, 54), (3, 142), (4, 1), (4, 6), (4, 7)])
def test_facets_and_beta_of_thin_cones_by_their_rays(dim, seed):
    """Cross products of nearly equal rays had lost their digits."""
    cone = around_the_diagonal(dim, seed)
    exact = ExactCone(ExactCone(cone.rays).rays())
    assert off(cone.complexity.beta, exact.beta(cone.complexity.pair)) <= RIGHT
    assert off(cone.widths.min(), min(exact.widths())) <= RIGHT


@pytest.mark.parametrize(("dim", "seed"), [(3, 3), (3, 9), (3, 14), (3, 44), (4, 1), (5, 2)])
def test_the_pair_named_is_the_widest(dim, seed):
    """Where singular vectors lose their digits, the widest pair was missed, and another one was shown for it."""
    complexity = around_the_diagonal(dim, seed).complexity
    assert 1 / np.sin(np.radians(complexity.degrees)) == pytest.approx(complexity.beta, rel=RIGHT)

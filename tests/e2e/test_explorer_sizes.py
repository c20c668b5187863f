"""The live page from one design to 10^5 and from one objective to eight, under long and hostile names."""

from __future__ import annotations

import numpy as np
import pytest
from shared.browser import screenshot, serious_violations
from shared.explorer import designs_of, drawn, long_names, mentions, point_at, reads, serving, table_names, visiting

import conewise as cw
from conewise.dashboard.sources import Fixed

HOSTILE = [
    "<script>alert(1)</script>",
    "=cmd()",
    "<img src=x onerror=alert(1)>",
    "%{x} &amp; 'quoted'",
    "\u202egnp.exe",
]
DIMS = [1, 2, 3, 5, 8]
BY_SHARE = 12  # %, the share that the first objective is given


def designs(count, dim):
    """Names of sixty characters, some of which would like to be something else; the first objective is to be small."""
    rng = np.random.default_rng(1000 * dim + count)
    values = rng.normal(size=(count, 1)) + 0.7 * rng.normal(size=(count, dim))
    values[:, 0] *= -1
    names = long_names(rng, count)
    names[: len(HOSTILE)] = HOSTILE[:count]
    objectives = [f"{f'objective {d} (in a unit with a long name)':.<60}" for d in range(dim)]
    return designs_of(values, names, objectives[:1], objectives)


def cone_of(dim):
    """The one to which `moved` moves the control."""
    if dim == 2:
        return cw.Cone.planar(120)
    return cw.Cone(np.array([BY_SHARE, *[0] * (dim - 1)]) + (100 - BY_SHARE) * np.eye(dim))


def moved(page, dim):
    if dim == 2:
        page.locator("#degrees-exact").fill("120")
    else:
        page.locator("#share-0").fill(str(BY_SHARE))


def looked_at(page, given):
    """Everything on the page agrees with the library: counts, list, picture, selection, a move, a level."""
    count, dim = given.values.shape
    front = np.flatnonzero(cw.pareto_mask(given.means, cw.Cone.orthant(dim)))
    reads(page, "#pareto", f"{len(front):,}")
    reads(page, "#designs", f"{count:,}")
    reads(page, "#pareto-label", "remains." if len(front) == 1 else "remain.")
    hints = {1: "With one objective there is nothing to trade."}
    reads(page, "#moved", hints.get(dim, "∞: no amount is enough. Change a number."))
    shown = given.shown(front[:100].tolist())
    assert table_names(page) == shown
    if dim == 1:  # a level is the control, and nothing speaks of cones
        assert page.evaluate("document.querySelector('#controls input').id") == "level-0"
        assert page.locator("#keep, #second, #text, #trade, #least").locator("visible=true").count() == 0
    if dim > 3:
        spans = np.array(drawn(page, "spans"))
        assert (spans[1:, 0] > spans[:-1, 1]).all()  # names of axes lie beside each other
        assert drawn(page, "counts") == {"quiet": min(300, count), "front": min(400, len(front))}
    else:
        assert drawn(page, "titles[0]").startswith("← objective 0")
        assert drawn(page, "points.names.length") >= (count if dim == 2 else min(count, 1500))
        for index in front[:20].tolist():  # also beside an even sample one can point at whoever remains
            point_at(page, given.shown([index])[0])
    page.locator("#table button").first.click()
    reads(page, ".chosen-name", shown[0])
    mentions(page, "#selected", "nothing beats it")
    if dim <= 3:  # the ring and the wedge are at it
        assert drawn(page, "placeOf(document.getElementById('plot-first').drawing.look.selected)") is not None
    if dim > 1:
        moved(page, dim)
        reads(page, "#pareto", f"{cw.pareto_mask(given.means, cone_of(dim)).sum():,}")
    middle = float(np.median(given.values[:, 0]).round(3))
    page.locator("#level-0").fill(str(middle))
    within = given.means[given.values[:, 0] <= middle]
    cone = cone_of(dim) if dim > 1 else cw.Cone.orthant(1)
    reads(page, "#pareto", f"{cw.pareto_mask(within, cone).sum():,}" if len(within) else "0")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("main script, main img").count() == 0


@pytest.mark.parametrize("dim", DIMS)
def test_a_lone_design_and_two_hundred(chromium, dim):
    for count in (1, 206):
        given = designs(count, dim)
        with (
            serving(Fixed("t", given, cw.Cone.orthant(dim), None)) as explorer,
            visiting(chromium, explorer.address) as page,
        ):
            looked_at(page, given)
            if count == 1:
                reads(page, "#cost-words", "A single design is the Pareto set, with no evaluation at all.")
                assert page.locator("#duel").is_hidden()  # nobody to choose between
            assert serious_violations(page) == []
            screenshot(page, f"explorer-{count}-designs-{dim}")


@pytest.mark.parametrize("dim", DIMS)
def test_a_hundred_thousand_designs(chromium, dim):
    given = designs(10**5, dim)
    with (
        serving(Fixed("t", given, cw.Cone.orthant(dim), None)) as explorer,
        visiting(chromium, explorer.address) as page,
    ):
        looked_at(page, given)
        screenshot(page, f"explorer-100000-designs-{dim}")

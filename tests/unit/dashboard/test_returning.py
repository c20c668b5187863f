"""When a design would return: what is said holds, and a little less does not."""

from __future__ import annotations

import numpy as np
import pytest
from shared.explorer import designs_of

import conewise as cw
from conewise.dashboard.desk import Desk
from conewise.dashboard.returning import returning
from conewise.dashboard.sources import Fixed
from conewise.dashboard.statements import stated
from conewise.dashboard.views import views

VALUES = np.random.default_rng(8).normal(size=(60, 3))
DESIGNS = designs_of(VALUES, minimised=("f0",))
BARELY = 1e-4


def beaten(said):
    """Who remains componentwise, and no longer with what was said."""
    return np.flatnonzero(cw.Preferences(DESIGNS.meaning).remaining(VALUES) & ~said.remaining(VALUES))


def accepting(amount):
    return cw.Preferences(DESIGNS.meaning).accepts(give={"f1": 2.0}, get={"f0": amount})


def test_a_larger_amount_brings_it_back():
    preference = {"text": "orthant:3", "said": [{"accept": [1, 2.0, 0, 0.5]}]}
    out = beaten(accepting(0.5))
    assert len(out) > 2
    for index in out.tolist():
        ((way,),) = [returning(DESIGNS, index, preference)]
        assert (way["loss"], way["gain"]) == (1, 0)
        back = 2 * way["amount"]  # for 1 of the loss; 2 are given
        assert accepting(back * (1 + BARELY)).remaining(VALUES)[index]
        assert not accepting(back * (1 - BARELY)).remaining(VALUES)[index]


def test_smaller_shares_bring_it_back():
    shares = [30, 20, 10]
    means = DESIGNS.means
    cone = cw.Cone(np.array(shares) + 40 * np.eye(3))
    out = np.flatnonzero(cw.pareto_mask(means, cw.Cone.orthant(3)) & ~cw.pareto_mask(means, cone))
    assert len(out) > 2
    for index in out.tolist():
        change, way = returning(DESIGNS, index, {"shares": shares})
        assert change["factor"] > 1
        least = np.array(way["shares"])
        assert (least <= shares).all()
        assert cw.pareto_mask(means, cw.Cone(least + (100 - least.sum()) * np.eye(3)))[index]


def test_the_smallest_change_of_all_takes_back_only_what_it_must():
    said = [{"accept": [1, 2.0, 0, 0.5]}, {"accept": [2, 1.0, 1, 1.5]}, {"accept": [0, 1.0, 2, 4.0]}]
    preference = {"shares": [10, 10, 10], "said": said}
    out = np.flatnonzero(
        cw.pareto_mask(DESIGNS.means, cw.Cone.orthant(3)) & ~cw.pareto_mask(DESIGNS.means, stated(preference, DESIGNS))
    )
    kept = set()
    for index in out[:12].tolist():
        change = returning(DESIGNS, index, preference)[0]
        if "factor" not in change:  # one exchange alone does it as well
            continue
        changed = {"text": change["text"], "said": [said[place] for place in change["kept"]]}
        cone = stated(changed, DESIGNS)
        assert cw.pareto_mask(DESIGNS.means, cone)[index]
        for loss, gain, before, after in change["exchanges"]:
            assert before < after <= before * change["factor"] * (1 + BARELY)
            assert views(cone)["exchanges"][loss][gain] == pytest.approx(after, rel=1e-3)
        kept.add(len(change["kept"]))
    assert kept & {1, 2}  # some statements stay, and some go


@pytest.mark.parametrize("base", [{"shares": [20, 20, 20]}, {"text": "importance:0.2"}])
def test_a_change_that_no_click_could_make_is_not_offered(base):
    """Beside what was said, a cone of such different weights cannot be computed with."""
    designs = designs_of([[-1, 0, -0.001], [0, 100_000, 0.001], [1, -200_000, -0.002]])
    preference = base | {"said": [{"prefer": designs.values[[1, 0]].tolist()}]}
    ways = returning(designs, 2, preference)
    assert [list(way) for way in ways] == ([["shares"]] if "shares" in base else [])
    for way in ways:
        assert cw.pareto_mask(designs.means, stated(preference | way, designs))[2]


def test_who_is_beaten_in_every_respect_never_returns_and_the_desk_asks_only_of_those_that_are_out():
    never = np.flatnonzero(~cw.pareto_mask(DESIGNS.means, cw.Cone.orthant(3)))[0]
    said = {"text": "orthant:3", "said": [{"accept": [1, 2.0, 0, 0.5]}]}
    assert returning(DESIGNS, int(never), said) == [{"never": True}]
    assert returning(DESIGNS, int(never), {"text": "ranked:3"}) == [{"never": True}]
    desk = Desk(Fixed("t", DESIGNS, cw.Cone.orthant(3), None))
    out = beaten(accepting(0.5))[0]
    assert desk.design({"first": said, "index": int(out)})["returning"][0]["amount"] == pytest.approx(
        returning(DESIGNS, int(out), said)[0]["amount"]
    )
    stays = np.flatnonzero(accepting(0.5).remaining(VALUES))[0]
    assert desk.design({"first": said, "index": int(stays)})["returning"] == []

"""A cone as plain data: what was written reads back, and what cannot have been written is refused."""

from __future__ import annotations

import json
import pickle

import pytest
from shared.cones import uneven_choice

from conewise import Cone
from conewise.errors import ConeError


def test_pickle_and_dictionaries_keep_what_a_cone_was_said_about():
    about = (("price", "min", 500.0), ("speed", "max", 10.0))
    cone = Cone([[1, 0], [1, 1]]).remembering(["a rise of 1 in price for 1 in speed"], about)
    for other in (pickle.loads(pickle.dumps(cone)), Cone.from_dict(json.loads(json.dumps(cone.to_dict())))):
        assert (other.said, other.about) == (cone.said, about)
    assert "about" not in Cone.orthant(2).to_dict()


@pytest.mark.parametrize(
    "about", [3, [["price", "min", 1.0]], [["x", "max", 0], ["y", "max", 1]], [["x", "up", 1], ["y", "max", 1]], [1, 2]]
)
def test_what_a_cone_was_said_about_is_checked(about):
    with pytest.raises(ConeError, match='"about" in a cone\'s dictionary must have a name, "max" or "min", and a pos'):
        Cone.from_dict(Cone.orthant(2).to_dict() | {"about": about})


def test_a_cone_whose_facets_lie_too_close_for_rows_is_read_back_by_its_rays_too():
    cone = uneven_choice()
    with pytest.raises(ConeError, match="is too little to compute with"):
        Cone(cone.facets)
    for again in (pickle.loads(pickle.dumps(cone)), Cone.from_dict(json.loads(json.dumps(cone.to_dict())))):
        assert (again.facets.tobytes(), again.rays.tobytes()) == (cone.facets.tobytes(), cone.rays.tobytes())
        assert again.to_dict() == cone.to_dict()
    assert "rays" not in Cone.from_rays([[1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1]]).to_dict()


@pytest.mark.parametrize("rays", [[[1, 0, 0]], [[1, -1], [0, 1]]])
def test_rows_and_rays_of_a_dictionary_belong_together(rays):
    with pytest.raises(ConeError, match='"rows" and "rays" in a cone\'s dictionary describe two cones; leave out "'):
        Cone.from_dict({"rows": [[1, 0], [0, 1]], "rays": rays})

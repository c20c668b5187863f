"""A cone as plain data: what was written reads back, and what cannot have been written is refused."""

from __future__ import annotations

import json
import pickle

import pytest

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

"""What a page draws, in few bytes: the same numbers as those of the answer."""

from __future__ import annotations

import numpy as np

from conewise.report.slim import _reached, _room, page_data


def test_the_numbers_are_those_of_the_answer(numbers):
    data = page_data(numbers)
    rows = numbers["rows"]
    assert [data["statuses"][n] for n in data["rows"]["status"]] == [row["status"] for row in rows]
    assert data["rows"]["beyond"] == []  # the table has all objectives
    assert np.allclose(data["rows"]["errors"], np.transpose([row["standard_errors"] for row in rows]), rtol=1e-3)
    widths = [data["half_widths"][n] for n in data["rows"]["half_widths"]]
    assert np.allclose(widths, [row["half_widths"] for row in rows], rtol=1e-3)
    for k, row in enumerate(rows):
        place, relation, epsilon, facets, gains, radii = data["rows"]["rivals"][k][0]
        first = row["rivals"][0]
        assert rows[place]["id"] == first["id"]
        assert data["relations"][relation] == first["relation"]
        assert 0 <= epsilon - first["epsilon"] <= 1e-3 * first["epsilon"]
        assert facets == first["facets"]
        assert np.allclose(gains, first["gains"], rtol=1e-3)
        assert np.allclose(radii, first["radii"], rtol=1e-3)


def test_what_a_rival_settles_is_not_said_to_be_settled_before():
    assert (_reached(0.745601), _reached(0.5), _reached(0), _reached(None)) == (0.7457, 0.5, 0, None)


def test_with_many_designs_rivals_are_fewer_and_never_none():
    assert _room(6, 2, 2) == (4, 2)
    assert _room(200, 3, 40) == (3, 4)
    assert _room(2000, 30, 30) == (1, 4)
    assert _room(1000, 8, 8, radii=False) == (4, 4)

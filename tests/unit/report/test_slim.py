"""What a page draws, in few bytes: the same numbers as those of the answer."""

from __future__ import annotations

import numpy as np

from conewise.report.slim import page_data


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

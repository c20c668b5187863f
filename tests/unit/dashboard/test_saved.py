"""The page as a file of its own: what it holds, and that nothing in it can run but its own script."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import numpy as np
import pytest
from shared.explorer import designs_of, long_names, unpacked
from shared.studies import make, values_of

import conewise as cw
from conewise.dashboard import saved
from conewise.dashboard.desk import Desk
from conewise.dashboard.sources import Designs, Fixed, Live
from conewise.errors import InputError


def desk_of(values, names=None, objectives=("cost", "speed", "mass"), units=()):
    values = np.asarray(values, dtype=float)
    names = [f"d{k}" for k in range(len(values))] if names is None else names
    objectives = tuple(objectives[: values.shape[1]])
    designs = Designs(1, names, objectives, ("cost",), values, units)
    return Desk(Fixed("A <title>", designs, cw.Cone.orthant(len(objectives)), None))


def page_of(desk, **asked):
    return desk.saved({"first": {"text": f"orthant:{desk.source.designs().dim}"}, "index": [], **asked})["html"]


def data_in(page):
    return json.loads(unpacked(page, "data"))


def test_the_policy_names_exactly_the_scripts_and_the_style_that_are_there():
    page = page_of(desk_of([[1, 2], [2, 5]]))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    parts = [
        *re.findall(r"<script>(.*?)</script>", page, re.DOTALL),
        *re.findall(r"<style>(.*?)</style>", page, re.DOTALL),
        unpacked(page, "script"),
    ]
    assert len(parts) == 4
    fingerprints = {f"sha256-{base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()}" for part in parts}
    assert set(re.findall(r"'(sha256-[^']*)'", policy)) == fingerprints
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert not re.search(r"(?:src|href)=", page)
    for part in (page, unpacked(page, "script")):
        assert not re.search(r"^(?:import|export) ", part, re.MULTILINE)


def columns_in(found):
    """(K, D): the values, written out or as bytes."""

    def doubles(text):
        """The first byte of every number, then the second."""
        laid = np.frombuffer(base64.b64decode(text), np.uint8).reshape(8, -1)
        return np.ascontiguousarray(laid.T).view("<f8").ravel()

    return np.column_stack([doubles(c) if isinstance(c, str) else np.array(c) for c in found["values"]])


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 8])
def test_a_thousand_designs_are_a_small_file_whatever_they_are_called(dim):
    """Names of sixty characters that have nothing in common, and numbers with all their digits: nothing packs worse."""
    rng = np.random.default_rng(dim)
    values, names = rng.normal(size=(1000, dim)), long_names(rng, 1000)
    page = page_of(desk_of(values, names, objectives=("cost", *(f"{letter:x<60}" for letter in "abcdefg"))))
    assert len(page.encode()) < 200_000
    found = data_in(page)
    assert found["names"] == names
    np.testing.assert_array_equal(columns_in(found), values)  # the page itself compares them


def test_short_numbers_stay_readable():
    found = data_in(page_of(desk_of([[1.5, 2], [0.25, 1e-300]])))
    assert found["values"] == [[1.5, 0.25], [2, 1e-300]]


def test_hostile_names_are_data():
    names = ["</script><script>alert(1)</script>", "<!--", "STYLE", "SCRIPT"]
    page = page_of(desk_of([[1, 2], [2, 5], [0, 1], [3, 9]], names))
    assert page.count("<script") == 4
    assert page.count("</script>") == 4
    assert "<title>A &lt;title&gt;</title>" in page
    assert data_in(page)["names"] == names


def test_designs_without_values_stay_out_and_places_follow():
    desk = desk_of([[1, 2], [np.nan, np.nan], [2, 5], [5, 1]], units=(100.0, 1.0))
    found = data_in(page_of(desk, index=[1, 3]))
    assert found["names"] == ["d0", "d2", "d3"]
    assert (found["shortlist"], found["units"]) == ([2], [100, 1])


def test_levels_are_controls_and_leave_nobody_out():
    found = data_in(page_of(desk_of([[1, 2], [2, 5], [5, 1]]), levels={"0": 3}))
    assert (found["names"], found["levels"]) == (["d0", "d1", "d2"], [[0, 3]])


def test_with_more_objectives_the_page_has_the_rows_of_the_cone_as_given():
    found = data_in(page_of(desk_of([[1, 2, 3], [2, 5, 1]]), first={"text": "[[2,1,0],[0,3,1],[1,0,4]]"}))
    assert (found["rows"], found["shares"]) == ([[2, 1, 0], [0, 3, 1], [1, 0, 4]], None)
    found = data_in(page_of(desk_of([[1, 2, 3], [2, 5, 1]]), first={"shares": [10, 20, 30]}))
    assert found["shares"] == [10, 20, 30]


def test_a_page_for_too_many_designs_is_refused(monkeypatch):
    monkeypatch.setattr(saved, "MOST", 2)
    with pytest.raises(InputError, match="may hold 2 designs, got 3"):
        page_of(desk_of([[1, 2], [2, 5], [0, 1]]))


def test_what_was_said_is_on_the_page_as_long_as_it_makes_the_cone():
    designs = designs_of([[1, 2], [2, 5]])
    opening = cw.Preferences(["f0", "f1"]).accepts(give={"f0": 1}, get={"f1": 2}).cone
    desk = Desk(Fixed("t", designs, opening, None))
    first, more = "1 f0 for 2 f1 is worth it", {"said": [{"accept": [1, 1, 0, 3]}]}
    for asked, said in (
        ({"text": str(opening)}, [first]),
        ({"text": str(opening)} | more, [first, "1 f1 for 3 f0 is worth it"]),
        ({"degrees": 90} | more, ["1 f1 for 3 f0 is worth it"]),
        ({"degrees": 90}, []),
    ):
        assert data_in(page_of(desk, first=asked))["said"] == said


def test_of_a_study_the_page_has_where_it_stood_and_what_it_knew(tmp_path):
    with make(tmp_path / "trial.db") as study:
        batch = study.ask(30)
        study.tell(batch, values_of(batch))
        result, errors = study.result(), study.standard_errors()
    source = Live(str(tmp_path / "trial.db"), name=None, cone=None)
    try:
        found, standing = data_in(page_of(Desk(source))), source.standing()
    finally:
        source.close()
    assert (found["live"], found["standing"]) == (True, standing)
    assert standing["evaluations"] == len(batch)
    for k, about in enumerate(found["known"]):
        assert (about["status"], about["evaluations"]) == (result.status[k], result.counts[k])
        np.testing.assert_allclose(about["errors"], errors[k], rtol=0.05)
    table = data_in(page_of(desk_of([[1, 2], [2, 5]])))
    assert (table["live"], table["standing"], table["known"]) == (False, None, None)

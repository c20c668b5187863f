"""Tables that the command line writes: odd names come back as they were, whatever reads the file."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import conewise as cw
from conewise.cli.main import main
from conewise.tables import readers

ODD = st.text(alphabet="\r\n\t\"',;|=+-@ .5e\u2028\x85\x0b\x1c\ufeff\uff1dab\u00fc\U0001f600", min_size=1, max_size=6)
PLAIN = st.text(alphabet=string.ascii_letters, min_size=1, max_size=3)
NAMES = st.lists(ODD | PLAIN, min_size=1, max_size=12, unique=True)


@pytest.fixture(params=["pyarrow", "core alone"])
def engine(request, monkeypatch):
    if request.param == "core alone":
        monkeypatch.setattr(readers, "has_arrow", lambda: False)


def written(folder, names, column, ending):
    """What `conewise front --out` writes of designs of which all are kept."""
    rows = [{"name": name, column: float(k), "y": -float(k)} for k, name in enumerate(names)]
    given, out = folder / "given.json", folder / f"out{ending}"
    given.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["front", str(given), "--out", str(out), "--force"])
    assert ended.value.code == 0
    return out


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=NAMES)
def test_names_come_back_from_a_file(tmp_path_factory, engine, ending, names):
    out = written(tmp_path_factory.mktemp("t"), names, "x", ending)
    found = cw.front(out)
    assert list(found["name"]) == names
    assert list(found["x"]) == list(range(len(names)))


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@pytest.mark.parametrize("column", ["a;b;c;d", "a,b,c,d", "a\tb\tc\td", 'a"b', "=a", "a\rb", "'a", "a b"])
def test_the_name_of_a_column_does_not_change_what_separates_them(tmp_path, engine, ending, column):
    found = cw.front(written(tmp_path, ["p", "q"], column, ending))
    assert list(found) == ["name", column, "y"]
    assert list(found[column]) == [0, 1]

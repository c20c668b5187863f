"""Changes of the question as journal entries: what is written reads back, what cannot have been written is refused."""

from __future__ import annotations

import pytest

import conewise as cw
from conewise.studies.changes import Change, added
from conewise.studies.storage.journal import Entry


def entry(kind, note):
    return Entry(1, 2.0, kind, "", "", "", note)


@pytest.mark.parametrize(
    "change",
    [
        Change("add", ("x", "y"), ({"name": "x", "carbon": 0.3}, {"name": "y", "carbon": None}), unseen=True),
        Change("add", ("=1+1",), ({"name": "=1+1"},), reason="a name that a spreadsheet would compute"),
        Change("drop", dropped=(3, 0), reason="ausverkauft: Stahl Ä"),
        Change("change", epsilon=0.1),
        Change("change", epsilon=0.0, max_evaluations=10**6, reason="exact"),
    ],
)
def test_what_is_written_reads_back(change):
    assert Change.of(entry(change.kind, change.to_note())) == change


@pytest.mark.parametrize(
    ("kind", "note"),
    [
        ("note", "{}"),
        ("add", ""),
        ("add", "[]"),
        ("add", '{"designs": ["x", "x"]}'),
        ("add", '{"designs": ["x"], "rows": [{"name": "x", "deep": {"a": 1}}]}'),
        ("add", '{"designs": "x", "epsilon": 1}'),
        ("drop", '{"dropped": [-1]}'),
        ("drop", '{"dropped": ["a"]}'),
        ("drop", '{"dropped": 3}'),
        ("change", '{"epsilon": -1}'),
        ("change", '{"epsilon": "small"}'),
        ("change", '{"max_evaluations": 0}'),
        ("change", '{"delta": 0.5}'),
        ("change", "[" * 100_000),
    ],
)
def test_what_nobody_can_have_written_is_refused(kind, note):
    with pytest.raises(ValueError):  # noqa: PT011 - the ledger says where, and what to do
        Change.of(entry(kind, note))


@pytest.mark.parametrize(
    ("designs", "words"),
    [
        ([], "at least 1 design"),
        ("x", "a list of names or rows"),
        (3, "a list of names or rows"),
        (["a"], "two designs are called 'a'"),
        (["x", "x"], "two designs are called 'x'"),
        ([" x"], "printable text"),
    ],
)
def test_designs_that_cannot_be_added_are_named(designs, words):
    with pytest.raises(cw.InputError, match=words):
        added(designs, ["a", "b"], [{"name": "a"}, {"name": "b"}], False, "")

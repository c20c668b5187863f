"""Where a study lives: paths and addresses, and one sentence for what is neither."""

from __future__ import annotations

import pytest

from conewise.errors import ConewiseError, InputError
from conewise.studies.storage.places import create_journal, open_journal, study_names


@pytest.mark.parametrize(
    "write", [lambda path: path, str, lambda path: f"sqlite:///{path}"], ids=["path", "text", "url"]
)
def test_a_file_may_be_named_in_three_ways(tmp_path, write):
    path = tmp_path / "trial.db"
    create_journal(write(path), None, "{}").close()
    create_journal(write(path), "second", "{}").close()
    assert study_names(write(path)) == ["trial", "second"]
    journal = open_journal(write(path), "second", read_only=True)
    try:
        assert (journal.name, journal.header) == ("second", "{}")
    finally:
        journal.close()


def test_a_name_is_taken_once(tmp_path):
    create_journal(tmp_path / "trial.db", None, "{}").close()
    with pytest.raises(ConewiseError, match="trial"):
        create_journal(tmp_path / "trial.db", "trial", "{}")


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("", "must be a path or a postgresql:// address"),
        (3, "must be a path or a postgresql:// address"),
        ("mysql://db/lab", "a study lives in a file or at postgresql://..., not at mysql://"),
        (":memory:", "a study is kept in a file or a database, not in :memory:"),
        ("file:trial.db?mode=memory", "a study is kept in a file or a database"),
    ],
)
def test_what_is_no_place_is_one_sentence(where, words):
    for act in (
        study_names,
        lambda place: open_journal(place, None, False),
        lambda place: create_journal(place, "a", "{}"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            act(where)
        assert "\n" not in str(caught.value)

"""One suite for every storage of studies: SQLite, and PostgreSQL for real."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest
from shared.postgres import server
from shared.studies import digest, finish, make, reference, run_script, same, value_of, values_of

import conewise as cw
from conewise.studies import postgres, sqlitefile
from conewise.studies.evaluations import seed_of
from conewise.studies.journal import Entry, create_journal, open_journal


@pytest.fixture(scope="session")
def database():
    with server() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def where(request, tmp_path):
    """An empty place for studies."""
    if request.param == "sqlite":
        return str(tmp_path / "trial.db")
    return request.getfixturevalue("database").fresh()


def entry(seq, kind="note", evaluations="", numbers="", note="", worker="", time=1.5):
    return Entry(seq, time, kind, worker, evaluations, numbers, note)


def everything(journal, after=0):
    return [tuple(row) for block in journal.read(after) for row in block]


# -- the journal itself --------------------------------------------------------------------------------------------


def test_entries_come_back_in_order_and_unchanged(where):
    journal = create_journal(where, "s", '{"any": "text"}')
    entries = [
        entry(n, note=text) for n, text in enumerate(["", "plain", "' ; DROP TABLE x --", "%s :a $1 ? äöü 漢字"], 1)
    ]
    entries.append(entry(5, "tell", "3-0,4-0", "0.1,1e-300,-5e-324,1.7976931348623157e+308", worker="w' OR 1=1"))
    with journal.locked():
        journal.append(entries[:2])
        journal.append(entries[2:])
    assert everything(journal) == entries
    assert everything(journal, after=3) == entries[3:]
    journal.close()
    again = open_journal(where, None, read_only=True)
    assert (again.name, again.header, everything(again)) == ("s", '{"any": "text"}', entries)
    again.close()
    again.close()


def test_an_error_leaves_nothing_behind(where):
    journal, other = create_journal(where, "s", "{}"), open_journal(where, "s", read_only=False)
    with contextlib.suppress(KeyboardInterrupt), journal.locked():
        journal.append([entry(1)])
        raise KeyboardInterrupt
    assert everything(journal) == everything(other) == []
    with other.locked():
        other.append([entry(1, note="the next one may have the place")])
    assert [row[6] for row in everything(journal)] == ["the next one may have the place"]
    journal.close(), other.close()


def test_a_place_in_the_journal_is_taken_once(where):
    journal = create_journal(where, "s", "{}")
    with journal.locked():
        journal.append([entry(1, note="first")])
    with pytest.raises(cw.ConewiseError, match="nothing was written"), journal.locked():
        journal.append([entry(2), entry(1, note="second")])
    assert [row[6] for row in everything(journal)] == ["first"]
    journal.close()


def test_studies_share_a_place_by_name(where):
    with make(where, name="one") as one, make(where, name="two; DROP TABLE studies", seed=8) as two:
        one.record(["a"], [[1, 2]])
        assert (one.status().evaluations, two.status().evaluations) == (1, 0)
        assert cw.Study.names_in(where) == ["one", "two; DROP TABLE studies"]
        with pytest.raises(cw.InputError, match="already holds a study called 'one'"):
            make(where, name="one")
        with pytest.raises(cw.InputError, match="holds 2 studies; say which by name: one, two"):
            cw.Study.open(where)
        with pytest.raises(cw.ConewiseError, match="no study called 'three'; it holds one"):
            cw.Study.open(where, name="three")
        with cw.Study.open(where, name="one") as again:
            assert (again.seed, again.status().evaluations) == (7, 1)


def test_a_study_that_was_opened_read_only_is_not_written_to(where):
    make(where).close()
    with cw.Study.open(where, read_only=True) as study:
        assert study.status().evaluations == 0
        for act in (study.ask, lambda: study.record(["a"], [[1, 2]]), lambda: study.note("x")):
            with pytest.raises(cw.ConewiseError, match="opened read-only"):
                act()
        with cw.Study.open(where) as writer:
            writer.record(["a"], [[1, 2]])
        assert study.status().evaluations == 1


def test_a_closed_study_says_so(where):
    study = make(where)
    study.close()
    with pytest.raises(cw.ConewiseError, match="is closed; open it again"):
        study.status()


def test_nothing_to_open(where):
    with pytest.raises(cw.ConewiseError, match=r"there is no study|has no studies"):
        cw.Study.open(where)


# -- studies on it -------------------------------------------------------------------------------------------------


def test_a_study_is_the_plain_loop(where):
    with make(where) as study:
        finish(study, 7)
        assert same(study.result(), reference(study))
        with cw.Study.open(where) as again:
            assert digest(again) == digest(study)
            assert again._journal.header == study._journal.header


def test_two_objects_never_hand_out_the_same_evaluation(where):
    with make(where) as first, cw.Study.open(where) as second:
        batches = [study.ask(2, ahead=False) for _ in range(2) for study in (first, second)]
        handed = [name for batch in batches for name in batch.ids]
        assert len(handed) == len(set(handed)) == 6  # the first round: every design once
        assert not first.ask(1, ahead=False)
        assert not first.ask(1, ahead=False).finished
        batches += [study.ask(2) for _ in range(2) for study in (first, second)]
        handed = [name for batch in batches for name in batch.ids]
        assert len(handed) == len(set(handed)) == 12
        assert not first.ask(1)  # one more round's worth ahead, not two
        told = second.tell(batches[0], values_of(batches[0]))  # whoever tells
        assert told.stored == 2
        assert first.status().in_flight == second.status().in_flight == 10
        assert {lease.evaluation for lease in first.leases()} == set(handed) - set(batches[0].ids)


def test_a_child_process_opens_its_own_connection(where):
    with make(where) as study:
        batch = study.ask(2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forking while other threads run: none is ours
            child = os.fork()
        if child == 0:
            code = 1
            try:
                study.tell(batch, values_of(batch))
                study.close()
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert study.status().evaluations == 2
        assert study.tell(batch, values_of(batch)).repeated == 2
        study.record(["a"], [[1, 2]])
    with cw.Study.open(where) as again:
        assert again.status().evaluations == 3


def test_eight_processes_and_twenty_thousand_evaluations(where):
    with make(where, algorithm="naive", designs=8, options={"evaluations_each": 2500}) as study:
        answers = run_script("crowd", where, 8, 50)
        assert all(isinstance(answer, list) for answer in answers), answers
        assert sum(stored for stored, _ in answers) == 20_000
        assert {seen for _, seen in answers} == {digest(study)}  # what eight have lived through is what one replays
        told = study.evaluations()
        assert told.ids == [f"{d}-{n}" for d in range(8) for n in range(2500)]
        expected = [value_of(d, seed_of(study.seed, d, n, 0)) for d in range(8) for n in range(2500)]
        np.testing.assert_array_equal(told.values, expected)
        status = study.status()
        assert (status.finished, status.in_flight, status.waiting) == (True, 0, 0)
        assert len(set(told.worker)) > 1


def test_an_adaptive_study_by_many_is_the_plain_loop(where):
    with make(where, epsilon=0.2) as study:
        answers = run_script("crowd", where, 4, 3)
        assert all(isinstance(answer, list) for answer in answers), answers
        assert sum(stored for stored, _ in answers) == study.status().evaluations
        assert same(study.result(), reference(study))


# -- formats -------------------------------------------------------------------------------------------------------


def pretend_format(where, monkeypatch, version, steps):
    """Let this conewise have another format, with these ways up."""
    module = postgres if "://" in where else sqlitefile
    monkeypatch.setattr(module, "FORMAT", version)
    monkeypatch.setattr(module, "MIGRATIONS", steps)


def add_a_column(connection):
    from sqlalchemy import text

    table = "journal" if not hasattr(connection, "engine") else "conewise_journal"
    statement = f"ALTER TABLE {table} ADD COLUMN place TEXT NOT NULL DEFAULT 'here'"
    connection.execute(statement if table == "journal" else text(statement))


def test_an_older_format_is_brought_up(where, monkeypatch):
    with make(where) as study:
        finish(study, 20)
        before = digest(study)
    pretend_format(where, monkeypatch, 2, {1: add_a_column})
    with pytest.raises(cw.ConewiseError, match="older format 1; open it once for writing"):
        cw.Study.open(where, read_only=True)
    with cw.Study.open(where) as study:
        assert digest(study) == before
    with cw.Study.open(where, read_only=True) as study:  # now it is of the new format
        assert digest(study) == before
    if "://" not in where:
        monkeypatch.undo()
        with cw.Study.open(f"{where}.bak-v1", read_only=True) as copy:  # the file as it was
            assert digest(copy) == before


def test_a_failed_migration_changes_nothing(where, monkeypatch):
    def fails(connection):
        add_a_column(connection)
        raise cw.ConewiseError("halfway")

    with make(where) as study:
        before = digest(study)
    pretend_format(where, monkeypatch, 2, {1: fails})
    with pytest.raises(cw.ConewiseError, match="halfway"):
        cw.Study.open(where)
    monkeypatch.undo()
    with cw.Study.open(where) as study:
        assert digest(study) == before
        study.record(["a"], [[1, 2]])  # the table has its old columns


def test_an_older_format_without_a_way_up(where, monkeypatch):
    make(where).close()
    pretend_format(where, monkeypatch, 3, {2: add_a_column})
    with pytest.raises(cw.ConewiseError, match="format 1, from which this conewise has no way up"):
        cw.Study.open(where)


def test_a_newer_format_is_refused(where, monkeypatch):
    make(where).close()
    pretend_format(where, monkeypatch, 2, {1: add_a_column})
    cw.Study.open(where).close()
    monkeypatch.undo()
    for act in (lambda: cw.Study.open(where), lambda: make(where, name="b"), lambda: cw.Study.names_in(where)):
        with pytest.raises(
            cw.ConewiseError, match="format 2, and this conewise knows formats up to 1; install a newer"
        ):
            act()


# -- addresses and their secrets -----------------------------------------------------------------------------------


def all_words(error):
    """Everything that an error could print, with whatever it was raised from."""
    words = [str(error), repr(error), *traceback.format_exception(error)]
    while error is not None:
        words.append(str(error) + repr(error))
        error = error.__cause__ or error.__context__
    return "\n".join(words)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:s3cr3t@127.0.0.1:9/lab",
        "postgresql://me:s3cr3t%2F%3F@127.0.0.1:9/lab?connect_timeout=2",
        "postgres://me@127.0.0.1:9/lab?password=s3cr3t",
        "postgresql+psycopg://me:s3cr3t@127.0.0.1:9/lab?sslpassword=s3cr3t",
        "postgresql://me:s3cr3t@127.0.0.1:port/lab",
        "postgresql://me:s3cr3t@[::1/lab",
        "postgresql://me:s3cr3t@/lab?host=/nowhere",
        "postgresql://me:s3cr3t@127.0.0.1:9/lab?no_such_option=s3cr3t",
        "mysql://me:s3cr3t@127.0.0.1/lab",
    ],
)
def test_secrets_are_never_said(address, caplog, capfd):
    for act in (lambda: cw.Study.open(address), lambda: make(address), lambda: cw.Study.names_in(address)):
        with pytest.raises(cw.ConewiseError) as caught:
            act()
        assert "s3cr3t" not in all_words(caught.value)
        assert len(str(caught.value)) > 20
    assert "s3cr3t" not in caplog.text + "".join(capfd.readouterr())


def test_a_wrong_password_and_the_right_one(database):
    right, wrong = (database.address_of("careful", password) for password in ("right-s3cr3t", "wrong-s3cr3t"))
    database.add_user("careful", "right-s3cr3t")
    with make(right) as study:
        assert "s3cr3t" not in repr(study) + study.place
        assert "careful" not in repr(study)
    with pytest.raises(cw.ConewiseError, match="password authentication failed") as caught:
        cw.Study.open(wrong)
    assert "s3cr3t" not in all_words(caught.value)
    with pytest.raises(cw.ConewiseError, match="the driver's words are left out: they hold a secret"):
        cw.Study.open(right.replace("/postgres?", "/right-s3cr3t?"))  # a name that the driver repeats


def test_missing_drivers_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(cw.ConewiseError, match=r"run pip install \'\.\[postgres\]\' in a checkout"):
        cw.Study.open("postgresql://nowhere/lab")


@pytest.mark.parametrize("address", ["sqlite:///{}", "{}"])
def test_a_file_may_be_given_as_an_address(address, tmp_path):
    path = tmp_path / "with space and 100%.db"
    with make(address.format(path)) as study:
        assert study.name == "with space and 100%"
    with cw.Study.open(Path(path)) as study:
        assert study.status().evaluations == 0


@pytest.mark.parametrize("place", ["", None, 3])
def test_places_that_are_none(place):
    with pytest.raises(cw.InputError, match="path or a postgresql:// address"):
        cw.Study.open(place)

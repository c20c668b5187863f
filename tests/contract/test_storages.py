"""Every storage of ours passes the shipped suite, and more: SQLite, and PostgreSQL for real."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import threading
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest
from shared.processes import wait_until
from shared.simulators import trade_off
from shared.studies import digest, finish, make, older, reference, run_script, same, value_of, values_of

import conewise as cw
from conewise.studies.evaluations import seed_of
from conewise.studies.running.runner import run_study
from conewise.studies.storage import journal as journals
from conewise.studies.storage import postgres, sqlitefile
from conewise.studies.storage.journal import Entry
from conewise.studies.storage.places import create_journal, open_journal
from conewise.testing import StorageContract

NOW = sqlitefile.FORMAT


@pytest.fixture(params=["sqlite", "postgres"])
def where(request, tmp_path):
    """An empty place for studies."""
    if request.param == "sqlite":
        return str(tmp_path / "trial.db")
    return request.getfixturevalue("database").fresh()


def entry(seq, kind="note", evaluations="", numbers="", note="", worker="", time=1.5):
    return Entry(seq, time, kind, worker, evaluations, numbers, note)


def everything(journal, after=0):
    entries = [entry for block in journal.read(after) for entry in block]
    assert all(isinstance(entry, Entry) for entry in entries)  # never bare rows
    return entries


# -- the suite that is shipped -------------------------------------------------------------------------------------


class TestSqlite(StorageContract):
    def create(self, where, name, header):
        return create_journal(where, name, header)

    def open(self, where, name, read_only=False):
        return open_journal(where, name, read_only)


class TestPostgres(TestSqlite):
    @pytest.fixture
    def where(self, database):
        return database.fresh()


def test_a_refusal_says_that_nothing_was_written(where):
    journal = create_journal(where, "s", "{}")
    with pytest.raises(cw.ConewiseError, match="nothing was written"), journal.locked():
        journal.append([entry(2)])
    with journal.locked():
        journal.append([entry(1)])
    with pytest.raises(cw.ConewiseError, match="nothing was written"), journal.locked():
        journal.append([entry(2), entry(1)])
    journal.close()


def test_the_name_may_be_left_out_where_there_is_one_journal(where):
    create_journal(where, "s", "{}").close()
    with contextlib.closing(open_journal(where, None, read_only=True)) as journal:
        assert journal.name == "s"


# -- the journal itself --------------------------------------------------------------------------------------------


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
            assert again.journal.header == study.journal.header


def test_a_study_of_objectives_that_are_measured_separately_is_the_plain_loop(where):
    prices = [cw.Objective("gain", price=2), cw.Objective("cost", "min")]
    with make(where, separate=True, epsilon=0.6, objectives=prices, minimise=()) as study:
        study.fail(study.ask(1), "the pump broke")
        study.release(study.ask(2))
        study.withdraw(study.record(["b"], [9.0], objective="cost").evaluations, reason="of another design")
        batch = study.ask(5)
        study.tell(batch, values_of(batch))
        told, (first, *_) = study.evaluations(), batch
        study.correct(first, 4.0, reason="a slip")
        study.correct(first, values_of(batch)[0], reason="not a slip")
        with cw.Study.open(where) as again:
            assert digest(again) == digest(study)
            assert again.question.columns.each == study.question.columns.each
            assert again.evaluations().objective == [told.objectives[d] for d in told.which]
            assert again.status().cost == study.status().cost == float(sum(2 - told.which))
            assert [e.evaluations for e in again.log()] == [e.evaluations for e in study.log()]


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


def test_eight_processes_and_two_hundred_batches(where):
    """It is batches that get into each other's way, each asked for and told: those of ten as well as larger ones."""
    with make(where, algorithm="naive", designs=8, options={"evaluations_each": 250}) as study:
        answers = run_script("crowd", where, 8, 10)
        assert all(isinstance(answer, list) for answer in answers), answers
        assert sum(stored for stored, _ in answers) == 2000
        assert {seen for _, seen in answers} == {digest(study)}  # what eight have lived through is what one replays
        told = study.evaluations()
        assert told.ids == [f"d{d}n{n}" for d in range(8) for n in range(250)]
        expected = [value_of(d, seed_of(study.seed, d, n, 0)) for d in range(8) for n in range(250)]
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


# -- damage --------------------------------------------------------------------------------------------------------


def spoil(where, statement):
    """Change stored rows behind the back of every study; {} stands for the beginning of the tables' names."""
    if "://" in where:
        from sqlalchemy import create_engine, text

        engine = create_engine(where.replace("postgresql://", "postgresql+psycopg://"))
        with engine.begin() as connection:
            connection.execute(text(statement.format("conewise_")))
        engine.dispose()
    else:
        with contextlib.closing(sqlite3.connect(where)) as file, file:
            file.execute(statement.format(""))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {}journal SET numbers = '1.5,2.0' WHERE seq = 2",
        "UPDATE {}journal SET time = time + 1 WHERE seq = 1",
        "UPDATE {}journal SET worker = 'x' WHERE seq = 3",
        "UPDATE {}journal SET checksum = checksum + 1 WHERE seq = 3",
        "UPDATE {}journal SET seq = 9 WHERE seq = 3",
        "DELETE FROM {}journal WHERE seq = 1",
        "DELETE FROM {}journal WHERE seq = 3",  # the last one: nobody else would miss it
        "DELETE FROM {}journal",
        "UPDATE {}tails SET seq = 2",
        "UPDATE {}tails SET checksum = checksum + 1",
        "UPDATE {}studies SET seal = seal + 1",
        "UPDATE {}studies SET header = replace(header, '0.05', '0.06')",
        "UPDATE {}studies SET name = 'other'",
        "DELETE FROM {}tails",
    ],
)
def test_what_is_not_as_it_was_written_is_neither_answered_nor_written_to(where, statement):
    with make(where) as study:
        for design in "abc":
            study.record([design], [[1, 2]])
    spoil(where, statement)
    for act in (
        lambda study: study.status(),
        lambda study: study.evaluations(),
        lambda study: study.ask(),
        lambda study: study.record(["a"], [[1, 2]]),
    ):
        with pytest.raises(cw.ConewiseError, match=r"damaged.*restore it from a copy"), cw.Study.open(where) as study:
            act(study)


def test_a_reader_that_is_open_verifies_what_is_new(where):
    with make(where) as study, cw.Study.open(where, read_only=True) as reader:
        study.record(["a"], [[1, 2]])
        assert reader.status().evaluations == 1
        study.record(["a"], [[1, 2]])
        spoil(where, "UPDATE {}journal SET numbers = '9.0,2.0' WHERE seq = 2")
        with pytest.raises(cw.ConewiseError, match="the journal is damaged near entry 2"):
            reader.status()


# -- withdrawn, and told once ----------------------------------------------------------------------------------------


def test_a_withdrawn_value_does_not_count_and_is_open_again(where):
    with make(where) as study, cw.Study.open(where) as other:
        batch = study.ask(6, ahead=False)
        study.tell(batch, values_of(batch))
        assert other.status().evaluations == 6
        study.withdraw("d1n0", "the sample was mislabelled")
        for seen in (study, other):
            status = seen.status()
            assert (status.evaluations, status.withdrawn, status.finished) == (5, 1, False)
            assert seen.evaluations().ids == ["d0n0", "d2n0", "d3n0", "d4n0", "d5n0"]
            np.testing.assert_array_equal(seen.evaluations().values, values_of(batch)[[0, 2, 3, 4, 5]])
        assert other.tell(batch, values_of(batch)).stored == 0  # the same table once more does not bring it back
        (again,) = other.ask(1, ahead=False)
        assert (again.id, again.attempt) == ("d1n0", 1)
        assert again.seed != batch[1].seed
        assert other.tell([again], values_of([again])).stored == 1
        with pytest.raises(cw.InputError, match="d0n7 is not told yet, so there is nothing to withdraw"):
            study.withdraw(["d0n0", "d0n7"], "all or none")
        with pytest.raises(cw.InputError, match="a withdrawal needs a reason"):
            study.withdraw("d0n0", " ")
        assert study.status().evaluations == 6
        finish(study)
        with cw.Study.open(where) as replayed:
            assert digest(replayed) == digest(study)
            assert replayed.status().withdrawn == 1
            assumed = replayed.result().guarantee.assumption
            assert assumed.endswith("that no value was withdrawn for what it is (1 value was withdrawn)")


def test_the_very_value_that_was_withdrawn_counts_when_it_was_asked_for_again(where):
    with make(where) as study:
        batch = study.ask(1)
        study.tell(batch, [[1, 0]])
        study.withdraw(batch, "the wrong day")
        assert study.tell(batch, [[1, 0]]).repeated == 1
        again = study.ask(1)
        assert again.ids == batch.ids
        assert study.tell(again, [[1, 0]]).stored == 1


def test_withdrawing_changes_the_answer_to_that_of_what_is_left(where):
    with make(where, options={"evaluations_each": 2}) as study:
        finish(study)
        assert study.finished
        study.withdraw(["d2n0", "d5n1"], "the oven was cold")
        assert not study.finished
        fresh = study.ask(10)
        assert sorted(fresh.ids) == ["d2n0", "d5n1"]
        study.tell(fresh, [[0.5, -0.5], [0.9, -0.1]])
        assert study.finished
        told = study.evaluations()
        means = [told.values[told.design == d].mean(axis=0) for d in range(6)]
        np.testing.assert_allclose(study.result().means * [1, -1], means)


def test_values_that_are_known_by_a_text_are_recorded_once(where):
    with make(where) as study, cw.Study.open(where) as other:
        assert study.record(["a", "b"], [[1, 2], [3, 4]], once="Monday").stored == 2
        assert other.recorded_as(["Sunday", "Monday"]) == ["Monday"]
        with pytest.raises(cw.InputError, match=r"recorded on .* UTC already; nothing was written"):
            other.record(["a", "b"], [[1, 2], [3, 4]], once="Monday")
        assert other.record(["a", "b"], [[1, 2], [3, 4]], once="Tuesday").stored == 2
        assert study.record(["a"], [[1, 2]]).stored == 1
        assert study.status().evaluations == 5


def test_an_export_that_is_told_back_changes_nothing(where, tmp_path):
    with make(where) as study, cw.Study.open(where) as other:
        study.record(list("abcdef") * 2, [[k / 7, k / 3] for k in range(12)])
        before = study.evaluations()
        told = other.tell(before.to_frame("pandas"))
        assert (told.stored, told.repeated) == (0, 12)
        assert study.evaluations().values.tolist() == before.values.tolist()
        assert len(study.log()) == 1


# -- formats -------------------------------------------------------------------------------------------------------


def pretend_format(where, monkeypatch, version, steps):
    """Let this conewise have another format, with these ways up."""
    module = postgres if "://" in where else sqlitefile
    monkeypatch.setattr(module, "FORMAT", version)
    monkeypatch.setattr(module, "MIGRATIONS", steps)


def add_a_column(connection):
    from sqlalchemy import text

    table = "studies" if not hasattr(connection, "engine") else "conewise_studies"
    statement = f"ALTER TABLE {table} ADD COLUMN place TEXT NOT NULL DEFAULT 'here'"
    connection.execute(statement if table == "studies" else text(statement))


def without_checksums(where):
    """A storage as a conewise without checksums has made it."""
    if "://" not in where:
        older(where)
        return
    for statement in (
        "ALTER TABLE {}studies DROP COLUMN seal",
        "ALTER TABLE {}journal DROP COLUMN checksum",
        "DROP TABLE {}tails",
        "UPDATE {}format SET version = 1",
    ):
        spoil(where, statement)


def test_studies_without_checksums_are_read_and_brought_up(where):
    with make(where, name="one") as study, make(where, name="two") as empty:
        finish(study, 20)
        before = digest(study), digest(empty)
    without_checksums(where)
    assert cw.Study.names_in(where) == ["one", "two"]
    with cw.Study.open(where, name="one", read_only=True) as study:
        assert digest(study) == before[0]
    with cw.Study.open(where, name="one") as study:
        assert digest(study) == before[0]
        study.withdraw("d0n0", "first writing")
    with cw.Study.open(where, name="two", read_only=True) as empty:
        assert digest(empty) == before[1]
    spoil(where, "UPDATE {}journal SET worker = 'x' WHERE seq = 3")
    with (
        cw.Study.open(where, name="one", read_only=True) as study,
        pytest.raises(cw.ConewiseError, match="damaged near entry 3"),
    ):
        study.status()


def test_an_older_format_is_brought_up(where, monkeypatch):
    with make(where) as study:
        finish(study, 20)
        before = digest(study)
    pretend_format(where, monkeypatch, NOW + 1, {NOW: add_a_column})
    with cw.Study.open(where, read_only=True) as study:  # read as it is
        assert digest(study) == before
    with cw.Study.open(where) as study:
        assert digest(study) == before
    with cw.Study.open(where, read_only=True) as study:  # now it is of the new format
        assert digest(study) == before
    if "://" not in where:
        monkeypatch.undo()
        with cw.Study.open(f"{where}.bak-v{NOW}", read_only=True) as copy:  # the file as it was
            assert digest(copy) == before


def test_a_failed_migration_changes_nothing(where, monkeypatch):
    def fails(connection):
        add_a_column(connection)
        raise cw.ConewiseError("halfway")

    with make(where) as study:
        before = digest(study)
    pretend_format(where, monkeypatch, NOW + 1, {NOW: fails})
    with pytest.raises(cw.ConewiseError, match="halfway"):
        cw.Study.open(where)
    monkeypatch.undo()
    with cw.Study.open(where) as study:
        assert digest(study) == before
        study.record(["a"], [[1, 2]])  # the table has its old columns


def test_an_older_format_without_a_way_up(where, monkeypatch):
    make(where).close()
    pretend_format(where, monkeypatch, NOW + 2, {NOW + 1: add_a_column})
    with pytest.raises(cw.ConewiseError, match=f"format {NOW}, from which this conewise has no way up"):
        cw.Study.open(where)


def test_a_newer_format_is_refused(where, monkeypatch):
    make(where).close()
    pretend_format(where, monkeypatch, NOW + 1, {NOW: add_a_column})
    cw.Study.open(where).close()
    monkeypatch.undo()
    for act in (lambda: cw.Study.open(where), lambda: make(where, name="b"), lambda: cw.Study.names_in(where)):
        with pytest.raises(
            cw.ConewiseError, match=f"format {NOW + 1}, and this conewise knows formats up to {NOW}; install a newer"
        ):
            act()


# -- a line that breaks --------------------------------------------------------------------------------------------


@pytest.fixture
def line(database):
    """(address, line): an empty place in PostgreSQL, by way of a line that can be cut."""
    with database.line() as made:
        yield made


@pytest.mark.parametrize("act", range(5))
@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_connection_lost_at_commit_neither_loses_nor_doubles(line, cut, act):
    """Lost before the server has heard it, it is written again; lost after it was written, it is not."""
    address, wire = line
    with make(address) as study, make(address, name="plain") as plain:
        for number, write in enumerate(
            (
                lambda s: s.tell("d0n0", [1, 2]).stored,
                lambda s: s.record(["b"], [[1, 2]]).evaluations,
                lambda s: s.correct("d0n0", [1, 3], "a slip"),
                lambda s: s.withdraw("d0n0", "a wrong sample"),
                lambda s: s.note("all of it"),
            )
        ):
            expected = write(plain)
            wire.cut = cut if number == act else ""
            assert write(study) == expected
            assert wire.cut == ""
        written, as_plain = study.log(), plain.log()
        assert [row[2:] for row in written] == [row[2:] for row in as_plain]
        assert (study.status().evaluations, study.status().withdrawn) == (1, 1)


def test_a_short_outage_is_waited_for(line):
    address, wire = line
    with make(address) as study:
        wire.hang_up()
        wire.down = 3
        assert study.record(["a"], [[1, 2]]).stored == 1
        assert wire.refused == 3
        assert study.status().evaluations == 1


def test_a_run_goes_on_when_the_line_breaks_now_and_then(line):
    address, wire = line
    cuts = ["before", "after", "before", "after"]

    def cut_again(event):
        if event.kind == "told" and cuts and not wire.cut:
            wire.cut = cuts.pop()

    rows = [{"name": f"d{k}", "x": k / 3} for k in range(3)]
    changes = {"designs": rows, "algorithm": "naive", "options": {"evaluations_each": 10}}
    with make(address, **changes) as study, make(address, name="plain", **changes) as plain:
        report = run_study(study, trade_off, jobs=0, batch=2, on_event=cut_again)
        assert report.finished
        assert cuts == []
        assert (report.told, report.failures, study.status().failures) == (30, 0, 0)
        run_study(plain, trade_off, jobs=0)
        np.testing.assert_array_equal(study.evaluations().values, plain.evaluations().values)
        assert study.leases() == []


def test_an_outage_that_lasts_is_one_sentence(line):
    address, wire = line
    make(address).close()
    with cw.Study(open_journal(address, None, read_only=False), patience=0.2) as study:
        wire.hang_up()
        wire.down = 10**6
        with pytest.raises(journals.Unreachable, match="nothing was written"):
            study.record(["a"], [[1, 2]])
        wire.down = 0
        assert study.record(["a"], [[1, 2]]).evaluations == ("d0n0",)


@pytest.mark.parametrize("own", ["", "&connect_timeout=3&tcp_user_timeout=5000"])
def test_a_line_that_is_cut_without_a_word_is_noticed(database, own, monkeypatch):
    """Half a minute after the last sign of life, where the address says nothing else."""
    import psycopg

    opened, connect = [], psycopg.connect
    address = database.fresh() + own
    monkeypatch.setattr(psycopg, "connect", lambda *given, **more: opened.append(connect(*given, **more)) or opened[-1])
    with make(address):
        said = opened[-1].info.get_parameters()
    assert {key: said[key] for key in said if key.startswith("keepalives")} == {
        "keepalives_idle": "15",
        "keepalives_interval": "5",
        "keepalives_count": "3",
    }
    assert (said["connect_timeout"], said["tcp_user_timeout"]) == (("3", "5000") if own else ("15", "30000"))


def test_what_nobody_can_know_is_said(line, monkeypatch):
    """The line breaks after COMMIT and stays broken: neither "written" nor "not written" would be true."""
    address, wire = line
    monkeypatch.setattr(postgres, "PATIENCE", 0.2)
    with make(address) as study:
        study.note("first")
        wire.cut, wire.down = "after", 10**6
        with pytest.raises(cw.ConewiseError, match="it is not known whether the last entry was written: look before"):
            study.record(["a"], [[1, 2]], once="table 1")
        wire.down = 0
        with pytest.raises(cw.InputError, match="already"):  # and whoever gave it a name need not look
            study.record(["a"], [[1, 2]], once="table 1")
        assert study.status().evaluations == 1


def test_a_number_of_a_lost_transaction_that_another_one_gets_is_not_taken_for_it(database, line):
    """After a crash the server counts its transactions on from the last that reached the disk."""
    address, wire = line
    with make(address) as study:
        other = make(database.fresh())

        def crash():
            database.crash()
            other.record(["b"], [[1, 2]])

        wire.cut, wire.at_the_cut = "before", crash
        assert study.record(["a"], [[1, 2]]).stored == 1
        other.close()
    with cw.Study.open(address) as study:
        assert study.status().evaluations == 1


def test_a_connection_lost_while_a_study_is_made_tells_what_became_of_it(line):
    address, wire = line
    wire.cut = "before"
    with pytest.raises(journals.Unreachable, match="nothing was written"):
        make(address)
    wire.cut = "after"
    with make(address) as study:
        assert study.status().evaluations == 0


def test_a_crash_of_the_server_takes_nothing_that_an_open_study_has_seen(database):
    address = database.fresh()
    with make(address) as study, cw.Study.open(address, read_only=True) as view:
        handed = study.ask(2)
        assert view.status().in_flight == 2
        database.crash()
        assert study.tell(handed, [[1, 2]] * 2).stored == 2
        assert view.status().evaluations == 2


def test_a_server_whose_transactions_see_the_past_by_default(database):
    """Each writes what follows the last entry that there is when it holds the lock, not when it began to wait."""
    address = database.fresh().replace("options=", "options=-cdefault_transaction_isolation%3Dserializable%20")
    with make(address) as one, cw.Study.open(address) as two:
        journal = two.journal
        with journal.locked():
            thread = threading.Thread(target=one.record, args=(["a"], [[1, 2]]))
            thread.start()
            wait_until(database.waits, "waiting for the lock")
            journal.append([entry(1)])
        thread.join()
        assert two.status().evaluations == 1


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
def test_places_that_are_none_are_refused(place):
    with pytest.raises(cw.InputError, match="path or a postgresql:// address"):
        cw.Study.open(place)

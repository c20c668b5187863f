"""Files that are no studies, damaged, foreign, full or out of reach: one clear sentence, and not a byte changed."""

from __future__ import annotations

import ast
import json
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from shared.studies import Clock, digest, finish, make, older, reseal, run_script, values_of

import conewise as cw
from conewise.studies.storage import sqlite as storage
from conewise.studies.storage import sqlitefile


@pytest.fixture
def path(tmp_path):
    """A study with some evaluations, closed."""
    with make(tmp_path / "trial.db") as study:
        study.record(["a", "b", "c"] * 50, [[0.5, -0.5]] * 150)
    return tmp_path / "trial.db"


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def refusal(path, part="file"):
    """The sentence with which a file is refused, whatever is tried; every file in its folder stays as it is."""
    before = contents(path.parent)
    sentences = set()
    attempts = [lambda: cw.Study.open(path), lambda: cw.Study.open(path, read_only=True)]
    if part == "file":  # and not one study in it alone
        attempts += [lambda: cw.Study.names_in(path), lambda: make(path, name="another"), lambda: make(path)]
    for attempt in attempts:
        with pytest.raises(cw.ConewiseError) as caught:
            attempt()
        assert "\n" not in str(caught.value)
        sentences.add(str(caught.value))
    assert contents(path.parent) == before
    (sentence,) = sentences
    assert sentence.startswith(str(path))
    return sentence.removeprefix(str(path)).strip(" :")


def test_a_text_file_is_no_study(tmp_path):
    (tmp_path / "notes.txt").write_text("not a database\n" * 100)
    assert refusal(tmp_path / "notes.txt") == "is not a study: it is no SQLite database."


@pytest.mark.parametrize("size", [0, 1, 15])
def test_a_file_of_hardly_any_bytes_is_no_study(tmp_path, size):
    (tmp_path / "short.db").write_bytes(b"SQLite format 3\x00"[:size])
    assert refusal(tmp_path / "short.db") == "is not a study: it is no SQLite database."


def test_the_database_of_another_application_is_left_alone(tmp_path):
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE studies (id INTEGER PRIMARY KEY, name TEXT, header TEXT)")
    other.execute("CREATE TABLE journal (study, seq, time, kind, worker, evaluations, numbers, note)")
    other.commit()
    other.close()
    assert refusal(tmp_path / "other.db") == "is not a study: it is the database of another application."


@pytest.mark.parametrize("keep", [16, 99, 100, 3000, 4096, -1])
def test_a_truncated_file_is_refused(path, keep):
    whole = path.read_bytes()
    path.write_bytes(whole[:keep])
    assert "is damaged" in refusal(path)
    assert "restore it from a copy" in refusal(path)


def test_a_file_with_a_hole_is_refused(path):
    """The first page is whole, so the rest is found out when it is read."""
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\x00" * (len(whole) - 4096))
    assert "damaged; restore it from a copy" in refusal(path)


def test_a_single_changed_bit_is_harmless_or_refused(tmp_path):
    """In a file of several pages, wherever the bit is: the same answer and the same export, or one sentence.

    200 bits drawn with a fixed seed, and two of each of the first 100 bytes.
    """
    path, out = tmp_path / "trial.db", tmp_path / "out.csv"
    with make(path, clock=Clock(), options={"evaluations_each": 30}) as study:
        finish(study, 7)
        study.correct("d0n0", [1.0, -0.3], "a slip")
        study.withdraw("d1n0", "another sample")
        study.note("n" * 300)

    def look():
        with cw.Study.open(path, read_only=True, clock=Clock()) as study:
            study.export(out, force=True)
            return digest(study), out.read_bytes()

    whole, expected = path.read_bytes(), look()
    rng = random.Random(15)
    header = [8 * byte + bit for byte in range(100) for bit in rng.sample(range(8), 2)]
    bits = [*header, *(rng.randrange(8 * len(whole)) for _ in range(200))]
    refused = 0
    for bit in bits:
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        sentence = ""
        try:
            found = look()
        except cw.ConewiseError as error:
            sentence = str(error)
        if sentence:
            assert "\n" not in sentence
            refused += 1
            for act in (lambda s: s.ask(), lambda s: s.record(["a"], [[1, 2]])):  # and nothing is written into it
                with pytest.raises(cw.ConewiseError), cw.Study.open(path) as study:
                    act(study)
            assert path.read_bytes() == flipped
        else:
            assert found == expected, bit
    assert refused > len(bits) / 3


def test_a_damaged_list_of_tables_is_refused(path):
    """SQLite quotes it in its complaint, in bytes that are no text."""
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"study INTEGER PRIMARY KEY", b"study INTEGER PRIMARY \xcbEY", 1))
    assert refusal(path) == "it is damaged; restore it from a copy."


def test_a_file_without_checksums_is_read_and_brought_up(path):
    """As an earlier conewise has made it: read as it is, with checksums once somebody opens it for writing."""
    with cw.Study.open(path) as study:
        before = digest(study)
    older(path)
    with cw.Study.open(path, read_only=True) as study:
        assert digest(study) == before
    assert cw.Study.names_in(path) == ["trial"]
    assert [file.name for file in path.parent.iterdir()] == ["trial.db"]
    with cw.Study.open(path) as study:
        assert digest(study) == before
        study.record(["a"], [[1, 2]])
        after = digest(study)
    with cw.Study.open(path, read_only=True) as study:
        assert digest(study) == after
    with cw.Study.open(path.with_name("trial.db.bak-v1"), read_only=True) as copy:
        assert digest(copy) == before


def test_a_damaged_file_without_checksums_is_not_brought_up(path):
    older(path)
    other = sqlite3.connect(path)
    other.execute("UPDATE journal SET time = 'never'")
    other.commit()
    other.close()
    with pytest.raises(cw.ConewiseError, match="the journal is damaged near entry 1"):
        cw.Study.open(path)
    with sqlite3.connect(path) as other:
        assert other.execute("PRAGMA user_version").fetchone() == (1,)
    other.close()


@pytest.mark.parametrize("place", [":memory:", "sqlite:///:memory:", "file:trial?mode=memory"])
def test_a_study_in_memory_is_refused_with_a_remedy(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for act in (make, cw.Study.open, cw.Study.names_in):
        with pytest.raises(cw.InputError, match="kept in a file or a database"):
            act(place)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_a_newer_format_is_refused(path):
    whole = bytearray(path.read_bytes())
    whole[60:64] = (99).to_bytes(4)
    path.write_bytes(whole)
    assert refusal(path) == "has the format 99, and this conewise knows formats up to 2; install a newer one."


def test_missing_tables_and_strange_ones_are_refused(path):
    for statement, words in (
        ("CREATE TRIGGER spy AFTER INSERT ON journal BEGIN DELETE FROM journal; END", "that conewise did not make"),
        ("DROP TRIGGER spy", None),
        ("CREATE VIEW more AS SELECT 1", "that conewise did not make"),
        ("DROP VIEW more", None),
        ("DROP TABLE journal", "its tables are not all there"),
    ):
        other = sqlite3.connect(path)
        other.execute(statement)
        other.commit()
        other.close()
        if words is not None:
            assert words in refusal(path)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "{}",
        "[]",
        "null",
        '{"designs": 3}',
        "NOT JSON",
        "[" * 100_000,
        {"designs": ["a"]},
        {"designs": ["a", "a"]},
        {"cone": {"rows": [[1, 0], [-1, 0]]}},
        {"cone": "__import__('os')"},
        {"noise": {"kind": "os.system"}},
        {"noise": {"kind": "gaussian", "sigma": -1}},
        {"noise": "conewise.noise:Gaussian"},
        {"algorithm": "os:system"},
        {"algorithm": 3},
        {"options": {"evaluator": "os:system"}},
        {"options": {"radius_scale": [1]}},
        {"options": []},
        {"epsilon": "0.1"},
        {"delta": 2},
        {"seed": -1},
        {"lease": 0},
        {"objectives": ["gain"]},
        {"minimise": ["nothing"]},
    ],
    ids=lambda header: str(header)[:40],
)
def test_a_header_that_says_something_else_is_refused(path, header):
    other = sqlite3.connect(path)
    if isinstance(header, dict):
        (text,) = other.execute("SELECT header FROM studies").fetchone()
        header = json.dumps(json.loads(text) | header)
    other.execute("UPDATE studies SET header = ?", (header,))
    other.commit()
    other.close()
    assert "is not what was written" in refusal(path, "header")
    reseal(path)
    before = path.read_bytes()
    with pytest.raises(cw.ConewiseError):
        cw.Study.open(path).finished  # noqa: B018 - the algorithm is built now
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM journal WHERE seq = 2",
        "UPDATE journal SET seq = 17 WHERE seq = 3",
        "UPDATE journal SET kind = 'exec' WHERE seq = 2",
        "UPDATE journal SET evaluations = '9-0' WHERE seq = 2",
        "UPDATE journal SET evaluations = '0-0' WHERE seq = 2",
        "UPDATE journal SET evaluations = '1-99999999' WHERE seq = 2",
        "UPDATE journal SET evaluations = '1' WHERE seq = 2",
        "UPDATE journal SET evaluations = 'os.system' WHERE seq = 2",
        "UPDATE journal SET evaluations = x'00ff' WHERE seq = 2",
        "UPDATE journal SET evaluations = '' WHERE seq = 2",
        "UPDATE journal SET numbers = '1' WHERE seq = 2",
        "UPDATE journal SET numbers = 'nan,1' WHERE seq = 2",
        "UPDATE journal SET numbers = '1e308,1' WHERE seq = 2",
        "UPDATE journal SET numbers = 'a,b' WHERE seq = 2",
        "UPDATE journal SET time = 'never' WHERE seq = 2",
        "UPDATE journal SET time = 1e300 WHERE seq = 2",
        "UPDATE journal SET kind = 'correct', evaluations = '3-0' WHERE seq = 2",
        "UPDATE journal SET kind = 'fail', evaluations = '3-99999999' WHERE seq = 2",
        "UPDATE journal SET kind = 'ask' WHERE seq = 2",
        "UPDATE journal SET kind = 'withdraw', evaluations = '3-0' WHERE seq = 2",
    ],
)
@pytest.mark.parametrize("resealed", [False, True])
def test_a_journal_that_breaks_its_rules_is_refused(tmp_path, change, resealed):
    """Found by its checksums; and, where somebody has mended them, by its sense."""
    with make(tmp_path / "a.db") as study:
        for design in "abc":
            study.record([design], [[1, 2]])
    other = sqlite3.connect(tmp_path / "a.db")
    other.execute(change)
    other.commit()
    other.close()
    if resealed:
        reseal(tmp_path / "a.db")
    before = (tmp_path / "a.db").read_bytes()
    for _ in range(2):
        with cw.Study.open(tmp_path / "a.db") as study, pytest.raises(cw.ConewiseError, match="the journal is damaged"):
            study.status()
    with cw.Study.open(tmp_path / "a.db") as study:
        for _ in range(2):  # and it stays refused
            with pytest.raises(cw.ConewiseError, match="the journal is damaged"):
                study.record(["a"], [[1, 2]])
    assert (tmp_path / "a.db").read_bytes() == before


def test_places_without_a_file(tmp_path):
    for place, words in (
        (tmp_path / "none.db", "there is no study"),
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "folder.db", "there is no study"),
    ):
        with pytest.raises(cw.InputError, match=words):
            cw.Study.open(place)
    with pytest.raises(cw.InputError, match="there is no folder"):
        make(tmp_path / "no" / "folder.db")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(cw.InputError, match="no ordinary file"):
        cw.Study.open(tmp_path / "pipe")
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]


def test_bad_arguments_make_no_file(tmp_path):
    with pytest.raises(cw.InputError):
        make(tmp_path / "a.db", epsilon=-1)
    assert list(tmp_path.iterdir()) == []


def test_nothing_lies_about_afterwards(path):
    with cw.Study.open(path) as study, cw.Study.open(path, read_only=True) as reader:
        finish(study)
        reader.result()
    cw.Study.open(path, read_only=True).close()
    assert [file.name for file in path.parent.iterdir()] == ["trial.db"]


def test_an_abandoned_object_lets_go_of_its_file(path):
    cw.Study.open(path).record(["a"], [[1, 2]])
    assert [file.name for file in path.parent.iterdir()] == ["trial.db"]


def test_making_a_study_twice_at_once_makes_one(tmp_path, monkeypatch):
    """Someone else is faster between the look and the making."""
    link = os.link

    def beaten(source, target, **options):
        monkeypatch.setattr(os, "link", link)
        make(target, seed=1).close()
        link(source, target, **options)

    monkeypatch.setattr(os, "link", beaten)
    with pytest.raises(cw.InputError, match="made by someone else this very moment"):
        make(tmp_path / "a.db", seed=2)
    with cw.Study.open(tmp_path / "a.db") as study:
        assert study.seed == 1
    assert [file.name for file in tmp_path.iterdir()] == ["a.db"]


def test_what_a_killed_process_left_long_ago_is_removed(tmp_path):
    """Drafts of this very file that nobody has written to for an hour; what may be somebody's work stays."""
    old, young, other = (f".{name}.{mark * 16}" for name, mark in (("a.db", "1"), ("a.db", "2"), ("b.db", "1")))
    for name in (old, f"{old}-journal", young, other):
        (tmp_path / name).write_bytes(b"half a study")
    for name in (old, f"{old}-journal", other):
        os.utime(tmp_path / name, (1e9, 1e9))
    make(tmp_path / "a.db").close()
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([young, other, "a.db"])


def test_a_file_system_without_links(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refused)
    make(tmp_path / "a.db").close()
    assert [file.name for file in tmp_path.iterdir()] == ["a.db"]


def test_a_full_disk_by_sqlites_own_limit_loses_nothing(path, monkeypatch):
    opened = []
    connect = sqlitefile.connect
    monkeypatch.setattr(storage, "connect", lambda *given, **more: opened.append(connect(*given, **more)) or opened[-1])
    with cw.Study.open(path) as study:
        connection = opened[-1]
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        before = digest(study)
        whole = path.read_bytes()
        with pytest.raises(cw.ConewiseError, match="no room left on its disk; nothing was written: make room"):
            study.record(["a"] * 2000, [[1, 2]] * 2000)
        assert digest(study) == before
        assert path.read_bytes() == whole
        with cw.Study.open(path) as other:
            assert digest(other) == before
        connection.execute("PRAGMA max_page_count = 1000000")
        finish(study)
    with cw.Study.open(path) as other:
        assert other.finished


def test_a_full_disk_by_the_systems_limit_loses_nothing(tmp_path):
    make(tmp_path / "a.db", epsilon=0.5).close()
    told = run_script("full", tmp_path / "a.db")
    assert told["sentence"] == f"{tmp_path / 'a.db'}: the disk refuses to read or write it; nothing was written."
    assert told["kept"]
    assert told["same"]


@pytest.mark.parametrize("killed", [0, 1])
def test_a_study_on_a_full_disk_is_read_and_exported_elsewhere(tmp_path, killed):
    """And who reads it keeps nobody from writing once there is room again."""
    found = run_script("no_room", tmp_path / "a.db", killed)
    assert (found["log"] > 16_000) == bool(killed)
    assert found["told"] == found["rows"] > 100
    assert found["sentence"].startswith(str(tmp_path / "a.db"))
    assert "nothing was written" in found["sentence"]
    assert found["seen"] == [found["told"] + 1] * 2


def test_who_may_only_read_is_told_so():
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o755)
        with make(folder / "a.db") as study:
            study.record(["a"], [[1, 2]])
        whole = (folder / "a.db").read_bytes()
        told = run_script("unwritable", folder / "a.db")
        writing, read_only, making, adding, exporting = told["sentences"]
        assert "it may only be read; open it with read_only=True" in writing
        assert "was opened read-only" in read_only
        assert "cannot be opened; check the permissions" in making
        assert "it may only be read" in adding
        assert exporting.endswith("table.csv cannot be written: Permission denied; nothing was changed.")
        assert told["evaluations"] == 1
        assert contents(folder) == {"a.db": whole}
    finally:
        folder.chmod(stat.S_IRWXU)
        shutil.rmtree(folder)


def test_a_file_that_is_held_for_too_long_is_one_sentence(path, monkeypatch):
    monkeypatch.setattr(sqlitefile, "PATIENCE", 0.05)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with cw.Study.open(path) as study:
        assert study.status().evaluations == 150  # reading waits for nobody
        with pytest.raises(cw.ConewiseError, match="another process has held it"):
            study.record(["a"], [[1, 2]])
        holder.execute("ROLLBACK")
        study.record(["a"], [[1, 2]])
    holder.close()


def test_what_is_in_the_log_is_not_missed(path, tmp_path):
    """A process died: its log is still there, and belongs to the study."""
    with cw.Study.open(path) as study:
        batch = study.ask(3)
        study.tell(batch, values_of(batch))
        (tmp_path / "copy").mkdir()
        for file in path.parent.glob("trial.db*"):
            shutil.copy(file, tmp_path / "copy" / file.name)
        now = digest(study)
    assert (tmp_path / "copy" / "trial.db-wal").stat().st_size > 0
    with cw.Study.open(tmp_path / "copy" / "trial.db") as copy:
        assert digest(copy) == now
        finish(copy)
        told = dict(zip(copy.evaluations().ids, copy.evaluations().values.tolist(), strict=True))
        assert told["d0n49"] == [0.5, -0.5]


@pytest.mark.parametrize(
    "module",
    [
        "noise/text",
        "studies/evaluations",
        "studies/export",
        "studies/fold",
        "studies/identity",
        "studies/ledger",
        "studies/opened",
        "studies/reader",
        "studies/rules",
        "studies/spec",
        "studies/storage/chain",
        "studies/storage/journal",
        "studies/storage/places",
        "studies/storage/postgres",
        "studies/storage/sqlite",
        "studies/storage/sqlitefile",
        "studies/view",
    ],
)
def test_nothing_that_reads_a_study_can_run_what_is_in_it(module):
    """No pickle, no eval, no import by a name from elsewhere."""
    path = Path(cw.__file__).parent / f"{module}.py"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
            assert not names & {"pickle", "marshal", "shelve", "dill", "importlib", "subprocess", "runpy", "ctypes"}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec", "compile", "__import__")


def test_what_is_left_of_a_deleted_study_is_not_read_into_a_new_one(tmp_path):
    """SQLite would take a log of the same name for the new file's own: evaluations of another question."""
    (tmp_path / "trial.db-wal").write_bytes(b"the last evaluations of a study whose file was deleted")
    with pytest.raises(cw.InputError, match=r"trial\.db-wal is left of an earlier trial\.db"):
        make(tmp_path / "trial.db")
    assert [path.name for path in tmp_path.iterdir()] == ["trial.db-wal"]
    (tmp_path / "trial.db-wal").unlink()
    with make(tmp_path / "trial.db") as study:
        assert study.status().evaluations == 0


def test_a_disk_that_has_no_room_for_the_index_is_full(tmp_path, monkeypatch):
    """SQLite says of the index of its log only that it could not be made."""
    failed = sqlite3.OperationalError("disk I/O error")
    failed.sqlite_errorname = "SQLITE_IOERR_SHMSIZE"
    for free, words in ((0, "no room left on its disk; nothing was written: make room"), (10**9, "refuses to read or")):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: SimpleNamespace(free=free))
        with pytest.raises(cw.ConewiseError, match=words), sqlitefile.explained(tmp_path / "a.db"):
            raise failed


def refusal_of(act):
    with pytest.raises(cw.ConewiseError) as caught:
        act()
    return str(caught.value)


def test_what_beside_a_file_may_only_be_read_is_named(path, monkeypatch):
    """Somebody has looked at the study while it could not be written, and it can be now."""
    failed = sqlite3.OperationalError("attempt to write a readonly database")
    failed.sqlite_errorname = "SQLITE_READONLY"
    path.with_name("trial.db-shm").touch()
    beside = r": trial\.db-shm beside it may only be read; make it writable too\.$"
    for kept, words in (("trial.db-shm", beside), ("trial.db", "make file and folder writable")):
        monkeypatch.setattr(os, "access", lambda place, mode, kept=kept: Path(place).name != kept)
        with pytest.raises(cw.ConewiseError, match=words), sqlitefile.explained(path):
            raise failed


def another_process_records(path):
    """Somebody else opens the study, records a value and closes it again."""
    act = "import sys, conewise as cw; s = cw.Study.open(sys.argv[1]); s.record(['b'], [[3, 4]]); s.close()"
    subprocess.run([sys.executable, "-c", act, path], check=True)


@pytest.mark.parametrize(
    "look",
    [
        cw.Study.names_in,
        lambda path: cw.Study.open(path).close(),
        lambda path: cw.Study.open(path, read_only=True).close(),
        lambda path: refusal_of(lambda: make(path)),
    ],
)
def test_a_second_look_in_the_same_process_keeps_the_locks_of_the_first(path, look):
    """To close a file is to let go of all locks that the process has on it; others would take the log away."""
    with cw.Study.open(path) as study:
        study.record(["a"], [[1, 2]])
        look(path)
        another_process_records(path)
        assert path.with_name("trial.db-wal").exists()
        study.record(["a"], [[5, 6]])
        assert study.status().evaluations == 153
    another_process_records(path)
    with cw.Study.open(path) as study:
        assert study.status().evaluations == 154


def test_nothing_is_written_into_a_log_that_was_taken_away(path):
    """Whoever copies an open study in the same process gives up its locks; what is told later must not vanish."""
    study = cw.Study.open(path)
    study.record(["a"], [[1, 2]])
    shutil.copy(path, path.with_name("copy.db"))
    another_process_records(path)
    assert "trial.db-shm was moved, replaced or deleted" in refusal_of(lambda: study.record(["a"], [[5, 6]]))
    assert "nothing was written: open the study again" in refusal_of(study.status)
    study.close()
    with cw.Study.open(path) as study:
        assert study.status().evaluations == 152
        study.record(["a"], [[5, 6]])


@pytest.mark.parametrize("act", [lambda path: path.unlink(), lambda path: path.rename(path.with_name("moved.db"))])
def test_nothing_is_written_into_a_file_that_is_gone(path, act):
    with cw.Study.open(path) as study:
        act(path)
        assert "trial.db was moved, replaced or deleted" in refusal_of(lambda: study.record(["a"], [[5, 6]]))


def test_a_study_stays_open_where_its_process_goes_elsewhere(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with cw.Study.open(path.name) as study:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        study.record(["a"], [[5, 6]])
        assert study.status().evaluations == 151


def test_a_fork_whose_parent_has_closed_the_study_writes_nothing_into_the_void(path):
    """SQLite believes in the fork that it still has the parent's lock."""
    study = cw.Study.open(path)
    study.record(["a"], [[1, 2]])
    closed, said = os.pipe(), os.pipe()
    if os.fork() == 0:
        try:
            os.read(closed[0], 1)
            sentences = [refusal_of(lambda: study.record(["a"], [[5, 6]])), refusal_of(cw.Study.open(path).status)]
            os.write(said[1], json.dumps(sentences).encode())
        finally:
            os._exit(0)
    os.close(said[1])
    study.close()
    os.write(closed[1], b"1")
    with os.fdopen(said[0]) as pipe:
        sentences = json.loads(pipe.read())
    os.wait()
    assert all("moved, replaced or deleted since this process opened it" in sentence for sentence in sentences)
    with cw.Study.open(path) as study:
        assert study.status().evaluations == 151

"""Files are written whole or not at all, never over a file that is read, and over another one only when told."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import conewise as cw
from conewise.tables.files import check_target, copies_among, files_of, write_text, written


@pytest.fixture
def there(tmp_path):
    path = tmp_path / "front.csv"
    path.write_text("before", encoding="utf-8")
    return path


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


# -- what is replaced --------------------------------------------------------------------------------------------------


def test_an_existing_file_is_replaced_only_when_told(there):
    with pytest.raises(cw.InputError, match=r"front.csv exists already; .*`force=True`"):
        write_text(there, ["after"])
    assert there.read_text(encoding="utf-8") == "before"
    write_text(there, ["af", "ter"], force=True)
    assert there.read_text(encoding="utf-8") == "after"
    assert names(there.parent) == ["front.csv"]


def test_a_file_that_appears_while_one_writes_is_not_replaced(tmp_path):
    path = tmp_path / "front.csv"

    def slow():
        yield "after"
        path.write_text("theirs", encoding="utf-8")

    with pytest.raises(cw.InputError, match="exists already"):
        write_text(path, slow())
    assert path.read_text(encoding="utf-8") == "theirs"
    assert names(tmp_path) == ["front.csv"]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("kind", ["itself", "relative", "symlink", "hard link", "symlink to a folder", "input a link"])
def test_a_file_that_is_read_is_never_replaced(there, monkeypatch, kind, force):
    folder = there.parent
    monkeypatch.chdir(folder)
    given, target = there, there
    if kind == "relative":
        target = Path("front.csv")
    elif kind == "symlink":
        (target := folder / "link.csv").symlink_to(there)
    elif kind == "hard link":
        os.link(there, target := folder / "hard.csv")
    elif kind == "symlink to a folder":
        (folder / "elsewhere").symlink_to(folder)
        target = folder / "elsewhere" / "front.csv"
    elif kind == "input a link":
        (given := folder / "link.csv").symlink_to(there)
    for inputs in ([given], [str(given)], [folder / "other.csv", given]):
        with pytest.raises(cw.InputError, match="is the file that is read and would be destroyed"):
            write_text(target, ["after"], inputs=inputs, force=force)
    assert there.read_text(encoding="utf-8") == "before"


def test_a_folder_that_is_read_receives_no_table(tmp_path, there):
    parts, outside = tmp_path / "parts", tmp_path / "outside"
    (parts / "sub").mkdir(parents=True)
    outside.mkdir()
    (parts / "1.csv").write_text("a\n1\n", encoding="utf-8")
    (outside / "link").symlink_to(parts)
    os.link(parts / "1.csv", outside / "hard.csv")
    for name in ("parts/2.csv", "parts/sub/2.parquet", "outside/link/2.json"):
        with pytest.raises(cw.InputError, match=r"which is read with all its tables; name a file outside"):
            check_target(tmp_path / name, inputs=[parts], force=True)
    with pytest.raises(cw.InputError, match="is the file that is read"):
        check_target(outside / "hard.csv", inputs=[parts], force=True)
    for name in ("outside/2.csv", "parts/report.html", "parts/.2.csv"):
        check_target(tmp_path / name, inputs=[parts])


# -- whole or not at all -----------------------------------------------------------------------------------------------


def test_a_full_disk_leaves_what_was_there(there, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(cw.ConewiseError, match=r"front.csv cannot be written: No space left on device; nothing was"):
        write_text(there, ["after"], force=True)
    assert there.read_text(encoding="utf-8") == "before"
    assert names(there.parent) == ["front.csv"]


def test_an_error_on_the_way_leaves_what_was_there(there):
    with pytest.raises(ZeroDivisionError):
        write_text(there, (f"{1 / k}" for k in (2, 1, 0)), force=True)
    assert there.read_text(encoding="utf-8") == "before"
    assert names(there.parent) == ["front.csv"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o400])
def test_a_file_keeps_its_permissions_and_a_link_its_target(there, mode):
    there.chmod(mode)
    (link := there.parent / "link.csv").symlink_to(there)
    seen = []
    with written(link, force=True) as file:
        seen = [stat.S_IMODE(entry.stat().st_mode) for entry in there.parent.iterdir() if "draft" in entry.name]
        file.write(b"after\n")
    assert link.is_symlink()
    assert there.read_bytes() == b"after\n"
    assert stat.S_IMODE(there.stat().st_mode) == mode
    assert seen == [mode]


def test_a_new_file_has_ordinary_permissions(tmp_path):
    mask = os.umask(0o027)
    try:
        write_text(tmp_path / "new.csv", ["x"])
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o640


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
def test_a_device_is_written_to_and_never_replaced():
    write_text(Path("/dev/null"), ["gone"])
    with pytest.raises(cw.ConewiseError, match=r"/dev/full cannot be written: No space left on device\."):
        write_text(Path("/dev/full"), ["x" * 10**6])
    for device in ("/dev/null", "/dev/full"):
        assert stat.S_ISCHR(Path(device).stat().st_mode)


def test_places_where_nothing_can_be_written(tmp_path):
    with pytest.raises(cw.InputError, match="is a folder; name a file in it"):
        write_text(tmp_path, ["x"])
    with pytest.raises(cw.InputError, match="there is no folder"):
        write_text(tmp_path / "nowhere" / "x.csv", ["x"])


KILLED = """
import os, signal, sys
from pathlib import Path
from conewise.tables.files import written
with written(Path(sys.argv[1]), force=True) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_is_removed_by_the_next_one(there):
    done = subprocess.run([sys.executable, "-c", KILLED, str(there)])
    assert done.returncode == -signal.SIGKILL
    assert there.read_text(encoding="utf-8") == "before"
    left = [name for name in names(there.parent) if name != "front.csv"]
    assert len(left) == 1
    assert left[0].startswith(".front.csv.")
    write_text(there.parent / "other.csv", ["x"])  # nobody else's business
    assert left[0] in names(there.parent)
    write_text(there, ["after"], force=True)
    assert names(there.parent) == ["front.csv", "other.csv"]


def test_what_somebody_is_writing_is_left_alone(there):
    with written(there, force=True) as first:
        first.write(b"first")
        write_text(there, ["second"], force=True)
        assert there.read_text(encoding="utf-8") == "second"
    assert there.read_text(encoding="utf-8") == "first"
    mine = there.parent / ".front.csv.mine.conewise-draft"  # not a name that conewise gives
    mine.write_text("x", encoding="utf-8")
    write_text(there, ["third"], force=True)
    assert names(there.parent) == [mine.name, "front.csv"]


def test_a_system_without_locks_writes_all_the_same(there, monkeypatch):
    def none(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    write_text(there, ["after"], force=True)
    assert there.read_text(encoding="utf-8") == "after"
    monkeypatch.setattr("conewise.tables.files.fcntl", None)
    write_text(there, ["again"], force=True)
    assert there.read_text(encoding="utf-8") == "again"
    assert names(there.parent) == ["front.csv"]


# -- which files are a table's -----------------------------------------------------------------------------------------


def test_a_packed_table_in_a_folder_is_not_left_out_in_silence(tmp_path):
    (tmp_path / "1.csv").write_text("a\n1\n", encoding="utf-8")
    (tmp_path / "notes.gz").touch()
    assert files_of(tmp_path) == [tmp_path / "1.csv"]
    (tmp_path / "2.csv.gz").touch()
    with pytest.raises(cw.InputError, match=r"2\.csv\.gz is compressed; unpack it first"):
        files_of(tmp_path)


def test_what_is_no_path_is_refused():
    with pytest.raises(cw.InputError, match=r"a table is a path or several, .* got int"):
        files_of(7)


def test_a_folder_is_read_in_the_order_of_its_numbers_without_hidden_files(tmp_path):
    for name in ("part.10.csv", "part.9.csv", "sub/part.1.csv", "_SUCCESS", ".hidden.csv", "_meta/x.csv", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a,b\n1,2\n")
    found = [str(path.relative_to(tmp_path)) for path in files_of(tmp_path)]
    assert found == ["part.9.csv", "part.10.csv", "sub/part.1.csv"]
    assert files_of([tmp_path / "notes.md", tmp_path / "sub"]) == [tmp_path / "notes.md", tmp_path / "sub/part.1.csv"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(cw.InputError, match="is a folder without tables"):
        files_of(tmp_path / "empty")
    with pytest.raises(cw.InputError, match="at least one file"):
        files_of([])


def test_a_file_that_is_named_twice_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("fold").mkdir()
    for place in ("one.csv", "fold/two.csv"):
        Path(place).write_text(f"a,b\n1,{len(place)}\n")
    Path("link.csv").symlink_to("one.csv")
    os.link("one.csv", "hard.csv")
    assert len(files_of(["one.csv", "fold"])) == 2
    for twice, words in (
        (["one.csv", "one.csv"], "one.csv is named twice: its rows would count twice; name it once"),
        (["one.csv", "link.csv"], "link.csv and one.csv are the same file: its rows"),
        (["one.csv", "hard.csv"], "hard.csv and one.csv are the same file"),
        (["one.csv", "fold/../one.csv"], "fold/../one.csv and one.csv are the same file"),
        (["fold/two.csv", "fold"], "fold/two.csv is named twice"),
        (["fold", "./fold/two.csv"], "fold/two.csv is named twice"),
    ):
        with pytest.raises(cw.InputError, match=words):
            files_of(twice)


def test_copies_are_files_with_the_same_bytes(tmp_path):
    long = b"x" * 10_000
    for name, data in (("1", long + b"1"), ("2", long + b"2"), ("3", long + b"2"), ("4", b"4"), ("5", b"5")):
        (tmp_path / name).write_bytes(data)
    assert [(a.name, b.name) for a, b in copies_among(sorted(tmp_path.iterdir()))] == [("2", "3")]

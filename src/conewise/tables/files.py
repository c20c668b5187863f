"""Which files are a table's, and files that conewise writes: never over one that is read, over others only when told.

A file is written as a draft beside its place and renamed when it is complete and on the disk, so that a full disk, a
crash or a `kill -9` leaves what was there before. A draft is locked while somebody writes it: one that is not was left
by a process that was killed, and the next one to write the same file removes it.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from filecmp import cmp
from pathlib import Path
from typing import BinaryIO, Final

from conewise.errors import ConewiseError, InputError

try:
    import fcntl
except ImportError:  # without locks nobody can tell whether a draft is still being written: none is removed
    fcntl = None  # type: ignore[assignment]

TABLE_ENDINGS: Final = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".pq")
"""What is taken for a table in a folder."""
PACKED_ENDINGS: Final = (".gz", ".bz2", ".xz", ".zst", ".zip")
"""What is refused, with the remedy: it has to be unpacked first."""
_DRAFT: Final = ".conewise-draft"
_BEGINNING: Final = 2**12  # bytes in which tables of measurements that are no copies differ


def files_of(paths: str | Path | Sequence[str | Path]) -> list[Path]:
    """The files of a table: those named, and those in a folder and below, part.9 before part.10."""
    found: list[Path] = []
    for path in _listed(paths):
        if not path.is_dir():
            found.append(path)
            continue
        inside = tables_in(path)
        if not inside:
            raise InputError(f"{path} is a folder without tables; {', '.join(TABLE_ENDINGS)} are looked for.")
        found += inside
    if not found:
        raise InputError("the table is empty: name at least one file, or give at least one row.")
    check_each_once(found)
    return found


def check_each_once(paths: Iterable[Path]) -> None:
    """Refuse a file that is named twice, by itself, through a link or a folder: its rows would count twice."""
    seen: dict[tuple[int, int], Path] = {}
    for path in paths:
        try:
            found = path.stat()
        except OSError:  # whoever reads it says what is wrong
            continue
        first = seen.setdefault((found.st_dev, found.st_ino), path)
        if first is not path:
            same = f"{path} is named twice" if path == first else f"{path} and {first} are the same file"
            raise InputError(f"{same}: its rows would count twice; name it once.")


class Unchanged:
    """A file as it was found; `check` refuses it when it has changed since, as what was read of it is of two tables."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._found = self._now()

    def _now(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:  # of a table in memory there is no file, and whoever reads one says what is wrong
            return None
        return found.st_size, found.st_mtime_ns

    def check(self) -> None:
        """Called when all has been read."""
        if self._now() != self._found:
            raise InputError(f"{self._path.name} changed while it was read; read it when nobody writes to it.")


def copies_among(paths: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """Pairs of files with the same bytes; no more is read than their beginnings where these differ."""
    by_size: dict[int, list[Path]] = {}
    for path in paths:
        by_size.setdefault(path.stat().st_size, []).append(path)
    for alike in by_size.values():
        by_beginning: dict[bytes, list[Path]] = {}
        for path in alike if len(alike) > 1 else ():
            with path.open("rb") as file:
                before = by_beginning.setdefault(file.read(_BEGINNING), [])
            yield from ((first, path) for first in before if cmp(first, path, shallow=False))
            before.append(path)


def tables_in(folder: Path) -> list[Path]:
    """The tables in a folder and below; a packed one would be left out in silence, so it is refused."""
    visible = [
        (p, p.relative_to(folder)) for p in folder.rglob("*") if is_visible(p.relative_to(folder)) and p.is_file()
    ]
    for path, _ in visible:
        if path.suffix.lower() in PACKED_ENDINGS and Path(path.stem).suffix.lower() in TABLE_ENDINGS:
            raise packed(path)
    tables = [(p, inside) for p, inside in visible if p.suffix.lower() in TABLE_ENDINGS]
    return [path for path, inside in sorted(tables, key=lambda found: _natural(str(found[1])))]


def is_visible(inside: Path) -> bool:
    """Whether a file of a folder is one of its tables: nothing on the way to it begins with a dot or an underscore."""
    return not any(part[0] in "._" for part in inside.parts)


def packed(path: Path) -> InputError:
    """The refusal of a compressed table."""
    return InputError(
        f"{path.name} is compressed; unpack it first, for example with gunzip or unzip, and name the table."
    )


def _listed(paths: str | Path | Sequence[str | Path]) -> list[Path]:
    named = list(paths) if isinstance(paths, Sequence | Iterator) and not isinstance(paths, str) else [paths]
    if "" in [path for path in named if isinstance(path, str)]:
        raise InputError("a path is empty; name a file or a folder.")
    if not all(isinstance(path, str | Path) for path in named):
        raise InputError(
            "a table is a path or several, a frame of pandas, polars or pyarrow, a mapping of columns or a list of "
            f"dictionaries, got {type(paths).__name__}."
        )
    return [Path(path) for path in named]


def _natural(text: str) -> list[tuple[int, str]]:
    """Digits count as numbers, so that files which were numbered come in their order."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", text)]


def check_target(path: Path, *, inputs: Iterable[str | Path] = (), force: bool = False) -> None:
    """Refuse a place that must not be written to; called before the work, so that an hour's answer is not lost.

    `inputs` are the files and folders that are read. A folder is read with all its tables, so none is added to it.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to write {path.name} to.")
    place = path.resolve()
    for given in map(Path, inputs):
        if given.is_dir():
            if _would_be_read(place, given.resolve()):
                raise InputError(
                    f"{path} lies in {given}, which is read with all its tables; name a file outside of that folder."
                )
            given_files: Iterable[Path] = tables_in(given)
        else:
            given_files = (given,)
        if path.exists() and any(file.exists() and file.samefile(path) for file in given_files):
            raise InputError(f"{path} is the file that is read and would be destroyed; name another file to write to.")
    if path.is_file() and not force:
        raise _exists(path)


def _would_be_read(place: Path, folder: Path) -> bool:
    if not place.is_relative_to(folder) or place.suffix.lower() not in TABLE_ENDINGS:
        return False
    return is_visible(place.relative_to(folder))


def _exists(path: Path) -> InputError:
    return InputError(f"{path} exists already; name another file, or allow to replace it (`force=True`).")


@contextmanager
def written(path: Path, *, inputs: Iterable[str | Path] = (), force: bool = False) -> Iterator[BinaryIO]:
    """A file to write bytes to, which takes its place when the block ends; after an error all is as it was.

    An existing file keeps its permissions, and a link keeps pointing to it. A device or a pipe is written to directly.
    """
    check_target(path, inputs=inputs, force=force)
    if path.exists() and not path.is_file():  # a device or a pipe is never replaced
        try:
            with path.open("wb") as device:
                yield device
        except BrokenPipeError:  # whoever reads it has heard enough
            raise
        except OSError as error:
            raise ConewiseError(f"{path} cannot be written: {error.strerror or error}.") from None
        return
    place = path.resolve()
    _remove_stale(place)
    try:
        with _draft(place) as (file, name):
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not force and place.exists():  # somebody was faster
                raise _exists(path)
            if fcntl is None:
                file.close()  # an open file cannot be renamed there
            os.replace(name, place)
    except OSError as error:
        raise ConewiseError(f"{path} cannot be written: {error.strerror or error}; nothing was changed.") from None


def write_text(path: Path, text: Iterable[str], *, inputs: Iterable[str | Path] = (), force: bool = False) -> None:
    """Text in UTF-8, piece by piece, line ends as they stand."""
    with written(path, inputs=inputs, force=force) as file:
        for part in text:
            file.write(part.encode())


@contextmanager
def _draft(place: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """A new file beside its later place, with the permissions of the one that it will replace; gone unless renamed."""
    old = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
    while True:
        name = place.with_name(f".{place.name}.{secrets.token_hex(8)}{_DRAFT}")
        # Nobody reads more than before, not even for a moment; a new file has what the user's mask leaves of 0666.
        handle = os.open(
            name, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666 if old is None else 0o600
        )
        file: BinaryIO = os.fdopen(handle, "w+b")
        if _locked(file) and _is_at(file, name):  # else somebody took it for a stale one, just now
            break
        file.close()
    try:
        with file:
            if old is not None:
                os.chmod(name, old)
            yield file, name
    finally:
        with suppress(FileNotFoundError):  # it is not there if it was renamed
            os.unlink(name)


def _locked(file: BinaryIO) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: then `_remove_stale` has none either
        return True
    return True


def _is_at(file: BinaryIO, name: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(name))
    except FileNotFoundError:
        return False


def _remove_stale(place: Path) -> None:
    """Drafts of this very file that nobody is writing any more."""
    if fcntl is None:
        return
    ours = re.compile(rf"{re.escape(f'.{place.name}.')}[0-9a-f]{{16}}{re.escape(_DRAFT)}")
    with suppress(OSError):  # what cannot be listed or removed does no harm
        for name in [entry.path for entry in os.scandir(place.parent) if ours.fullmatch(entry.name)]:
            with suppress(OSError), open(name, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(name)

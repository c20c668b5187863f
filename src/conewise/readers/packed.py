"""Logs that inspect-ai packs: a zip archive whose files are compressed with Zstandard, which zipfile may not know."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final

from conewise import limits
from conewise.errors import InputError, from_extra
from conewise.reading import patience

ENDING: Final = ".eval"
_ZSTANDARD: Final = 93  # the number of its compression in a zip archive (APPNOTE 4.4.5)
_LOCAL_HEADER: Final = 30  # bytes before a file's name; the lengths of name and extra field are the last four (4.3.7)


def unpacked(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """The files of a packed log that are wanted, in the order of their names."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            members = [member for member in archive.infolist() if wanted(member.filename) and not member.is_dir()]
            sizes = [member.file_size for member in members]
            if max(sizes, default=0) > limits.LARGEST_JSON // 4 or sum(sizes) > 8 * limits.LARGEST_JSON:
                words = f"{sum(sizes) >> 20:,} MiB, of which {max(sizes) >> 20:,} in one file: too much to read at once"
                raise InputError(f"{path.name} unpacks to {words}; hand over the log that inspect_ai reads in Python.")
            with patience(f"unpacking {path.name}", lambda: file.tell() >> 20, "MiB"):
                for member in sorted(members, key=lambda member: member.filename):
                    packed = member.compress_type == _ZSTANDARD
                    yield member.filename, _zstandard(file, member, path) if packed else archive.read(member)
    except InputError:
        raise
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise InputError(
            f"{path.name} cannot be unpacked ({str(error)[:80]}); write it as JSON with that program's "
            "`inspect log convert`, and read that."
        ) from None


def _zstandard(file: IO[bytes], member: zipfile.ZipInfo, path: Path) -> bytes:
    """What pyarrow makes of the bytes: before Python 3.14 the standard library does not know this compression."""
    try:
        import pyarrow
    except ImportError:
        raise InputError(
            f"{path.name} is packed with Zstandard, which pyarrow unpacks: {from_extra('tables')}; or write it as JSON "
            "with that program's `inspect log convert`, and read that."
        ) from None
    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER)
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    data = file.read(member.compress_size)
    return bytes(pyarrow.decompress(data, decompressed_size=member.file_size, codec="zstd", asbytes=True))

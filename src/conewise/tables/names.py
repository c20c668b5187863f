"""Names of very many designs: made only where they are wanted, and a name that stands twice found in little memory.

Names are compared by a hash of 64 bits that is the same in every process. Hashes beyond a few million wait in temporary
files, sorted into buckets, so that one bucket at a time is in memory; a hash that two rows share is a suspicion, which
a second reading settles.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from conewise.errors import ConewiseError

Hashes = NDArray[np.uint64]

_BUCKETS: Final = 64  # open files; some systems allow no more than 256
HELD: Final = 2**22  # hashes in memory before they go to the buckets: 32 MiB
SUSPECTS: Final = 1000  # taken to a second reading at a time; the first that is confirmed ends it
_FACTOR: Final = 0x9E3779B97F4A7C15  # odd, so that multiplying loses nothing: 2^64 over the golden ratio
_STIR: Final = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # splitmix64's finaliser (Steele, Lea & Flood 2014)


class Labels(Sequence[str]):
    """The entries of a column as texts, made when they are asked for."""

    def __init__(self, entries: Sequence[Any]) -> None:
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return list(map(text_of, self._entries[place])) if isinstance(place, slice) else text_of(self._entries[place])

    def __iter__(self) -> Iterator[str]:
        return map(text_of, self._entries)

    def arrow_strings(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]] | None:
        """All texts in one, in UTF-8, and the length of each, where pyarrow has them like that and none is missing."""
        return self._entries.strings() if isinstance(self._entries, ArrowTexts) else None

    def taken(self, places: NDArray[np.int64]) -> NDArray[np.object_]:
        """The texts at these places."""
        entries = self._entries
        chosen = entries.taken(places) if isinstance(entries, ArrowTexts) else [entries[k] for k in places.tolist()]
        result = np.empty(len(places), dtype=object)
        result[:] = list(map(text_of, chosen))
        return result


class ArrowTexts(Sequence[Any]):
    """A column of texts as pyarrow holds it: Python strings are made of those that are asked for; None where empty."""

    def __init__(self, column: Any) -> None:
        self.column = column

    def __len__(self) -> int:
        return len(self.column)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        return ArrowTexts(self.column[place]) if isinstance(place, slice) else self.column[place].as_py()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.column.to_pylist())

    def taken(self, places: NDArray[np.int64]) -> list[Any]:
        """Those at these places."""
        import pyarrow

        found: list[Any] = self.column.take(pyarrow.array(places)).to_pylist()
        return found

    def strings(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]] | None:
        """The bytes of all texts and the length of each; None where they are kept in another way or one is missing."""
        import pyarrow

        column = self.column
        small = pyarrow.types.is_string(column.type)
        if column.null_count or not (small or pyarrow.types.is_large_string(column.type)):
            return None
        _, places, texts = column.buffers()
        if not len(column) or texts is None:
            return np.empty(0, dtype=np.uint8), np.zeros(len(column), dtype=np.int64)
        offsets = np.frombuffer(places, dtype=np.int32 if small else np.int64)
        offsets = offsets[column.offset : column.offset + len(column) + 1].astype(np.int64)
        return np.frombuffer(texts, dtype=np.uint8)[offsets[0] : offsets[-1]], np.diff(offsets)

    def coded(self) -> tuple[NDArray[np.intp], list[Any]]:
        """The number of each row's text in a list of the different ones, in the order of their first rows."""
        import pyarrow

        encoded = self.column
        if not pyarrow.types.is_dictionary(encoded.type):
            encoded = encoded.dictionary_encode("encode")
        words = encoded.dictionary.to_pylist()
        codes = encoded.indices.fill_null(len(words)).to_numpy(zero_copy_only=False).astype(np.intp)
        return first_come([*words, None], codes)


def text_of(entry: Any) -> str:
    """A name as it stands; nothing where there is none, whatever the format calls that."""
    return entry if isinstance(entry, str) else "" if entry is None else str(entry)


def first_repeated(names: Sequence[str]) -> str | None:
    """The first name that has stood before, all of them being in memory."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def first_come(words: Sequence[Any], codes: NDArray[np.intp]) -> tuple[NDArray[np.intp], list[Any]]:
    """The same words renumbered by their first use, those that are never used left out."""
    first = np.full(len(words), len(codes), dtype=np.intp)
    np.minimum.at(first, codes, np.arange(len(codes)))
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(codes))]
    place = np.empty(len(words), dtype=np.intp)
    place[order] = np.arange(len(order))
    return place[codes], [words[k] for k in order]


def hashes_of(names: Sequence[str]) -> Hashes:
    """64 bits a name: a polynomial in its bytes, stirred; equal names have equal hashes in every process."""
    if isinstance(names, Labels) and (column := names.arrow_strings()) is not None:
        return _hashed(*column)
    listed = list(names)
    if not listed:
        return np.empty(0, dtype=np.uint64)
    text = "".join(listed)
    each = map(len, listed) if text.isascii() else (len(name.encode("utf-8", "surrogatepass")) for name in listed)
    lengths = np.fromiter(each, dtype=np.int64, count=len(listed))
    return _hashed(np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8), lengths)


def _hashed(letters: NDArray[np.uint8], lengths: NDArray[np.int64]) -> Hashes:
    """One hash a piece of the text; the pieces have these lengths."""
    sums = lengths.astype(np.uint64)
    starts = np.cumsum(lengths) - lengths
    some = lengths > 0
    with np.errstate(over="ignore"):
        if len(letters):
            powers = np.multiply.accumulate(np.full(int(lengths.max()), _FACTOR, dtype=np.uint64))
            places = np.arange(len(letters)) - np.repeat(starts, lengths)
            sums[some] += np.add.reduceat(powers[places] * letters, starts[some])
        for shift, factor in zip((30, 27), _STIR, strict=True):
            sums = (sums ^ (sums >> np.uint64(shift))) * np.uint64(factor)
        result: Hashes = sums ^ (sums >> np.uint64(31))
    return result


class Repetitions:
    """Which hashes came twice, in bounded memory; `close` lets go of the temporary files."""

    def __init__(self) -> None:
        self._held: list[Hashes] = []
        self._count = 0
        self._files: list[Any] = []

    def add(self, hashes: Hashes) -> None:
        """Some more."""
        self._held.append(hashes)
        self._count += len(hashes)
        if self._count > HELD:
            self._spill()

    def _spill(self) -> None:
        held = np.sort(np.concatenate(self._held))
        bounds = np.arange(1, _BUCKETS, dtype=np.uint64) << np.uint64(64 - _BUCKETS.bit_length() + 1)
        try:
            while len(self._files) < _BUCKETS:  # one by one, so that `close` knows those before one that fails
                self._files.append(tempfile.TemporaryFile())  # noqa: SIM115, closed by `close`
            for file, part in zip(self._files, np.split(held, np.searchsorted(held, bounds)), strict=True):
                file.write(part.tobytes())
                file.flush()  # a full disk is noticed here, and not when the file is closed
        except OSError as error:
            raise ConewiseError(
                "the names of so many designs are compared with the help of temporary files, 8 bytes a row, and these "
                f"cannot be written ({error.strerror or error}); set TMPDIR to a folder with more room."
            ) from None
        self._held, self._count = [], 0

    def suspects(self) -> Iterator[set[int]]:
        """Hashes that at least two rows share, a thousand at a time."""
        if self._files and self._held:
            self._spill()
        elif self._held:
            yield from _repeated(np.concatenate(self._held))
        for file in self._files:
            file.seek(0)
            yield from _repeated(np.frombuffer(file.read(), dtype=np.uint64))

    def close(self) -> None:
        """Nothing is left on the disk."""
        for file in self._files:
            with suppress(OSError):  # what a full disk did not take is not wanted any more
                file.close()
        self._files = []


def _repeated(hashes: Hashes) -> Iterator[set[int]]:
    ordered = np.sort(hashes)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    for start in range(0, len(twice), SUSPECTS):
        yield set(twice[start : start + SUSPECTS].tolist())

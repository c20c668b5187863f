"""What a journal says of the evaluations: told, in someone's hands, open again. Grows block by block, by columns.

Nothing here depends on the algorithm. A *stream* is a design or, where objectives are measured separately, one of its
objectives. A block of entries is taken in at once: tells become columns in the order of arrival, and each stream keeps
an array that says where its number n is. Only what is still in flight is kept one by one. A million evaluations are a
few numpy calls a block of 10 000 entries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from conewise.border import Floats
from conewise.data.observations import LARGEST_OBSERVED
from conewise.errors import ConewiseError
from conewise.studies.changes import Change
from conewise.studies.evaluations import Integers
from conewise.studies.identity import MOST_NUMBERS, Identity
from conewise.studies.storage.journal import CHANGES, KINDS, Entry

FREE: Final = -1
"""In `places`: never handed out, never told."""
ASKED: Final = -2
"""In `places`: handed out, not told."""
FURTHEST: Final = 10_000
"""A number this far beyond every earlier one of its stream is refused: it is a slip, and would cost memory."""
LATEST: Final = 2.5e11
"""Seconds since 1970 beyond which no calendar goes."""
OUT_OF_RANGE: Final = "outside the range that the noise assumes: "
"""How the reason of a failure begins whose value is known, and refutes the assumption about the noise."""
FOR_ITS_VALUE: Final = "because of its value: "
"""How the reason of a withdrawal begins that was made for what the value is."""
_SCAN: Final = 4096


@dataclass(frozen=True, eq=False)
class Mark:
    """A change of the question, and how far the evaluations were by then."""

    change: Change
    told: int
    """Evaluations told in all."""
    start: Integers
    """(S,): the number from which each stream's evaluations were compared, before the change."""
    through: Integers
    """(S,): numbers below were told without a gap from there on, and have not been withdrawn since."""
    aside: int = 0
    """Evaluations that lack an objective which is added, or begun before it was, and are compared no more."""

    def counts(self, designs: Sequence[int]) -> int:
        """How many evaluations of these designs were compared."""
        chosen = list(designs)
        return int((self.through[chosen] - self.start[chosen]).sum())


class Ledger:
    """The evaluations of one study, folded from its journal up to entry `seq`."""

    def __init__(self, n_designs: int, dim: int, separate: bool = False) -> None:
        self.n_designs, self.dim, self.separate = n_designs, dim, separate
        self.parts = dim if separate else 1
        """Streams of a design: stream k * parts + d is objective d of design k where these are measured separately."""
        self.seq = 0
        self.size = 0
        """How many evaluations are told."""
        self.stream, self.number = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        self.values = np.empty((0, 1 if separate else dim))
        self.told_at = np.empty(0)
        self.told_by = np.empty(0, dtype=np.int64)
        self.workers: list[str] = []
        self._worker_codes: dict[str, int] = {}
        streams = n_designs * self.parts
        self._places: list[Integers | None] = [None] * streams
        self.used = np.zeros(streams, dtype=np.int64)
        """(S,): one more than the largest number of each stream that was handed out or told."""
        self.fresh = np.zeros(streams, dtype=np.int64)
        """(S,): the smallest number of each stream that was never handed out nor told."""
        self.through = np.zeros(streams, dtype=np.int64)
        """(S,): numbers start, ..., through - 1 are told, without a gap."""
        self.start = np.zeros(streams, dtype=np.int64)
        """(S,): numbers below are of an earlier epoch (`versions`): they are kept, and not compared."""
        self.marks: list[Mark] = []
        """Every change of the question, in order."""
        self.leases: dict[Identity, tuple[float, str]] = {}
        """Until when, and whose; told ones are gone, expired ones are still here."""
        self.loose: set[Identity] = set()
        """Handed back or failed, and neither told nor handed out since."""
        self.failures: dict[Identity, int] = {}
        self.failed = 0
        """Failures recorded in all."""
        self.refuted = 0
        """Failures for a value outside the range that the noise assumes."""
        self.originals: dict[Identity, Floats] = {}
        """What was first told of evaluations that were corrected since."""
        self.changes: list[Identity] = []
        """What was corrected or withdrawn, in order."""
        self.withdrawals: dict[Identity, int] = {}
        """How often a value was withdrawn."""
        self.withdrawn = 0
        """Values withdrawn in all, whether the evaluation was told again since or not."""
        self.chosen = 0
        """Those of them that were withdrawn for what they are."""
        self.discarded: dict[Identity, list[Floats]] = {}
        """What was corrected or withdrawn of evaluations that were not handed out since: an old table has it still."""
        self.once: dict[str, float] = {}
        """What values were recorded under, so that they are not recorded again; and when."""
        self._earliest = np.inf  # no lease ends before this
        self._mentioned = 0  # evaluations in all entries so far

    # -- questions -------------------------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        """Numbers of an evaluation."""
        return int(self.values.shape[1])

    def stream_of(self, identity: Identity) -> int:
        """The stream to which an evaluation belongs."""
        return identity.design * self.parts + (identity.objective or 0)

    def identity(self, stream: int, number: int) -> Identity:
        """An evaluation by its stream."""
        return (
            Identity(stream // self.parts, number, stream % self.parts) if self.separate else Identity(stream, number)
        )

    def streams(self, designs: Sequence[int]) -> NDArray[np.intp]:
        """All streams of some designs, in order."""
        return (np.array(designs, dtype=np.intp)[:, None] * self.parts + np.arange(self.parts)).ravel()

    def place(self, identity: Identity) -> int:
        """Where the evaluation's values are, or FREE, or ASKED."""
        stream, number = self.stream_of(identity), identity.number
        places = self._places[stream]
        return FREE if places is None or number >= self.used[stream] else int(places[number])

    def positions(self, stream: int, first: int, last: int) -> Integers:
        """Where the values of the numbers first, ..., last - 1 are; all of them must be told."""
        places = self._places[stream]
        assert places is not None
        return places[first:last]

    def attempts(self, identity: Identity) -> int:
        """How often an evaluation was made in vain: failed, or its value withdrawn."""
        return self.failures.get(identity, 0) + self.withdrawals.get(identity, 0)

    def next_fresh(self, stream: int, number: int) -> int:
        """The first number from `number` on that was never handed out nor told."""
        places, used = self._places[stream], int(self.used[stream])
        while places is not None and number < used and places[number] != FREE:
            number += 1
        return number

    def reopened(self, now: float) -> list[Identity]:
        """Evaluations that were handed out and are open again: handed back, failed, or expired by now."""
        found = sorted(self.loose)
        if now >= self._earliest:
            found += [identity for identity, (expires, _) in self.leases.items() if expires <= now]
            self._earliest = min((expires for expires, _ in self.leases.values()), default=np.inf)
        return [identity for identity in found if identity.number >= self.start[self.stream_of(identity)]]

    @property
    def replaced(self) -> int:
        """Attempts that failed and whose evaluation has values all the same, of another attempt."""
        return sum(times for identity, times in self.failures.items() if self.place(identity) >= 0)

    @property
    def mended(self) -> int:
        """Values that were corrected, and not back to what they were."""
        pairs = ((self.values[self.place(one)], first) for one, first in self.originals.items())
        return sum(bool((now[: len(first)] != first).any()) for now, first in pairs)

    def lacking(self, change: Change, measured: Collection[Identity]) -> tuple[Integers, int]:
        """Designs that begin anew with an objective of which these evaluations have values, and what they set aside."""
        none = np.empty(0, dtype=np.int64)
        if change.kind != "objective":
            return none, 0
        design, number = self.stream[: self.size], self.number[: self.size]
        counted = number >= self.start[design]
        anew = np.arange(self.n_designs)
        if change.unseen:
            without = [Identity(*one) not in measured for one in zip(design.tolist(), number.tolist(), strict=True)]
            anew = np.unique(design[counted & np.array(without, dtype=bool)])
        return anew, int((counted & np.isin(design, anew)).sum())

    # -- growth ----------------------------------------------------------------------------------------------------

    def absorb(self, block: Sequence[Entry]) -> None:
        """Take in the next entries; a journal that breaks its own rules is refused."""
        if not block:
            return
        try:
            if block[0].seq != self.seq + 1 or block[-1].seq - block[0].seq != len(block) - 1:
                raise ValueError(f"entry {self.seq + 1} is missing")
            start = 0
            for end, entry in enumerate(block):
                if entry.kind == "withdraw":  # what is withdrawn was told before it, and may be told again after it
                    self._absorb(block[start:end])
                    self._withdraw(entry)
                    start = end + 1
                elif entry.kind in CHANGES:  # what is before it is of the question as it was
                    self._absorb(block[start:end])
                    self._mark(entry)
                    start = end + 1
            self._absorb(block[start:])
        except (ValueError, TypeError, OverflowError, IndexError) as error:
            raise ConewiseError(
                f"the journal is damaged near entry {self.seq + 1} ({str(error)[:80]}); restore it from a copy."
            ) from None

    def _absorb(self, block: Sequence[Entry]) -> None:
        if not block:
            return
        for texts in ([entry.worker for entry in block], [entry.note for entry in block]):
            "".join(texts)  # TypeError where one is no text
        tells = [entry for entry in block if entry.kind == "tell"]
        asks = [entry for entry in block if entry.kind == "ask"]
        more = len(tells) + len(asks) < len(block)
        others = [entry for entry in block if entry.kind not in ("tell", "ask")] if more else []
        told, asked = (self._pairs([entry.evaluations for entry in some]) for some in (tells, asks))
        if tells:
            self._take_tells(tells, told)
        events = self._take_asks(asks, asked) if asks else []
        for entry in others:
            if entry.kind in ("fail", "release"):
                events += [(entry, identity) for identity in self._identities(self._pairs([entry.evaluations]))]
                self.refuted += entry.kind == "fail" and entry.note.startswith(OUT_OF_RANGE)
            elif entry.kind not in KINDS:
                raise ValueError(f"the kind {entry.kind!r:.20} is unknown")
        for entry, identity in sorted(events, key=lambda event: event[0].seq):
            self._apply(entry, identity)
        for entry in others:
            if entry.kind == "correct":
                self._correct(self._pairs([entry.evaluations]), _floats([entry.numbers]))
        self.seq = int(block[-1].seq)

    def _take_tells(self, entries: Sequence[Entry], pairs: Integers) -> None:
        n = len(pairs)
        values = _floats([entry.numbers for entry in entries]).reshape(n, self.width)
        if not (np.abs(values) <= LARGEST_OBSERVED).all():
            raise ValueError("a value is not a finite number")
        self._reserve(self.size + n)
        new = slice(self.size, self.size + n)
        counts = _counts(entries, n)
        times = np.array([entry.time for entry in entries], dtype=np.float64)
        if not ((times >= 0) & (times <= LATEST)).all():
            raise ValueError("a time is no time")
        by = [entry.worker for entry in entries]
        code = {worker: self._worker_code(worker) for worker in set(by)}
        self.stream[new], self.number[new], self.values[new] = pairs[:, 0], pairs[:, 1], values
        self.told_at[new] = np.repeat(times, counts)
        self.told_by[new] = np.repeat([code[worker] for worker in by], counts)
        places = np.arange(self.size, self.size + n)
        for stream, here in _by_stream(pairs[:, 0]):
            mine, chosen = self._room(stream, pairs[here, 1]), pairs[here, 1]
            if (mine[chosen] >= 0).any() or len(np.unique(chosen)) < len(chosen):
                raise ValueError(f"an evaluation of design {stream // self.parts} is told twice")
            mine[chosen] = places[here]
            self._advance(stream)
        self.size += n
        if self.leases or self.loose:
            few = len(pairs) <= len(self.leases) + len(self.loose)
            settled = self._identities(pairs if few else pairs[:0])
            settled += () if few else [one for one in (*self.leases, *self.loose) if self.place(one) >= 0]
            for one in settled:
                self.leases.pop(one, None)
                self.loose.discard(one)
        self.once.update((entry.note, entry.time) for entry in entries if entry.note)

    def _take_asks(self, entries: Sequence[Entry], pairs: Integers) -> list[tuple[Entry, Identity]]:
        """Mark what was handed out; the entry and the identity of what is not told by the end of the block."""
        owner = np.repeat(np.arange(len(entries)), _counts(entries, len(pairs)))
        still = np.zeros(len(pairs), dtype=bool)
        for stream, here in _by_stream(pairs[:, 0]):
            chosen = pairs[here, 1]
            mine = self._room(stream, chosen)
            still[here] = mine[chosen] < 0
            mine[chosen[still[here]]] = ASKED
            self._advance(stream)
        for one in self._identities(pairs) if self.discarded else ():
            self.discarded.pop(one, None)
        open_ = zip(owner[still].tolist(), self._identities(pairs[still]), strict=True)
        return [(entries[row], one) for row, one in open_]

    def _apply(self, entry: Entry, identity: Identity) -> None:
        told = self.place(identity) >= 0
        if entry.kind == "fail":
            self.failures[identity] = self.failures.get(identity, 0) + 1
            self.failed += 1
        if told:
            return
        if entry.kind == "ask":
            expires = float(entry.numbers)
            if not expires >= 0:
                raise ValueError("the end of a lease is no time")
            self.leases[identity] = (expires, entry.worker)
            self.loose.discard(identity)
            self._earliest = min(self._earliest, expires)
        else:
            self.leases.pop(identity, None)
            self.loose.add(identity)
            stream, number = self.stream_of(identity), identity.number
            self._room(stream, np.array([number]))[number] = ASKED
            self._advance(stream)

    def _correct(self, pairs: Integers, values: Floats) -> None:
        for identity, new in zip(self._identities(pairs), values.reshape(len(pairs), self.width), strict=True):
            place = self.place(identity)
            if place < 0 or not (np.abs(new) <= LARGEST_OBSERVED).all():
                raise ValueError(f"the correction of {identity} fits nothing")
            self.originals.setdefault(identity, self.values[place].copy())
            self.discarded.setdefault(identity, []).append(self.values[place].copy())
            self.values[place] = new
            self.changes.append(identity)

    def _withdraw(self, entry: Entry) -> None:
        """Open evaluations again whose values do not count any more; the last row takes the place of each."""
        for identity in self._identities(self._pairs([entry.evaluations])):
            place, stream, number = self.place(identity), self.stream_of(identity), identity.number
            places, last = self._places[stream], self.size - 1
            if place < 0 or places is None:
                raise ValueError(f"the withdrawal of {identity} fits nothing")
            self.discarded.setdefault(identity, []).append(self.values[place].copy())
            for column in (self.stream, self.number, self.values, self.told_at, self.told_by):
                column[place] = column[last]
            moved = self._places[int(self.stream[place])]
            assert moved is not None
            moved[self.number[place]] = place
            places[number] = ASKED
            self.size = last
            for through in (self.through, *(mark.through for mark in self.marks if stream < len(mark.through))):
                if self.start[stream] <= number or through is not self.through:
                    through[stream] = min(int(through[stream]), number)
            self.loose.add(identity)
            self.originals.pop(identity, None)
            self.withdrawals[identity] = self.withdrawals.get(identity, 0) + 1
            self.withdrawn += 1
            self.chosen += entry.note.startswith(FOR_ITS_VALUE)
            self.changes.append(identity)
        self.seq = int(entry.seq)

    def _mark(self, entry: Entry) -> None:
        """Take in a change: designs that are added have no evaluations yet, and may begin an epoch for all others."""
        change = Change.of(entry)
        if any(design >= self.n_designs for design in change.dropped):
            raise ValueError("a design is dropped that does not exist")
        if change.kind == "objective":
            if self.separate:
                raise ValueError("objectives that are measured separately are as declared")
            self._widen(entry, change)
            self.seq = int(entry.seq)
            return
        self.marks.append(Mark(change, self.size, self.start.copy(), self.through.copy()))
        if change.kind in ("add", "join"):
            if (
                change.kind == "add" and not change.unseen
            ):  # what was begun before is not compared any more, whenever it is told
                self.start, self.through = self.used.copy(), self.used.copy()
                self.fresh = self.used.copy()
            more = len(change.designs) * self.parts
            for name in ("used", "fresh", "through", "start"):
                setattr(self, name, np.concatenate([getattr(self, name), np.zeros(more, dtype=np.int64)]))
            self._places += [None] * more
            self.n_designs += len(change.designs)
        self.seq = int(entry.seq)

    def _widen(self, entry: Entry, change: Change) -> None:
        """Take in an objective: what was told before has a value in it or none; a design that lacks one begins anew."""
        start, through = self.start.copy(), self.through.copy()
        wider = np.full((len(self.values), self.dim + 1), np.nan)
        wider[:, : self.dim] = self.values
        self.values, self.dim = wider, self.dim + 1
        pairs = self._pairs([entry.evaluations] if entry.evaluations else [])
        if len(pairs):
            new = _floats([entry.numbers])
            if len(new) != len(pairs) or not (np.abs(new) <= LARGEST_OBSERVED).all():
                raise ValueError("the values of an objective fit nothing")
            for identity, value in zip(self._identities(pairs), new.tolist(), strict=True):
                place = self.place(identity)
                if place < 0:
                    raise ValueError(f"{identity} has a value of an objective and none of the others")
                self.values[place, -1] = value
        anew, aside = self.lacking(change, set(self._identities(pairs)))
        self.marks.append(Mark(change, self.size, start, through, aside))
        self.start, self.through, self.fresh = self.start.copy(), self.through.copy(), self.fresh.copy()
        for column in (self.start, self.through, self.fresh):
            column[anew] = self.used[anew]

    def _pairs(self, texts: Sequence[str]) -> Integers:
        """(n, 2): stream and number of every identity, checked."""
        if not texts:
            return np.empty((0, 2), dtype=np.int64)
        text = ",".join(texts).replace("-", ",")
        parts = (text.replace(".", ",") if self.separate else text).split(",")
        found = np.fromiter(map(int, parts), dtype=np.int64, count=len(parts)).reshape(-1, 3 if self.separate else 2)
        if (found < 0).any() or found[:, 0].max() >= self.n_designs or found[:, -1].max() >= MOST_NUMBERS:
            raise ValueError("an evaluation is of no design here")
        self._mentioned += len(found)
        if not self.separate:
            return found
        if found[:, 1].max() >= self.dim:
            raise ValueError("an evaluation is of no objective here")
        return np.column_stack([found[:, 0] * self.parts + found[:, 1], found[:, 2]])

    def _identities(self, pairs: Integers) -> list[Identity]:
        return [self.identity(*pair) for pair in pairs.tolist()]

    def _room(self, stream: int, numbers: Integers) -> Integers:
        """The places of a stream, long enough for these numbers, which count as used from now on."""
        most, places = int(numbers.max()) + 1, self._places[stream]
        if most > self.used[stream]:
            if most > (FURTHEST + 1) * self._mentioned:  # every single mention may go so far and no further
                raise ValueError(f"evaluation {self.identity(stream, most - 1)} is far beyond all others")
            if places is None or most > len(places):
                longer = np.full(max(8, most, 2 * int(self.used[stream])), FREE, dtype=np.int64)
                if places is not None:
                    longer[: len(places)] = places
                self._places[stream] = places = longer
            self.used[stream] = most
        assert places is not None
        return places

    def _advance(self, stream: int) -> None:
        """Move `through` and `fresh` past what is told and what is used."""
        places, used = self._places[stream], int(self.used[stream])
        assert places is not None
        self.through[stream] = _first(places, int(self.through[stream]), used, lambda part: part < 0)
        start = max(int(self.fresh[stream]), int(self.through[stream]))
        self.fresh[stream] = _first(places, start, used, lambda part: part == FREE)

    def _reserve(self, size: int) -> None:
        if size <= len(self.stream):
            return
        size = max(1024, size, 2 * len(self.stream))
        for name in ("stream", "number", "values", "told_at", "told_by"):
            old = getattr(self, name)
            longer = np.empty((size, *old.shape[1:]), dtype=old.dtype)
            longer[: self.size] = old[: self.size]
            setattr(self, name, longer)

    def _worker_code(self, worker: str) -> int:
        if worker not in self._worker_codes:
            self._worker_codes[worker] = len(self.workers)
            self.workers.append(worker)
        return self._worker_codes[worker]


def _counts(entries: Sequence[Entry], total: int) -> Integers | list[int]:
    """How many evaluations each entry has."""
    if total == len(entries):
        return np.ones(total, dtype=np.int64)
    return [entry.evaluations.count(",") + 1 for entry in entries]


def _floats(texts: Iterable[str]) -> Floats:
    parts = ",".join(texts).split(",")
    return np.fromiter(map(float, parts), dtype=np.float64, count=len(parts))


def _by_stream(streams: Integers) -> Iterable[tuple[int, NDArray[np.intp]]]:
    """Each stream with the places at which it stands, in order."""
    if len(streams) == 1:
        return [(int(streams[0]), np.zeros(1, dtype=np.intp))]
    order = np.argsort(streams, kind="stable")
    found, starts = np.unique(streams[order], return_index=True)
    return zip(found.tolist(), np.split(order, starts[1:]), strict=True)


def _first(places: Integers, start: int, end: int, wanted: Any) -> int:
    """The first place from start on that is wanted, or end."""
    while start < end:
        hits = wanted(places[start : min(end, start + _SCAN)])
        if hits.any():
            return start + int(hits.argmax())
        start = min(end, start + _SCAN)
    return end

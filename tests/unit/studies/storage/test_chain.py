"""Checksums along a journal: every change, loss and lost end is found, and what was verified is not read again."""

from __future__ import annotations

import pytest

from conewise.errors import ConewiseError
from conewise.studies.storage.chain import Chain, Tail, checksums, extended, seal_of
from conewise.studies.storage.journal import Entry

HEADER = '{"epsilon": 0.1}'
SEAL = seal_of("trial", HEADER)
ENTRIES = [Entry(seq, 10.0 + seq, "tell", "Marie", f"{seq}-0", "0.5,-2.25", "") for seq in (1, 2, 3, 4)]


def rows(entries=ENTRIES, sums=None):
    return [(*entry, value) for entry, value in zip(entries, sums or checksums(SEAL, entries), strict=True)]


def chain() -> Chain:
    return Chain("trial.db", "trial", HEADER, SEAL)


def follow(written, end=None):
    end = Tail(4, checksums(SEAL, ENTRIES)[-1]) if end is None else end
    return [entry for block in chain().follow(Tail(0, SEAL), end, [written[:2], written[2:]]) for entry in block]


def test_what_was_written_is_read():
    assert follow(rows()) == ENTRIES


@pytest.mark.parametrize(
    "field", [{"time": 99.0}, {"kind": "fail"}, {"worker": "Piet"}, {"evaluations": "9-0"}, {"numbers": "0.5,2.25"}]
)
def test_a_changed_entry_is_found_where_it_stands(field):
    changed = rows([*ENTRIES[:2], ENTRIES[2]._replace(**field), ENTRIES[3]], checksums(SEAL, ENTRIES))
    with pytest.raises(ConewiseError, match="damaged near entry 3"):
        follow(changed)


def test_lost_entries_and_a_lost_end_are_found():
    with pytest.raises(ConewiseError, match="its end is missing"):
        follow(rows()[:3])
    with pytest.raises(ConewiseError, match="damaged near entry 2"):
        follow([rows()[0], *rows()[2:]])


def test_an_exchanged_header_is_found():
    with pytest.raises(ConewiseError, match="the header of the study 'trial' is not what was written"):
        Chain("trial.db", "trial", HEADER.replace("0.1", "0.2"), SEAL)


def test_what_was_verified_is_where_verification_goes_on():
    reader, end = chain(), Tail(4, checksums(SEAL, ENTRIES)[-1])
    assert list(reader.follow(Tail(0, SEAL), end, [rows()])) == [ENTRIES]
    assert reader.start(4) == reader.known == end
    assert reader.start(0) == Tail(0, SEAL)
    assert reader.start(2) is None
    assert list(reader.follow(end, end, [])) == []
    with pytest.raises(ConewiseError, match="ends at entry 2, and was read up to entry 4 before"):
        list(reader.follow(end, Tail(2, 7), []))


def test_a_place_that_is_taken_is_refused():
    start = Tail(2, checksums(SEAL, ENTRIES)[1])
    found, end = extended(start, ENTRIES[2:])
    assert found == checksums(SEAL, ENTRIES)[2:]
    assert end == Tail(4, found[-1])
    assert extended(start, []) == ([], start)
    with pytest.raises(ConewiseError, match="someone else has just written at the same place"):
        extended(start, ENTRIES[1:])


def test_a_time_that_is_none_has_no_checksum():
    with pytest.raises(ValueError, match="a number or a time is none"):
        checksums(SEAL, [ENTRIES[0]._replace(time="late")])

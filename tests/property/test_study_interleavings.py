"""Whatever several hands do to one study, in whatever order: the answer is that of a plain loop, and replay is live."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from shared.studies import digest, finish, make, reference, same, values_of

import conewise as cw
from conewise.noise import Bounded, GaussianUnknown
from conewise.studies.identity import Identity
from conewise.studies.ledger import Ledger
from conewise.studies.storage.journal import Entry

HANDS = 3
LEASE = 10.0

ACTS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "ask", "tell", "tell", "tell", "again", "part", "wait", "release", "look", "reopen"]),
        st.integers(0, HANDS - 1),
        st.integers(1, 7),
    ),
    max_size=40,
)
STUDIES = st.sampled_from(
    [
        {"epsilon": 0.6},
        {"epsilon": 0.6, "options": {"success": "contain", "max_evaluations": 60}},
        {"options": {"evaluations_each": 6}},
        {"block": "plate", "blocks": 12, "population": "all", "noise": GaussianUnknown(), "epsilon": 0.6},
        {"block": "plate", "blocks": 12, "noise": Bounded(-4, 4), "epsilon": 0.6},
        {"algorithm": "ape", "epsilon": 1.0, "options": {"growth": 1.0}},
        {"separate": True, "epsilon": 0.9},
        {"separate": True, "epsilon": 0.9, "options": {"success": "contain", "max_evaluations": 80}},
    ]
)


def play(studies, acts, clock):
    """Carry out the acts; what is handed out is told, told again, told late, handed back or forgotten."""
    handed = []
    for act, hand, n in acts:
        study = studies[hand]
        if act == "ask":
            handed.append(study.ask(n, worker=f"hand {hand}"))
        elif act in ("tell", "again") and handed:  # by whoever, not only by whom it was handed to
            batch = handed[n % len(handed)]
            study.tell(batch, values_of(batch))
            if act == "again":
                assert study.tell(list(reversed(batch)), values_of(batch)[::-1]).stored == 0
        elif act == "part" and handed:
            batch = handed[n % len(handed)][::2]
            study.tell(batch.ids, values_of(batch))
        elif act == "wait":
            clock[0] += LEASE * n / 4
        elif act == "release" and handed:
            study.release(handed[n % len(handed)])
        elif act == "look":
            study.status()
        elif act == "reopen":
            studies[hand] = cw.Study.open(study.place, clock=lambda: clock[0])
            study.close()


def hurried(study):
    """Nobody pulls a plug here: what is written need not wait for the disk."""
    study.journal.locked = lambda durable, locked=study.journal.locked: locked(False)


@given(STUDIES, ACTS)
def test_any_order_of_events_is_the_plain_loop(configuration, acts):
    clock = [1000.0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trial.db"
        studies = [make(path, lease=LEASE, clock=lambda: clock[0], **configuration)]
        studies += [cw.Study.open(path, clock=lambda: clock[0]) for _ in range(HANDS - 1)]
        for study in studies:
            hurried(study)
        try:
            play(studies, acts, clock)
            clock[0] += 2 * LEASE  # what was forgotten is open again
            finish(studies[0], 40)
            expected = reference(studies[0])
            assert all(same(study.result(), expected) for study in studies)
            with cw.Study.open(path) as again:
                assert {digest(study) for study in studies} == {digest(again)}
        finally:
            for study in studies:
                study.close()


ENTRIES = st.lists(
    st.tuples(
        st.integers(0, 2), st.sampled_from(["ask", "tell", "fail", "release", "correct", "withdraw"]), st.integers(0, 5)
    ),
    max_size=60,
)


@given(ENTRIES, st.lists(st.integers(1, 9), min_size=1, max_size=10))
@settings(max_examples=150)
def test_a_ledger_does_not_depend_on_the_blocks_in_which_it_reads(wanted, sizes):
    """Entry by entry, and in blocks of any sizes: the same state of every evaluation."""
    told: set[tuple[int, int]] = set()
    entries = []
    for design, kind, number in wanted:
        if (kind in ("ask", "tell", "fail", "release")) == ((design, number) in told):
            continue  # only what is not told is handed out, told or failed; only what is told is corrected or withdrawn
        seq = len(entries) + 1
        values = f"{seq / 7!r},{-seq / 3!r}"
        numbers = {"ask": repr(100.0 + seq % 5), "tell": values, "correct": values}.get(kind, "")
        entries.append(Entry(seq, float(seq), kind, f"w{seq % 3}", f"{design}-{number}", numbers, ""))
        if kind == "tell":
            told.add((design, number))
        elif kind == "withdraw":
            told.discard((design, number))

    def state(blocks):
        ledger = Ledger(3, 2)
        for block in blocks:
            ledger.absorb(block)
        n = ledger.size
        order = sorted(range(n), key=lambda i: (ledger.stream[i], ledger.number[i]))
        return (
            ledger.seq,
            [(ledger.stream[i], ledger.number[i], *ledger.values[i], ledger.told_at[i]) for i in order],
            [ledger.workers[ledger.told_by[i]] for i in order],
            ledger.used.tolist(),
            ledger.fresh.tolist(),
            ledger.through.tolist(),
            sorted(ledger.leases.items()),
            sorted(ledger.loose),
            sorted(ledger.failures.items()),
            sorted((key, *value) for key, value in ledger.originals.items()),
            sorted(ledger.changes),
            ledger.withdrawn,
            sorted(ledger.withdrawals.items()),
            sorted((key, *map(tuple, values)) for key, values in ledger.discarded.items()),
            [[ledger.place(Identity(design, number)) >= 0 for number in range(7)] for design in range(3)],
            [sorted(ledger.reopened(now)) for now in (0.0, 102.0, 1000.0)],
            [[ledger.next_fresh(design, number) for number in range(7)] for design in range(3)],
        )

    blocks, start = [], 0
    while start < len(entries):
        size = sizes[len(blocks) % len(sizes)]
        blocks.append(entries[start : start + size])
        start += size
    one_by_one = state([[entry] for entry in entries])
    assert state(blocks) == one_by_one
    assert state([entries]) == one_by_one

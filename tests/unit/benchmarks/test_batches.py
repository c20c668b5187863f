"""Counts of failures are kept in batches, continued where they stopped, and added up."""

from __future__ import annotations

from benchmarks import lines
from benchmarks.batches import SIZE, Batch, Trial, counted, missing


def trial(cell: str, runs: int = 2 * SIZE + 10, controls: int = SIZE) -> Trial:
    """Every tenth run is wrong, and in the control every other."""
    return Trial(cell, lambda control: lambda run: run % (2 if control else 10) == 0, runs, controls)


def test_batches_are_kept_added_up_and_made_once(tmp_path):
    path, both = tmp_path / "batches.jsonl", (trial("a"), trial("b"))
    lines.fill(path, missing(both, []), 1.0)
    done = lines.read(path, Batch)
    assert [(batch.cell, batch.control, batch.first) for batch in done[:4]] == [
        ("a", False, 0),
        ("a", True, 0),
        ("b", False, 0),
        ("b", True, 0),
    ]
    assert counted(done, "a", False) == (2 * SIZE + 10, 11)
    assert counted(done, "b", True) == (SIZE, SIZE // 2)
    assert counted(done, "c", False) == (0, 0)
    assert list(missing(both, done)) == []
    assert [make() for make in missing(both, done[1:])] == done[:1]

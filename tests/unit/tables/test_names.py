"""Names of designs: equal hashes for equal names only, repetitions found on disk."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pyarrow
import pyarrow.parquet

from conewise.tables import names as naming
from conewise.tables.names import Labels, Repetitions, hashes_of

TEXTS = ["", "a", "b", "ab", "ba", "a\0", "\0", "ä", "𝛽", "x" * 300, "d1", "d10", "1", "01"]


def test_hashes_are_equal_for_equal_names_only_and_in_every_process():
    found = hashes_of(TEXTS)
    assert len(set(found.tolist())) == len(TEXTS)
    column = pyarrow.array(["skipped", *TEXTS])[1:]
    for kind in (pyarrow.string(), pyarrow.large_string()):
        np.testing.assert_array_equal(hashes_of(Labels(naming.ArrowTexts(column.cast(kind)))), found)
    encoded = naming.ArrowTexts(column.dictionary_encode())
    np.testing.assert_array_equal(hashes_of(Labels(encoded)), found)
    code = f"from conewise.tables.names import hashes_of; print(hashes_of({TEXTS!r}).tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == found.tolist()
    assert len(hashes_of([])) == len(hashes_of(Labels(naming.ArrowTexts(pyarrow.array([], pyarrow.string()))))) == 0
    assert len(set(hashes_of([f"design {k}" for k in range(50_000)]).tolist())) == 50_000


def test_repetitions_are_found_in_buckets_on_disk(monkeypatch):
    monkeypatch.setattr(naming, "HELD", 1000)
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2**64, size=20_000, dtype=np.uint64)
    values[15_000:15_040] = values[:40]
    files = []
    temporary = naming.tempfile.TemporaryFile
    monkeypatch.setattr(naming.tempfile, "TemporaryFile", lambda: files.append(temporary()) or files[-1])
    repetitions = Repetitions()
    try:
        for part in np.array_split(values, 70):
            repetitions.add(part)
        assert set().union(*repetitions.suspects()) == set(values[:40].tolist())
        assert len(files) == 64
        assert all(file.tell() > 0 for file in files)  # every bucket has its share
    finally:
        repetitions.close()
    assert all(file.closed for file in files)

"""Studies: replay of a million evaluations, and tells beside Optuna's journal and database on the same disk.

Replay is CPU time; telling waits for the disk, so it is wall time. Optuna lives in the peers' environment; without it
our own figures stand alone. Its journal file and its SQLite database do as many asks and tells of two objectives as
ours, one at a time, with the sampler that costs least; all three are on disk before a tell returns.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import conewise as cw
from benchmarks.measure import PEERS_PYTHON, Row, cpu_seconds, duration, speed_up, stated
from conewise.studies.journal import Entry

EVALUATIONS = 10**6
DESIGNS = 100
TELLS = 500
BATCH = 50


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        for batch in (BATCH, 1):
            path = Path(folder) / f"replay{batch}.db"
            written = _write(path, batch)
            seconds = min(cpu_seconds(lambda path=path: _replay(path)) for _ in range(2))
            case = f"replay of 10^6 evaluations, {batch} a tell ({written} entries), answer included"
            yield stated(case, seconds, "s", below=10)
        yield from _tells(Path(folder))


def _create(path: Path, each: int) -> cw.Study:
    options = {"evaluations_each": each}
    noise = cw.noise.Gaussian(1.0)
    return cw.Study.create(
        path, designs=DESIGNS, cone=cw.Cone.orthant(2), epsilon=0.1, delta=0.05, noise=noise, options=options
    )


def _write(path: Path, batch: int) -> int:
    """A finished study, written without asking; every evaluation is asked for and told. How many entries it has."""
    rng = np.random.default_rng(0)
    order = np.arange(EVALUATIONS)
    identities = [f"{d}-{n}" for d, n in zip(order % DESIGNS, order // DESIGNS, strict=True)]
    values = rng.standard_normal((EVALUATIONS, 2))
    seq = 0
    with _create(path, EVALUATIONS // DESIGNS) as study, study._journal.locked():
        for start in range(0, EVALUATIONS, batch):
            names = ",".join(identities[start : start + batch])
            numbers = ",".join(map(repr, values[start : start + batch].ravel().tolist()))
            now = 1.7e9 + start
            asked = Entry(seq + 1, now, "ask", "w", names, repr(now + 3600), "")
            study._journal.append([asked, Entry(seq + 2, now + 1, "tell", "w", names, numbers, "")])
            seq += 2
    return seq


def _replay(path: Path) -> None:
    with cw.Study.open(path, read_only=True) as study:
        if not study.finished or study.result().evaluations != EVALUATIONS:
            raise RuntimeError("the replayed study is not the one that was written")


def _tells(folder: Path) -> Iterator[Row]:
    one, many, theirs = [], [], {"journal": [], "rdb": []}
    for turn in range(3):
        one.append(_ask_and_tell(folder / f"one{turn}.db", 1))
        many.append(_ask_and_tell(folder / f"many{turn}.db", BATCH))
        for kind, seconds in theirs.items():
            seconds += _peer(kind, folder / f"{kind}{turn}")
    case = f"{TELLS} asks and tells, one at a time ({TELLS / min(one):.0f} a second)"
    for kind, name in (("journal", "Optuna journal"), ("rdb", "Optuna SQLite")):
        if theirs[kind]:
            yield speed_up(case, (min(one), min(theirs[kind])), name)
        else:
            yield Row(case, duration(min(one)), f"{name} absent (make bench-peers)", "", "", None)
    case = f"{TELLS * BATCH} evaluations, {BATCH} a tell ({TELLS * BATCH / min(many):.0f} a second)"
    yield Row(case, duration(min(many)), "", "", "", None)


def _ask_and_tell(path: Path, batch: int) -> float:
    """Wall seconds; making the study is not timed, as with the peer."""
    with _create(path, -(-TELLS * batch // DESIGNS)) as study:
        start = time.perf_counter()
        for _ in range(TELLS):
            handed = study.ask(batch)
            study.tell(handed, np.ones((len(handed), 2)))
        return time.perf_counter() - start


def _peer(kind: str, path: Path) -> list[float]:
    """Wall seconds of Optuna; nothing where it is not installed."""
    if not PEERS_PYTHON.exists():
        return []
    script = Path(__file__).parent / "peers" / "optuna_tells.py"
    ran = subprocess.run([PEERS_PYTHON, script, kind, path, str(TELLS)], capture_output=True, text=True)
    return [] if ran.returncode else [float(ran.stdout)]

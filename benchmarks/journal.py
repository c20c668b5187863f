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
from benchmarks.measure import PEERS_PYTHON, Row, alone, cpu_seconds, speed_up, stated
from conewise.studies.storage.journal import Entry

EVALUATIONS = 10**6
DESIGNS = 100
TELLS = 200
BATCH = 50
TURNS = 2
PATIENCE = 40.0
"""Seconds that one run of the peer may take: each of its tells waits for the disk, several times in its database."""


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        for batch in (BATCH, 1):
            path = Path(folder) / f"replay{batch}.db"
            written = _write(path, batch)
            seconds = cpu_seconds(lambda path=path: _replay(path))
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
    with _create(path, EVALUATIONS // DESIGNS) as study, study._reader.journal.locked():
        for start in range(0, EVALUATIONS, batch):
            names = ",".join(identities[start : start + batch])
            numbers = ",".join(map(repr, values[start : start + batch].ravel().tolist()))
            now = 1.7e9 + start
            asked = Entry(seq + 1, now, "ask", "w", names, repr(now + 3600), "")
            study._reader.journal.append([asked, Entry(seq + 2, now + 1, "tell", "w", names, numbers, "")])
            seq += 2
    return seq


def _replay(path: Path) -> None:
    with cw.Study.open(path, read_only=True) as study:
        if not study.finished or study.result().evaluations != EVALUATIONS:
            raise RuntimeError("the replayed study is not the one that was written")


def _tells(folder: Path) -> Iterator[Row]:
    one: list[float] = []
    many: list[float] = []
    theirs: dict[str, list[float | str]] = {"journal": [], "rdb": []}
    for turn in range(TURNS):
        one.append(_ask_and_tell(folder / f"one{turn}.db", 1))
        many.append(_ask_and_tell(folder / f"many{turn}.db", BATCH))
        for kind, found in theirs.items():
            if not any(isinstance(seconds, str) for seconds in found):
                found.append(_peer(kind, folder / f"{kind}{turn}"))
    case = f"{TELLS} asks and tells, one at a time ({TELLS / min(one):.0f} a second)"
    for kind, name in (("journal", "Optuna journal"), ("rdb", "Optuna SQLite")):
        times = [seconds for seconds in theirs[kind] if not isinstance(seconds, str)]
        if times:
            yield speed_up(case, (min(one), min(times)), name)
        else:
            yield alone(case, min(one), f"{name} {theirs[kind][0]}", name)
    case = f"{TELLS * BATCH} evaluations, {BATCH} a tell ({TELLS * BATCH / min(many):.0f} a second)"
    yield alone(case, min(many))


def _ask_and_tell(path: Path, batch: int) -> float:
    """Wall seconds; making the study is not timed, as with the peer."""
    with _create(path, -(-TELLS * batch // DESIGNS)) as study:
        start = time.perf_counter()
        for _ in range(TELLS):
            handed = study.ask(batch)
            study.tell(handed, np.ones((len(handed), 2)))
        return time.perf_counter() - start


def _peer(kind: str, path: Path) -> float | str:
    """Wall seconds of Optuna, or why there are none."""
    if not PEERS_PYTHON.exists():
        return "absent (make bench-peers)"
    script = Path(__file__).parent / "peers" / "optuna_tells.py"
    command = [str(PEERS_PYTHON), str(script), kind, str(path), str(TELLS)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"did not end in {PATIENCE:g} s"
    if ran.returncode:
        return "absent (make bench-peers)" if "ModuleNotFoundError" in ran.stderr else "failed"
    return float(ran.stdout)

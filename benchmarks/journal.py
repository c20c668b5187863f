"""Studies: replay of a million evaluations, and tells beside Optuna's journal and database on the same disk.

Run it alone with `python -m benchmarks.journal`. Replay is CPU time; telling waits for the disk, so it is wall time.
Optuna lives in the peers' environment; without it our own figures stand alone. Its journal file and its SQLite database
do as many asks and tells of two objectives as ours, one at a time, with the sampler that costs least.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import conewise as cw
from benchmarks.measure import Row, cpu_seconds, duration, speed_up, stated
from benchmarks.pareto import VOPY_PYTHON as PEERS_PYTHON
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
    one = min(_seconds(lambda n=n: _ask_and_tell(folder / f"one{n}.db", 1)) for n in range(3))
    many = min(_seconds(lambda n=n: _ask_and_tell(folder / f"many{n}.db", BATCH)) for n in range(3))
    case = f"{TELLS} asks and tells, one at a time, each durable"
    found = False
    for kind in ("journal", "rdb"):
        theirs = _peer(kind, folder)
        if theirs is not None:
            found = True
            yield speed_up(case, (one, theirs), f"Optuna {kind}")
    if not found:
        yield Row(case, duration(one), "Optuna absent", f"{TELLS / one:.0f} a second", "", None)
    total = TELLS * BATCH
    yield Row(f"{total} evaluations, {BATCH} a tell", duration(many), "", f"{total / many:.0f} a second", "", None)


def _ask_and_tell(path: Path, batch: int) -> None:
    with _create(path, -(-TELLS * batch // DESIGNS)) as study:
        for _ in range(TELLS):
            handed = study.ask(batch)
            study.tell(handed, np.ones((len(handed), 2)))


def _seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _peer(kind: str, folder: Path) -> float | None:
    """Wall seconds of Optuna, the least of three; None where it is not installed."""
    if not PEERS_PYTHON.exists():
        return None
    script = Path(__file__).parent / "peers" / "optuna_tells.py"
    seconds = []
    for number in range(3):
        command = [PEERS_PYTHON, script, kind, str(folder / f"{kind}{number}"), str(TELLS)]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            return None
        seconds.append(float(ran.stdout))
    return min(seconds)


if __name__ == "__main__":
    for row in rows():
        print(
            f"{row.case:<78} {row.ours:>9}  {row.peer:<24} {row.ratio:>18}  {row.target:<10} {row.verdict}", flush=True
        )

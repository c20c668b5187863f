"""Studies with known answers, and what processes do to them; run as a script it forks, kills and fills up disks.

An evaluation's values depend on its seed alone, so that every order of events must lead to the same study.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import conewise as cw
from conewise.data.observations import Observations
from conewise.errors import ConewiseError
from conewise.noise import Gaussian
from conewise.studies.evaluations import seed_of
from conewise.studies.ledger import Ledger
from conewise.studies.spec import Specification
from conewise.studies.storage.chain import checksums, seal_of

MEANS = np.array([[1.0, 0.2], [0.2, 1.0], [0.5, 0.5], [0.7, 0.7], [0.1, 0.1], [0.9, 0.1]])
SIGMA = 0.5
BASICS = {
    "designs": ["a", "b", "c", "d", "e", "f"],
    "cone": cw.Cone.orthant(2),
    "epsilon": 0.3,
    "delta": 0.05,
    "noise": Gaussian(SIGMA),
    "objectives": ["gain", "cost"],
    "minimise": ["cost"],
    "seed": 7,
}


class Clock:
    """Time as the test wants it."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def make(where, **changes):
    """A study of six designs; about 300 evaluations unless changed."""
    return cw.Study.create(where, **(BASICS | changes))


def value_of(design, seed):
    """What an evaluation gives, in the user's sign."""
    drawn = MEANS[design % len(MEANS)] + SIGMA * np.random.default_rng(seed).standard_normal(2)
    return drawn * [1, -1]


def values_of(batch):
    """Of all objectives, or of the one that each evaluation is about."""
    if batch and batch[0].objective is not None:
        return np.array([value_of(e.design, e.seed)[e.identity.objective] for e in batch])
    return np.array([value_of(e.design, e.seed) for e in batch]).reshape(len(batch), 2)


def reference(study):
    """The answer of a plain loop that knows nothing of journals, leases and processes."""
    algorithm = Specification.from_json(study.journal.header).build()
    state, counts = algorithm.start(), np.zeros(study.n_designs * 2, dtype=int)
    while (pulls := algorithm.ask(state)).total:
        designs = np.repeat(pulls.designs, pulls.counts)
        values = []
        for design in designs.tolist():
            values.append(_told(study, design, int(counts[design])))
            counts[design] += 1
        state = algorithm.tell(state, Observations.single(designs, np.array(values)))
    return algorithm.recommend(state)


def _told(study, stream, number):
    """What the algorithm is told: of a design, or of one objective of it where these are measured separately."""
    if not study.separate:
        return value_of(stream, seed_of(study.seed, stream, number, 0)) * study.question.signs
    design, d = divmod(stream, 2)
    return [value_of(design, seed_of(study.seed, design, number, 0, d))[d] * study.question.signs[d]]


def same(first, second):
    """Whether two results agree to the last bit."""
    return (
        first.pareto.tolist() == second.pareto.tolist()
        and first.status.tolist() == second.status.tolist()
        and first.counts.tolist() == second.counts.tolist()
        and first.means.tobytes() == second.means.tobytes()
        and first.certified_epsilon == second.certified_epsilon
        and str(first.guarantee) == str(second.guarantee)
    )


def digest(study):
    """Everything folded from the journal, in one short text."""
    told, result = study.evaluations(), study.result()
    parts = (told.design, told.number, told.values, told.told_at, study.used())
    parts += (result.means, result.counts, result.pareto)
    text = hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))
    status = study.status()
    ends = [entry.seq for entry in study.log(1)]
    text.update(repr((ends, told.worker, status.failures, status.failed, status.waiting)).encode())
    return text.hexdigest()


def ledger_of(study):
    """What the study's journal says of the evaluations, read anew."""
    asked = Specification.from_json(study.journal.header)
    ledger = Ledger(asked.n_designs, asked.dim, asked.separate)
    ledger.absorb(study.log())
    return ledger


def finish(study, n=50, worker=""):
    """Evaluate what is asked for until nothing is; how many were stored."""
    stored = 0
    while not (batch := study.ask(n, worker=worker)).finished:
        if batch:
            stored += study.tell(batch, values_of(batch)).stored
        else:
            time.sleep(0.002)  # everything is in others' hands
    return stored


def reseal(path):
    """Checksums that fit a file which somebody has changed by hand: what it says is judged by its sense then."""
    file = sqlite3.connect(path)
    for study, name, header in file.execute("SELECT id, name, header FROM studies").fetchall():
        tail = (0, seal_of(name, header))
        file.execute("UPDATE studies SET seal = ? WHERE id = ?", (tail[1], study))
        for row in file.execute("SELECT * FROM journal WHERE study = ? ORDER BY seq", (study,)).fetchall():
            with contextlib.suppress(ValueError):  # a time that is none
                tail = (row[1], checksums(tail[1], [row[1:8]])[0])
            file.execute("UPDATE journal SET checksum = ? WHERE study = ? AND seq = ?", (tail[1], study, row[1]))
        file.execute("UPDATE tails SET seq = ?, checksum = ? WHERE study = ?", (*tail, study))
    file.commit()
    file.close()


def older(path):
    """A file as a conewise without checksums has made it."""
    file = sqlite3.connect(path, isolation_level=None)
    for statement in (
        "BEGIN",
        "ALTER TABLE studies DROP COLUMN seal",
        "ALTER TABLE journal DROP COLUMN checksum",
        "DROP TABLE tails",
        "PRAGMA user_version = 1",
        "COMMIT",
        "PRAGMA wal_checkpoint(TRUNCATE)",
    ):
        file.execute(statement).fetchall()
    file.close()


def run_script(*arguments):
    """What this file says when it is run with these arguments, in a process of its own."""
    script = [sys.executable, "-W", "error", __file__, *map(str, arguments)]
    ran = subprocess.run(script, capture_output=True, text=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


# -- as a script: what needs processes of its own ---------------------------------------------------------------------


def crowd(where, workers, batch):
    """So many processes ask and tell at once; what each has stored, and the state that each has seen at the end."""
    with cw.Study.open(where) as study:
        reference(study)  # what is computed once is inherited
    reports = []
    for number in range(int(workers)):
        read, write = os.pipe()
        if os.fork() == 0:
            try:
                os.close(read)
                with cw.Study.open(where) as study:
                    stored = finish(study, int(batch), worker=f"w{number}")
                    os.write(write, json.dumps([stored, digest(study)]).encode())
                os._exit(0)
            except BaseException as error:
                os.write(write, json.dumps(repr(error)).encode())
                os._exit(1)
        os.close(write)
        reports.append(read)
    answers = []
    for read in reports:
        with os.fdopen(read) as pipe:
            answers.append(json.loads(pipe.read()))
        os.wait()
    return answers


def kill(where, times, seed):
    """Kill a process that tells in a loop, again and again, at random moments; then let one finish.

    The child writes what it has told to a pipe after each `tell` returned. After every kill a fresh look at the file
    must find exactly what was acknowledged, and at most the one evaluation that was being told when the signal came.
    """
    rng = random.Random(int(seed))
    with cw.Study.open(where) as study:
        expected = reference(study)  # and what is computed once is inherited by the children
    acknowledged: set[str] = set()
    kills = unheard = 0
    first = usual = 0.05  # seconds to the first acknowledgement, and between two of them; measured as we go
    while kills < int(times):
        read, write = os.pipe()
        started = time.perf_counter()
        child = os.fork()
        if child == 0:
            os.close(read)
            with cw.Study.open(where) as study:
                study.release([lease.evaluation for lease in study.leases()])  # of those who were killed before
                while batch := study.ask(1):
                    study.tell(batch, values_of(batch))
                    os.write(write, (" ".join(batch.ids) + "\n").encode())
            os._exit(0)
        os.close(write)
        pipe = os.fdopen(read)
        said = []
        for number in range(rng.randrange(4)):
            said.append(pipe.readline())
            now = time.perf_counter()
            if number == 0:
                first = 0.8 * first + 0.2 * (now - started)
            else:
                usual = 0.8 * usual + 0.2 * (now - started)
            started = now
        time.sleep(1.5 * rng.random() * (usual if said else first))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        said += pipe.read().split("\n")
        pipe.close()
        if not os.WIFSIGNALED(status):
            return {"over after": kills}
        kills += 1
        acknowledged.update(name for line in said if line for name in line.split())
        with cw.Study.open(where, read_only=True) as study:
            told = study.evaluations()
            found = told.ids
            if len(set(found)) != len(found) or not acknowledged <= set(found):
                return {"lost": sorted(acknowledged - set(found)), "doubled": len(found) - len(set(found))}
            extra = set(found) - acknowledged
            if len(extra) > 1:
                return {"never told": sorted(extra)}
            unheard += bool(extra)
            acknowledged |= extra  # durable, though nobody was there to hear of it
            if not np.array_equal(told.values, drawn(study.seed, told), equal_nan=True):
                return {"changed": True}
    with cw.Study.open(where) as study:
        study.release([lease.evaluation for lease in study.leases()])
        finish(study)
        return {
            "kills": kills,
            "unheard": unheard,
            "evaluations": len(study.evaluations()),
            "same": same(study.result(), expected),
        }


def drawn(seed, told):
    """What must have been told of these evaluations; NaN where an objective was not measured."""
    which = [None] * len(told) if told.which is None else told.which.tolist()
    each = list(zip(told.design.tolist(), told.number.tolist(), which, strict=True))
    values = np.array([value_of(d, seed_of(seed, d, n, 0, o)) for d, n, o in each]).reshape(-1, 2)
    if told.which is not None:
        values[np.arange(len(values)), 1 - told.which] = np.nan
    return values


def birth(folder, times, seed):
    """Kill a process that makes a study: there is a whole one or none, which can then be made; how many there are."""
    rng = random.Random(int(seed))
    there = 0
    for number in range(int(times)):
        path = Path(folder) / f"{number}.db"
        quick = {"options": {"evaluations_each": 2}}
        child = os.fork()
        if child == 0:
            make(path, **quick).close()
            time.sleep(60)
            os._exit(0)
        time.sleep(rng.random() * 0.04)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with cw.Study.open(path) if path.exists() else make(path, **quick) as study:
            there += finish(study) == 12
    return there


def full(where):
    """Tell until the disk is full, then make room: what was acknowledged is there, and the study goes on."""
    import resource

    with cw.Study.open(where) as study:
        log = Path(f"{where}-wal")
        first = study.ask(1)
        study.tell(first, values_of(first))
        resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + 9000, resource.RLIM_INFINITY))
        acknowledged, sentence = list(first.ids), ""
        try:
            while batch := study.ask(20):
                study.tell(batch, values_of(batch))
                acknowledged += batch.ids
        except ConewiseError as error:
            sentence = str(error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        before = study.evaluations().ids
        study.release([lease.evaluation for lease in study.leases()])
        finish(study)
        return {
            "sentence": sentence,
            "kept": set(before) == set(acknowledged),
            "same": same(study.result(), reference(study)),
        }


def no_room(where, killed):
    """Read and export a study where there is no room for the index of its log, and write again where there is.

    Whoever wrote it was killed, so that all is in the log, or has closed it.
    """
    import resource

    path, writer, unlimited = Path(where), os.fork(), resource.RLIM_INFINITY
    if writer == 0:
        study = make(path)
        for _ in range(20):
            batch = study.ask(10)
            study.tell(batch, values_of(batch))
        if not int(killed):
            study.close()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(writer, 0)
    for index in path.parent.glob("*-shm"):
        index.unlink()
    log = sum(file.stat().st_size for file in path.parent.glob("*-wal"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_000, unlimited))
    sentence = ""
    with cw.Study.open(path, read_only=True) as reader:
        told, rows = reader.status().evaluations, reader.export(path.parent / "told.csv")
        try:
            cw.Study.open(path)
        except ConewiseError as error:
            sentence = str(error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (unlimited, unlimited))
        with cw.Study.open(path) as study:
            study.record(["a"], [[1, 2]])
            return {
                "log": log,
                "told": told,
                "rows": rows,
                "sentence": sentence,
                "seen": [reader.status().evaluations, study.status().evaluations],
            }


def unwritable(where):
    """What someone who may only read the file meets."""
    path = Path(where)
    with cw.Study.open(path) as study:  # loads whatever is loaded late, while this is still allowed
        study.result()
    path.chmod(0o444)
    path.parent.chmod(0o555)
    if os.geteuid() == 0:  # nothing is read-only to root
        os.setgid(65534)
        os.setuid(65534)
    sentences = []
    for act in (
        lambda: cw.Study.open(path).ask(),
        lambda: cw.Study.open(path, read_only=True).ask(),
        lambda: make(path.with_name("other.db")),
        lambda: make(path, name="second"),
        lambda: cw.Study.open(path, read_only=True).export(path.with_name("table.csv")),
    ):
        try:
            act()
            sentences.append("")
        except ConewiseError as error:
            sentences.append(str(error))
    with cw.Study.open(path, read_only=True) as study:
        return {"sentences": sentences, "evaluations": study.status().evaluations}


if __name__ == "__main__":
    act = {"crowd": crowd, "kill": kill, "birth": birth, "full": full, "no_room": no_room, "unwritable": unwritable}[
        sys.argv[1]
    ]
    print(json.dumps(act(*sys.argv[2:])))

"""One machine outgrown: a study in PostgreSQL, 16 workers, and everything that can die dies on the way.

    python -m benchmarks.outgrown --folder /data/outgrown --designs 1000000 --each 10

The study lives in a server of its own in `--folder`; run again, it goes on where it was. While it runs, workers are
killed, the server is ended as a power failure ends it and started again, and the process that hands out and stores is
killed with `kill -9` and started again, each as often as told. At the end every design must have as many evaluations as
were asked for, their averages must be those of the same evaluations made again here, and so must the Pareto set.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import conewise as cw
from benchmarks.footprint import peak_mebibytes
from conewise.studies.evaluations import seed_of

NAME, SEED, BATCH = "outgrown", 7, 1000
CHECKED = 2000  # designs whose averages are computed again
DONE = "told"  # what the runner says last


def truth(design: int) -> tuple[float, float]:
    """Two objectives that pull apart: designs lie within a disc, spread evenly by the golden angle."""
    radius, angle = ((design * 0.7548776662) % 1) ** 0.5, design * 2.399963229728653
    return radius * float(np.cos(angle)), radius * float(np.sin(angle))


def evaluate(design: dict[str, Any], seed: int) -> list[float]:
    """One noisy evaluation, from its seed alone: the noise is two uniform numbers, cheap and the same everywhere."""
    x, y = truth(int(design["name"]))
    return [x + (seed % 10_007) / 10_007 - 0.5, y + (seed // 10_007 % 10_007) / 10_007 - 0.5]


def main() -> None:
    options = _arguments()
    folder = options.folder.resolve()
    if options.run:
        _run(options)
        return
    folder.mkdir(parents=True, exist_ok=True)
    began, server = time.monotonic(), _server(folder)
    address = server.get_uri()
    if not (folder / "created").exists():
        facts = {"cone": cw.Cone.orthant(2), "epsilon": 0.5, "delta": 0.05, "noise": cw.noise.Gaussian(0.3)}
        rule = {"algorithm": "naive", "options": {"evaluations_each": options.each}}
        cw.Study.create(address, name=NAME, designs=options.designs, **facts, **rule, seed=SEED).close()
        (folder / "created").touch()
    deaths = _until_done(options, server, address)
    seconds = time.monotonic() - began
    print(json.dumps(report(address, options, seconds, deaths)))
    server.cleanup()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, required=True, help="where the server keeps its data; short, and kept")
    parser.add_argument("--designs", type=int, default=10**6)
    parser.add_argument("--each", type=int, default=10, help="evaluations of every design")
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two deaths")
    parser.add_argument("--deaths", type=int, default=9, help="a worker, the server and the runner in turn")
    parser.add_argument("--run", metavar="ADDRESS", help=argparse.SUPPRESS)
    return parser.parse_args()


# -- the runner, a process of its own --------------------------------------------------------------------------------


def _run(options: argparse.Namespace) -> None:
    """Hand out, evaluate in processes, store, until nothing is open."""
    with cw.Study.open(options.run, name=NAME) as study:
        opened = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        report = cw.run_study(study, "benchmarks.outgrown:evaluate", jobs=options.workers, batch=BATCH)
        if not report.finished:
            raise SystemExit(report.stopped_because)
        own = resource.getrusage(resource.RUSAGE_SELF)
        theirs = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(
            json.dumps(
                {
                    DONE: report.told,
                    "replay_seconds": opened,
                    "runner_cpu": own.ru_utime + own.ru_stime,
                    "workers_cpu": theirs.ru_utime + theirs.ru_stime,
                    "runner_mib": peak_mebibytes(),
                }
            )
        )


def _until_done(options: argparse.Namespace, server: Any, address: str) -> dict[str, Any]:
    """Start the runner, again whenever it was killed; a death every so often, in turn."""
    command = [sys.executable, "-m", "benchmarks.outgrown", "--folder", str(options.folder), "--run", address]
    command += ["--workers", str(options.workers)]
    died = {"workers": 0, "servers": 0, "runners": 0}
    kinds = ["workers", "servers", "runners"]
    while True:
        runner = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        while sum(died.values()) < options.deaths and runner.poll() is None:
            time.sleep(options.every)
            kind = kinds[sum(died.values()) % len(kinds)]
            if runner.poll() is None and _die(kind, runner, server):
                died[kind] += 1
                print(f"{time.strftime('%X')} a death: {kind[:-1]}", file=sys.stderr, flush=True)
        said, _ = runner.communicate()
        if runner.returncode == 0:
            return {"deaths": died, **json.loads(said.splitlines()[-1])}
        if runner.returncode != -signal.SIGKILL:
            raise SystemExit(f"the runner ended by itself, with {runner.returncode}")


def _die(kind: str, runner: subprocess.Popen[str], server: Any) -> bool:
    """Whether there was someone to kill."""
    if kind == "runners":
        runner.send_signal(signal.SIGKILL)
        runner.wait()
        return True
    if kind == "servers":
        os.kill(server.get_pid(), signal.SIGQUIT)  # at once, without a word to anybody: as after a power failure
        while (Path(server.pgdata) / "postmaster.pid").exists():
            time.sleep(0.1)
        server.ensure_postgres_running()
        return True
    children = Path(f"/proc/{runner.pid}/task/{runner.pid}/children").read_text().split()
    workers = [pid for pid in children if b"spawn" in Path(f"/proc/{pid}/cmdline").read_bytes()] or children
    if workers:
        os.kill(int(workers[len(workers) // 2]), signal.SIGKILL)
    return bool(workers)


# -- what came out -----------------------------------------------------------------------------------------------------


def report(address: str, options: argparse.Namespace, seconds: float, ran: dict[str, Any]) -> dict[str, Any]:
    """Replay the journal, check it against evaluations made here, and say what it took."""
    began = time.process_time()
    with cw.Study.open(address, name=NAME, read_only=True) as study:
        result = study.result()
        replayed = time.process_time() - began
        if not study.finished or not (result.counts == options.each).all():
            raise SystemExit("some design has not as many evaluations as were asked for")
        own = np.random.default_rng(0).choice(options.designs, min(CHECKED, options.designs), replace=False)
        for design in own.tolist():
            again = _averages(design, options.each)
            if not np.isclose(again, result.means[design], rtol=0, atol=1e-9).all(axis=1).any():
                raise SystemExit(f"design {design} has {result.means[design]}, where {again[0]} was expected")
        if not np.array_equal(result.pareto, cw.pareto_mask(result.means, cw.Cone.orthant(2))):
            raise SystemExit("the answer is not the Pareto set of the averages")
    return {
        "designs": options.designs,
        "evaluations": int(result.evaluations),
        "workers": options.workers,
        "seconds": round(seconds, 1),
        "returned": len(result.indices),
        "answer_seconds": round(replayed, 1),
        "answer_mib": round(peak_mebibytes()),
        **{name: round(value, 1) if isinstance(value, float) else value for name, value in ran.items()},
    }


def _averages(design: int, each: int) -> np.ndarray:
    """(1 + each, 2): what the average must be, and with a second attempt at one evaluation: a worker died of the first.

    Attempts that nobody knows to be the cause of a death are made again with the same seed.
    """
    first, second = (
        np.array([evaluate({"name": str(design)}, seed_of(SEED, design, n, attempt)) for n in range(each)])
        for attempt in (0, 1)
    )
    return np.vstack([first.mean(axis=0), first.mean(axis=0) + (second - first) / each])


def _server(folder: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where the system has no folder for sockets, and finds another one
        import pgserver

        return pgserver.get_server(str(folder), cleanup_mode="stop")


if __name__ == "__main__":
    main()

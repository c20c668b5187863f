"""A laboratory: no function to call, results come late, some twice, one was wrong, and nothing runs in between."""

import random
import tempfile
from pathlib import Path

import conewise as cw

STRENGTH = {"steel A": 41.0, "steel B": 39.5, "alloy": 45.0, "cast": 30.0}
PRICE = {"steel A": 5.0, "steel B": 4.0, "alloy": 9.0, "cast": 4.2}


def measure(name):
    """Stands for an afternoon in the laboratory."""
    return [random.gauss(STRENGTH[name], 1.0), random.gauss(PRICE[name], 0.1)]


random.seed(4)
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "steels.db"
    cw.Study.create(
        file,
        designs=list(STRENGTH),
        objectives=["strength", "price"],
        minimise=["price"],
        cone=cw.Cone.parse("orthant:2"),
        epsilon=0.5,
        delta=0.05,
        noise=cw.noise.Gaussian([1.0, 0.1]),  # standard deviations, as you know your instruments
    ).close()

    # Monday: ask for six evaluations; each has an id, and is yours for a week.
    with cw.Study.open(file) as study:
        batch = study.ask(6, worker="Marie", lease=7 * 86400)
        for evaluation in batch:
            print(f"to do: {evaluation.id} is {evaluation.name}")
        results = {evaluation.id: measure(evaluation.name) for evaluation in batch}

    # Thursday, another process: results arrive in any order, and some of them twice.
    with cw.Study.open(file) as study:
        late = sorted(results, reverse=True)
        study.tell(late[:4], [results[i] for i in late[:4]], worker="Marie")
        told = study.tell(late, [results[i] for i in late], worker="Marie")
        print(f"{told.stored} new, {told.repeated} were there already")

        # Somebody measured the alloy without being asked: welcome.
        study.record(["alloy"], [measure("alloy")], worker="Pierre")

        # A slip of the pen is corrected by a new entry; the journal keeps both, and every decision is made again.
        first = late[-1]
        study.correct(first, [results[first][0] + 1.0, results[first][1]], reason="the gauge was off by one")

    # From here on, until nothing is asked for any more; after a crash the same loop continues.
    with cw.Study.open(file) as study:
        while batch := study.ask(4, worker="Marie"):
            study.tell(batch, [measure(evaluation.name) for evaluation in batch])
        status = study.status()
        print(f"{status.evaluations} evaluations, {status.corrected} corrected, finished: {status.finished}")
        print("Pareto:", ", ".join(status.result.names(study.names)))
        print("worth:", status.result.guarantee)
        print("exported:", study.export(Path(folder) / "steels.csv"), "rows")

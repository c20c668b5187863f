"""Your own simulator: a Python function, evaluated in two processes, in a study that survives everything.

The same from a terminal, with the designs and the goal in a trial.toml:

    conewise study create trial.toml
    conewise study run trial.db --function simulator:evaluate --jobs 2
"""

import tempfile
from pathlib import Path

import numpy as np

import conewise as cw


def evaluate(design, seed):
    """An hour in a shop: the share of customers who wait less than 3 minutes, and what the counters cost (of 10).

    `design` is a row of the table below; `seed` is different for every evaluation and the same after a restart.
    """
    rng = np.random.default_rng(seed)
    free = np.zeros(design["counters"])  # when each counter will be free
    waits = []
    for arrival in np.cumsum(rng.exponential(1.0, size=60)):
        counter = free.argmin()
        start = max(arrival, free[counter])
        waits.append(start - arrival)
        free[counter] = start + rng.exponential(design["minutes"])
    return {"served": np.mean(np.array(waits) < 3), "cost": design["counters"] * design["wage"] / 10}


def main():
    """Which staff is worth it?"""
    designs = [
        {"name": f"{counters} x {kind}", "counters": counters, "minutes": minutes, "wage": wage}
        for counters in (1, 2, 3, 4)
        for kind, minutes, wage in (("novice", 2.5, 1.0), ("expert", 1.2, 1.3))
    ]
    with tempfile.TemporaryDirectory() as folder:
        study = cw.Study.create(
            Path(folder) / "shop.db",
            designs=designs,
            objectives=["served", "cost"],
            minimise=["cost"],
            cone=cw.Cone.orthant(2),
            epsilon=0.05,
            delta=0.05,
            noise=cw.noise.Bounded(0, 1),  # both lie there; nothing else is known of their distribution
            seed=1,
        )
        report = cw.run_study(study, evaluate, jobs=2)
        print(f"{report.told} evaluations, {report.failures} failures, finished: {report.finished}")

        result = study.result()
        for k, name in enumerate(study.names):
            served, cost = result.means[k] * [1, -1]  # larger is better inside: minimised objectives are negated
            print(f"  {name}: {result.status[k]}, served {served:.0%}, cost {cost:.2f}, {result.counts[k]} evaluations")
        print("worth:", result.guarantee)
        study.close()


if __name__ == "__main__":  # processes import this file, and must not start the run again
    main()

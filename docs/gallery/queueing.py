"""A queue simulator with common random numbers

Six ways to staff a service desk: more clerks, or trained clerks who are a fifth faster and cost more. A simulated day
gives the mean wait and what the day costs, overtime included. If every design meets the *same* days (the same arrivals,
the same work), a busy day is busy for all of them and drops out of the comparison.

The seed of a day is a block. With the same rule and the same values, days of their own (each design's days shuffled)
take several times the simulations. The values are simulated here, since a simulator is what is studied.
"""

import heapq

import numpy as np
from matplotlib import pyplot as plt

import conewise as cw

STAFF = {  # clerks, speed, wage an hour
    "4 clerks": (4, 1.0, 20),
    "4 trained": (4, 1.2, 26),
    "5 clerks": (5, 1.0, 20),
    "5 trained": (5, 1.2, 26),
    "6 clerks": (6, 1.0, 20),
    "6 trained": (6, 1.2, 26),
}
OPEN, DAYS = 480, 600  # minutes, and days that can be simulated


def day(seed: int, clerks: int, speed: float, wage: float) -> tuple[float, float]:
    """Minutes waited on average, and the cost of the day; negative, since larger is better."""
    rng = np.random.default_rng(seed)
    arrivals = np.cumsum(rng.exponential(2.5, 250))
    arrivals = arrivals[arrivals < OPEN]
    work = rng.exponential(8.5, len(arrivals)) / speed
    free, waited = [0.0] * clerks, 0.0
    for arrival, minutes in zip(arrivals, work, strict=True):
        begin = max(arrival, heapq.heappop(free))
        waited += begin - arrival
        heapq.heappush(free, begin + minutes)
    return -waited / len(arrivals), -clerks * wage * max(OPEN, *free) / 60


values = np.array([[day(seed, *staff) for seed in range(DAYS)] for staff in STAFF.values()])
shuffled = np.stack([np.random.default_rng(k).permutation(each) for k, each in enumerate(values)])

asked = {"cone": cw.Cone.orthant(2), "epsilon": 0.5, "delta": 0.05, "rng": 0}
objectives = [cw.Objective("wait", unit=1), cw.Objective("cost", unit=20)]  # a step is a minute, or 20 euros a day
normal = cw.noise.GaussianUnknown()  # a day adds up many customers: differences between days are about normal
together = cw.identify(cw.problems.Recorded(values, False, noise=normal), **asked, objectives=objectives)
apart = cw.identify(cw.problems.Recorded(shuffled, False, noise=normal), **asked, objectives=objectives)
names = list(STAFF)
print("the same days:    ", together.evaluations, "simulated days,", together.names(names))
print("days of their own:", apart.evaluations, "simulated days,", apart.names(names))
print(together.guarantee)

wait, cost = -values.mean(axis=1).T
figure, panel = plt.subplots(figsize=(7.2, 4.0), layout="constrained")
for k, name in enumerate(names):
    kept = bool(together.pareto[k])
    panel.scatter(-values[k, :60, 1], -values[k, :60, 0], s=5, color="#BFBFBF", linewidths=0)
    panel.scatter(cost[k], wait[k], s=45, color="#0072B2" if kept else "#D55E00", marker="o" if kept else "X", zorder=3)
    beside = (6, 5) if "trained" in name else (-14, -17)
    panel.annotate(name, (cost[k], wait[k]), beside, textcoords="offset points", fontsize=9)
panel.set(
    xlabel="cost of a day (smaller is better)",
    ylabel="minutes waited (smaller is better)",
    yscale="log",
    ylim=(0.02, 60),
)
panel.set_title("averages of 600 days: kept in blue, left out as orange crosses; grey: single days")

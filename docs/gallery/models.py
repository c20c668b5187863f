"""Choosing a language model

Twelve language models solved the same 225 programming exercises. What they passed, how long an exercise took and what
all of them cost is published, so for *these* exercises nothing is uncertain: it is a table of known values. By what the
models do alone, almost all of them remain. Two statements about what would be worth it leave five.

For other exercises totals say nothing. A second table has every task by itself: twenty agents, each a model with a
harness, did the same 31 tasks of the web framework Nuxt. Of each agent and task it is known whether the first attempt
passed, and the minutes and dollars of an attempt. A hard task is hard for all, so agents are compared task by task. On
these 31 tasks nothing is uncertain again, and nine agents are beaten by none.

*Tasks like these* are another matter. If the 31 are a random sample of them, two agents are shown (at 95 %) to be
beaten by none, and the other eighteen are undecided: 31 tasks are enough to tell most prices apart, and too few for
shares of right answers. The last lines estimate how many more it would take. Minutes and dollars are counted in powers
of two; so counted, differences between agents come much nearer to the normal ones that are assumed. And whether tasks
that somebody chose are a random sample of anything, no table can say.
"""

import csv
from math import log2
from pathlib import Path

from matplotlib import pyplot as plt

import conewise as cw


def table(name):
    with (Path(__file__).parent / "data" / name).open(encoding="utf-8") as file:
        return [
            {key: value if key in ("name", "model", "task") else float(value) for key, value in row.items()}
            for row in csv.DictReader(file)
        ]


# Totals, known
models = table("models.csv")
objectives = [cw.Objective("passed"), cw.Objective("seconds", "min"), cw.Objective("dollars", "min")]
columns = {"objectives": ["passed", "seconds", "dollars"], "minimise": ["seconds", "dollars"]}
undominated = cw.front(models, **columns)
print(f"{len(undominated)} of {len(models)} models are beaten by none, whatever a dollar or a second is worth")

said = cw.Preferences(objectives)
said = said.accepts(give={"dollars": 1}, get={"passed": 10})
said = said.accepts(give={"seconds": 10}, get={"passed": 10})
standing = cw.front(models, said.cone, **columns, everyone=True)
for row in sorted(standing, key=lambda row: -row["passed"]):
    by = f" by {row['by']}" if row["status"] == "beaten" else ""
    measured = f"{row['passed']:4.0f} passed {row['seconds']:6.1f} s {row['dollars']:6.2f} $"
    print(f"{row['name']:32} {measured}  {row['status']}{by}")

# Every task by itself
attempts = [
    {**row, "time": log2(row["seconds"] / 60), "cost": log2(row["dollars"])}  # in powers of two
    for row in table("agents.csv")
]
question = {
    "design": "model",
    "block": "task",
    "objectives": [
        cw.Objective("right", noise="binary"),
        cw.Objective("time", "min", noise="unknown"),
        cw.Objective("cost", "min", noise="unknown"),
    ],
    "delta": 0.05,
}
these = cw.analyse(attempts, **question, population="all")
like_these = cw.analyse(attempts, **question)

print(f"\n{'first attempts right, minutes, dollars':47} these 31  tasks like these")
agents = sorted(
    zip(these.names, these.means, these.result.status, like_these.result.status, strict=True),
    key=lambda agent: -agent[1][0],
)
for name, (right, time, cost), now, elsewhere in agents:
    print(f"{name:24} {right:5.0%} {2**time:6.1f} {2**cost:8.3f}  {now:8}  {elsewhere}")
print(like_these.result.guarantee)
for price in like_these.guess.prices:
    print(f"to decide all of it within epsilon = {price.epsilon}: about {price.remaining:,} attempts more")

figure, panels = plt.subplots(1, 3, figsize=(7.2, 5.2), sharey=True, layout="constrained")
for place, (_, (right, time, cost), now, elsewhere) in enumerate(reversed(agents)):
    colour = "#0072B2" if now == "kept" else "#BFBFBF"
    face = colour if elsewhere == "kept" else "none"
    for panel, value in zip(panels, (100 * right, 2**time, 2**cost), strict=True):
        panel.scatter(value, place, s=40, edgecolors=colour, facecolors=face, zorder=2)
panels[0].set_yticks(range(len(agents)), [agent[0] for agent in reversed(agents)])
panels[0].set(xlabel="% right at once\n(larger is better)", xlim=(0, 100))
panels[1].set(xlabel="minutes\n(smaller is better)", xscale="log", xticks=[3, 5, 10], xticklabels=["3", "5", "10"])
panels[2].set(xlabel="dollars\n(smaller is better)", xscale="log", xticks=[0.01, 0.1, 1, 10])
panels[2].set(xticklabels=["0.01", "0.1", "1", "10"])
for panel in panels:
    panel.minorticks_off()
    panel.grid(axis="y", color="#EEEEEE", zorder=0)
figure.suptitle("blue: beaten by none on these 31 tasks; filled: shown (at 95 %) for tasks like these", fontsize=9)

"""Choosing a language model

Twelve language models solved the same 225 programming exercises. What they passed, how long an exercise took and what
all of them cost is published, so for *these* exercises nothing is uncertain: it is a table of known values.

By what the models do alone, almost all of them remain. Two statements about what would be worth it leave five.
For other exercises than these 225 the table is a sample, and which model passed which exercise would have to be known
(`cw.analyse(..., block="exercise")` compares models exercise by exercise); the source does not say it.
"""

import csv
from pathlib import Path

from matplotlib import pyplot as plt

import conewise as cw

with (Path(__file__).parent / "data" / "models.csv").open(encoding="utf-8") as file:
    table = [
        {key: value if key == "name" else float(value) for key, value in row.items()} for row in csv.DictReader(file)
    ]
objectives = [cw.Objective("passed"), cw.Objective("seconds", "min"), cw.Objective("dollars", "min")]
columns = {"objectives": ["passed", "seconds", "dollars"], "minimise": ["seconds", "dollars"]}

undominated = cw.front(table, **columns)
print(f"{len(undominated)} of {len(table)} models are beaten by none, whatever a dollar or a second is worth")

said = cw.Preferences(objectives)
said = said.accepts(give={"dollars": 1}, get={"passed": 10})
said = said.accepts(give={"seconds": 10}, get={"passed": 10})
standing = cw.front(table, said.cone, **columns, everyone=True)
for row in sorted(standing, key=lambda row: -row["passed"]):
    by = f" by {row['by']}" if row["status"] == "beaten" else ""
    measured = f"{row['passed']:4.0f} passed {row['seconds']:6.1f} s {row['dollars']:6.2f} $"
    print(f"{row['name']:32} {measured}  {row['status']}{by}")

figure, panel = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
for row in standing:
    kept = row["status"] == "kept"
    panel.scatter(
        row["dollars"], row["passed"], s=3 * row["seconds"], alpha=0.6, color="#0072B2" if kept else "#BFBFBF"
    )
    panel.annotate(row["name"], (row["dollars"], row["passed"]), (6, 4), textcoords="offset points", fontsize=8)
panel.set(
    xlabel="dollars for 225 exercises (smaller is better)",
    ylabel="exercises passed (larger is better)",
    xlim=(-0.8, 23),
    ylim=(0, 165),
)
panel.set_title("kept in blue; the area of a point is the time for an exercise")

"""A laboratory plan with features

89 runs of a Suzuki coupling by Reizman, Wang, Buchwald and Jensen (2016): seven ligands at different residence times,
temperatures and catalyst loadings, each run with its yield and its turnover number. Some conditions were run several
times, most once; runs of the same conditions differ by about 7 per cent of yield. Conditions are designs, and their
four features say which of them are alike.

Suppose only the first 40 runs had been made: a model of the features says what they settle about all 74 conditions,
those never run included, and which runs to make next. The other runs, which it has not seen, are the check: judged by
the averages of all 89, the answer succeeds at the epsilon that was certified. It is 4.4 steps, or 22 per cent of yield;
for the 2 steps that were asked for 40 runs are too few. One assumption that the answer names does not quite hold, and
only the chemist can know: turnover is yield over loading, so the noise of the two is not independent.
"""

import csv
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

import conewise as cw

FEATURES = ["ligand", "seconds", "temperature", "loading"]
with (Path(__file__).parent / "data" / "suzuki.csv").open(encoding="utf-8") as file:
    runs = [
        {key: value if key == "ligand" else float(value) for key, value in row.items()} for row in csv.DictReader(file)
    ]
for run in runs:
    run["design"] = "{ligand} {seconds:g} s {temperature:g} C {loading:g} %".format(**run)
conditions = list({run["design"]: {key: run[key] for key in ("design", *FEATURES)} for run in runs}.values())

units = [cw.Objective("yield", unit=5), cw.Objective("turnover", unit=5)]  # a step is 5 per cent, or 5 turnovers
found = cw.analyse(
    runs[:40],
    cw.Cone.orthant(2),
    objectives=units,
    designs=conditions,
    features=FEATURES,
    epsilon=2.0,
    delta=0.1,
    noise=cw.noise.GaussianUnknown(),  # stated: runs of the same conditions differ by normal noise
)
print(f"{len(conditions)} conditions, {found.result.evaluations} runs; returned: {', '.join(found.result.names())}")
print(found.result.guarantee)
planned = found.next(4)
print("run next:", "; ".join(found.names[k] for k in planned.designs))
by_condition = [[(run["yield"], run["turnover"]) for run in runs if run["design"] == name] for name in found.names]
averages = np.array([np.mean(measured, axis=0) for measured in by_condition]) / 5  # in steps, of all runs
certified = found.result.certified_epsilon
print("judged by all runs:", cw.verdict(found.result.pareto, averages, cw.Cone.orthant(2), epsilon=certified))

figure, panel = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
returned = set(found.result.names())
for part, face in ((runs[:40], True), (runs[40:], False)):
    for run in part:
        colour = "#0072B2" if run["design"] in returned else "#999999"
        panel.scatter(run["yield"], run["turnover"], s=26, edgecolors=colour, color=colour if face else "none")
panel.set(xlabel="yield (%, larger is better)", ylabel="turnover number (larger is better)")
panel.set_title("filled: the 40 runs that were analysed; hollow: later ones; blue: returned")

"""Hyperparameters with cross-validation folds

Twelve settings of a decision tree on 1797 handwritten digits, each fitted on the same 50 folds (ten times five-fold
cross-validation): the accuracy on the part that was left out, and the number of leaves. A hard fold is hard for all
settings, so they are compared fold by fold.

With `population=True` the question is about these 50 folds, and only as many fits are read as are needed to settle it.
What holds for new images is another question, which folds that share their training data cannot settle with a
guarantee.
"""

import csv
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

import conewise as cw

with (Path(__file__).parent / "data" / "trees.csv").open(encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
names = list(dict.fromkeys(row["tree"] for row in rows))
values = np.array([[float(row["accuracy"]), -float(row["leaves"])] for row in rows]).reshape(len(names), -1, 2)

objectives = [cw.Objective("accuracy", unit=0.01), cw.Objective("leaves", unit=10)]
# Most settings limit the leaves, and have the same number in every fold: they are counted exactly (a step of 0).
noise = cw.noise.GaussianUnknown(resolution=[np.nan, 0])
recorded = cw.problems.Recorded(values, population=True, noise=noise)
result = cw.identify(recorded, cw.Cone.orthant(2), epsilon=1.0, delta=0.05, objectives=objectives, rng=0)
print(f"{result.evaluations} of {values.shape[0] * values.shape[1]} fits are enough")
for k, name in enumerate(names):
    print(f"{name:24} {result.counts[k]:3} folds  {result.status[k]}")
print(result.guarantee)
steps = values.mean(axis=1) / [0.01, 10]
print(cw.verdict(result.pareto, steps, cw.Cone.orthant(2), epsilon=1.0))  # all 600 fits are recorded, so check

figure, panel = plt.subplots(figsize=(7.2, 4.0), layout="constrained")
for k, name in enumerate(names):
    setting = name.split(", ")[1]
    colour = "#0072B2" if result.pareto[k] else "#BFBFBF"
    marker, size = {"images>=1": ("o", 70), "images>=4": ("s", 34), "images>=12": ("D", 34)}[setting]
    first = setting if k < 3 else None
    accuracy, leaves = values[k].mean(axis=0)
    panel.scatter(-leaves, accuracy, s=size, edgecolors=colour, facecolors="none", marker=marker, label=first)
panel.set(xlabel="leaves (smaller is better)", ylabel="accuracy on the fold left out (larger is better)")
panel.set_title("averages of 50 folds: kept in blue, covered in grey")
panel.legend(frameon=False, title="in every leaf")

"""How trees.csv was made, with scikit-learn (which the gallery itself does not need): `python record_trees.py`.

Decision trees on the 1797 handwritten digits that scikit-learn brings along, ten times five-fold cross-validation:
every candidate meets the same 50 folds. Accuracy is on the fold that was left out, leaves are those of the fitted tree.
"""

from __future__ import annotations

import csv
from pathlib import Path

from sklearn.datasets import load_digits
from sklearn.model_selection import RepeatedKFold
from sklearn.tree import DecisionTreeClassifier

images, digits = load_digits(return_X_y=True)
folds = list(RepeatedKFold(n_splits=5, n_repeats=10, random_state=0).split(images))
with (Path(__file__).parent / "trees.csv").open("w", newline="", encoding="utf-8") as file:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["tree", "fold", "accuracy", "leaves"])
    for most in (20, 40, 80, 160):
        for least in (1, 4, 12):
            tree = DecisionTreeClassifier(max_leaf_nodes=most, min_samples_leaf=least, random_state=0)
            for fold, (fit, test) in enumerate(folds):
                tree.fit(images[fit], digits[fit])
                accuracy = f"{tree.score(images[test], digits[test]):.4f}"
                rows.writerow([f"leaves<={most}, images>={least}", fold, accuracy, tree.get_n_leaves()])

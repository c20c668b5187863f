"""Runs of VOPy, one a question: which algorithm on which table, and what it returned.

A question has `rule` (an algorithm of VOPy), `points` and `features` (.npy files, larger is better), `variance` of the
noise, `epsilon`, `delta`, `seed`, `seconds` and, where the rule has one, the `contraction` of its radius: 32 is VOPy's
default. The order is componentwise; naive elimination needs its complexity, which VOPy knows of angles alone. VOPy
standardises what it is given, so the points come standardised. The answer has the evaluations (with a model, the one
with which it starts included), the returned designs, CPU seconds, and whether it ended within `seconds` of them.
"""

import time

import numpy as np
from serve import serve

WITH_MODEL = ("VOGP", "PaVeBaGP")


def load():
    import torch
    from vopy import algorithms
    from vopy.datasets import dataset
    from vopy.order import ComponentwiseOrder, ConeTheta2DOrder
    from vopy.utils import set_seed

    torch.set_num_threads(1)
    return algorithms, dataset, (ComponentwiseOrder, ConeTheta2DOrder), set_seed


def answer(vopy, question):
    algorithms, dataset, (componentwise, by_angle), set_seed = vopy
    points, features = np.load(question["points"]), np.load(question["features"])

    class Given(dataset.Dataset):
        _in_dim, _out_dim, _cardinality = features.shape[1], points.shape[1], len(points)

        def __init__(self):
            self.in_data, self.out_data = features.copy(), points.copy()
            super().__init__()

    dataset.Given = Given  # tables are looked up by name there
    set_seed(question["seed"])
    radius = {"conf_contraction": question["contraction"]} if question["contraction"] else {}
    order = [by_angle(90.0) if question["rule"] == "NaiveElimination" else componentwise(points.shape[1])]
    if question["rule"] == "Auer":  # which knows the componentwise order alone
        order = []
    told = question["epsilon"], question["delta"], "Given", *order, question["variance"]
    start = time.process_time()
    algorithm = getattr(algorithms, question["rule"])(*told, **radius)
    done = False
    while not done and time.process_time() - start < question["seconds"]:
        done = bool(algorithm.run_one_step())
    returned = sorted(int(i) for i in algorithm.P)
    return {
        "evaluations": int(algorithm.sample_count) + (question["rule"] in WITH_MODEL),
        "returned": returned,
        "seconds": time.process_time() - start,
        "ended": done,
    }


if __name__ == "__main__":
    serve(load, answer)

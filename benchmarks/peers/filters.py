"""Pareto filters of the peers on an .npy file: filters.py pymoo|paretoset|botorch|vopy, then one question a line.

A question has `points` (larger is better; facet values where a cone is meant, except for VOPy, which takes the cone's
`facets` and the points themselves). Only the filter is timed: tensors, signs and VOPy's cone are made before.
"""

import sys
from pathlib import Path

import numpy as np
from serve import serve, timed

_loaded = {}  # the points of the last question: they come back for every repeat


def pymoo():
    from pymoo.util.nds.non_dominated_sorting import find_non_dominated

    return lambda points, facets: (-points, find_non_dominated)


def paretoset():
    from paretoset import paretoset as mask

    mask(np.random.default_rng(0).random((8, 2)), sense=["max", "max"], distinct=False)  # compiled before it is timed
    return lambda points, facets: (points, lambda p: mask(p, sense=["max"] * p.shape[1], distinct=False))


def botorch():
    import torch
    from botorch.utils.multi_objective.pareto import is_non_dominated

    torch.set_num_threads(1)
    return lambda points, facets: (torch.from_numpy(points), lambda y: is_non_dominated(y, deduplicate=False).numpy())


def vopy():
    from vopy.order import PolyhedralConeOrder
    from vopy.ordering_cone import OrderingCone

    return lambda points, facets: (points, PolyhedralConeOrder(OrderingCone(np.array(facets))).get_pareto_set)


def answer(prepare, question):
    key = question["points"], str(question.get("facets"))
    if key not in _loaded:
        _loaded.clear()
        _loaded[key] = prepare(np.load(question["points"]), question.get("facets"))
    given, work = _loaded[key]
    seconds, found = timed(lambda: work(given))
    found = np.asarray(found)
    mask = found
    if found.dtype != bool:
        mask = np.zeros(len(given), dtype=bool)
        mask[found] = True
    path = str(Path(question["folder"]) / "mask.npy")
    np.save(path, mask)
    return {"seconds": seconds, "mask": path}


if __name__ == "__main__":
    serve({"pymoo": pymoo, "paretoset": paretoset, "botorch": botorch, "vopy": vopy}[sys.argv[1]], answer)

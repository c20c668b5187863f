"""Gaps and widths as cvxpy and VOPy compute them: solvers.py cvxpy|vopy, then one question a line.

`cover`: M(i, j) for each of the `differences` mu_i - mu_j; cvxpy gets one parametrised problem, compiled before the
clock starts, VOPy its own function. `delta`: VOPy's Delta* of `points`. `cone`: VOPy's cone with its alpha.
`beta`: VOPy's planar cone of so many degrees with its beta.
"""

import sys

import numpy as np
from serve import serve, timed


def cvxpy():
    import cvxpy

    return cvxpy


def vopy():
    from vopy import ordering_cone
    from vopy.utils import utils

    return utils, ordering_cone


def by_cvxpy(cp, question):
    facets, differences = np.array(question["facets"]), np.array(question["differences"])
    move, need = cp.Variable(facets.shape[1]), cp.Parameter(len(facets), nonneg=True)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(move)), [facets @ move >= need])

    def one(difference):
        need.value = np.maximum(facets @ difference, 0.0)
        problem.solve(solver=cp.CLARABEL)
        return float(np.linalg.norm(move.value))

    one(differences[0])  # compiled once
    seconds, found = timed(lambda: [one(difference) for difference in differences])
    return {"seconds": seconds, "values": found}


def by_vopy(modules, question):
    utils, ordering_cone = modules
    if question["what"] == "cone":
        facets = np.array(question["facets"])
        seconds, cone = timed(lambda: ordering_cone.OrderingCone(facets))
        return {"seconds": seconds, "values": cone.alpha.ravel().tolist()}
    if question["what"] == "beta":
        seconds, beta = timed(lambda: ordering_cone.ConeTheta2D(question["degrees"]).beta)
        return {"seconds": seconds, "values": [float(beta)]}
    facets = np.array(question["facets"])
    if question["what"] == "delta":
        points, alpha = np.array(question["points"]), np.array(question["alpha"])[:, None]
        seconds, found = timed(lambda: utils.get_delta(points, facets, alpha))
        return {"seconds": seconds, "values": np.ravel(found).tolist()}
    zero = np.zeros(facets.shape[1])
    pairs = np.array(question["differences"])
    seconds, found = timed(lambda: [float(utils.get_bigmij(difference, zero, facets)) for difference in pairs])
    return {"seconds": seconds, "values": found}


if __name__ == "__main__":
    serve(*{"cvxpy": (cvxpy, by_cvxpy), "vopy": (vopy, by_vopy)}[sys.argv[1]])

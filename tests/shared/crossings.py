"""First excess of a boundary by a Markov chain of normal errors, worked out naively."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr
from scipy.stats import norm

PANELS, PANEL = np.polynomial.legendre.leggauss(12)


def dense(edges: list[float] | np.ndarray, correlations: list[float] | np.ndarray) -> np.ndarray:
    """P(first excess at each look) by carrying the density of what stayed below on 600 nodes: naive, and exact.

    Panels of a fifth down to 10 standard deviations below each edge; nothing is put at 1, no tail is left out.
    """

    def grid(edge: float) -> tuple[np.ndarray, np.ndarray]:
        ends = edge - 0.2 * np.arange(51)[::-1]
        nodes = (ends[1:] + ends[:-1])[:, None] / 2 + np.diff(ends)[:, None] / 2 * PANELS
        return nodes.ravel(), (np.diff(ends)[:, None] / 2 * PANEL).ravel()

    nodes, weights = grid(edges[0])
    below, found = weights * norm.pdf(nodes), [norm.sf(edges[0])]
    for edge, rho in zip(edges[1:], correlations, strict=True):
        spread = math.sqrt(1 - rho**2)
        found.append(float(below @ ndtr((rho * nodes - edge) / spread)))
        onwards, weights = grid(edge)
        steps = np.exp(-0.5 * ((onwards[:, None] - rho * nodes[None, :]) / spread) ** 2) / spread
        nodes, below = onwards, weights * (steps @ below) / math.sqrt(2 * math.pi)
    return np.array(found)

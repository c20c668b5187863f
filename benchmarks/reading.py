"""How many blocks would be read by somebody who knows everything but must prove it: what stands in the way of fewer.

    python -m benchmarks.reading

The averages and the variances of all differences are known; every claim is looked at once, at the best moment, with the
tails of a normal law and the factor of a finite population. What is left is how claims share delta: evenly over pairs
and facets, as docs/blocks, 3, has it, or each with all of delta, which nothing proves. So it is what any certificate
that claims pair by pair could save at most, by better bounds for one pair.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from benchmarks import blocks
from conewise.border import Floats

DELTA = 0.05
HARD = (4, 5, 6)
"""Places in `blocks.MATRICES`: abilities that are close, and traded off."""


def blocks_until(z: float, variances: Floats, distances: Floats, population: int) -> Floats:
    """g with z sqrt(v (1/g - 1/Q)) = distance: Q where there is no distance."""
    with np.errstate(divide="ignore"):
        unlimited = z**2 * variances / np.maximum(distances, 0.0) ** 2
        return np.asarray(population / (1 + population / unlimited))


def share(values: Floats, epsilon: float, fine: float, out: float) -> float:
    """Of all calls, if claims "fine" and "covered" may spend so much each; every design by its cheaper way."""
    k, q, dim = values.shape
    means = values.mean(axis=1)
    gains = means[None] - means[:, None]
    variances = np.empty((k, k, dim))
    for d in range(dim):
        covariance = np.cov(values[:, :, d])
        own = np.diag(covariance)
        variances[:, :, d] = np.maximum(own[None] + own[:, None] - 2 * covariance, 1e-12)
    inward = blocks_until(float(norm.isf(fine)), variances, epsilon - gains, q).min(axis=2)
    outward = blocks_until(float(norm.isf(out)), variances, epsilon + gains, q).max(axis=2)
    outward[(gains + epsilon <= 0).any(axis=2)] = np.inf
    np.fill_diagonal(inward, 0.0)
    np.fill_diagonal(outward, np.inf)
    read = np.zeros(k)
    for i, rival in enumerate(outward.argmin(axis=1)):
        if outward[i, rival] < inward[i].max():
            read[[i, rival]] = np.maximum(read[[i, rival]], outward[i, rival])
        else:
            read = np.maximum(read, inward[i])
            read[i] = max(read[i], inward[i].max())
    return float(read.sum() / (k * q))


def main(matrices: int = 3) -> None:
    for place in HARD:
        shape, spread, traded = blocks.MATRICES[place]
        k, _, dim = shape
        for epsilon in (0.1, 0.02):
            found = []
            for number in range(matrices):
                rng = np.random.default_rng([blocks.SEED, *shape, number])
                values = blocks.matrix(shape, rng, spread=spread, traded=traded)
                shared = share(values, epsilon, DELTA / (k * dim), DELTA / (k * (k - 1) * dim))
                found.append((shared, share(values, epsilon, DELTA, DELTA)))
            shared, alone = np.mean(found, axis=0)
            print(f"{shape} {spread:g} {'traded off' if traded else ''} epsilon {epsilon:g}: {shared:.1%} {alone:.1%}")


if __name__ == "__main__":
    main()

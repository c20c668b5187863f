"""Compute averages and radii of paired differences of normal observations: Student's t (docs/blocks, section 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from conewise.border import Bools, Floats
from conewise.data.resolution import SAME


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences X_j - X_i of every pair (i, j) of K designs, on the blocks that both have met."""

    gains: Floats
    """(K, K, N): averages along the facets."""
    spreads: Floats
    """(K, K, N + 1): standard deviations along the facets, and along the noisiest direction; infinite if unknown."""
    slacks: Floats
    """(K, K, N + 1): how far averages may be off because values were rounded."""
    counts: Floats
    """(K, K): numbers of common blocks."""
    population: int | None

    @classmethod
    def of(cls, values: Floats, rows: Floats, steps: Floats, population: int | None) -> Differences:
        """Return the differences of values (K, T, D), NaN where a design lacks a block (docs/blocks, sections 5 and 6).

        The values were recorded in steps (D,), and are compared along rows (N, D).
        """
        met = np.asarray(~np.isnan(values).any(axis=2))
        there: Floats = met.astype(np.float64)
        counts = there @ there.T
        own = np.maximum(there.sum(axis=1), 1.0)[:, None]
        centres = np.where(met[:, :, None], values, 0.0).sum(axis=1) / own
        rest = np.where(met[:, :, None], values - centres[:, None, :], 0.0)
        few = np.maximum(counts, 1.0)
        off = np.stack([there @ part.T - part @ there.T for part in np.moveaxis(rest, 2, 0)], axis=2)
        means = centres[None, :, :] - centres[:, None, :] + off / few[:, :, None]
        scatters = _scatters(rest, there) - off[:, :, :, None] * off[:, :, None, :] / few[:, :, None, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            covariances = scatters / np.maximum(counts - 1, 0.0)[:, :, None, None]
        enough = counts > 1
        covariances[~enough] = 0.0
        squares = np.where(met[:, :, None], values, 0.0) ** 2
        still = ((rest**2).sum(axis=1) <= SAME**2 * squares.sum(axis=1)) & (steps > 0)
        never = np.isinf(steps) | (still[:, None] & still)
        spreads, slacks = _rounded(covariances, counts, rows, steps, never)
        spreads[~enough] = np.inf
        return cls(np.asarray(means @ rows.T), spreads, slacks, counts, population)

    def radii(self, share: Floats | float, scale: float) -> tuple[Floats, Floats]:
        """Return radii (K, K, N) along the facets and (K, K) along any unit direction (docs/blocks, section 5).

        An error reaches its radius with probability `share` at most; shares broadcast to the radii along the facets.
        """
        from scipy.special import stdtrit

        counts = self.counts[:, :, None]
        left = 1.0 if self.population is None else np.maximum(1 - counts / self.population, 0.0)
        with np.errstate(invalid="ignore"):
            per = -scale * stdtrit(np.maximum(counts - 1, 1.0), share) * np.sqrt(left / np.maximum(counts, 1.0))
            each = per[:, :, [*range(per.shape[2]), -1]] if per.shape[2] > 1 else per
            radii = each * self.spreads + self.slacks
        radii[np.isnan(radii) | np.isinf(self.spreads)] = np.inf
        return radii[:, :, :-1], radii[:, :, -1]


def _scatters(rest: Floats, there: Floats) -> Floats:
    """Return sums over common blocks of (r_j - r_i)(r_j - r_i)', (K, K, D, D), for values that are 0 where missing."""
    k, _, dim = rest.shape
    found = np.empty((k, k, dim, dim))
    for d in range(dim):
        for e in range(d, dim):
            squares = there @ (rest[:, :, d] * rest[:, :, e]).T
            cross = rest[:, :, d] @ rest[:, :, e].T
            found[:, :, d, e] = found[:, :, e, d] = squares + squares.T - cross - cross.T
    return found


def _rounded(covariances: Floats, counts: Floats, rows: Floats, steps: Floats, never: Bools) -> tuple[Floats, Floats]:
    """Return spreads and slacks along the facets and along any direction, with what rounding may hide (section 5).

    Both values of a difference are off by up to half a step, so the difference is off by up to a step. Where its
    standard deviation is below a step, it is raised by what rounding can take away. Two designs are not compared in an
    objective in which neither varies, or of which only one value was seen (`never`).
    """
    dim = rows.shape[1]
    each = np.sqrt(np.maximum(covariances[:, :, np.arange(dim), np.arange(dim)], 0.0))
    off = np.where((each < steps) & np.isfinite(steps), np.where(np.isfinite(steps), steps, 0.0), 0.0)
    w = np.abs(rows)
    slacks = np.concatenate([off @ w.T, np.linalg.norm(off, axis=2)[:, :, None]], axis=2)
    along = np.einsum("nd,ijde,ne->ijn", rows, covariances, rows)
    widest = np.linalg.eigvalsh(covariances)[:, :, -1:]
    spreads = np.sqrt(np.maximum(np.concatenate([along, widest], axis=2), 0.0))
    with np.errstate(divide="ignore"):
        growth = np.sqrt(counts / np.maximum(counts - 1, 1e-300))[:, :, None]
    spreads = spreads + np.where(slacks > 0, slacks * growth, 0.0)
    weighed = np.concatenate([w > 0, np.ones((1, dim), dtype=bool)])
    spreads[(never[:, :, None, :] & weighed).any(axis=3)] = np.inf
    return spreads, slacks

"""Somebody else's fitted model as a source of joint draws: what follows from it is a heuristic, whatever the model is.

The draws are what is believed before the evaluations of a run. These are taken into account by moving every draw
towards them, by the covariances that the draws themselves have (Matheron's rule; for normal draws that is conditioning,
up to the number of draws).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from conewise._arrays import Floats, Indices, as_floats, check_sums
from conewise.errors import InputError, shown
from conewise.feedback import LARGEST_OBSERVED


@dataclass(frozen=True, eq=False)
class Draws:
    """`function(designs, size, rng)`: so many joint draws of the values of some designs, (size, len(designs), D).

    `designs` are numbers of designs from 0 on, ascending; `rng` is a numpy Generator. Values are larger is better, in
    steps where objectives have units. The function is called once a run, for all designs, and knows nothing of the
    run's evaluations: those are taken into account here, so it must not have seen them.

    >>> independent = Draws(lambda designs, size, rng: rng.normal(size=(size, len(designs), 2)))
    >>> independent.of(np.arange(3), 5, 2, np.random.default_rng(0)).shape
    (5, 3, 2)
    """

    function: Callable[[Indices, int, np.random.Generator], Any]
    words: str = "draws of a model"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"Draws needs a function of designs, size and rng, got {shown(self.function)}.")
        try:
            inspect.signature(self.function).bind(0, 0, 0)
        except TypeError:
            takes = inspect.signature(self.function)
            raise InputError(f"Draws needs a function of designs, size and rng; this one takes {takes}.") from None
        except ValueError:
            pass  # some functions written in C do not say what they take

    def of(self, designs: Indices, size: int, dim: int, rng: np.random.Generator) -> Floats:
        """(size, len(designs), dim): the draws, checked."""
        try:
            drawn = self.function(designs, size, rng)
        except InputError:
            raise
        except Exception as error:
            raise InputError(
                f"{self.words} could not be had: {type(error).__name__}: {error}".rstrip(".") + "."
            ) from error
        found = as_floats(drawn, "draws")
        if found.shape != (size, len(designs), dim):
            raise InputError(
                f"{size} draws of {len(designs)} designs and {dim} objectives have the shape "
                f"{(size, len(designs), dim)}, but the function gave {found.shape}."
            )
        if not np.isfinite(found).all():
            raise InputError("draws must be finite numbers, but the function gave NaN or infinity.")
        check_sums(found, "draws", LARGEST_OBSERVED)
        return found

    @classmethod
    def from_botorch(cls, model: Any, features: Any) -> Self:
        """A fitted BoTorch model, `features` a tensor (K, F) as it was trained on: `model.posterior(X).rsample(...)`.

        BoTorch draws by torch's own generator: seed it by `torch.manual_seed`.
        """
        _needs(model, ("posterior",), "a BoTorch model")
        if len(getattr(features, "shape", ())) != 2:
            raise InputError(f"features must be a tensor (K, F), one row a design, got {shown(features)}.")

        def function(designs: Indices, size: int, rng: np.random.Generator) -> Any:
            _check_rows(features, designs)
            rows = features[designs.tolist()]
            count = type(rows.shape)((size,))  # torch.Size, without importing torch
            found = model.posterior(rows).rsample(count)
            return _array(found)

        return cls(function, "draws of a BoTorch model")

    @classmethod
    def from_sklearn(cls, models: Any, features: Any) -> Self:
        """A fitted GaussianProcessRegressor of all objectives, or a list with one an objective; `features` (K, F)."""
        each = list(models) if isinstance(models, Sequence) else [models]
        if not each:
            raise InputError("from_sklearn needs a fitted model, or one an objective; the list is empty.")
        for model in each:
            _needs(model, ("sample_y",), "a GaussianProcessRegressor")
        table = as_floats(features, "features")
        if table.ndim != 2:
            raise InputError(f"features must be an array (K, F), one row a design, got {shown(features)}.")

        def function(designs: Indices, size: int, rng: np.random.Generator) -> Any:
            _check_rows(table, designs)
            parts = []
            for model in each:
                found = np.asarray(model.sample_y(table[designs], size, random_state=int(rng.integers(2**32))))
                # (n, size) of one objective, (n, D, size) of several
                parts.append(found[:, None, :] if found.ndim == 2 else found)
            return np.concatenate(parts, axis=1).transpose(2, 0, 1)

        return cls(function, "draws of a scikit-learn model")


def _needs(model: Any, names: tuple[str, ...], what: str) -> None:
    missing = next((name for name in names if not callable(getattr(model, name, None))), None)
    if missing is not None:
        raise InputError(f"{what} has a method {missing}, which {shown(model)} has not.")


def _check_rows(features: Any, designs: Indices) -> None:
    count = int(features.shape[0])
    if len(designs) and designs.max() >= count:
        raise InputError(
            f"features describe {count} designs, but there are {designs.max() + 1}: give one row a design."
        )


def _array(values: Any) -> Any:
    """Out of a tensor, wherever it lives."""
    for step in ("detach", "cpu", "numpy"):
        values = getattr(values, step)() if hasattr(values, step) else values
    return values


def moved(draws: Floats, seen: Indices, means: Floats, variances: Floats, rng: np.random.Generator) -> Floats:
    """(B, K, D): draws after evaluations, by Matheron's rule: f + C (C + V)^-1 (y - f - noise), objective by objective.

    `means` and `variances` (n, D) are the averages of the designs `seen` and the variances of these averages. C is the
    covariance of the draws.
    """
    result = draws.copy()
    if not len(seen):
        return result
    off = draws - draws.mean(axis=0)
    noise = rng.standard_normal((len(draws), *means.shape)) * np.sqrt(variances)
    for d in range(draws.shape[2]):
        across = off[:, seen, d].T @ off[:, :, d] / max(1, len(draws) - 1)  # (n, K)
        inner = across[:, seen] + np.diag(variances[:, d])
        misses = means[:, d] - draws[:, seen, d] - noise[:, :, d]
        result[:, :, d] += misses @ np.linalg.solve(inner, across)
    return result

"""What a cone means, in words."""

from __future__ import annotations

import numpy as np

from conewise.cones import Cone


def describe(cone: Cone) -> list[str]:
    """A few plain sentences: when one design is better than another, and what that costs."""
    n, dim = cone.facets.shape
    orthant = Cone.orthant(dim)
    lines = [_comparison(cone, n)]
    if dim == 1:
        return lines
    if cone == orthant:
        lines.append(
            "No objective may get worse: the classical componentwise order, with no exchange between objectives."
        )
    elif cone.includes(orthant):
        lines.append(
            "Wider than the componentwise order: a large enough gain in one objective pays for a loss in another."
        )
    elif orthant.includes(cone):
        lines.append(
            "Narrower than the componentwise order: gaining everywhere is not enough if the gain is too one-sided."
        )
    else:
        lines.append("Neither wider nor narrower than the componentwise order.")
    if dim == 2:
        lines += _exchange(cone)
    if (cone.facets >= 0).all() and dim > 1:
        shares = cone.facets / cone.facets.sum(axis=1, keepdims=True)
        ranges = ", ".join(
            f"objective {d + 1} between {100 * low:.3g} % and {100 * high:.3g} %"
            for d, (low, high) in enumerate(zip(shares.min(axis=0), shares.max(axis=0), strict=True))
        )
        lines.append(f"The weightings it respects give {ranges} of the weight.")
    beta = cone.complexity.beta
    if beta > 1 + 1e-12:
        factor = f"{beta**2:.3g} times the evaluations of the componentwise order"
        lines.append(f"It costs up to {factor} (beta^2, beta = {beta:.6g}).")
    else:
        lines.append("It costs no more evaluations than the componentwise order (beta = 1).")
    return lines


def _comparison(cone: Cone, n: int) -> str:
    if cone.dim == 1:
        return "Larger is better." if cone.facets[0, 0] > 0 else "Smaller is better."
    return f"A design is better when it is at least as good under each of {n} weightings of the {cone.dim} objectives."


def _exchange(cone: Cone) -> list[str]:
    """For two objectives: the exchange rates at the two edges."""
    lines = []
    for ray in cone.rays:
        gain, loss = int(np.argmax(ray)), int(np.argmin(ray))
        if ray[loss] < -1e-12 and ray[gain] > 0:
            lines.append(
                f"A loss of 1 in objective {loss + 1} is accepted for a gain of at least {ray[gain] / -ray[loss]:.4g} "
                f"in objective {gain + 1}."
            )
    return lines

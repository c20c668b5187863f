"""What is asked of a certificate: the two notions of success, and what none can answer."""

from __future__ import annotations

from typing import Literal, cast

from conewise._arrays import as_epsilon, as_option, as_probability
from conewise._limits import SMALLEST_DELTA
from conewise.budgets import check_designs, check_noise
from conewise.cones import Cone, as_cone
from conewise.errors import InputError
from conewise.noise import Noise

Notion = Literal["cover", "contain"]
"""cover: the paper's (epsilon, delta)-PAC set; contain: P* inside the returned set, Delta* <= epsilon (Auer's SC1)."""


def notion_of(success: str) -> Notion:
    """One of the two words."""
    return cast(Notion, as_option(success, "success", ("cover", "contain")))


def check_question(cone: Cone, noise: Noise, n_designs: int, epsilon: float, delta: float, notion: str) -> None:
    """Refuse what no certificate can answer."""
    check_designs(n_designs)
    as_epsilon(epsilon)
    if as_probability(delta, "delta") < SMALLEST_DELTA:
        raise InputError(f"delta must be at least {SMALLEST_DELTA:g}, got {delta:g}.")
    check_noise(noise, as_cone(cone).dim, n_designs)
    if notion_of(notion) == "cover" and epsilon == 0:
        raise InputError('epsilon = 0 asks for the exact Pareto set: ask for success "contain".')

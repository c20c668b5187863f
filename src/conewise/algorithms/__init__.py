"""Algorithms on one contract: `ask` what to evaluate, `tell` what came back, `recommend` an answer at any time."""

from conewise.algorithms.base import Algorithm, Result, Status
from conewise.algorithms.naive import NaiveElimination

__all__ = ["Algorithm", "NaiveElimination", "Result", "Status"]

"""Algorithms on one contract: `ask` what to evaluate, `tell` what came back, `recommend` an answer at any time."""

from conewise.algorithms.base import Algorithm, Result, Status
from conewise.algorithms.certificate import Certificate, Claims
from conewise.algorithms.elimination import SuccessiveElimination
from conewise.algorithms.naive import NaiveElimination

__all__ = ["Algorithm", "Certificate", "Claims", "NaiveElimination", "Result", "Status", "SuccessiveElimination"]

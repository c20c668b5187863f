"""The loop that evaluates what an algorithm asks for."""

from conewise._moved import asked_of
from conewise.studies.loop import identify, run

__all__ = ["identify", "run"]

__getattr__ = asked_of(__name__)

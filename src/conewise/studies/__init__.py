"""The loop that evaluates what an algorithm asks for."""

from conewise.studies.loop import identify, run

__all__ = ["identify", "run"]

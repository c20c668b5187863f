"""Preferences stated in sentences, choices and answers, and the cone that follows from them."""

from conewise.preferences.preferences import Conflict, Preferences
from conewise.preferences.statements import Statement

__all__ = ["Conflict", "Preferences", "Statement"]

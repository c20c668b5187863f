"""Repeated runs: the papers reproduced, and what lies beyond their tables."""

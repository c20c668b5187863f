"""Dominance, gaps, bounds on evaluations, and covering along directions."""

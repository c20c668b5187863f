"""Observations of designs: exact sums and the resolution of recorded values."""

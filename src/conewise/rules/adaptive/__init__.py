"""Sampling rules on the certificate."""

"""Designs that met the same blocks: certificates of paired differences (docs/blocks)."""

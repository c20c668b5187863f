"""The version, in the one place that everything else reads it from."""

__version__ = "0.2.0"

SCHEMA = 2
"""The version of what --json prints (docs/json): raised where a key goes or changes its meaning, not for new ones."""

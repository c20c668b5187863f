"""The version, in the one place that everything else reads it from."""

__version__ = "0.2.0"

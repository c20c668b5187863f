"""How options are read, where several commands read them alike."""

from __future__ import annotations

import click


def columns(_: click.Context, __: click.Parameter, value: str | None) -> list[str]:
    """Names of columns, separated by commas."""
    return [word.strip() for word in value.split(",") if word.strip()] if value else []

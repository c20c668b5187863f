"""The command line: arguments in, a call, a rendering out. No mathematics here."""

from conewise.cli.main import main

__all__ = ["main"]

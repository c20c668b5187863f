"""How a browser learns the address: through a file that its owner alone can read, not through its command line.

Everyone on a machine may list the commands that run on it, and the address holds the token.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def doorway(address: str) -> Iterator[Path]:
    """A page that leads to an address, in a folder of its own (modes 0600 and 0700); gone afterwards."""
    link = escape(address)
    text = (
        '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0;url={link}"><title>conewise explorer</title>'
        f'<p><a href="{link}" rel="noreferrer">To the explorer</a></p>\n'
    )
    with TemporaryDirectory(prefix="conewise-") as folder:
        path = Path(folder) / "explorer.html"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        yield path

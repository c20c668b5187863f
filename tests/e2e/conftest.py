"""Folders and studies of a laboratory; one browser, and one page about the paper's data, for all tests of a process."""

from __future__ import annotations

import pytest
from shared.browser import browser
from shared.explorer import exploring
from shared.laboratory import begun, empty, folder, template, trial

__all__ = ["begun", "empty", "folder", "template", "trial"]


@pytest.fixture(scope="session")
def chromium():
    """Every visit opens a context of its own, which knows nothing of other visits."""
    with browser() as opened:
        yield opened


@pytest.fixture(scope="session")
def snw():
    """The address of a page about the paper's data; what a visitor does to it stays with the visitor."""
    with exploring("snw") as address:
        yield address

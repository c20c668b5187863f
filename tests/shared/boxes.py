"""Boxes that are answered in a second: fewer settings that may join, and fewer draws that judge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from conewise.models import certificate
from conewise.studies import boxes


@contextmanager
def small_boxes() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boxes, "POOL", 64)
        patch.setattr(boxes, "FINER", 128)
        patch.setattr(certificate, "STAGES", (1024, 4096))
        yield

"""Every reader of CSV."""

from __future__ import annotations

import pytest

from conewise.tables import readers


@pytest.fixture(params=["pyarrow", "core alone"])
def reader(request, monkeypatch):
    """CSV both through pyarrow and with nothing but the core."""
    if request.param == "core alone":
        monkeypatch.setattr(readers, "has_arrow", lambda: False)
    return request.param

"""The triangle of weights on a page: where a weighting is, and dragging from one to another."""

from __future__ import annotations

import numpy as np

MARGIN = {"side": 24, "top": 26, "bottom": 28}


def place(page, weights):
    """Where in the window a weighting is, in %."""
    page.locator("#triangle").scroll_into_view_if_needed()
    box = page.locator("#triangle").bounding_box()
    corners = np.array(
        [
            [box["width"] / 2, MARGIN["top"]],
            [MARGIN["side"], box["height"] - MARGIN["bottom"]],
            [box["width"] - MARGIN["side"], box["height"] - MARGIN["bottom"]],
        ]
    )
    x, y = np.array(weights) / 100 @ corners
    return box["x"] + x, box["y"] + y


def drag(page, start, end):
    page.mouse.move(*place(page, start))
    page.mouse.down()
    page.mouse.move(*place(page, end), steps=4)
    page.mouse.up()

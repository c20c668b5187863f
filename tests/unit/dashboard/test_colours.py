"""The colours of the explorer's pictures: every mark stands out from its ground by WCAG 2.1, 1.4.11 (3 to 1)."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

LEAST = 3.0
SHEET = (files("conewise.report") / "static" / "drawing.css").read_text(encoding="utf-8")


def colours(selector: str) -> dict[str, str]:
    block = re.search(re.escape(selector) + r" \{(.*?)\}", SHEET, re.DOTALL)
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", block.group(1)))


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#fff") == pytest.approx(4.48, abs=0.01)  # the standard's best-known near miss of 4.5


@pytest.mark.parametrize("theme", [":root", ":root[data-theme=dark]"])
@pytest.mark.parametrize("mark", ["quiet", "blue", "orange", "edge"])
def test_marks_can_be_seen(theme, mark):
    found = colours(theme)
    assert contrast(found[mark], found["paper"]) >= LEAST

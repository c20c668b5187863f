"""How large things may be: beyond these numbers an answer would not come in time, and is refused with the number."""

from __future__ import annotations

from typing import Final

MOST_EVALUATIONS: Final = 2**62
"""Evaluations, designs and whatever else is counted: what 64-bit numbers hold, with room to add."""

MOST_DESIGNS: Final = 10**7
"""Designs of a study: their names alone take a gigabyte."""

LARGEST_SEED: Final = 2**128
"""Of random numbers: what numpy draws as entropy."""

MOST_OBJECTIVES: Final = 255
"""Objectives of a cone: what moocore's filter compares."""

MOST_FACETS: Final = 1000
"""Rows or rays that a cone is made from, and facets that it may have: some seconds of work."""

MOST_RAYS: Final = 10**7
"""The most facets that a polytope of a cone's size can have (McMullen 1970); at this limit Qhull takes some minutes."""

LARGEST_GROWTH: Final = 100.0
"""Of batches in the published rules: the next batch is at most so many times what was evaluated before."""

LONGEST_CONE_TEXT: Final = 100_000
"""Characters of a cone's text form: 40 rows of 8 numbers take a tenth of it."""

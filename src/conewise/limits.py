"""How large things may be, and how much of a table is read at a time.

Beyond the limits an answer would not come in time, and is refused with the number. The sizes of tables are read as
attributes of this module where they are needed, never copied, so that tests can make them small.
"""

from __future__ import annotations

from typing import Final

MOST_EVALUATIONS: Final = 2**62
"""Evaluations, designs and whatever else is counted: what 64-bit numbers hold, with room to add."""

MOST_DESIGNS: Final = 10**7
"""Designs of a study: their names alone take a gigabyte. `front` has no such limit."""

LARGEST_SEED: Final = 2**128
"""Of random numbers: what numpy draws as entropy."""

SMALLEST_EPSILON: Final = 1e-100
"""Of accuracies, with 1 / this for the largest: their squares are numbers still."""

LARGEST_OF_MODEL: Final = 1e50
"""Of the noise of a model, with 1 / this for the smallest: determinants of variances are numbers still."""

SMALLEST_DELTA: Final = 1e-200
"""Of a guarantee that spends delta on many claims: the shares are numbers still."""

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

# -- tables ----------------------------------------------------------------------------------------------------------

MOST_COLUMNS: Final = 100_000
"""Columns of a table; a header beyond it is no header."""

MOST_ROWS: Final = 10**10
"""Rows that a Parquet file may claim in its own header; more would take a day to read."""

LONGEST_FIELD: Final = 2**20
"""Characters of one cell of a CSV file."""

LONGEST_LINE: Final = 2**24
"""Bytes of the header of a CSV file, and of a line where a CSV file is read in ranges."""

LARGEST_JSON: Final = 256 * 2**20
"""Bytes of whatever is read whole, such as a JSON array; one line of JSON lines may be as long."""

LARGEST_PIPE: Final = 2**32
"""Bytes of standard input, which is kept in a temporary file."""

PATIENCE: Final = 5.0
"""Seconds of reading before a line on stderr says that it goes on."""

LARGEST_WHOLE: Final = 2**53
"""Whole numbers up to here are exact in float64; larger ones would be rounded."""

# -- read at a time --------------------------------------------------------------------------------------------------

CHUNK_ROWS: Final = 50_000
"""Rows of a table in memory at a time."""

RANGE_BYTES: Final = 2**22
"""Bytes of a range of a CSV file that are parsed at a time."""

ARROW_BYTES: Final = 2**20
"""Bytes of a CSV file that pyarrow parses at a time, and of a Parquet column that it reads; it keeps some ahead."""

PIECE_BYTES: Final = 2**26
"""A CSV file larger than this is cut into ranges of so many bytes for workers."""

PIECE_ROWS: Final = 2**21
"""Row groups of a Parquet file are taken together up to so many rows."""

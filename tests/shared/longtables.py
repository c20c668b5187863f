"""Tables of measurements written in every format."""

from __future__ import annotations

import json

import pyarrow
import pyarrow.parquet

HEADER = ["design", "cost", "speed"]
ROWS = [["b", 1.0, 5.0], ["a", 2.0, 6.0], ["b", 3.0, 7.5], ["c, d", -4.0, 1e-7], ["a", 2.5, 6.5], ["b", 0.0, 9.0]]


def write(path, header=HEADER, rows=ROWS):
    """The same table in the format of the path's ending; None is an empty entry."""
    records = [dict(zip(header, row, strict=True)) for row in rows]
    if path.suffix == ".csv":
        cell = lambda v: "" if v is None else '"' + str(v).replace('"', '""') + '"'  # noqa: E731
        path.write_text("".join(",".join(map(cell, row)) + "\n" for row in [header, *rows]), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(records), encoding="utf-8")
    elif path.suffix == ".jsonl":
        lines = ({k: v for k, v in record.items() if v is not None} for record in records)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    else:
        columns = {c: [row[k] for row in rows] for k, c in enumerate(header)}
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path

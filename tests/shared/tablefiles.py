"""Tables of designs written in every format, and read by every reader."""

from __future__ import annotations

import json

import numpy as np
import pyarrow
import pyarrow.parquet

from conewise.tables.designs import DesignTable

HEADER = ["name", "cost", "speed"]
ROWS = [["a", 1.0, 2.5], ["b", -3.0, 1e-7], ["c, d", 0.1, 4.0], ['the "e"', 2.0, 5e8]]


def quoted(value: object, delimiter: str = ",") -> str:
    text = repr(value) if isinstance(value, float) else str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in (delimiter, '"', "\n")) else text


def csv_text(header=HEADER, rows=ROWS, delimiter=",", end="\n") -> str:
    return "".join(delimiter.join(quoted(cell, delimiter) for cell in row) + end for row in [header, *rows])


def write(path, header=HEADER, rows=ROWS):
    """The same table in the format of the path's ending."""
    ending = path.suffix
    records = [dict(zip(header, row, strict=True)) for row in rows]
    if ending in (".csv", ".tsv"):
        path.write_text(csv_text(header, rows, "\t" if ending == ".tsv" else ","), encoding="utf-8")
    elif ending == ".json":
        path.write_text(json.dumps(records), encoding="utf-8")
    elif ending in (".jsonl", ".ndjson"):
        path.write_text("".join(json.dumps(record) + "\n\n" for record in records), encoding="utf-8")
    else:
        pyarrow.parquet.write_table(pyarrow.table({c: [r[k] for r in rows] for k, c in enumerate(header)}), path)
    return path


def read(path, **options) -> tuple[DesignTable, list[str], np.ndarray]:
    table = DesignTable(path, **options)
    chunks = list(table.chunks())
    return table, [name for chunk in chunks for name in chunk.names], np.vstack([chunk.values for chunk in chunks])

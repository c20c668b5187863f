"""Parquet files by columns, some rows at a time, through pyarrow (extra `tables`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from conewise import limits
from conewise.errors import ConewiseError, InputError, from_extra
from conewise.tables.columns import arrow_values, wanted_columns


class ParquetReader:
    """Columns through pyarrow."""

    def __init__(self, path: Path) -> None:
        try:
            import pyarrow.parquet as parquet
        except ImportError:
            raise ConewiseError(f"Parquet files need pyarrow: {from_extra('tables')}.") from None
        import pyarrow

        self._path, self._open, self._invalid = path, parquet.ParquetFile, pyarrow.ArrowException

    def columns(self) -> list[str]:
        """Their names, in order."""
        try:
            file = self._open(self._path)
        except (self._invalid, OSError) as error:
            raise self._refusal(error, "is not a Parquet file") from None
        self._check(file.metadata.num_rows)
        return [str(name) for name in file.schema_arrow.names]

    def groups(self) -> list[int]:
        """The rows of each row group."""
        try:
            found = self._open(self._path).metadata
        except (self._invalid, OSError) as error:
            raise self._refusal(error, "is not a Parquet file") from None
        rows = [found.row_group(k).num_rows for k in range(found.num_row_groups)]
        self._check(sum(rows))
        return rows

    def chunks(
        self, numbers: Sequence[str], name: str | None, groups: Sequence[int] | None = None
    ) -> Iterator[dict[str, Sequence[Any]]]:
        """All rows, or those of some row groups."""
        wanted = wanted_columns(numbers, name)
        try:
            file = self._open(
                self._path,
                # Bit by bit: otherwise pyarrow keeps whole columns of row groups, however many there are.
                pre_buffer=False,
                buffer_size=limits.ARROW_BYTES,
                read_dictionary=[name] if name and not numbers else None,
            )
            chosen = range(file.num_row_groups) if groups is None else groups
            left = sum(file.metadata.row_group(k).num_rows for k in chosen)
            for batch in file.iter_batches(batch_size=limits.CHUNK_ROWS, columns=wanted, row_groups=groups):
                left -= batch.num_rows
                yield {column: arrow_values(batch.column(column)) for column in wanted}
        except (self._invalid, OSError) as error:
            raise self._refusal(error, "is damaged") from None
        if left:  # pyarrow stops without a word where the data end before the header says
            raise InputError(f"{self._path.name} is damaged ({left} of the rows that its header claims are not there).")

    def _check(self, rows: int) -> None:
        if not 0 <= rows <= limits.MOST_ROWS:
            raise InputError(
                f"{self._path.name} says that it has {rows} rows, where at most {limits.MOST_ROWS} are accepted; it is "
                "damaged, or has to be cut into several tables."
            )

    def _refusal(self, error: Exception, words: str) -> Exception:
        """Our sentence for what pyarrow cannot read; what the system says of files (it has a number) stays as it is."""
        if isinstance(error, OSError) and error.errno:
            return error
        if isinstance(error, MemoryError):
            return ConewiseError(f"there is not enough memory to read {self._path.name}.")
        return InputError(f"{self._path.name} {words} ({' '.join(str(error).split())[:80]}).")

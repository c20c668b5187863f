"""Tables in memory: every kind of frame, mapping and column gives the answer of a list of dictionaries, or is refused.

The same kinds are given to `front`, `analyse`, `Study.create`, `tell` and to models. A kind in READ has one
answer, and a kind in REFUSED has none. What is in NO_NUMBERS cannot be compared, but it may describe a design.
"""

from __future__ import annotations

import array
import dataclasses
import datetime as dt
import types
from collections import ChainMap, OrderedDict, UserDict, UserList, defaultdict, deque, namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import conewise as cw

PLAIN = [("a", 10, 3.5), ("b", 11, 9.0), ("c", 12, 2.0), ("a", 13, 4.5), ("b", 14, 9.5), ("c", 15, 1.0)]
ROWS = [{"name": n, "price": p, "power": q} for n, p, q in PLAIN]
NAMES = [row["name"] for row in ROWS]
PRICES = [row["price"] for row in ROWS]
POWERS = [row["power"] for row in ROWS]
DESIGNS = list("uvwxyz")  # a name for each row, where rows are designs
FIRST = [5, 3, 1, 0, 2, 4]  # labels in an order of their own

Car = namedtuple("Car", ["power", "price", "name"])
"""A row whose values stand in another order."""


@dataclasses.dataclass
class Record:
    name: str
    price: int
    power: float


def lists(rows=ROWS):
    return {key: [row[key] for row in rows] for key in rows[0]}


INT128 = pl.Int128 if int(pl.__version__.partition(".")[0]) >= 2 else pl.Int64
"""The longest whole numbers of polars; versions before 2 end the process when numpy asks for those of 128 bits."""


def columns(make, only=("price", "power")):
    """The columns of numbers in another kind, the names as they are."""
    return lambda rows: {key: make(column) if key in only else column for key, column in lists(rows).items()}


def frame(rows, **options):
    return pd.DataFrame(rows, **options)


def gapped(rows):
    """A frame of pandas of which rows were filtered away, so that its index has gaps."""
    more = [row for pair in zip(rows, [row | {"price": -1} for row in rows], strict=True) for row in pair]
    whole = frame(more)
    return whole[whole["price"] >= 0]


def lengthened(column):
    return [*column, column[0]]


def shuffled(values):
    return pd.Series(values, index=FIRST[: len(values)])


def unequal(rows):
    table = {key: pd.Series(column) for key, column in lists(rows).items()}
    return table | {"power": table["power"].loc[FIRST]}


def read_only(values):
    found = np.array(values)
    found.setflags(write=False)
    return found


def masked(hidden):
    return lambda column: np.ma.array(column, mask=[hidden and k == 1 for k in range(len(column))])


def arrow_types(rows):
    return frame(rows).convert_dtypes(dtype_backend="pyarrow")


READ = {
    "list of dictionaries": lambda rows: rows,
    "tuple of dictionaries": tuple,
    "list of proxies": lambda rows: [types.MappingProxyType(row) for row in rows],
    "list of ordered dictionaries": lambda rows: [rows[0], *(OrderedDict(reversed(row.items())) for row in rows[1:])],
    "list of UserDict": lambda rows: [UserDict(row) for row in rows],
    "numbers of numpy in dictionaries": lambda rows: [row | {"power": np.float32(row["power"])} for row in rows],
    "dict": lists,
    "OrderedDict": lambda rows: OrderedDict(lists(rows)),
    "defaultdict": lambda rows: defaultdict(list, lists(rows)),
    "UserDict": lambda rows: UserDict(lists(rows)),
    "ChainMap": lambda rows: ChainMap(lists(rows), {}),
    "MappingProxy": lambda rows: types.MappingProxyType(lists(rows)),
    "tuples": columns(tuple),
    "ranges": columns(lambda column: range(10, 10 + len(column)), only=("price",)),
    "deques": columns(deque),
    "UserLists": columns(UserList),
    "views of values": columns(lambda column: dict(enumerate(column)).values()),
    "views of keys": columns(lambda column: dict.fromkeys(column).keys()),
    "array.array": columns(lambda column: array.array("d", column)),
    "memoryview": columns(lambda column: memoryview(array.array("d", column))),
    "memoryview of numpy": columns(lambda column: memoryview(np.array(column))),
    "numpy": columns(np.array),
    "numpy, names too": columns(np.array, only=("name", "price", "power")),
    "numpy, read only": columns(read_only),
    "numpy, backwards": columns(lambda column: np.array(column[::-1])[::-1]),
    "numpy, other byte order": columns(lambda column: np.array(column, dtype=">f8")),
    "numpy, float32": columns(lambda column: np.array(column, dtype=np.float32)),
    "numpy, float16": columns(lambda column: np.array(column, dtype=np.float16)),
    "numpy, long doubles": columns(lambda column: np.array(column, dtype=np.longdouble)),
    "numpy, uint8": columns(lambda column: np.array(column, dtype=np.uint8), only=("price",)),
    "numpy, objects": columns(lambda column: np.array(column, dtype=object)),
    "numpy, objects in a name": columns(lambda column: np.array(column, dtype=object), only=("name",)),
    "numpy, a subclass": columns(lambda column: np.array(column).view(type("Labelled", (np.ndarray,), {}))),
    "numpy, decimals": columns(lambda column: np.array([Decimal(str(v)) for v in column])),
    "decimals": columns(lambda column: [Decimal(str(v)) for v in column]),
    "fractions": columns(lambda column: [Fraction(v) for v in column]),
    "texts": columns(lambda column: [str(v) for v in column]),
    "numpy, texts": columns(lambda column: np.array([str(v) for v in column])),
    "masked, nothing hidden": columns(masked(False)),
    "masked, no mask": columns(np.ma.array),
    "Series": columns(pd.Series),
    "Series, all": columns(pd.Series, only=("name", "price", "power")),
    "Series and lists": columns(pd.Series, only=("price",)),
    "Series of one odd index": columns(shuffled),
    "Series with labels that repeat": columns(lambda column: pd.Series(column, index=[0] * len(column))),
    "Series with texts for labels": columns(lambda column: pd.Series(column, index=list("fedcba"))),
    "Series of objects": columns(lambda column: pd.Series(column, dtype=object)),
    "Series, nullable": columns(lambda column: pd.Series(column, dtype="Float64")),
    "Series, sparse": columns(lambda column: pd.Series(pd.arrays.SparseArray(column))),
    "Series, categories": columns(lambda column: pd.Series(column, dtype="category")),
    "Series of arrow": columns(lambda column: pd.Series(column, dtype="double[pyarrow]")),
    "Index": columns(pd.Index),
    "RangeIndex": columns(lambda column: pd.RangeIndex(10, 10 + len(column)), only=("price",)),
    "Categorical": columns(pd.Categorical),
    "array of pandas": columns(pd.array),
    "polars Series": columns(pl.Series),
    "polars Decimal": columns(lambda column: pl.Series([Decimal(str(v)) for v in column])),
    "polars Int128": columns(lambda column: pl.Series(column, dtype=INT128), only=("price",)),
    "pyarrow arrays": columns(pa.array),
    "pyarrow chunks": columns(lambda column: pa.chunked_array([column[:2], column[2:]])),
    "pyarrow dictionaries": columns(lambda column: pa.array(column).dictionary_encode(), only=("name",)),
    "pyarrow decimals": columns(lambda column: pa.array([Decimal(str(v)) for v in column])),
    "pandas": frame,
    "pandas, labels of texts": lambda rows: frame(rows, index=list("fedcba")),
    "pandas, other labels": lambda rows: frame(rows, index=FIRST),
    "pandas, labels that repeat": lambda rows: frame(rows, index=[7] * len(rows)),
    "pandas, two levels of labels": lambda rows: frame(rows, index=pd.MultiIndex.from_product([[0, 1], [0, 1, 2]])),
    "pandas, labels with a name": lambda rows: frame(rows, index=pd.Index(FIRST, name="k")),
    "pandas, named by its index": lambda rows: frame(rows).set_index("name"),
    "pandas, labels called like a column": lambda rows: frame(rows, index=pd.Index(FIRST, name="price")),
    "pandas, moments as labels": lambda rows: frame(rows, index=pd.date_range("2026-01-01", periods=len(rows))),
    "pandas, nullable": lambda rows: frame(rows).convert_dtypes(),
    "pandas, arrow": arrow_types,
    "pandas, objects": lambda rows: frame(rows).astype(object),
    "pandas, categories": lambda rows: frame(rows).astype("category"),
    "pandas, sparse": lambda rows: frame(rows).astype({"power": "Sparse[float64]"}),
    "pandas, decimals": lambda rows: frame(rows).assign(power=[Decimal(str(row["power"])) for row in rows]),
    "pandas, fractions": lambda rows: frame(rows).assign(power=[Fraction(row["power"]) for row in rows]),
    "pandas, texts": lambda rows: frame(rows).assign(power=[str(row["power"]) for row in rows]),
    "pandas, columns called like attributes": lambda rows: frame(rows).assign(
        column_names=1, columns=2, index=3, collect=4, dtype=5, tolist=6
    ),
    "pandas, filtered": gapped,
    "pandas, sorted back": lambda rows: frame(rows).sort_values("power").sort_values("price"),
    "pandas, a subclass": lambda rows: type("Mine", (pd.DataFrame,), {})(rows),
    "dict of a filtered frame": lambda rows: dict(gapped(rows)),
    "dict of the items of a frame": lambda rows: dict(frame(rows, index=FIRST).items()),
    "to_dict list": lambda rows: frame(rows).to_dict("list"),
    "to_dict series": lambda rows: frame(rows, index=FIRST).to_dict("series"),
    "to_dict records": lambda rows: frame(rows).to_dict("records"),
    "polars": pl.DataFrame,
    "polars, filtered": lambda rows: pl.from_pandas(gapped(rows)),
    "polars, lazy": pl.LazyFrame,
    "polars, lazy with steps": lambda rows: pl.LazyFrame(rows).filter(pl.col("price") > 0),
    "polars, Int128 in a frame": lambda rows: pl.DataFrame(rows).cast({"price": INT128}),
    "polars, Decimal in a frame": lambda rows: pl.DataFrame(rows).cast({"power": pl.Decimal(10, 2)}),
    "polars, Categorical": lambda rows: pl.DataFrame(rows).with_columns(pl.col(pl.String).cast(pl.Categorical)),
    "polars, Enum": lambda rows: pl.DataFrame(rows).with_columns(pl.col(pl.String).cast(pl.Enum([*"abc", *DESIGNS]))),
    "polars, texts": lambda rows: pl.DataFrame(rows).cast({"power": pl.String}),
    "polars, dictionary of Series": lambda rows: pl.DataFrame(rows).to_dict(),
    "polars, dictionaries": lambda rows: pl.DataFrame(rows).to_dicts(),
    "pyarrow": pa.Table.from_pylist,
    "pyarrow, in pieces": lambda rows: pa.concat_tables(
        [pa.Table.from_pylist(rows[:2]), pa.Table.from_pylist(rows[2:])]
    ),
    "pyarrow, batch": pa.RecordBatch.from_pylist,
    "pyarrow, slice of a batch": lambda rows: pa.RecordBatch.from_pylist([*rows, rows[0]]).slice(0, len(rows)),
    "pyarrow, words by number": lambda rows: pa.table(
        {key: pa.array(column).dictionary_encode() for key, column in lists(rows).items()}
    ),
    "pyarrow, small floats": lambda rows: pa.table(
        lists(rows) | {"power": pa.array(lists(rows)["power"], pa.float32())}
    ),
    "pyarrow, columns": lambda rows: pa.Table.from_pylist(rows).to_pydict(),
}

REFUSED = {
    "iterator of dictionaries": iter,
    "generator of dictionaries": lambda rows: (row for row in rows),
    "map of dictionaries": lambda rows: map(dict, rows),
    "one dictionary": lambda rows: rows[0],
    "dictionary of dictionaries": lambda rows: dict(enumerate(rows)),
    "dictionary of rows by name": lambda rows: {f"row {k}": row for k, row in enumerate(rows)},
    "dictionaries and a tuple": lambda rows: [*rows[:-1], tuple(rows[-1].values())],
    "tuple and dictionaries": lambda rows: [tuple(rows[0].values()), *rows[1:]],
    "namedtuples": lambda rows: [Car(row["power"], row["price"], row["name"]) for row in rows],
    "dataclasses": lambda rows: [Record(**row) for row in rows],
    "records of numpy": lambda rows: frame(rows).to_records(),
    "structured array": lambda rows: np.array(
        [(r["price"], r["power"]) for r in rows], dtype=[("a", "f8"), ("b", "f8")]
    ),
    "generators": columns(lambda column: (value for value in column)),
    "iterators": columns(iter),
    "map": columns(lambda column: map(float, column)),
    "sets": columns(set),
    "frozensets": columns(frozenset),
    "mappings": columns(lambda column: dict(enumerate(column))),
    "text": columns(str),
    "bytes": columns(lambda column: bytes(range(len(column)))),
    "bytearray": columns(lambda column: bytearray(range(len(column)))),
    "nothing": columns(lambda column: None),
    "one number": columns(lambda column: 5.0),
    "array of one number": columns(lambda column: np.array(5.0)),
    "unequal lengths": columns(lengthened, only=("power",)),
    "unequal lengths of names": columns(lengthened, only=("name",)),
    "a column of nothing": columns(lambda column: [], only=("power",)),
    "a function": columns(lambda column: column.__iter__),
    "a class": columns(lambda column: list),
    "masked, one hidden": columns(masked(True)),
    "expression of polars": columns(lambda column: pl.col("price")),
    "frames in a mapping": columns(lambda column: pd.DataFrame({"x": column})),
    "frames of polars in a mapping": columns(lambda column: pl.DataFrame({"x": column})),
    "a released view": columns(lambda column: released(column)),
    "Series of other indices": unequal,
    "Series of which one is filtered": lambda rows: (
        lists(rows) | {"price": frame(rows)["price"][1:], "power": frame(rows)["power"][:-1]}
    ),
    "to_dict": lambda rows: frame(rows).to_dict(),
    "to_dict index": lambda rows: frame(rows).to_dict("index"),
    "to_dict index by text": lambda rows: frame(rows, index=list("fedcba")).to_dict("index"),
    "to_dict split": lambda rows: frame(rows).to_dict("split"),
    "to_dict tight": lambda rows: frame(rows).to_dict("tight"),
    "pandas, a column twice": lambda rows: pd.concat([frame(rows), frame(rows)[["price"]]], axis=1),
    "pandas, without rows": lambda rows: frame(rows)[:0],
    "pandas, empty": lambda rows: pd.DataFrame(),
    "pandas, groups": lambda rows: frame(rows).groupby("name"),
    "pandas, tuples": lambda rows: list(frame(rows)[["power", "price"]].itertuples(index=False)),
    "pandas, rows": lambda rows: [row for _, row in frame(rows)[["power", "price"]].iterrows()],
    "polars, lazy without the column": lambda rows: pl.LazyFrame(rows).select("nowhere"),
    "polars, lazy that fails": lambda rows: pl.LazyFrame(rows).with_columns(pl.col("name").cast(pl.Int64)),
    "polars, lazy without a file": lambda rows: pl.scan_csv("nowhere-at-all.csv"),
    "polars, columns": lambda rows: pl.DataFrame(rows).get_columns(),
    "polars, groups": lambda rows: pl.DataFrame(rows).group_by("name"),
    "polars, empty": lambda rows: pl.DataFrame(),
    "polars, without rows": lambda rows: pl.DataFrame(rows).clear(),
    "pyarrow, reader": lambda rows: pa.Table.from_pylist(rows).to_reader(),
    "pyarrow, a column twice": lambda rows: pa.Table.from_arrays([pa.array(PRICES)] * 2, names=["price", "price"]),
    "pyarrow, empty": lambda rows: pa.table({}),
    "pyarrow, empty batch": lambda rows: pa.RecordBatch.from_pylist(rows).slice(0, 0),
    "numbers of numpy, one masked": lambda rows: np.ma.array(
        [[r["price"], r["power"]] for r in rows], mask=np.eye(6, 2)
    ),
    "rows, one masked": lambda rows: [
        np.ma.array([r["price"], r["power"]], mask=[k == 2, 0]) for k, r in enumerate(rows)
    ],
    "empty list": lambda rows: [],
    "empty tuple": lambda rows: (),
    "empty mapping": lambda rows: {},
    "empty columns": lambda rows: {key: [] for key in rows[0]},
    "empty array": lambda rows: np.empty((0, 2)),
    "empty iterator": lambda rows: iter(()),
    "a module": lambda rows: types,
    "a number": lambda rows: 3.5,
}

NO_NUMBERS = {
    "deque of dictionaries": deque,
    "array of dictionaries": lambda rows: np.array(rows),
    "rows of objects": lambda rows: frame(rows).to_numpy(),
    "pandas, columns of two levels": lambda rows: frame(rows).pipe(
        lambda f: f.set_axis(pd.MultiIndex.from_product([f.columns, ["x"]]), axis=1)
    ),
    "numbers in bytes": columns(lambda column: [str(value).encode() for value in column]),
    "lists of one": columns(lambda column: [[value] for value in column]),
    "arrays of one": columns(lambda column: [np.array([value]) for value in column]),
    "columns of two axes": columns(lambda column: np.array(column)[:, None]),
    "masked, one hidden among names": columns(masked(True), only=("name",)),
    "masked in a list": columns(lambda column: [np.ma.masked if k == 1 else v for k, v in enumerate(column)]),
    "masked in dictionaries": lambda rows: [rows[0] | {"power": np.ma.masked}, *rows[1:]],
    "complex": columns(lambda column: np.array(column, dtype=complex)),
    "complex numbers in a list": columns(lambda column: [np.complex64(v) for v in column]),
    "moments": columns(lambda column: np.array(column, dtype="int64").astype("datetime64[ns]")),
    "times": columns(lambda column: np.array(column, dtype="int64").astype("timedelta64[ns]")),
    "times in a list": columns(lambda column: [np.timedelta64(5, "s") for _ in column]),
    "days": columns(lambda column: [dt.date(2026, 1, 1)] * len(column)),
    "truth values": columns(lambda column: [True] * len(column)),
    "truth values of numpy": columns(lambda column: np.array([True] * len(column))),
    "a list with nothing in it": columns(lambda column: [None, *column[1:]]),
    "pandas NA": columns(lambda column: pd.Series([pd.NA, *column[1:]], dtype="Float64")),
    "pandas NA, arrow": columns(lambda column: pd.Series([None, *column[1:]], dtype="double[pyarrow]")),
    "pandas NaT": columns(lambda column: [pd.NaT, *column[1:]]),
    "polars null": columns(lambda column: pl.Series([None, *column[1:]])),
    "pyarrow null": columns(lambda column: pa.array([None, *column[1:]])),
    "infinity": columns(lambda column: [np.inf, *column[1:]]),
    "large whole numbers": columns(lambda column: [2**53 + 1, *column[1:]], only=("price",)),
    "large whole numbers of polars": columns(
        lambda column: pl.Series([2**60 + 1, *column[1:]], dtype=INT128), only=("price",)
    ),
    "large whole numbers, nullable": columns(
        lambda column: pd.Series([2**53 + 1, *column[1:]], dtype="Int64"), only=("price",)
    ),
    "numbers for names": lambda rows: dict(enumerate(lists(rows).values())),
    "tuples for names": lambda rows: {(key, "x"): column for key, column in lists(rows).items()},
    "pandas, turned": lambda rows: frame(rows).T,
    "pandas, numbers for names": lambda rows: frame(rows).set_axis([0, 1, 2], axis=1),
    "pandas, complex": lambda rows: frame(rows).astype({"power": complex}),
    "pandas, moments": lambda rows: frame(rows).assign(power=pd.date_range("2026-01-01", periods=len(rows))),
    "pandas, times": lambda rows: frame(rows).assign(power=pd.to_timedelta(range(len(rows)), unit="s")),
    "pandas, nothing in it": lambda rows: frame(rows).assign(power=[None, *[1.0] * (len(rows) - 1)]),
    "pandas, mixed objects": lambda rows: frame(rows).assign(power=[1, "2", None, Decimal(3), Fraction(1, 2), "x"]),
    "pandas, one column": lambda rows: frame(rows)["price"],
    "polars, one column": lambda rows: pl.DataFrame(rows)["price"],
    "polars, times": lambda rows: pl.DataFrame(rows).with_columns(
        power=pl.Series([dt.timedelta(seconds=1)] * len(rows))
    ),
    "polars, lists": lambda rows: pl.DataFrame(rows).with_columns(power=pl.concat_list("price")),
    "polars, Categorical numbers": lambda rows: pl.DataFrame(rows).cast({"power": pl.Boolean}),
    "pyarrow, one column": lambda rows: pa.chunked_array([lists(rows)["price"]]),
    "pyarrow, structs": lambda rows: pa.table(lists(rows) | {"power": [{"x": 1}] * len(rows)}),
    "pyarrow, moments": lambda rows: pa.table(lists(rows) | {"power": pa.array([1] * len(rows), pa.timestamp("ns"))}),
    "empty dictionaries": lambda rows: [{} for _ in rows],
    "set of names": lambda rows: {row["name"] for row in rows},
}


def released(column):
    view = memoryview(array.array("d", column))
    view.release()
    return view


def refused(call):
    """Return True where a call is refused in one sentence; any other error goes on."""
    try:
        call()
    except cw.InputError as error:
        sentence = str(error)
        assert sentence.endswith(".")
        assert len(sentence) < 600
        return True
    return False


def rows_of(table):
    """The prices and powers of a table in any kind, as numbers."""
    if isinstance(table, pa.Table | pl.DataFrame):
        table = table.to_pydict() if isinstance(table, pa.Table) else table.to_dict(as_series=False)
    if isinstance(table, pd.DataFrame):
        table = {key: list(table[key]) for key in table.columns}
    if isinstance(table, list):
        return [(float(row["price"]), float(row["power"])) for row in table]
    return list(zip(map(float, table["price"]), map(float, table["power"]), strict=True))


def front(table):
    found = cw.front(table, cw.Cone.planar(100), objectives=["price", "power"], minimise=["price"])
    return rows_of(found)


def analysed(table):
    found = cw.analyse(
        table, delta=0.1, final=True, noise=cw.noise.Gaussian(2.0), design="name", objectives=["power", "price"]
    )
    return found.names, found.means.tolist(), found.result.status.tolist()


def named(rows):
    """One row a design."""
    return [row | {"name": name} for row, name in zip(rows, DESIGNS, strict=True)]


def unnamed(rows):
    return [{key: row[key] for key in ("price", "power")} for row in rows]


def created(table, folder):
    with cw.Study.create(
        folder / "s.db",
        designs=table,
        cone=cw.Cone.orthant(1),
        epsilon=1,
        delta=0.1,
        noise=cw.noise.Gaussian(1),
        objectives=["gain"],
    ) as study:
        return study.names, [{key: row[key] for key in ("price", "power") if key in row} for row in study.rows]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Return what is recorded of a table that is told to a study."""
    asked = {"designs": DESIGNS, "objectives": ["price", "power"], "epsilon": 1, "delta": 0.1}
    folder = tmp_path_factory.mktemp("told")
    with cw.Study.create(folder / "s.db", cone=cw.Cone.orthant(2), noise=cw.noise.Gaussian(1), **asked) as study:

        def tell(table):
            before = len(study.evaluations().to_frame("polars"))
            study.tell(table)
            rows = study.evaluations().to_frame("polars").sort("told_at", "design", maintain_order=True)
            return rows[before:].select("design", "price", "power").rows()

        yield tell


def encoded(table):
    return cw.models.Smooth(table).table.values.tolist()


EXPECTED_FRONT = front(named(ROWS))
EXPECTED_ANALYSIS = analysed(ROWS)
EXPECTED_FEATURES = encoded(unnamed(ROWS))


def test_there_are_many_kinds():
    assert len(READ) + len(REFUSED) + len(NO_NUMBERS) > 139
    assert len(EXPECTED_FRONT) not in (0, 6)


@pytest.mark.parametrize("kind", READ)
def test_kinds_that_are_read(kind, tmp_path, told):
    make = READ[kind]
    assert front(make(named(ROWS))) == EXPECTED_FRONT
    assert analysed(make(ROWS)) == EXPECTED_ANALYSIS
    if not any(
        word in kind.lower() for word in ("fractions", "decimal", "long doubles", "texts")
    ):  # a study has others
        assert created(make(named(ROWS)), tmp_path) == (tuple(DESIGNS), unnamed(ROWS))
    if "texts" not in kind:
        assert told(make(named(ROWS))) == [tuple(row.values()) for row in named(ROWS)]
    if "texts" not in kind and "named" not in kind and "called like" not in kind:
        assert encoded(make(unnamed(ROWS))) == EXPECTED_FEATURES


@pytest.mark.parametrize("kind", REFUSED)
def test_kinds_that_are_refused(kind, tmp_path, told):
    make = REFUSED[kind]
    assert refused(lambda: front(make(named(ROWS))))
    assert refused(lambda: analysed(make(ROWS)))
    assert refused(lambda: created(make(named(ROWS)), tmp_path))
    assert refused(lambda: told(make(named(ROWS)))) or kind == "one dictionary"
    assert refused(lambda: encoded(make(named(ROWS))))


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_kinds_that_cannot_be_compared(kind, tmp_path, told):
    make = NO_NUMBERS[kind]
    assert refused(lambda: front(make(named(ROWS))))
    assert refused(lambda: analysed(make(ROWS)))
    refused(lambda: created(make(named(ROWS)), tmp_path))
    refused(lambda: told(make(named(ROWS))))
    refused(lambda: encoded(make(named(ROWS))))

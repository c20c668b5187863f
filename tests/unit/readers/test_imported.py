"""Tables put together: one row an evaluation."""

from __future__ import annotations

from collections import Counter

import pytest
from shared.records import LONG
from shared.sentences import refused

import conewise as cw
from conewise import readers

MELTED = {"design": "model", "metric": "metric", "value": "value"}


def test_a_melted_table_becomes_one_row_an_evaluation(tmp_path):
    expected = {"design": ["a", "a", "b"], "run": ["1", "2", "1"], "acc": [0.5, 0.6, 0.9], "time": [3.0, 4.0, 5.0]}
    assert readers.melted(LONG, **MELTED).columns == expected
    assert readers.melted(LONG, run="seed", **MELTED).columns == expected
    path = tmp_path / "t.csv"
    path.write_text("model,metric,value\n" + "\n".join(f"{r['model']},{r['metric']},{r['value']}" for r in LONG))
    table = readers.melted(path, minimise=["time"], **MELTED)
    assert table.minimised == ("time",)
    assert Counter(table.columns["design"]) == {"a": 2, "b": 1}
    assert cw.analyse(table, delta=0.1).means.tolist() == [[0.55, 3.5], [0.9, 5.0]]


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ([], {}, "the table is empty"),
        ([{"model": "a"}], {}, "has no column 'metric'"),
        (LONG[:-1], {}, "'b' has no 'time' in evaluation '1'"),
        ([*LONG, LONG[0]], {"run": "seed"}, "'acc' of 'a' stands twice for seed '1'"),
        ([*LONG, {"model": "", "metric": "acc", "value": 1}], {}, "row 7 .* column 'model' is empty"),
        (
            [*LONG[:2], LONG[2] | {"value": "soon"}, *LONG[3:]],
            {},
            "row 3 .* column 'value' holds 'soon', where",
        ),
        (LONG, {"objectives": ["speed"]}, "there is no 'speed' in the column 'metric', only acc, time"),
    ],
)
def test_what_cannot_be_put_together_is_one_sentence(rows, options, words):
    refused(lambda: readers.melted(rows, **MELTED, **options), words)

"""Tables from what other programs have written: real files of theirs, and objects that behave like theirs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shared.sentences import refused

import conewise as cw
from conewise import readers

DATA = Path(__file__).parents[2] / "data" / "readers"
LOG = {"status": "success", "eval": {"model": "m", "task": "t"}}


def written(folder, text):
    (folder / "log.json").write_text(text, encoding="utf-8")
    return folder / "log.json"


# -- language models -------------------------------------------------------------------------------------------------


def test_samples_of_inspect_are_evaluations_of_models():
    table = readers.inspect(DATA / "inspect")
    assert table.names == ("mockllm/good", "mockllm/poor")
    assert table.objectives == ("match", "includes")
    assert table.rows.tolist() == [12, 12]
    assert set(table.columns["match"]) <= {0.0, 1.0}
    logs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((DATA / "inspect").glob("*.json"))]
    for log, mean in zip(logs, cw.analyse(table, delta=0.1).means, strict=True):
        said = {score["name"]: score["metrics"]["accuracy"]["value"] for score in log["results"]["scores"]}
        assert mean == pytest.approx([said["match"], said["includes"]])  # as inspect-ai itself has averaged them
    assert readers.inspect(logs).columns == table.columns
    assert not cw.analyse(table, delta=0.1).result.guarantee


def test_samples_of_lm_eval_are_evaluations_of_models():
    table = readers.lm_eval(DATA / "lm_eval")
    assert table.names == ("model-1", "model-2")
    assert table.objectives == ("acc", "acc_norm")
    assert table.rows.tolist() == [6, 6]
    # lm-eval printed 0.3333 and 0.6667 for these two runs
    assert cw.analyse(table, delta=0.1).means.round(4).tolist() == [[0.3333, 0.3333], [0.6667, 0.6667]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda path: readers.inspect(path), "there is no file like"),
        (lambda path: readers.inspect(3), "a log of inspect-ai was expected, got 3"),
        (lambda path: readers.inspect([1]), "a log of inspect-ai was expected, got 1"),
        (lambda path: readers.inspect(written(path, "[1]")), "log.json is no log of inspect-ai: it holds"),
        (lambda path: readers.inspect([LOG | {"eval": 3}]), "is not as inspect-ai writes a log: eval, status"),
        (lambda path: readers.inspect([LOG | {"samples": 3}]), "is not as inspect-ai writes a log: eval, status"),
        (lambda path: readers.inspect([LOG | {"samples": [3]}]), "is not as inspect-ai writes a log: eval, status"),
        (lambda path: readers.inspect([LOG | {"samples": [{"scores": 3}]}]), "is not as inspect-ai writes a log"),
        (lambda path: readers.lm_eval(3), "a file, a folder, or a list of them was expected, got 3"),
        (lambda path: readers.inspect([{"status": "error"}]), "did not succeed, or has no samples"),
        (lambda path: readers.inspect(path / "x.eval"), "there is no file"),
        (lambda path: readers.inspect(DATA / "inspect", design="day"), 'design must be "model" or "task"'),
        (
            lambda path: readers.inspect(DATA / "inspect", objectives=["f1"]),
            "no 'f1' in the logs, only match, includes",
        ),
        (lambda path: readers.inspect(written(path, "[" * 10**5)), "log.json is not valid JSON"),
        (lambda path: readers.inspect([LOG | {"samples": [{"id": 1, "scores": {"s": 10**400}}]}]), "'s' is 1000000"),
        (lambda path: readers.lm_eval(path), "there is no file like"),
        (lambda path: readers.lm_eval(DATA / "sklearn.json"), "is not valid JSON|no sample of lm-eval"),
    ],
)
def test_what_is_no_log_is_one_sentence(tmp_path, call, words):
    refused(lambda: call(tmp_path), words)


def test_packed_logs_are_read_as_they_are():
    table = readers.inspect(DATA / "inspect_packed")
    assert (table.names, table.objectives, table.block) == (
        ("mockllm/good", "mockllm/poor"),
        ("match", "includes"),
        "sample",
    )
    # what inspect-ai itself has graded: five and two of six right
    assert table.columns["match"] == [1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0]
    assert table.columns["sample"][:2] == ["sums/q0", "sums/q1"]


def test_a_grade_that_nobody_knows_is_named():
    log = LOG | {"samples": [{"id": 1, "scores": {"s": {"value": "X"}}}]}
    refused(lambda: readers.inspect([log]), "'s' is 'X', where a number or a grade")


def test_a_score_that_one_sample_lacks_is_no_objective_that_may_be_dropped(tmp_path):
    """A scorer that gave no score, or a sample that failed: the answer would be about less than the logs hold."""
    whole, half = {"s": {"value": "C"}, "t": {"value": 1}}, {"s": {"value": "C"}}
    logs = [LOG | {"samples": [{"id": 1, "scores": whole}, {"id": 2, "scores": scores}]} for scores in (whole, half)]
    for listed in (logs, logs[::-1]):
        refused(lambda listed=listed: readers.inspect(listed), "the sample 't/2' of 'm' has no 't', which others have")
    assert readers.inspect(logs, objectives=["s"]).objectives == ("s",)
    lines = [{"doc_id": k, "metrics": ["a", "b"][: 2 - k], "a": 1.0, "b": 1.0} for k in range(2)]
    (tmp_path / "samples_t_1.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    refused(lambda: readers.lm_eval(tmp_path), "the sample 't/1' of .* has no 'b'")


def test_marks_of_a_new_line_within_a_text_end_no_line(tmp_path, monkeypatch):
    """lm-eval writes texts as they are, and prompts hold what they like."""
    record = {"doc_id": 1, "doc": "one\u2028two\x85three", "filter": ["none"], "metrics": ["acc"], "acc": 1.0}
    (tmp_path / "samples_t_1.jsonl").write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert readers.lm_eval("samples_t_1.jsonl").names == (tmp_path.name,)  # the folder is the model, also from within


def test_text_in_another_encoding_is_one_sentence_and_a_byte_order_mark_is_none(tmp_path):
    text = json.dumps(LOG | {"samples": [{"id": 1, "scores": {"s": 1}}]})
    (tmp_path / "log.json").write_text(text, encoding="utf-8-sig")
    assert readers.inspect(tmp_path).objectives == ("s",)
    for name, read in (("log.json", readers.inspect), ("samples_t_1.jsonl", readers.lm_eval)):
        (tmp_path / name).write_text(text, encoding="utf-16")
        refused(lambda read=read, name=name: read(tmp_path / name), f"{name} is not text in UTF-8 .* save it as UTF-8")


def test_a_log_does_not_count_twice(tmp_path):
    logs = DATA / "inspect"
    refused(lambda: readers.inspect([logs, logs / "good.json"]), "good.json is named twice: its rows would count twice")
    (tmp_path / "copy.json").write_bytes((logs / "good.json").read_bytes())
    refused(lambda: readers.inspect([logs, tmp_path / "copy.json"]), "good.json and .*copy.json hold the same bytes")


def test_lines_of_several_filters_are_one_evaluation(tmp_path):
    """lm-eval scores one answer under every filter of a task, and writes a line for each."""
    lines = [
        {"doc_id": doc, "filter": name, "metrics": ["exact_match"], "exact_match": float(name == "flexible-extract")}
        for name in ("strict-match", "flexible-extract")
        for doc in range(3)
    ]
    for model in ("small", "large"):
        (tmp_path / model).mkdir()
        for task, some in (("gsm8k", lines), ("sums", [line | {"filter": "none"} for line in lines[:3]])):
            text = "".join(json.dumps(line | {"by": model}) + "\n" for line in some)
            (tmp_path / model / f"samples_{task}_2026.jsonl").write_text(text, encoding="utf-8")
    refused(
        lambda: readers.lm_eval(tmp_path),
        "a line for each of the filters strict-match, flexible-extract, of the same answers; say which one .* got None",
    )
    refused(lambda: readers.lm_eval(tmp_path, filter="strict"), "got 'strict'")
    table = readers.lm_eval(tmp_path, filter="flexible-extract")
    assert table.rows.tolist() == [6, 6]
    assert table.columns["exact_match"] == [1, 1, 1, 0, 0, 0] * 2
    (tmp_path / "small" / "samples_sums_2026.jsonl").write_text((json.dumps(lines[0]) + "\n") * 2, encoding="utf-8")
    refused(lambda: readers.lm_eval(tmp_path / "small", filter="strict-match"), "two lines for the sample 'sums/0'")

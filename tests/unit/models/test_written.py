"""Priors by name and as data: what is written is read back bit by bit, and bad data is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from conewise import models
from conewise.errors import InputError
from conewise.models.priors import prior_from_dict, prior_of, prior_to_dict

FEATURES = {"heat": [20, 60, 45], "oil": ["a", "b", "a"], "same": [1, 1, 1]}


@pytest.mark.parametrize(
    "prior",
    [
        models.Smooth(FEATURES, kernels=("squared",), sizes=(2.0,), discrepancies=(0.2,), between=(0.3, 3)),
        models.Linear(FEATURES, sizes=(1.0, 3.0)),
        models.Independent(sizes=(0.1,)),
    ],
)
def test_what_is_written_is_read_back(prior):
    again = prior_from_dict(json.loads(json.dumps(prior_to_dict(prior))))
    assert type(again) is type(prior)
    assert again.words == prior.words
    for part in ("shape", "size", "discrepancy", "log_weight"):
        assert getattr(again.components, part).tobytes() == getattr(prior.components, part).tobytes()
    rows = np.arange(3)
    assert again.correlation(0, rows, rows).tobytes() == prior.correlation(0, rows, rows).tobytes()


def test_a_prior_is_called_by_its_kind():
    assert prior_of("linear", FEATURES).words == models.Linear(FEATURES).words
    assert prior_of("independent", sizes=[1.0]) == models.Independent(sizes=(1.0,))


@pytest.mark.parametrize(
    ("kind", "options", "sentence"),
    [
        ("cubic", {"features": FEATURES}, "model must be .smooth., .linear. or .independent."),
        ("smooth", {}, "the model 'smooth' needs features of the designs"),
        ("independent", {"features": FEATURES}, "independent designs have no features"),
        ("smooth", {"features": FEATURES, "kernels": []}, "kernels is empty"),
        ("linear", {"features": FEATURES, "kernels": ["squared"]}, "the model 'linear' has no 'kernels'; it has"),
    ],
)
def test_what_is_refused(kind, options, sentence):
    with pytest.raises(InputError, match=sentence):
        prior_of(kind, **options)


def test_a_prior_of_ones_own_is_not_written():
    class Own(models.Independent):
        pass

    with pytest.raises(InputError, match="one of Smooth, Linear, Independent, got Own"):
        prior_to_dict(Own())


@pytest.mark.parametrize("change", [{"owner": [0]}, {"names": ["heat"]}, {"values": [[0.0], [float("nan")], [1.0]]}])
def test_damaged_features_are_refused(change):
    data = prior_to_dict(models.Smooth(FEATURES))
    with pytest.raises(InputError, match="damaged"):
        prior_from_dict(data | {"encoded": data["encoded"] | change})

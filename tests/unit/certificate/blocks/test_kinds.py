"""Which objectives lie in a range, which are normal, and which are known."""

from __future__ import annotations

import numpy as np
import pytest

from conewise.certificate.blocks.kinds import Kinds
from conewise.data.observations import Observations, Statistics
from conewise.errors import InputError
from conewise.noise import Binary, Bounded, ByObjective, Gaussian, GaussianUnknown, Known, SubGaussian


def test_objectives_are_sorted_by_kind():
    kinds = Kinds.of(ByObjective([Known(), Gaussian(2), Bounded(-1, 5), Binary()]), 4)
    assert [part.tolist() for part in (kinds.bounded, kinds.normal, kinds.known)] == [[2, 3], [1], [0]]
    assert kinds.low.tolist() == [-np.inf, -np.inf, -1, 0]
    assert kinds.high.tolist() == [np.inf, np.inf, 5, 1]
    assert repr(kinds.noise) == "ByObjective([Known(), GaussianUnknown(), Bounded(-1.0, 5.0), Binary()])"
    assert kinds.several


@pytest.mark.parametrize(
    ("noise", "bounded", "normal"),
    [
        (Bounded(0, [1, 2]), [0, 1], []),
        (GaussianUnknown(), [], [0, 1]),
        (Gaussian(cov=[[1, 0.5], [0.5, 1]]), [], [0, 1]),
        (ByObjective([Gaussian(1), GaussianUnknown()]), [], [0, 1]),
    ],
    ids=str,
)
def test_one_kind_alone(noise, bounded, normal):
    kinds = Kinds.of(noise, 2)
    assert (kinds.bounded.tolist(), kinds.normal.tolist(), kinds.known.tolist()) == (bounded, normal, [])
    assert not kinds.several


def test_what_has_only_a_size_is_refused():
    with pytest.raises(InputError, match=r"got subgaussian noise .* in objective 2; give every objective a range"):
        Kinds.of(ByObjective([Binary(), SubGaussian(1)]), 2)
    with pytest.raises(InputError, match="got subgaussian noise of parameter 1 in every direction; give"):
        Kinds.of(SubGaussian(1), 2)


def test_known_values_are_themselves_and_no_average():
    kinds = Kinds.of(ByObjective([GaussianUnknown(), Known()]), 2)
    values = np.full((3, 7, 2), np.nan)
    values[0, :7] = [[k, 0.1] for k in range(7)]
    values[1, 2:4] = [[k, 0.3] for k in range(2)]
    assert kinds.given(values)[:, 0].tolist()[:2] == [0.1, 0.3]
    assert np.isnan(kinds.given(values)[2, 0])
    designs, blocks = np.nonzero(~np.isnan(values[:, :, 0]))
    statistics = Statistics.empty(3, 2).add(Observations.single(designs, values[designs, blocks]))
    assert kinds.averages(values, statistics)[:2].tolist() == [[3.0, 0.1], [0.5, 0.3]]


def test_values_outside_of_a_range():
    kinds = Kinds.of(ByObjective([Bounded(0, 2), GaussianUnknown()]), 2)
    assert kinds.misfit(np.array([[2.0, 9.0], [2.5, 0.0], [np.nan, np.nan]])).tolist() == [
        [False, False],
        [True, False],
        [False, False],
    ]

"""What is evaluated to confirm an answer: nobody, the returned designs, or all of them."""

from __future__ import annotations

import numpy as np
import pytest

from conewise.errors import InputError
from conewise.rules.adaptive.confirming import as_confirm, unconfirmed


@pytest.mark.parametrize(("confirm", "wanted"), [(False, []), (True, [3]), ("all", [3, 0, 4])])
def test_who_has_still_to_be_evaluated(confirm, wanted):
    counts = np.array([0, 2, 1, 0, 0])
    assert unconfirmed(confirm, np.array([1, 3]), counts).tolist() == wanted
    assert unconfirmed(confirm, np.array([1, 3]), counts + 1).tolist() == []


def test_three_words_are_known():
    assert [as_confirm(given) for given in (True, np.bool_(False), "all")] == [True, False, "all"]
    for given in ("returned", 1, None, ["all"]):
        with pytest.raises(InputError, match=r"confirm must be True .* or 'all' .every design is., got"):
            as_confirm(given)

"""The suites that rules, certificates, problems and storages of conewise pass, for others (extra `testing`).

A class of tests inherits a suite and says how the thing under test is made; pytest collects it like any other class.

    from conewise.testing import RuleContract

    class TestMine(RuleContract):
        def make(self, question, n_designs):
            return Mine(question, n_designs)
"""

from conewise.errors import ConewiseError, from_extra

try:
    import pytest
except ImportError:
    raise ConewiseError(f"the suites of conewise.testing need pytest: {from_extra('testing')}.") from None

for _suite in ("algorithms", "intervals", "problems", "storages"):
    pytest.register_assert_rewrite(f"conewise.testing.{_suite}")

from conewise.testing.algorithms import RuleContract  # noqa: E402 - after asking for readable failures
from conewise.testing.intervals import IntervalsContract  # noqa: E402
from conewise.testing.problems import ProblemContract  # noqa: E402
from conewise.testing.storages import StorageContract  # noqa: E402

AlgorithmContract = RuleContract
"""The name of `RuleContract` in version 0.2."""

__all__ = ["AlgorithmContract", "IntervalsContract", "ProblemContract", "RuleContract", "StorageContract"]

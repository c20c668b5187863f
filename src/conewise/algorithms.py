"""The rules under the name that their module had in 0.2."""

from conewise.rules import *  # noqa: F403
from conewise.rules import __all__ as __all__

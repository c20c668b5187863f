"""One Hypothesis profile for every suite: the same examples in every run, and no clock in a verdict."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("conewise", derandomize=True, deadline=None, max_examples=40, print_blob=True)
settings.load_profile("conewise")

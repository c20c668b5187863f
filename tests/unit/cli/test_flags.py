"""Errors on the command line name options, and every option that an error can name is one."""

from __future__ import annotations

import re

import pytest

from conewise.cli.flags import FLAGS, SAME_NAME, in_flags
from conewise.cli.main import commands


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("leave the `executor` out.", "leave the --workers or --dask out."),
        ("declare it final (`final=True`).", "declare it final (--final)."),
        ("assume a size (`noise=Gaussian(sigma)`).", "assume a size (--noise gaussian:SIGMA)."),
        ("`minimise` names 'x'.", "--minimise names 'x'."),
        ('write `incomplete="skip"`.', "write --incomplete skip."),
        ("`designs` belongs to a model: name the `features`.", "--designs belongs to a model: name the --features."),
        ("n_designs must be at least 2.", "--designs must be at least 2."),
        ("add it `unseen=True`, or leave `blocks` out.", "add it --unseen, or leave --blocks out."),
        ("use `record` for these.", "use `record` for these."),
    ],
)
def test_the_command_line_names_options(sentence, words):
    assert in_flags(sentence) == words


def test_every_option_that_an_error_can_name_is_one():
    def options(command):
        for parameter in command.params:
            yield from parameter.opts
        for child in getattr(command, "commands", {}).values():
            yield from options(child)

    known = set(options(commands))
    named = {word for text in FLAGS.values() for word in re.findall(r"--[a-z-]+", text)}
    assert named | {f"--{name}" for name in SAME_NAME} <= known

"""Options that several commands read alike: names of columns, and the address of a scheduler."""

from __future__ import annotations

import asyncio
import socket
import sys

import click
import pytest

from conewise.cli import options
from conewise.cli.options import columns, dask_executor, study_command
from conewise.errors import ConewiseError, InputError


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (None, []),
        ("", []),
        ("a,b", ["a", "b"]),
        (" a , b ,", ["a", "b"]),
        ('"price, net",speed', ["price, net", "speed"]),
        ('"say ""a""",b', ['say "a"', "b"]),
    ],
)
def test_names_are_separated_by_commas_outside_of_quotes(text, names):
    assert columns(None, None, text) == names


def test_a_quote_that_does_not_end_is_one_sentence():
    with pytest.raises(InputError, match="one that holds a comma in double quotes") as caught:
        columns(None, None, '"a,b')
    assert "\n" not in str(caught.value)


def test_a_command_about_a_study_takes_its_place_its_name_and_json():
    @study_command("Look.")
    def look(place: str, name: str | None, as_json: bool) -> None: ...

    assert isinstance(look, click.Command)
    assert {parameter.name for parameter in look.params} == {"place", "name", "as_json"}


@pytest.mark.parametrize("address", ["nowhere", "tcp://host:port", "tls://127.0.0.1:1", "inproc://x"])
def test_an_address_that_is_none_is_refused_before_anything_is_started(address, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("a client was made"))
    with pytest.raises(ConewiseError, match="no Dask scheduler answers at"), dask_executor(address):
        pass


def test_something_that_takes_the_call_and_says_nothing_is_not_waited_for_without_end(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(options, "CONNECT", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        said = rf"no .* at {address} \(not a word from it in 1 s\)\."
        with pytest.raises(ConewiseError, match=said), dask_executor(address):
            pass


def test_without_dask_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConewiseError, match=r"--dask needs dask\.distributed"), dask_executor("tcp://host:8786"):
        pass


def test_a_scheduler_is_asked_for_also_where_an_event_loop_runs(monkeypatch):
    """As in a notebook."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(options, "CONNECT", 1)

    async def within():
        with dask_executor("tcp://127.0.0.1:1"):
            raise AssertionError("nobody listens there")

    with pytest.raises(ConewiseError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        asyncio.run(within())

"""How options are read, where several commands read them alike."""

from __future__ import annotations

import asyncio
import csv
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final

import click

from conewise.errors import ConewiseError, InputError, from_extra

CONNECT: Final = 10  # seconds for a scheduler to answer


force_option: Final = click.option(
    "--force", is_flag=True, help="Replace the file if it exists; a file that is read is never replaced."
)


def study_command(short_help: str, **settings: Any) -> Callable[[Callable[..., None]], click.Command]:
    """A command about one existing study, which is given as `place` and `name`."""

    def decorate(function: Callable[..., None]) -> click.Command:
        json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
        name = click.option("--name", help="Which study, where a file or database holds several.")
        place = click.argument("place", metavar="STUDY")
        command: Callable[[Callable[..., None]], click.Command] = click.command(short_help=short_help, **settings)
        return command(place(name(json_option(function))))

    return decorate


def columns(_: click.Context, __: click.Parameter, value: str | None) -> list[str]:
    """Names of columns, separated by commas; a name that holds a comma stands in double quotes."""
    if not value:
        return []
    try:
        words = next(csv.reader([value], skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise InputError(
            f"names of columns are separated by commas, one that holds a comma in double quotes, got {value[:60]!r} "
            f"({error})."
        ) from None
    return [word.strip() for word in words if word.strip()]


minimise_option: Final = click.option(
    "--minimise",
    callback=columns,
    help="Objectives that should be small; what is named here is compared, also beside --objectives.",
)


@contextmanager
def dask_executor(address: str) -> Iterator[Any]:
    """The workers of the Dask scheduler at the address of --dask; evaluations are never answered from its memory."""
    try:
        from distributed import Client
    except ImportError:
        raise ConewiseError(f"--dask needs dask.distributed: {from_extra('distributed')}.") from None
    connect: Any = Client
    try:
        with ThreadPoolExecutor(1) as aside:  # whoever calls may have an event loop of their own
            aside.submit(lambda: asyncio.run(_answered(address))).result()
        client = connect(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # TimeoutError is an OSError
        words = " ".join(str(error).split())[:120] or f"not a word from it in {CONNECT} s"
        remedy = "; write its address as tcp://host:8786" if isinstance(error, ValueError) else ""
        raise ConewiseError(f"no Dask scheduler answers at {address} ({words}){remedy}.") from None
    for name in ("distributed", "distributed.client"):  # what goes wrong is said once, by whoever uses the executor
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if not client.nthreads():
        click.echo(f"Note: the Dask scheduler at {address} has no workers yet; everything waits for them.", err=True)
    with client:
        yield client.get_executor(pure=False)


async def _answered(address: str) -> None:
    """Asked before a client is made, which waits without end for one that takes its call and says nothing.

    A client that was half made would complain once more at exit, too.
    """
    from distributed import security
    from distributed.comm import core

    makes: Any = security.Security
    connect: Any = core.connect
    line = await asyncio.wait_for(connect(address, timeout=CONNECT, **makes().get_connection_args("client")), CONNECT)
    await line.close()


def as_population(text: str | None) -> int | str | None:
    """A number of blocks, or the word."""
    if text is None or text == "all":
        return text
    try:
        return int(text)
    except ValueError:
        raise InputError(f"--population must be `all` or a number of blocks, got {text[:60]!r}.") from None

"""`conewise`: the group of commands, and the one place where errors become one line and exit code 2."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from conewise._version import __version__
from conewise.cli.analyse import analyse_command
from conewise.cli.budget import budget
from conewise.cli.cone import cone
from conewise.cli.explore import explore
from conewise.cli.flags import in_flags
from conewise.cli.front import front
from conewise.cli.prefer import prefer
from conewise.cli.report import report
from conewise.cli.reproduce import reproduce
from conewise.cli.study import study
from conewise.errors import ConewiseError, InputError, printable

USER_ERROR: Final = 2
READER_GONE: Final = 1  # as click has it
_RAW: Final = re.compile(r"(?:\\udc[0-9a-f]{2})+")  # bytes of an argument that is no text here, as Python quotes them
_COMMA: Final = re.compile(r"'[^']*[0-9],[0-9][^']*' is not a valid (float|integer)")
_QUOTED: Final = 120  # characters of an error that is not ours


_SPELT_ELSEWHERE: Final = {"analyze": "analyse", "minimize": "minimise"}


def _spelling(token: str) -> str:
    """Names of commands and options, as we spell them."""
    return _SPELT_ELSEWHERE.get(token, token)


@click.group(
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "token_normalize_func": _spelling,
    }
)
@click.version_option(__version__, prog_name="conewise")
def commands() -> None:
    """Vector optimisation with noisy evaluations: what "better" means is a cone.

    Example: conewise cone planar:135
    """


for command in (reproduce, cone, front, prefer, analyse_command, explore, report, budget, study):
    commands.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; a mistake of the user is one line on stderr and exit code 2, never a traceback."""
    try:
        code = _run(arguments)
    except click.Abort:
        _fail("interrupted.", code=130)
    except click.ClickException as error:
        _fail(_hint(error))
    except ConewiseError as error:
        _fail(in_flags(str(error)))
    except BrokenPipeError:  # the reader of our output has gone: nothing more to say, and no complaint at exit
        _hush()
        sys.exit(READER_GONE)
    except OSError as error:
        _hush()
        what = str(error.strerror or error).rstrip(".")
        _fail(f"{what}{f': {error.filename}' if error.filename else ''}.")
    except UnicodeDecodeError as error:
        _fail(f"the file is not text in UTF-8 (byte {error.start}); save it as UTF-8.")
    except UnicodeEncodeError as error:
        _fail(
            f"the output is written in {error.encoding}, which cannot say U+{ord(error.object[error.start]):04X}; "
            "set PYTHONUTF8=1."
        )
    except MemoryError:
        _fail("there is not enough memory for this; give fewer or smaller things at a time.")
    except RecursionError:
        _fail("something given is nested too deeply; write it flatter.")
    except (
        ValueError,
        ArithmeticError,
        _qhull_error(),
    ) as error:  # a mistake of ours: every input has its own sentence
        _fail(
            f"this cannot be computed ({type(error).__name__}: {str(error)[:_QUOTED]}); look for numbers or sizes "
            "beyond reason in what was given, and report it if there are none."
        )
    sys.exit(code if isinstance(code, int) else 0)


def _run(arguments: Sequence[str] | None) -> object:
    if sys.stdout is None:  # closed by whoever started us: there is nobody to write to
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if "" in (sys.argv[1:] if arguments is None else arguments):  # Path("") would be the folder that we run in
        raise InputError("an argument is empty; leave it out, or give it a value (is a variable of the shell unset?).")
    try:
        code = commands.main(args=arguments, prog_name="conewise", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = 0
    sys.stdout.flush()  # here, where a full disk or a reader that has gone can still be answered
    return code


def _qhull_error() -> type[Exception]:
    """Qhull's own kind of error, looked up only where a hull was computed: importing it takes a while."""
    geometry = sys.modules.get("scipy.spatial")
    return geometry.QhullError if geometry is not None else ValueError


def _hush() -> None:
    """Let what is still to be flushed at exit go nowhere."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # an output without a file descriptor keeps its own
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "conewise"
    message = error.format_message().rstrip(".")
    if _COMMA.search(message):
        message += "; write decimals with a point and thousands without a separator"
    if not isinstance(error, click.UsageError):
        return f"{message}."
    return f"{message} See {command} --help." if message.endswith("?") else f"{message}; see {command} --help."


def _fail(message: str, code: int = USER_ERROR) -> None:
    line = f"conewise: {printable(' '.join(message.split()))}"
    said = _RAW.sub(lambda raw: bytes.fromhex(raw[0].replace("\\udc", "")).decode("utf-8", "replace"), line)
    click.echo(line if said == line else said.encode(), err=True)
    sys.exit(code)

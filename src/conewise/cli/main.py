"""`conewise`: the group of commands, and the one place where errors become one line and exit code 2."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from conewise._version import __version__
from conewise.cli.analyse import analyse_command
from conewise.cli.budget import budget
from conewise.cli.cone import cone
from conewise.cli.explore import explore
from conewise.cli.front import front
from conewise.cli.report import report
from conewise.cli.reproduce import reproduce
from conewise.cli.study import study
from conewise.errors import ConewiseError

USER_ERROR = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="conewise")
def commands() -> None:
    """Vector optimisation with noisy evaluations: what "better" means is a cone.

    Example: conewise cone planar:135
    """


for command in (reproduce, cone, front, analyse_command, explore, report, budget, study):
    commands.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; a mistake of the user is one line on stderr and exit code 2, never a traceback."""
    try:
        code = commands.main(args=arguments, prog_name="conewise", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(0)
    except click.Abort:
        _fail("interrupted.", code=130)
    except click.ClickException as error:
        _fail(_hint(error))
    except ConewiseError as error:
        _fail(str(error))
    except BrokenPipeError:  # the reader of our output has gone: nothing more to say, and no complaint at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        what = str(error.strerror or error).rstrip(".")
        _fail(f"{what}{f': {error.filename}' if error.filename else ''}.")
    except UnicodeDecodeError as error:
        _fail(f"the file is not text in UTF-8 (byte {error.start}); save it as UTF-8.")
    except UnicodeEncodeError as error:
        _fail(
            f"the output is written in {error.encoding}, which cannot say U+{ord(error.object[error.start]):04X}; "
            "set PYTHONUTF8=1."
        )
    sys.exit(code if isinstance(code, int) else 0)


def _hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "conewise"
    message = error.format_message().rstrip(".")
    return f"{message}; see {command} --help." if isinstance(error, click.UsageError) else f"{message}."


def _fail(message: str, code: int = USER_ERROR) -> None:
    click.echo(f"conewise: {' '.join(message.split())}", err=True)
    sys.exit(code)

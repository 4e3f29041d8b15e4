"""The `astgen` command: the only place of the package that prints.

One module a command. Nothing here imports torch or libcst before a command
needs it, so `--help` and `--version` answer at once.
"""

from __future__ import annotations

import os

import click

from astgen import __version__
from astgen.cli.console import DIFFERENT, FAILED, INTERRUPTED, PIPE_CLOSED, show_error
from astgen.cli.lazy import LazyGroup
from astgen.errors import AstgenError, InvalidProgramError

__all__ = ["main"]


_NEEDED = ("torch", "libcst", "black", "jinja2", "pygments")


class _Commands(LazyGroup):
    """A group that turns what goes wrong into a line and an exit code."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except InvalidProgramError as error:
            show_error(str(error))
            ctx.exit(DIFFERENT)
        except AstgenError as error:
            show_error(str(error))
            ctx.exit(FAILED)
        except KeyboardInterrupt:
            show_error("interrupted")
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            # Nobody reads any more. The interpreter flushes once more at exit and
            # would complain again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            ctx.exit(PIPE_CLOSED)
        except ModuleNotFoundError as error:
            # The linter alone runs without PyTorch, the other commands do not.
            if error.name not in _NEEDED:
                raise
            show_error(f"{error.name} is not installed; pip install {error.name}")
            ctx.exit(FAILED)
        except OSError as error:
            show_error(f"{error.strerror or error}; make room, or write elsewhere")
            ctx.exit(FAILED)


@click.group(
    cls=_Commands,
    homes={
        "compile": "astgen.cli.compile",
        "lint": "astgen.cli.lint",
        "rule": "astgen.cli.rule",
        "inspect": "astgen.cli.inspect",
        "verify": "astgen.cli.verify",
        "convert": "astgen.cli.convert",
        "dump": "astgen.cli.dump",
        "fmt": "astgen.cli.fmt",
        "cache": "astgen.cli.cache",
        "diff": "astgen.cli.diff",
        "review": "astgen.cli.review",
        "completion": "astgen.cli.completion",
    },
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 all is well, 1 results differ or the checker refused "
    "something, 2 it could not be done, 130 interrupted.",
)
@click.version_option(__version__, prog_name="astgen")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Split torch.fx graphs in, checked and formatted Python functions out."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False

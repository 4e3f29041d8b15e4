"""The options of `astgen lint`, in the order in which `--help` shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

from astgen.check.finding import PROFILES, SEVERITIES
from astgen.lint.output import FORMATS
from astgen.lint.select import validate
from astgen.lint.settings import size

__all__ = ["lint_options"]

_Command = Callable[..., Any]


class _Selectors(click.ParamType):  # type: ignore[type-arg]
    """Codes, prefixes or names of rules, separated by commas."""

    name = "rules"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        option = param.opts[0] if param is not None else "selector"
        return validate([one.strip() for one in value.split(",")], option)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from astgen.lint.rules import ALL_RULES

        begun, _, last = incomplete.rpartition(",")
        head = f"{begun}," if begun else ""
        return [
            CompletionItem(head + code, help=rule.name)
            for code, rule in ALL_RULES.items()
            if code.startswith(last.upper())
        ]


class _Size(click.ParamType):  # type: ignore[type-arg]
    """A number of bytes, with a unit if that is easier."""

    name = "size"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        return size(value, param.opts[0] if param is not None else "size")


_FILE = click.Path(dir_okay=False)
_CHOICES: list[_Command] = [
    click.option(
        "--select",
        type=_Selectors(),
        multiple=True,
        metavar="RULES",
        help="Only these rules: codes (AG203), prefixes (AG2), names, or ALL; "
        "separated by commas, repeatable.",
    ),
    click.option(
        "--ignore",
        type=_Selectors(),
        multiple=True,
        metavar="RULES",
        help="Not these rules. Where both fit, the longer one counts.",
    ),
    click.option(
        "--extend-select",
        type=_Selectors(),
        multiple=True,
        metavar="RULES",
        help="These rules, too.",
    ),
    click.option(
        "--severity",
        type=click.Choice(SEVERITIES),
        help="The lowest severity that is reported.  [default: warning, and note for "
        "rules that are selected]",
    ),
    click.option(
        "--profile",
        type=click.Choice(PROFILES),
        help="Who generated the code.  [default: look at each text]",
    ),
    click.option(
        "--resolve-ops",
        is_flag=True,
        help="Look up operators in the installed PyTorch: do they exist, do the "
        "arguments fit. Imports torch.",
    ),
    click.option(
        "--import",
        "imports",
        multiple=True,
        metavar="MODULE",
        help="With --resolve-ops: import this first, since it registers operators; "
        "repeatable. This runs the module.",
    ),
]
_MENDING: list[_Command] = [
    click.option(
        "--fix",
        is_flag=True,
        help="Mend what is reported where that is safe: missing and useless del, "
        "unused values and imports, equal functions; with --select ALL, notes and "
        "layout (by black) too.",
    ),
    click.option(
        "--diff",
        is_flag=True,
        help="Show what --fix would change, and change nothing.",
    ),
    click.option(
        "--baseline",
        type=_FILE,
        metavar="FILE",
        help="Leave out the findings that are in this file.",
    ),
    click.option(
        "--write-baseline",
        type=_FILE,
        metavar="FILE",
        help="Write the findings of today to this file, and report none.",
    ),
]
_OUTPUT: list[_Command] = [
    click.option(
        "--output-format",
        type=click.Choice(FORMATS),
        default="full",
        show_default=True,
        help="How findings are written.",
    ),
    click.option(
        "-o",
        "--output-file",
        type=_FILE,
        metavar="FILE",
        help="Where they are written.  [default: standard output]",
    ),
    click.option(
        "--statistics",
        is_flag=True,
        help="Count the findings of each rule instead.",
    ),
    click.option(
        "--exit-zero",
        is_flag=True,
        help="Exit with 0 even if there are findings.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="No summary, no progress."),
]
_RUN: list[_Command] = [
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Pass over such files and folders below folders; repeatable.",
    ),
    click.option(
        "--force-exclude",
        is_flag=True,
        default=None,
        help="Pass over them even where they are named, as hooks name files.",
    ),
    click.option(
        "--stdin-filename",
        default="<stdin>",
        metavar="NAME",
        help="What to call the input if PATH is -.",
    ),
    click.option(
        "--config",
        type=_FILE,
        metavar="FILE",
        help="Use this pyproject.toml instead of the nearest above each file.",
    ),
    click.option(
        "--isolated",
        is_flag=True,
        help="Let nothing that lies beside or in the files decide: no configuration "
        "but --config, no suppression comments.",
    ),
    click.option(
        "--max-file-size",
        type=_Size(),
        metavar="SIZE",
        help="Read no larger file, as bytes or with a unit: 512MiB.  [default: 256 MiB]",
    ),
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Processes.  [default: one a processor]",
    ),
    click.option(
        "--watch",
        "watch_files",
        is_flag=True,
        help="Look again whenever a file changes, until interrupted.",
    ),
]


def lint_options(command: _Command) -> _Command:
    """Give a command the options of `astgen lint`."""
    for option in reversed([*_CHOICES, *_MENDING, *_OUTPUT, *_RUN]):
        command = option(command)
    return command

"""The random tests for minutes or hours instead of seconds.

    python tools/fuzz.py --minutes 60
    python tools/fuzz.py --only layout --minutes 5

`graphs` draws graph modules and compares the generated function with the
interpreter, bit for bit; `layout` draws syntax trees and holds their layout against
black and their text against libcst. A failure is shrunk by Hypothesis and written
as a test that reproduces it. Exit code 0: nothing found; 1: something was.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import black
import click
import torch
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.random_graphs import RandomGraph  # noqa: E402
from support.running import run_graph  # noqa: E402
from support.shapes import Shapes  # noqa: E402

from astgen.emit.layout import lay_out  # noqa: E402
from astgen.emit.render import render  # noqa: E402

__all__ = ["check_graph", "check_layout", "main"]

_ROUND = 200
"""Examples between two looks at the clock."""

_TEST = '''\
"""Found by tools/fuzz.py. Hypothesis says DidNotReproduce once the fault is gone."""

import sys
from pathlib import Path

from hypothesis import given, reproduce_failure, settings
from hypothesis import strategies as st

sys.path.insert(0, {tools!r})

import fuzz


@settings(deadline=None)
{decorator}
@given({strategy})
def test_found(drawn):
    fuzz.{check}(drawn)
'''


def check_graph(random: Random) -> None:
    """A graph means the same generated as interpreted.

    Raises:
        AssertionError: It does not.
    """
    drawn = RandomGraph(random)
    module = drawn.module()
    run_graph(module, *(torch.arange(3.0) - 1.5 * i for i in range(drawn.inputs)))


def check_layout(number: int) -> None:
    """Black leaves a laid-out module alone, and libcst prints the same text.

    Raises:
        AssertionError: Not so.
    """
    module = lay_out(Shapes(number).module())
    text = render(module)
    assert module.code == text
    assert black.format_str(text, mode=black.Mode()) == text


_CHECKS: dict[str, tuple[Callable[..., None], st.SearchStrategy, str]] = {
    "graphs": (
        check_graph,
        st.randoms(use_true_random=False),
        "st.randoms(use_true_random=False)",
    ),
    "layout": (check_layout, st.integers(0, 2**64), "st.integers(0, 2**64)"),
}


@click.command()
@click.option("--minutes", default=10.0, show_default=True, help="How long to look.")
@click.option("--only", type=click.Choice(sorted(_CHECKS)), help="One of the two.")
@click.option("--seed", "start", default=0, show_default=True, help="Where to begin.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("."),
    help="Where tests for failures go.",
)
def main(minutes: float, only: str | None, start: int, output: Path) -> None:
    """Look for graphs and layouts that go wrong."""
    names = [only] if only else sorted(_CHECKS)
    end = time.monotonic() + minutes * 60
    tried = dict.fromkeys(names, 0)
    found: list[Path] = []
    rounds = 0
    while time.monotonic() < end and not found:
        for name in names:
            report = _round(name, start + rounds)
            tried[name] += _ROUND
            if report is not None:
                found.append(_write(output, name, start + rounds, report))
        rounds += 1
        shown = ", ".join(f"{count} {name}" for name, count in tried.items())
        click.echo(f"\r{shown}, {len(found)} failures", err=True, nl=False)
    click.echo("", err=True)
    for path in found:
        click.echo(f"a failure, shrunk: {path}")
    sys.exit(1 if found else 0)


def _round(name: str, start: int) -> str | None:
    """Try some examples; what Hypothesis says of a failure, None if there is none."""
    check, strategy, _ = _CHECKS[name]

    @seed(start)
    @settings(
        max_examples=_ROUND,
        deadline=None,
        database=None,
        print_blob=True,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def run(drawn: object) -> None:
        check(drawn)

    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            run()
    except Exception as error:
        notes = "\n".join(getattr(error, "__notes__", ()))
        return f"{error!r}\n{notes}\n{printed.getvalue()}"
    return None


def _write(output: Path, name: str, start: int, report: str) -> Path:
    check, _, strategy = _CHECKS[name]
    blob = re.search(r"@reproduce_failure\(.*?\)", report, re.DOTALL)
    text = _TEST.format(
        tools=str(Path(__file__).parent),
        decorator=blob.group(0) if blob else f"# seed {start}",
        strategy=strategy,
        check=check.__name__,
    )
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"test_found_{name}_{start}.py"
    path.write_text(text)
    click.echo(f"\n{report}", err=True)
    return path


if __name__ == "__main__":
    main()

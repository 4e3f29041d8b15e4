"""Measure astgen against vLLM's generator, FX, and what one would write by hand.

    python tools/bench.py                                # against an installed vLLM
    python tools/bench.py --upstream codegen.py          # or its file, from its wheel
    python tools/bench.py --only call,warm --graphs pure80,chain:500
    python tools/bench.py --json bench.json --pairs 51

Every figure is a ratio, astgen over the other side: both are measured by turns in one
run, with the garbage collector on, and the ratio is the median of those of the pairs;
below 1, astgen is faster. Times are those of the processor, except for `import`: what
a process takes from beginning to end. Before functions are timed, their results are compared with
FX's interpreter, with pieces that compute.

`call` is a call whose pieces return at once, `warm` from text to callable, `cold` from
graph to callable, `storage` from a file to a callable (vLLM's side: a pickle with the
same text), `check` the checker against Python's parser and compiler, `import` the start
of the command, `scale` large graphs in fresh processes. The *floor* is a function in
which every callable, operator and constant is a cell already.
Exit code 0: measured; 2: it could not be.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from astgen import codegen
from bench_graphs import Subject, chain, inlined80x50, pure80, stitching80, subject_of
from bench_model import demo, has_transformers, llama32
from bench_pairs import Row
from bench_peers import BenchError, Compiler, load_upstream
from bench_report import check_writable, machine, report, write_json
from bench_rows import OURS, Side, call, checker, cold, held_against, sides, warm
from bench_scale import scaling, starting
from bench_storage import storage

__all__ = ["main", "measure"]

FAILED = 2

_GROUPS = ("call", "warm", "cold", "storage", "check", "import", "scale")
_OWN: dict[str, Callable[[], Any]] = {
    "pure80": pure80,
    "stitching80": stitching80,
    "inlined80x50": inlined80x50,
}
_MODELS: dict[str, Callable[[], Subject]] = {"llama32": llama32, "demo": demo}
_CHAIN = "chain:"
_LINTED_NODES = 40


def _names(
    is_one: Callable[[str], bool], choices: str
) -> Callable[[click.Context, click.Parameter, str | None], tuple[str, ...]]:
    """What takes an option with commas apart, and knows what may be in there."""

    def names(
        ctx: click.Context, param: click.Parameter, value: str | None
    ) -> tuple[str, ...]:
        found = () if value is None else tuple(map(str.strip, value.split(",")))
        for name in found:
            if not is_one(name):
                raise click.BadParameter(f"{name!r} is none of {choices}")
        return found

    return names


def _is_graph(name: str) -> bool:
    return name in _OWN or name in _MODELS or _is_chain(name)


def _is_chain(name: str) -> bool:
    return name.startswith(_CHAIN) and _is_size(name[len(_CHAIN) :])


def _is_size(text: str) -> bool:
    # A piece of a chain is four nodes.
    return text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= 4


@click.command()
@click.option(
    "--upstream",
    type=click.Path(path_type=Path),
    help="A file with vLLM's two functions. Default: that of the installed vLLM.",
)
@click.option(
    "--graphs",
    callback=_names(_is_graph, f"{', '.join([*_OWN, *_MODELS])}, chain:NODES"),
    help="What to measure on, with commas between: pure80, stitching80, inlined80x50, "
    "llama32 (needs transformers), demo (the built-in model), chain:NODES. Default: "
    "the first three, and llama32 if it is there, else demo.",
)
@click.option(
    "--only",
    callback=_names(_GROUPS.__contains__, ", ".join(_GROUPS)),
    default=",".join(_GROUPS),
    show_default=True,
    help="What to measure, with commas between.",
)
@click.option(
    "--pairs",
    type=click.IntRange(2),
    default=21,
    show_default=True,
    help="Pairs of figures for each row; of large graphs, three at most.",
)
@click.option(
    "--scale",
    "sizes",
    callback=_names(_is_size, "numbers of nodes, 4 or more"),
    default="1000,10000,100000",
    show_default=True,
    help="Numbers of nodes, with commas between.",
)
@click.option(
    "--json",
    "out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all figures to a file.",
)
def main(
    upstream: Path | None,
    graphs: tuple[str, ...],
    only: tuple[str, ...],
    pairs: int,
    sizes: tuple[str, ...],
    out: Path | None,
) -> None:
    """Measure astgen against vLLM's generator, FX, and what one would write by hand."""
    names = graphs or (*_OWN, "llama32" if has_transformers() else "demo")
    facts = machine()
    notes: list[str] = []
    try:
        if out is not None:
            check_writable(out)
        loaded = load_upstream(upstream)
        rows = list(measure(names, only, loaded, pairs, [*map(int, sizes)], notes))
        click.echo(report(facts, rows, notes))
        if out is not None:
            write_json(out, facts, rows, notes)
    except BenchError as error:
        _stop(str(error))


def measure(
    names: Sequence[str],
    only: Sequence[str],
    upstream: tuple[Compiler, Path] | None,
    pairs: int,
    sizes: Sequence[int],
    notes: list[str],
) -> Iterator[Row]:
    """Measure all that was asked for.

    Args:
        names: The graphs.
        only: The groups.
        upstream: Another generator, and its file.
        pairs: How many pairs each row is made of.
        sizes: Numbers of nodes of the large graphs.
        notes: Gets what is left out, and why.

    Yields:
        The rows, graph by graph.

    Raises:
        BenchError: It cannot be done.
    """
    if upstream is None:
        notes.append(
            "there is no vLLM here: rows against it are left out; --upstream PATH "
            "takes its codegen.py"
        )
    compiler = upstream and upstream[0]
    if {"call", "warm", "cold", "storage", "check"} & {*only}:
        for name in names:
            yield from _of_graph(_subject(name), only, compiler, pairs, notes)
    if "import" in only:
        _progress("import")
        text, _, _ = codegen.generate_execution_code(chain(_LINTED_NODES))
        yield from starting(text, pairs)
    if "scale" in only:
        yield from scaling(sizes, upstream and upstream[1], pairs, _progress)


def _of_graph(
    subject: Subject,
    only: Sequence[str],
    upstream: Compiler | None,
    pairs: int,
    notes: list[str],
) -> Iterator[Row]:
    _progress(f"{subject.name}: results")
    wrong = held_against(subject, OURS)
    if wrong is not None:
        raise BenchError(f"astgen is wrong on {subject.name}: {wrong}")
    good: list[Side] = []
    for side in sides(upstream):
        wrong = held_against(subject, side)
        if wrong is None:
            good.append(side)
        else:
            notes.append(f"{side.name} is left out on {subject.name}: {wrong}")
    if "call" in only:
        for side in good:
            _progress(f"{subject.name}: call, {side.name}")
            yield from call(subject, side, pairs)
    if upstream is not None and any(side.name == "upstream" for side in good):
        for group, rows in (("warm", warm), ("cold", cold), ("storage", storage)):
            if group in only:
                _progress(f"{subject.name}: {group}")
                yield from rows(subject, upstream, pairs)
    if "check" in only:
        _progress(f"{subject.name}: check")
        yield from checker(subject, pairs)


def _subject(name: str) -> Subject:
    _progress(name)
    if name in _MODELS:
        return _MODELS[name]()
    if name in _OWN:
        return subject_of(name, _OWN[name]())
    return subject_of(name, chain(int(name[len(_CHAIN) :])))


def _progress(stage: str) -> None:
    click.echo(f"bench: {stage}", err=True)


def _stop(message: str) -> NoReturn:
    click.echo(f"bench: error: {message}", err=True)
    sys.exit(FAILED)


if __name__ == "__main__":
    main()

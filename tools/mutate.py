"""How many broken programs get past the checker? Mutants of valid programs say.

    python tools/mutate.py --graphs 100 --limit 20
    python tools/mutate.py stitched.py --limit 50 --json report.json
    python tools/mutate.py --tests corpus --limit 5

An oracle of its own (`mutate_form.py`, `mutate_run.py`) says of each mutant whether
its structure is broken. The checker must refuse all that are, and none that are
still valid programs: another operator, another index in range, another live name.
Those are counted apart, because no look at a text alone can tell them from what was
meant; an artifact's digest and `astgen diff` can.

Mutants that lost a del (`mutate_lifetimes.py`) may run, so they are shown to `astgen
lint` too. Structural are those that hold a value while something runs that does not
need it; lint must flag all of them (AG203, AG205, AG207). Valid are those where
nothing runs any more, and those that lost the del of a parameter of astgen's own text,
which deletes some parameters and spares weights and numbers.

Exit code 0: all structural mutants are flagged, all valid ones accepted; 1: not so;
2: a program could not be mutated.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from mutate_corpus import of_files, of_graphs, of_tests
from mutate_judge import OPERATORS, Count, Judged, judge
from mutate_program import Program

__all__ = ["main"]

_SHOWN = 20
"""Mutants that are shown in full where oracle and checker (or lint) disagree."""


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--graphs", default=0, help="Programs of so many random graphs.")
@click.option("--tests", help="Programs that this part of the tests generates.")
@click.option("--limit", type=int, help="Mutants an operator and program at most.")
@click.option("--seed", default=0, show_default=True, help="Of graphs and drawing.")
@click.option("--namespace", multiple=True, help="Operator namespace of the files.")
@click.option("--json", "report", type=click.Path(path_type=Path), help="Write counts.")
def main(
    paths: tuple[Path, ...],
    graphs: int,
    tests: str | None,
    limit: int | None,
    seed: int,
    namespace: tuple[str, ...],
    report: Path | None,
) -> None:
    """Mutate valid programs and see what the checker says."""
    start = time.monotonic()
    counts = {name: Count() for name in OPERATORS}
    wrong: list[Judged] = []
    number = 0
    try:
        for program in _programs(paths, graphs, tests, seed, namespace):
            number += 1
            for judged in judge(program, limit, seed):
                counts[judged.operator].add(judged)
                if not judged.is_right:
                    wrong.append(judged)
            made = sum(count.made for count in counts.values())
            click.echo(f"\r{number} programs, {made} mutants", err=True, nl=False)
    except (OSError, SyntaxError, ValueError) as error:
        click.echo(f"\n{error}", err=True)
        sys.exit(2)
    click.echo(f", {time.monotonic() - start:.0f} s", err=True)
    for judged in wrong[:_SHOWN]:
        click.echo(f"{judged}\n")
    click.echo(_table(counts))
    if report is not None:
        report.write_text(json.dumps(_report(number, counts, wrong), indent=1) + "\n")
    sys.exit(1 if wrong or not number else 0)


def _programs(
    paths: tuple[Path, ...],
    graphs: int,
    tests: str | None,
    seed: int,
    namespaces: tuple[str, ...],
) -> Iterator[Program]:
    yield from of_files(list(paths), namespaces)
    yield from of_graphs(graphs, seed)
    if tests is not None:
        yield from of_tests(tests)


def _table(counts: dict[str, Count]) -> str:
    total = Count()
    for count in counts.values():
        for name in ("made", "structural", "flagged", "valid", "refused"):
            setattr(total, name, getattr(total, name) + getattr(count, name))
    head = ("made", "structural", "flagged", "missed", "valid", "refused")
    lines = ["".join([f"{'operator':38}", *(f"{name:>11}" for name in head)])]
    for name, count in [*counts.items(), ("total", total)]:
        numbers = (f"{getattr(count, column):>11}" for column in head)
        lines.append("".join([f"{name.replace('_', ' '):38}", *numbers]))
    return "\n".join(lines)


def _report(
    programs: int, counts: dict[str, Count], wrong: list[Judged]
) -> dict[str, object]:
    return {
        "programs": programs,
        "operators": {
            name: {**asdict(count), "missed": count.missed}
            for name, count in counts.items()
        },
        "wrong": [
            {
                "operator": judged.operator,
                "program": judged.program.name,
                "text": judged.text,
                "oracle": judged.reason,
                "checker": judged.rules,
            }
            for judged in wrong
        ],
    }


if __name__ == "__main__":
    main()

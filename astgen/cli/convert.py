"""`astgen convert`: a program out of a pickled compile cache, as an artifact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from astgen.cli.options import namespace_option
from astgen.errors import ArtifactError

if TYPE_CHECKING:
    from astgen.lint.sources.pickled import Pickled

__all__ = ["convert_command"]

_HARMLESS = frozenset({"AG605", "AG608", "AG610"})
"""What is said of pickles that would be loaded: this one is not."""


@click.command("convert", short_help="Make an artifact of a pickled compile cache.")
@click.argument("cache", type=click.Path(readable=False))
@click.argument("output", type=click.Path(readable=False))
@click.option(
    "--member",
    metavar="PLACE",
    help="Which program, if the file has several: its place in it.",
)
@click.option(
    "--allow",
    "modules",
    multiple=True,
    metavar="NAME",
    help="A module, or a module:function, whose functions and classes may be "
    "constants; it is imported. Repeatable.",
)
@namespace_option
def convert_command(
    cache: str,
    output: str,
    member: str | None,
    modules: tuple[str, ...],
    namespaces: tuple[str, ...],
) -> None:
    """Make an artifact of a compile cache that is a pickle, such as vLLM's.

    CACHE is read and never loaded. Its program goes to OUTPUT if the checker accepts
    it and each of its constants is made in a way that is known. What the backend
    compiled stays behind.

    Exit codes: 0 it is written, 1 the checker refuses the program, 2 it could not be
    done.
    """
    from astgen.lint.sources.limits import Limits
    from astgen.lint.sources.pickled import read_pickled

    programs, findings = read_pickled(cache, Limits())
    shown = click.format_filename(cache)
    for finding in findings:
        if finding.rule not in _HARMLESS:
            raise ArtifactError(
                finding.message, path=shown, rule=finding.rule, hint=finding.hint
            )
    program = _chosen(programs, member, shown)
    from astgen.check import DEFAULT_DIALECT, Dialect
    from astgen.program import Program
    from astgen.store import DecodePolicy
    from astgen.store.remaking import remake

    allowed = DEFAULT_DIALECT.namespaces | {*namespaces}
    names = program.names
    if names is None or None in names:
        raise ArtifactError(
            "it does not have the names of all pieces",
            path=f"{shown}: {program.member}",
            rule="AG607",
            hint="delete the cache; it is built anew at the next start",
        )
    policy = DecodePolicy(modules=frozenset(modules), namespaces=allowed)
    consts = remake(program.consts or (), policy, f"{shown}: {program.member}")
    made = Program(
        program.code,
        tuple(map(str, names)),
        consts,
        dialect=Dialect(namespaces=allowed),
    )
    made.save(output)
    click.echo(
        f"{click.format_filename(output)}: {len(names)} pieces, {len(consts)} "
        f"constants, from {shown}: {program.member}"
    )


def _chosen(programs: list[Pickled], member: str | None, shown: str) -> Pickled:
    if not programs:
        hint = "name a compile cache of vLLM, such as rank_0_0/model"
        raise ArtifactError("it holds no program", path=shown, rule="AG607", hint=hint)
    if member is None and len(programs) == 1:
        return programs[0]
    for program in programs:
        if program.member == member:
            return program
    listed = ", ".join(repr(program.member) for program in programs[:10])
    reason = f"it has the programs {listed}"
    hint = "say which one, with --member"
    raise ArtifactError(reason, path=shown, hint=hint)

"""`astgen compile`: the main job on a model, and a report of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from astgen.cli.console import DIFFERENT, Progress
from astgen.cli.files import left_from_before, prepare_directory, write_text

if TYPE_CHECKING:
    from astgen.program import Program

__all__ = ["compile_command"]


@click.command("compile", short_help="Compile a model, compare it, write its source.")
@click.argument("target", required=False)
@click.option(
    "--split",
    "splitting_ops",
    multiple=True,
    metavar="OP",
    help="Split at this operator; repeatable. Default: scaled_dot_product_attention and "
    "flex_attention.",
)
@click.option(
    "--pieces",
    type=click.Choice(["eager", "inductor"]),
    default="eager",
    show_default=True,
    help="What the pieces run on.",
)
@click.option(
    "--dynamic/--static",
    default=None,
    help="All sizes are dynamic, or none. Default: those that the factory marked with "
    "torch._dynamo.mark_dynamic; for the built-in model, the length.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default="astgen-out",
    show_default=True,
    metavar="DIR",
    help="Where the generated source goes.",
)
@click.option(
    "--artifacts",
    is_flag=True,
    help="Write artifacts as well, with what the graphs know of the source, for "
    "`astgen review` and `astgen dump --annotate`.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
@click.pass_context
def compile_command(
    ctx: click.Context,
    target: str | None,
    splitting_ops: tuple[str, ...],
    pieces: str,
    dynamic: bool | None,
    output: Path,
    artifacts: bool,
    quiet: bool,
) -> None:
    """Compile a model piece by piece, and compare it with eager mode.

    TARGET is file.py:factory or package.module:factory. The factory takes no
    arguments and returns (module, args) or (module, args, kwargs). Without a
    TARGET, a small built-in transformer is compiled.

    The model runs as it is, on the given arguments, on shuffled ones, and on
    shuffled ones of another size if a size is marked as dynamic.
    """
    with Progress(quiet) as progress:
        prepare_directory(output)
        # A factory may change the working directory.
        directory = output.absolute()
        progress("importing torch")
        from astgen.backend import parse_options
        from astgen.cli.job import run_job
        from astgen.cli.report import report
        from astgen.cli.stitching import time_stitching
        from astgen.cli.target import load_model

        options: dict[str, object] = {"pieces": pieces, "provenance": artifacts}
        if splitting_ops:
            options["splitting_ops"] = splitting_ops
        progress(f"loading {target or 'the built-in model'}")
        model = load_model(target)
        # Checked after the model is there: its file may register operators.
        job = run_job(model, parse_options(options), dynamic, progress)
        paths = [output / f"{model.name}_{i}.py" for i in range(len(job.graphs))]
        names = [path.name for path in paths]
        for name, graph in zip([*names], job.graphs):
            program = graph.compiled.program
            write_text(directory / name, program.code)
            if artifacts:
                names += [_save(program, directory / name)]
        for other in left_from_before(directory, model.name, names):
            shown = click.format_filename(output / other)
            job.notes.append(f"{shown} is left from an earlier run")
        progress("timing the stitching")
        times = [time_stitching(graph) for graph in job.graphs]
    click.echo(report(f"{model.title}, pieces: {pieces}", job, times, paths))
    if any(run.difference for run in job.runs):
        ctx.exit(DIFFERENT)


def _save(program: Program, beside: Path) -> str:
    """Save a program beside its text, and give the name of the file.

    Constants that cannot be stored are described: it is for reviews.
    """
    path = beside.with_suffix(".astgen")
    left_out = [one.slot for one in program.check_portable() if not one.is_stored]
    program.save(path, supplied=left_out)
    return path.name

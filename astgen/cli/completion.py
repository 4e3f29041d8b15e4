"""`astgen completion`: the script that teaches a shell to complete the command."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

__all__ = ["completion_command"]

_SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_ASTGEN_COMPLETE"


@click.command("completion", short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the script that makes a shell complete commands, options and rules.

    \b
    bash:  astgen completion bash >> ~/.bashrc
    zsh:   astgen completion zsh >> ~/.zshrc
    fish:  astgen completion fish > ~/.config/fish/completions/astgen.fish
    """
    completion = get_completion_class(shell)
    root = ctx.find_root()
    if completion is not None:
        script = completion(root.command, {}, "astgen", _VARIABLE)
        click.echo(script.source())

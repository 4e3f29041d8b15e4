"""What compiled pieces assume of sizes.

Inductor may find while it compiles that a size has to be even, say, and Dynamo then
compiles again for those that are not. Whoever takes its result out of a cache has to
assume the same, so the assumptions are stored beside it.
"""

from __future__ import annotations

from typing import Any

from astgen.backend.cache.ingredients import Request

__all__ = ["assume", "assumed"]


def assumed(request: Request) -> str | None:
    """What holds for the sizes of a graph once it is compiled, as an expression.

    None if it cannot be told in terms of the graph's inputs.
    """
    if request.symints is None:
        return None
    env, symints = request.environment, request.symints
    if env is None:
        return ""
    if any(one.node.hint is None for one in symints):
        return None
    guards = env.get_pruned_guards(symints)
    said = env.produce_guards_expression(placeholders=symints, guards=guards)
    return str(said or "")


def assume(request: Request, expression: str) -> bool:
    """Assume for a graph what was assumed for the one that was compiled.

    The expression is run, so it has to be trusted as what was compiled is.

    Returns:
        Whether it holds; if it does not, nothing is assumed.
    """
    env: Any = request.environment
    if request.symints is None or env is None or not expression:
        return request.symints is not None and not expression
    hints = [one.node.hint for one in request.symints]
    if None in hints or not env.evaluate_guards_expression(expression, hints):
        return False
    return bool(env.evaluate_guards_expression(expression, request.symints))

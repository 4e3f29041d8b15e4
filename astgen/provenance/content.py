"""What a piece does, as a text and as a digest that does not depend on names.

What a compiler makes of a piece differs from process to process, bytes and all; its
graph does not.
"""

from __future__ import annotations

from typing import Any

from torch import fx

from astgen import emit
from astgen.check import scan
from astgen.errors import AstgenError
from astgen.provenance.model import FunctionOrigins, Origin, PieceProgram
from astgen.provenance.places import module_of, source_of
from astgen.store.codec import encode
from astgen.store.contents import content_keys
from astgen.structure import structure_hash

__all__ = ["content_of"]


def content_of(gm: fx.GraphModule) -> tuple[str, PieceProgram | None]:
    """The text that a graph would be, and its structure.

    Args:
        gm: The graph of a piece.

    Returns:
        A digest that is equal for graphs that do the same, and the text; nothing of
        both if the graph cannot be expressed, no digest if it is not known what one of
        its constants is.
    """
    trace = emit.Trace()
    try:
        emitted = emit.emit(gm, trace=trace)
    except AstgenError:
        # Only who compiles the piece has to be told.
        return "", None
    slots = [_described(value) for value in emitted.consts]
    scanned = scan(emitted.code, dialect=emitted.dialect)
    if scanned.tree is None or not scanned.in_grammar:
        return "", None
    keys = {place: key for place, (_, _, key) in enumerate(slots)}
    is_known = all(keys.values())
    functions = {
        name: FunctionOrigins(one.path, statements=tuple(map(_origin, one.nodes)))
        for name, one in trace.functions.items()
    }
    program = PieceProgram(emitted.code, tuple(slots), functions)
    if not is_known:
        return "", program
    return structure_hash(scanned.tree, emitted.dialect, keys), program


def _origin(node: fx.Node | None) -> Origin | None:
    if node is None:
        return None
    if node.op == "output":
        return Origin(node.name)
    return Origin(node.name, None, module_of(node), source_of(node))


def _described(value: Any) -> tuple[str, str, str]:
    """What makes a constant, what people are told of it, and what equal ones share."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    try:
        encoded = encode([value])
        return kind, encoded.slots[0].shown, content_keys(encoded.document)[0]
    except AstgenError:
        # The body of a checkpoint, or of a loop.
        graph = content_of(value)[0] if isinstance(value, fx.GraphModule) else ""
        return kind, kind, graph

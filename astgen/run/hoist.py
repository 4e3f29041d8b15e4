"""What a program names outside its functions, looked up once instead of at each call.

`torch.ops.aten.add.Tensor` is four lookups, of which each takes as long as passing an
argument; `__vllm_consts__[0]` is two. In the tree that is compiled, each is one global
whose name is the whole expression, which no text can spell as a name. Nothing else is
touched, so parsing those names again gives back the tree that was checked.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from astgen.check.scope import Reference

__all__ = ["hoist"]


def hoist(references: Iterable[Reference]) -> None:
    """Turn paths and slots into names.

    Args:
        references: Where the checker found them; their nodes are changed in place
            and stay where they are in the text.
    """
    for reference in references:
        # The node keeps its identity, so that nobody has to know what holds it. What
        # it held is no field of a name, and dies with the tree.
        node: Any = reference.node
        node.__class__ = ast.Name
        node.id = reference.name

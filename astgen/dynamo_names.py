"""What Dynamo calls the inputs of a graph: after the way to them from the model.

A weight is `l_self_modules_layers_modules_0_modules_mlp_parameters_weight_`, or the same
with a capital as the name of a parameter (`torch/_dynamo/variables/builder.py`, as of
PyTorch 2.13).
"""

from __future__ import annotations

import re

__all__ = ["is_owned"]

_OWNED = re.compile(r"[lL]_self_(\w+_)?(parameters|buffers)_\w")


def is_owned(name: str) -> bool:
    """Whether a name is that of a parameter or buffer, which the model owns."""
    return _OWNED.match(name) is not None

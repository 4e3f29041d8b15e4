"""What inductor compiled, as bytes. They are pickles and code of PyTorch's.

PyTorch reads and writes them as files only, so they go through one that nobody else
can see.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

import torch

from astgen.errors import BackendError

__all__ = ["KIND", "dump_compiled", "load_compiled"]

KIND = "inductor"
"""What the manifest calls such bytes."""


def dump_compiled(compiled: Any) -> bytes:
    """The bytes of a piece that inductor compiled.

    Raises:
        BackendError: PyTorch cannot store the piece.
    """
    with tempfile.TemporaryDirectory(prefix="astgen-") as folder:
        path = os.path.join(folder, "piece")
        try:
            compiled.save(path=path, format="binary")
        except (RuntimeError, AssertionError) as error:
            raise BackendError(
                f"PyTorch cannot store what inductor made of a piece: {error}; turn "
                "inductor's caches on (force_disable_caches), or use pieces='eager'"
            ) from error
        with open(path, "rb") as stream:
            return stream.read()


def load_compiled(data: bytes) -> Callable[..., Any]:
    """Make a piece callable again. This unpickles and runs what is in the bytes.

    Args:
        data: Bytes that `dump_compiled` made, from a source that is trusted.

    Returns:
        The piece.

    Raises:
        BackendError: PyTorch does not take them, say because it is another one, or
            finds no compiler.
    """
    with tempfile.TemporaryDirectory(prefix="astgen-") as folder:
        path = os.path.join(folder, "piece")
        with open(path, "wb") as stream:
            stream.write(data)
        try:
            inductor: Any = torch._inductor
            loaded: Callable[..., Any] = inductor.CompiledArtifact.load(
                path=path, format="binary"
            )
        except Exception as error:
            # The bytes are PyTorch's own, and so is what it raises for them.
            name = type(error).__name__
            raise BackendError(
                f"PyTorch does not load a stored piece: {name}: {error}; load it with "
                "the PyTorch and the compilers that it was stored with, or compile "
                "the model again"
            ) from error
    return loaded

"""Text to callable, as `vllm.compilation.codegen` has it; `astgen.codegen` offers it.

It stands apart because it does without libcst, which takes long to import: a process
that starts from a cache generates nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from torch._dynamo.utils import dynamo_timed
from torch._logging import trace_structured  # type: ignore[attr-defined]

from astgen.check import DEFAULT_DIALECT, Dialect
from astgen.run import load, require_text

__all__ = ["compile_execution_fn", "dialect_of", "vouch"]

_vouched: dict[bytes, frozenset[str]] = {}
"""Operator namespaces of texts that this process generated, by digest of the text.

Text and dialect travel apart here. A graph is its caller's own, so its operators
are allowed in the text that was made of it, and in no other.
"""


@dynamo_timed("vllm.compile_execution_fn")
def compile_execution_fn(
    code: str,
    submod_callables: Mapping[str, Callable[..., Any]],
    submod_names: Sequence[str],
    consts: list[Any] | None = None,
    *,
    dialect: Dialect = DEFAULT_DIALECT,
) -> Callable[..., Any]:
    """Check a program, compile it and bind its pieces.

    Args:
        code: The source text, from here or from a cache.
        submod_callables: A callable for each piece that is called by slot.
        submod_names: The pieces' names in slot order.
        consts: The constants; None for text from before there were any.
        dialect: Names and operator namespaces that the text may use.

    Returns:
        A plain function of the graph's inputs. Its pieces are bound: other ones that
        a call passes as `__vllm_submods__` are not asked.

    Raises:
        InvalidProgramError: The checker refused the text; nothing was executed.
        BindError: A piece has no callable, or an operator is missing here.
    """
    require_text(code)
    trace_structured(
        "artifact",
        metadata_fn=lambda: {"name": "vllm_execution_code", "encoding": "string"},
        # A lone surrogate is refused below, and must not break the trace before.
        payload_fn=lambda: code.encode("utf-8", "backslashreplace").decode(),
    )
    dialect = dialect_of(code, dialect)
    return load(code, submod_callables, submod_names, consts, dialect)


def dialect_of(code: str, dialect: Dialect = DEFAULT_DIALECT) -> Dialect:
    """What a text may use: more than `dialect` says, if it was generated here.

    Args:
        code: The source text.
        dialect: Names and operator namespaces that any text may use.

    Returns:
        The dialect, with the operator namespaces of the graph that the text was
        made of in this process.
    """
    own = _vouched.get(_digest(code)) if _vouched else None
    if own is None:
        return dialect
    return replace(dialect, namespaces=dialect.namespaces | own)


def vouch(code: str, namespaces: frozenset[str]) -> None:
    """Allow operator namespaces in a text that was generated in this process.

    Args:
        code: The source text.
        namespaces: Those of its graph that not every text may use.
    """
    _vouched[_digest(code)] = namespaces


def _digest(code: str) -> bytes:
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).digest()

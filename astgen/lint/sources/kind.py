"""What a file is, by what is in it; its name only decides between kinds of text.

A name never makes text of what pickles and archives begin with.
"""

from __future__ import annotations

import re
from typing import Literal

__all__ = [
    "ARTIFACT",
    "GRAPH",
    "Kind",
    "kind_of",
    "logged",
    "marked",
    "opens_pickle",
    "suspected",
]

Kind = Literal["empty", "zip", "pickle", "trace", "manifest", "python", "other"]

ARTIFACT = "model"
"""What vLLM calls the artifact that holds its generated code."""

GRAPH = "computation_graph.py"
"""What vLLM calls its readable dump of a graph, which is never run."""

_ZIP = (b"PK\3\4", b"PK\5\6", b"PK\7\x08")
_HIGHEST_PROTOCOL = 5
_TRACE = re.compile(
    rb"^(\[rank\d+\]:)?[A-Z]\d{4} \d\d:\d\d:\d\d\.\d+ \d+ [^\n]{1,4000}?:\d+\] \{", re.M
)
_TRACE_END = b"] {"
_TRACE_NAME = re.compile(r"dedicated_log_torch_trace_.*\.log\Z", re.DOTALL)
# The opcodes that need nothing in front of them, those with a magic number included.
_OPENING = frozenset(
    b"(NILFSTUVXBCGJKM]})cP\x80\x82\x83\x84\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x95\x96\x97"
)
_MARKS = re.compile(
    rb"(?<!\w)(?:execution_fn|__vllm_submods__|__vllm_consts__"
    rb"|__vllm_inlined_submods__\d*)(?!\w)"
)
_PARTS = (b"execution_fn", b"__vllm_")


def kind_of(name: str, head: bytes) -> Kind:
    """What a file is.

    Args:
        name: The last part of its name.
        head: Its first bytes, all of them or `HEAD`.

    Returns:
        The kind. A pickle that does not say its protocol is a text here, see
        `opens_pickle`.
    """
    if not head:
        return "empty"
    if head.startswith(_ZIP):
        return "zip"
    # No text in UTF-8 begins with this byte.
    if head[0] == 0x80 and len(head) > 1 and head[1] <= _HIGHEST_PROTOCOL:
        return "pickle"
    if name.endswith(".py"):
        return "python"
    if name == "manifest.json":
        return "manifest"
    return "trace" if logged(head) or _TRACE_NAME.match(name) else "other"


def logged(data: bytes) -> bool:
    """Whether a text has a line with which records of trace logs begin."""
    return _TRACE_END in data and _TRACE.search(data) is not None


def opens_pickle(head: bytes) -> bool:
    """Whether bytes can be a pickle, also of a protocol without a magic number.

    Hardly any text of a program can; see `astgen.lint.sources.headless` for the rest.
    """
    return head[:1] != b"" and head[0] in _OPENING


def marked(data: bytes) -> bool:
    """Whether a text has a name in it that only generated code and its makers have.

    Null bytes do not count, so that UTF-16 and UTF-32 are found too.
    """
    data = data.replace(b"\0", b"") if b"\0" in data else data
    return suspected(data) and _MARKS.search(data) is not None


def suspected(data: bytes) -> bool:
    """Whether a text may be `marked`; this is fast, whatever the text is."""
    return any(part in data for part in _PARTS)

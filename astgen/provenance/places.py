"""Where in a model a node comes from: the module, and the line of its code."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from torch import fx

from astgen.provenance.model import Source

__all__ = ["common_module", "module_of", "source_of"]

_FRAME = re.compile(r'^ *File "(?P<file>.*)", line (?P<line>[0-9]+), in (?P<name>.*)$')
_MARKS = re.compile(r"[ ~^]*")
_ROOT = re.compile(r"L\['self'\]|[LG](?=\[)|L__self__+|self\b|getattr_L__self__+")
_PARTS = re.compile(r"\._modules\['([^']*)'\]|\['([^']*)'\]|\[([0-9]+)\]|([^.\[\]]+)")
_WIDEST = 500


def module_of(node: fx.Node) -> str:
    """The path of the module that a node is in, such as `layers.0.mlp`.

    Dynamo and `torch.export` note the modules around a node, the innermost last
    (`nn_module_stack`). Empty if they did not.
    """
    stack = node.meta.get("nn_module_stack")
    if not isinstance(stack, dict) or not stack:
        return ""
    last = list(stack.values())[-1]
    path = last[0] if isinstance(last, (tuple, list)) and last else last
    return _plain(path) if isinstance(path, str) else ""


def common_module(paths: Iterable[str]) -> str:
    """The module that most of the nodes of a piece are in.

    Args:
        paths: The module of each of its nodes.

    Returns:
        The innermost module around all of those in the layer that has most of them;
        a layer is what is counted, as in `layers.0`.
    """
    known = [path.split(".") for path in paths if path]
    if not known:
        return ""
    layers = Counter(tuple(_layer(parts)) for parts in known)
    # Of equals, the one that was there first.
    most = max(layers, key=lambda layer: layers[layer])
    inside = [parts for parts in known if _layer(parts) == list(most)]
    common = os.path.commonprefix(inside)
    return ".".join(common)


def source_of(node: fx.Node) -> Source | None:
    """The line of the model that made a node: the innermost of its stack trace."""
    trace = node.meta.get("stack_trace")
    if not isinstance(trace, str):
        return None
    lines = trace.splitlines()
    for place in range(len(lines) - 1, -1, -1):
        frame = _FRAME.match(lines[place])
        if frame is not None:
            behind = lines[place + 1] if place + 1 < len(lines) else ""
            text = "" if _MARKS.fullmatch(behind) else behind.strip()
            number = int(frame["line"][:9])
            return Source(_short(frame["file"]), number, frame["name"], text[:_WIDEST])
    return None


def _layer(parts: list[str]) -> list[str]:
    """The part of a path up to its first number."""
    for place, part in enumerate(parts):
        if part.isdigit():
            return parts[: place + 1]
    return parts[:1]


def _plain(path: str) -> str:
    root = _ROOT.match(path)
    rest = path[root.end() :] if root else path
    parts = ["".join(groups) for groups in _PARTS.findall(rest)]
    return ".".join(part for part in parts if part)[:_WIDEST]


@cache
def _short(file: str) -> str:
    """A path that is the same on other machines: below what it is imported from."""
    folder, name = os.path.split(file)
    below = [name]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        below.append(name)
    return "/".join(reversed(below))[:_WIDEST]

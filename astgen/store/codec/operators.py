"""Operators, and what is read from values by the name of an attribute.

Both by the lists of the checker: what no text may spell, no constant may stand for.
Reading an attribute by name is an escape hatch (`__class__`, `tofile`), so the names
are the listed methods, `listed.ATTRIBUTES`, and what the caller allows.
"""

from __future__ import annotations

import functools
import operator
from types import GetSetDescriptorType
from typing import Any

import torch

from astgen.check import Dialect
from astgen.check.judge import OPS, judge_path
from astgen.check.paths import builtin_namespaces, methods
from astgen.emit.resolve import ByName
from astgen.operators import OPERATORS, operator_name
from astgen.store.codec.core import Decoder, Encoder, Kind
from astgen.store.codec.faults import Malformed, Unstorable, not_allowed
from astgen.store.codec.listed import ATTRIBUTES, KEYWORD_OPERATORS
from astgen.store.codec.pairs import decode_keywords, encode_keywords, parts_of

__all__ = ["OPERATOR", "READERS"]


def _encode_operator(encoder: Encoder, value: Any) -> str:
    name = operator_name(value)
    if _resolved(name) is not value:
        raise Unstorable(value, f"torch.ops.{name} is another", "register it")
    _note_operator(encoder, value, name)
    return name


def _decode_operator(decoder: Decoder, name: Any) -> Any:
    value = _resolved(_allowed_operator(decoder, name))
    if value is None or not isinstance(value, OPERATORS):
        hint = "import what registers it before"
        raise Malformed(f"there is no operator {name} here", "AG504", hint)
    if operator_name(value) != name:
        raise Malformed(f"the operator {name} calls itself otherwise")
    return value


def _allowed_operator(decoder: Decoder, name: Any) -> str:
    if type(name) is not str or not all(map(str.isidentifier, name.split("."))):
        raise Malformed("the name of an operator is none")
    namespace = name.partition(".")[0]
    if not _is_listed(name, frozenset({namespace})):
        raise not_allowed(f"torch.ops.{name} is not on the list of operators")
    if not _is_listed(name, frozenset(decoder.policy.namespaces)):
        wanted = f"frozenset({{{namespace!r}}})"
        raise not_allowed(
            f"torch.ops.{name} is of a namespace that is not allowed",
            f"Dialect(namespaces={wanted}) for the whole program, or "
            f"DecodePolicy(namespaces={wanted}) for its constants",
        )
    return name


def _is_listed(name: str, namespaces: frozenset[str]) -> bool:
    """Whether a name may be that of an operator; whether it is one shows later."""
    if name in KEYWORD_OPERATORS:
        return True
    namespace, *steps = name.split(".")
    if namespace in namespaces - builtin_namespaces() and len(steps) in (1, 2):
        # What the name leads to has to be an operator that calls itself so. A text
        # may not spell `op` and its like, for nobody looks where they lead.
        return not any(step.startswith("__") for step in steps)
    return judge_path(OPS + name, Dialect(namespaces=namespaces)) is None


def _note_operator(encoder: Encoder, value: Any, name: str) -> None:
    """Refuse what could not be loaded again, and note what has to be allowed."""
    namespace = name.partition(".")[0]
    if not _is_listed(name, frozenset({namespace})):
        way_out = "call it in a function of your own, and allow that"
        raise Unstorable(value, f"{name} is not on the list of operators", way_out)
    if namespace not in builtin_namespaces():
        encoder.needs.add(f"{OPS}{namespace}")


def _resolved(name: str) -> Any:
    try:
        return operator.attrgetter(name)(torch.ops)
    except (AttributeError, RuntimeError):
        return None


def _encode_by_name(encoder: Encoder, value: ByName) -> list[str]:
    path = value._path
    if value._root is torch.Tensor and path.endswith(".__get__"):
        name = path.removesuffix(".__get__")
        _note_attribute(encoder, value, name)
        return ["torch.Tensor", name]
    if value._root is torch and path.startswith("ops."):
        name = path.removeprefix("ops.")
        target = _resolved(name)
        if not isinstance(target, OPERATORS) or operator_name(target) != name:
            raise Unstorable(value, f"torch.ops.{name} is none", "rename the operator")
        _note_operator(encoder, value, name)
        return ["torch.ops", name]
    raise Unstorable(value, f"{path} is no operator", "use the object itself")


def _decode_by_name(decoder: Decoder, parts: Any) -> ByName:
    root, path = parts_of(parts, 2)
    if root == "torch.ops":
        _decode_operator(decoder, path)
        return ByName(torch, f"ops.{path}")
    if root != "torch.Tensor":
        raise Malformed("its root is neither torch.ops nor torch.Tensor")
    _check_attribute(decoder, path)
    if type(vars(torch._C.TensorBase).get(path)) is not GetSetDescriptorType:
        raise Malformed(f"tensors have no attribute {path}")
    return ByName(torch.Tensor, f"{path}.__get__")


def _check_attribute(decoder: Decoder, name: Any) -> None:
    if type(name) is not str or not name.isidentifier() or name.startswith("__"):
        raise Malformed("an attribute is no plain name")
    listed = name in ATTRIBUTES or name in methods()
    if not listed and name not in decoder.policy.attributes:
        raise not_allowed(
            f"the attribute {name} is not on the list",
            f"DecodePolicy(attributes={{{name!r}}})",
        )


def _encode_getter(encoder: Encoder, value: Any) -> list[str]:
    names: list[str] = list(value.__reduce__()[1])
    for step in ".".join(names).split("."):
        _note_attribute(encoder, value, step)
    return names


def _note_attribute(encoder: Encoder, value: Any, step: str) -> None:
    if not step.isidentifier() or (step.startswith("__") and step not in methods()):
        way_out = "read it in a function of your own"
        raise Unstorable(value, f"it reads the attribute {ascii(step)}", way_out)
    if step not in ATTRIBUTES and step not in methods():
        encoder.needs.add(f".{step}")


def _decode_getter(decoder: Decoder, names: Any) -> Any:
    if type(names) is not list or not names:
        raise Malformed("attributes are no list")
    for name in names:
        if type(name) is not str:
            raise Malformed("an attribute is no text")
        for step in name.split("."):
            if step not in methods():
                _check_attribute(decoder, step)
    return operator.attrgetter(*names)


def _encode_method(encoder: Encoder, value: Any) -> list[Any]:
    make, args = value.__reduce__()
    keywords: dict[str, Any] = {}
    if isinstance(make, functools.partial):
        name, keywords, values = make.args[0], make.keywords, args
    else:
        name, values = args[0], args[1:]
    _note_attribute(encoder, value, name)
    if name not in methods():
        encoder.needs.add(f".{name}")
    return [name, encoder.items(values), encode_keywords(encoder, keywords)]


def _decode_method(decoder: Decoder, parts: Any) -> Any:
    name, args, keywords = parts_of(parts, 3)
    if type(name) is not str or name not in methods():
        _check_attribute(decoder, name)
        if name not in decoder.policy.attributes:
            raise not_allowed(
                f"the method {name} is not on the list",
                f"DecodePolicy(attributes={{{name!r}}})",
            )
    values = decoder.values(args)
    return operator.methodcaller(name, *values, **decode_keywords(decoder, keywords))


OPERATOR = Kind("operator", _encode_operator, _decode_operator)
"""How operators are stored."""

READERS: dict[type, Kind] = {
    ByName: Kind("by_name", _encode_by_name, _decode_by_name),
    operator.attrgetter: Kind("attrgetter", _encode_getter, _decode_getter),
    operator.methodcaller: Kind("methodcaller", _encode_method, _decode_method),
}
"""How each of these types is stored."""

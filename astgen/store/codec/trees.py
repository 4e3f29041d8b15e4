"""Pytree specs: how the public inputs and outputs of a graph nest.

A spec names the type of each node, and PyTorch calls what is registered for that type
when it builds a value of it. So only the types of Python, namedtuples and `torch.fx`
are stored, with a context of exactly the shape that they have.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import Any

from torch.fx.immutable_collections import immutable_dict, immutable_list
from torch.utils import _pytree

from astgen.store.codec.classes import data_class, is_namedtuple
from astgen.store.codec.containers import hashable
from astgen.store.codec.core import Decoder, Encoder, Kind
from astgen.store.codec.faults import Malformed, Unstorable
from astgen.store.codec.pairs import parts_of
from astgen.store.codec.records import named_class

__all__ = ["TREES"]

_LEAF = _pytree.tree_structure(0)
_TYPES: dict[str, Any] = {
    "tuple": tuple,
    "list": list,
    "dict": dict,
    "ordered_dict": OrderedDict,
    "defaultdict": defaultdict,
    "deque": deque,
    "namedtuple": namedtuple,
    "fx_list": immutable_list,
    "fx_dict": immutable_dict,
}
_SEQUENCES = ("tuple", "list", "fx_list")
_MAPPINGS = ("dict", "ordered_dict", "fx_dict")


def _encode(encoder: Encoder, spec: Any) -> Any:
    if type(spec) is type(_LEAF) and spec == _LEAF:
        return None
    names = [name for name, kind in _TYPES.items() if kind is spec.type]
    children = _children(spec)
    if not names or not _fits(names[0], spec.context, len(children)):
        raise Unstorable(
            spec,
            "it nests a type that is not one of Python's own containers",
            "use dicts, lists and tuples for what the graph takes and returns",
        )
    context = _encode_context(encoder, names[0], spec.context)
    return [names[0], context, encoder.items(children)]


def _decode(decoder: Decoder, form: Any) -> Any:
    if form is None:
        return _pytree.tree_structure(0)
    name, context, forms = parts_of(form, 3)
    if type(name) is not str or name not in _TYPES:
        raise Malformed("a spec is of no type that can be nested")
    found = _decode_context(decoder, name, context)
    children = decoder.values(forms)
    if any(type(child) not in TREES for child in children):
        raise Malformed("a spec has a child that is none")
    if not _fits(name, found, len(children)):
        raise Malformed(f"a spec of {name} has another context")
    return _pytree.TreeSpec(_TYPES[name], found, children)


def _children(spec: Any) -> list[Any]:
    if hasattr(spec, "children"):
        return list(spec.children())
    return list(spec.children_specs)


def _encode_context(encoder: Encoder, name: str, context: Any) -> Any:
    if name == "namedtuple":
        return named_class(encoder, context)
    if name == "defaultdict":
        return [encoder.form(context[0]), encoder.items(context[1])]
    return encoder.items(context) if name in _MAPPINGS else context


def _decode_context(decoder: Decoder, name: str, form: Any) -> Any:
    if name == "namedtuple":
        return data_class(decoder, form, is_namedtuple, "namedtuple")
    if name == "defaultdict":
        factory, keys = parts_of(form, 2)
        return [decoder.value(factory), decoder.values(keys)]
    return decoder.values(form) if name in _MAPPINGS else form


def _fits(name: str, context: Any, count: int) -> bool:
    """Whether a context is of the shape that the type has."""
    if name in _SEQUENCES:
        return context is None
    if name == "deque":
        return context is None or (type(context) is int and context >= count)
    if name == "namedtuple":
        return is_namedtuple(context) and len(context._fields) == count
    keys = context
    if name == "defaultdict":
        if type(context) is not list or len(context) != 2:
            return False
        keys = context[1]
        if context[0] is not None and not callable(context[0]):
            return False
    return type(keys) is list and len(keys) == count and all(map(hashable, keys))


_TREE = Kind("treespec", _encode, _decode)
TREES: dict[type, Kind] = {_pytree.TreeSpec: _TREE, type(_LEAF): _TREE}
"""How each of these types is stored."""

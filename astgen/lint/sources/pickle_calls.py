"""The calls in pickles that must be looked at together with their arguments.

A function such as `getattr` is harmless with one argument and gives everything away
with another. Caches call a few of them in a few ways; these ways are written down
here, and nothing else counts as known.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from astgen.lint.sources.pickle_values import MAKERS, Node, Value, dotted

__all__ = [
    "GUARDS",
    "arguments_of",
    "few_literals",
    "literal_arguments",
    "resolve",
    "spelled",
]

_DILL_TYPES = {
    "NoneType": "types.NoneType",
    "PartialType": "functools.partial",
    "bool": "builtins.bool",
    "bytes": "builtins.bytes",
    "complex": "builtins.complex",
    "dict": "builtins.dict",
    "float": "builtins.float",
    "frozenset": "builtins.frozenset",
    "int": "builtins.int",
    "list": "builtins.list",
    "range": "builtins.range",
    "set": "builtins.set",
    "slice": "builtins.slice",
    "str": "builtins.str",
    "tuple": "builtins.tuple",
}
"""The types that dill hands out by a name, and that are listed by another."""

_UNARY = frozenset("""
    acos asin asinh atan cos cosh exp log log2 sin sinh sqrt tan tanh
""".split())
_BITWISE = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor"})
_OPERATIONS = frozenset({"and_", "or_", "xor"})
_GENERIC = frozenset({"builtins.dict", "builtins.list", "builtins.set"})
_GENERIC |= {"builtins.frozenset", "builtins.tuple"}
_FUNCTIONS = "torch.utils._sympy.functions"
_BITWISE_MAKER = f"{_FUNCTIONS}.make_opaque_bitwise_fn"
_GRAPHS = "torch.fx._graph_pickler"
_OWNER = "vllm.compilation.caching.VllmSerializableFunction"
_HAND_OUT = frozenset(
    {
        "builtins.getattr",
        "dill._dill._create_namedtuple",
        "dill._dill._load_type",
        "functools.partial",
        f"{_FUNCTIONS}.make_opaque_unary_fn",
        _BITWISE_MAKER,
    }
)
"""What gives a name when it is called."""

_SHAPE_GUARD = ("ShapeGuard", ("expr", "sloc", "size_oblivious"), "torch._guards")
_VERSION = re.compile(r"\d+\.\d[0-9A-Za-z.+_-]{0,60}\Z")
_MOST = 16
"""More arguments are not looked at: many calls can share a tuple of a million."""

_DEEPEST = 4
"""How many calls may lie between a name and what is called in the end."""


def arguments_of(node: Node) -> list[Value] | None:
    """The positional arguments of a call, None if they are worked out."""
    arguments = node.arguments
    if not isinstance(arguments, Node) or arguments.kind != "tuple":
        return None
    return arguments.parts or []


def literal_arguments(node: Node) -> bool:
    """Whether all positional arguments of a call are literals, and only a few."""
    arguments = arguments_of(node)
    return arguments is not None and few_literals(arguments)


def few_literals(values: list[Value] | None) -> bool:
    """Whether some values are literals, and not too many to look at them."""
    if len(values or ()) > _MOST:
        return False
    return not any(isinstance(value, Node) for value in values or ())


def resolve(value: Value, depth: int = 0) -> str | None:
    """The listed name that a value is, if it is one.

    Args:
        value: What is called, or handed on.
        depth: How many calls were followed; callers leave it alone.

    Returns:
        The dotted path of a global, also where it is reached by a call that is known
        to give that very thing; None for everything else.
    """
    if not isinstance(value, Node) or depth > _DEEPEST:
        return None
    if value.kind not in MAKERS:
        return dotted(value)
    name = resolve(value.callee, depth + 1)
    if name not in _HAND_OUT or value.keywords is not None:
        return None
    if not GUARDS[name](value):
        return None
    given = str((arguments_of(value) or [""])[0])
    if name == "builtins.getattr":
        return f"{_OWNER}.deserialize_compile_artifacts"
    if name == "dill._dill._load_type":
        return _DILL_TYPES[given]
    if name == "dill._dill._create_namedtuple":
        return "torch._guards.ShapeGuard"
    if name == "functools.partial":
        return _BITWISE_MAKER
    if name == f"{_FUNCTIONS}.make_opaque_unary_fn":
        return f"{_FUNCTIONS}.OpaqueUnaryFn_{given}"
    if name == _BITWISE_MAKER:
        return f"{_FUNCTIONS}.BitwiseFn_{given}"
    return None


def _getattr(node: Node) -> bool:
    match arguments_of(node):
        case [Node() as owner, "deserialize_compile_artifacts"]:
            return dotted(owner) == _OWNER
    return False


def _reduce(node: Node) -> bool:
    match arguments_of(node):
        case [Node() as function, Node(kind="tuple", parts=types)]:
            return dotted(function) == "_operator.or_" and _types(types)
    return False


def _alias(node: Node) -> bool:
    match arguments_of(node):
        case [Node() as generic, Node(kind="tuple", parts=types)]:
            return dotted(generic) in _GENERIC and _types(types)
    return False


def _types(values: list[Value] | None) -> bool:
    """Whether there are only types; which names may be types is judged by place."""
    makers = ("builtins.type", "types.GenericAlias", "_functools.reduce")
    for value in values or ():
        if not isinstance(value, Node) or len(values or ()) > _MOST:
            return False
        made = value.kind in MAKERS and dotted(value.callee) in makers
        if not made and resolve(value) is None and not _ellipsis(value):
            return False
    return True


def _ellipsis(value: Node) -> bool:
    name = "dill._dill._eval_repr"
    return value.kind in MAKERS and dotted(value.callee) == name and _repr(value)


def _one_of(*names: object) -> Callable[[Node], bool]:
    def check(node: Node) -> bool:
        match arguments_of(node):
            case [str() | None as name]:
                return name in names
        return False

    return check


_repr = _one_of("Ellipsis", "NotImplemented")


def _namedtuple(node: Node) -> bool:
    match arguments_of(node):
        case [name, Node(kind="tuple", parts=fields), module]:
            some = tuple((fields or ())[:_MOST])
            return (name, some, module) == _SHAPE_GUARD
    return False


def _encode(node: Node) -> bool:
    match arguments_of(node):
        case [str(), "latin1" | "latin-1"]:
            return True
    return False


def spelled(node: Node) -> bool:
    """Whether a call makes bytes of a text, as old protocols spell bytes."""
    return (
        node.kind == "call"
        and dotted(node.callee) == "_codecs.encode"
        and node.keywords is None
        and _encode(node)
    )


def _bytes(node: Node) -> bool:
    return arguments_of(node) == []


def _bytearray(node: Node) -> bool:
    match arguments_of(node):
        case [] | [bytes()] | [str(), "latin1" | "latin-1"]:
            return True
        case [Node() as text]:
            return spelled(text)
    return False


def _version(node: Node) -> bool:
    match arguments_of(node):
        case [str() as version]:
            return _VERSION.match(version) is not None
    return False


def _partial(node: Node) -> bool:
    """The one partial that caches hold, with what its state binds."""
    match (arguments_of(node), node.states):
        case (
            [Node() as function],
            [
                Node(
                    kind="tuple",
                    parts=[
                        Node() as again,
                        Node(kind="tuple", parts=[] | None),
                        Node(kind="dict", pairs=["real_op_name", str() as operation]),
                        None,
                    ],
                )
            ],
        ):
            same = dotted(function) == dotted(again) == _BITWISE_MAKER
            return same and operation in _OPERATIONS
    return False


def _method_of(owner: str) -> Callable[[Node], bool]:
    """A method of PyTorch's graph pickler: of its own class, with what it asks for."""

    def check(node: Node) -> bool:
        match arguments_of(node):
            case [
                Node() as own,
                Node(kind="persistent", arguments="unpickle_state"),
            ]:
                return own.kind == "new" and dotted(own.callee) == owner
        return False

    return check


GUARDS: dict[str, Callable[[Node], bool]] = {
    "_codecs.encode": _encode,
    "_functools.reduce": _reduce,
    "builtins.bytearray": _bytearray,
    "builtins.bytes": _bytes,
    "builtins.getattr": _getattr,
    "builtins.type": _one_of(None),
    "dill._dill._create_namedtuple": _namedtuple,
    "dill._dill._eval_repr": _repr,
    "dill._dill._load_type": _one_of(*_DILL_TYPES),
    "functools.partial": _partial,
    "torch.torch_version.TorchVersion": _version,
    "types.GenericAlias": _alias,
    _BITWISE_MAKER: _one_of(*_BITWISE),
    f"{_FUNCTIONS}.make_opaque_unary_fn": _one_of(*_UNARY),
    f"{_GRAPHS}._GraphModulePickleData.unpickle": _method_of(
        f"{_GRAPHS}._GraphModulePickleData"
    ),
    f"{_GRAPHS}._ShapeEnvPickleData.unpickle": _method_of(
        f"{_GRAPHS}._ShapeEnvPickleData"
    ),
    f"{_GRAPHS}._SymNodePickleData.unpickle_sym_int": _method_of(
        f"{_GRAPHS}._SymNodePickleData"
    ),
    f"{_GRAPHS}._TensorPickleData.unpickle": _method_of(f"{_GRAPHS}._TensorPickleData"),
}
"""What is asked of a call of a guarded name."""

"""The calls in pickles that must be looked at together with their arguments.

A function such as `getattr` is harmless with one argument and gives everything away
with another. Caches call a few of them in a few ways; these ways are written down
here, and nothing else counts as known.
"""

from __future__ import annotations

from collections.abc import Callable

from astgen.check.paths import methods
from astgen.lint.sources.pickle_values import MAKERS, Node, Value, dotted

__all__ = ["GUARDS", "arguments_of", "few_literals", "literal_arguments", "resolve"]

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
_FUNCTIONS = "torch.utils._sympy.functions"
_SHAPE_GUARD = ("ShapeGuard", ("expr", "sloc", "size_oblivious"), "torch._guards")
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
    guard = GUARDS.get(name or "")
    if name is None or value.keywords is not None:
        return None
    if guard is not None and not guard(value):
        return None
    few = (arguments_of(value) or [])[:2]
    given = [part for part in few if isinstance(part, str)]
    if name == "builtins.getattr":
        return f"{_first(value)}.{given[0]}"
    if name == "dill._dill._load_type":
        return _DILL_TYPES[given[0]]
    if name == "dill._dill._create_namedtuple":
        return "torch._guards.ShapeGuard"
    if name == "functools.partial":
        return _first(value)
    if name == f"{_FUNCTIONS}.make_opaque_unary_fn":
        return f"{_FUNCTIONS}.OpaqueUnaryFn_{given[0]}"
    if name == f"{_FUNCTIONS}.make_opaque_bitwise_fn" and given:
        return f"{_FUNCTIONS}.BitwiseFn_{given[0]}" if given[0] in _BITWISE else None
    return None


def _first(node: Node) -> str | None:
    arguments = arguments_of(node)
    return resolve(arguments[0], _DEEPEST - 1) if arguments else None


def _getattr(node: Node) -> bool:
    match arguments_of(node):
        case [Node() as owner, str()]:
            return dotted(owner) is not None
    return False


def _reduce(node: Node) -> bool:
    arguments = arguments_of(node) or []
    return len(arguments) == 2 and dotted(arguments[0]) == "_operator.or_"


def _one_of(names: frozenset[str]) -> Callable[[Node], bool]:
    def check(node: Node) -> bool:
        match arguments_of(node):
            case [str() as name]:
                return name in names
        return False

    return check


def _one_literal(node: Node) -> bool:
    return literal_arguments(node) and len(arguments_of(node) or ()) == 1


def _namedtuple(node: Node) -> bool:
    match arguments_of(node):
        case [name, Node(kind="tuple", parts=fields), module]:
            some = tuple((fields or ())[:_MOST])
            return (name, some, module) == _SHAPE_GUARD
    return False


def _reconstructor(node: Node) -> bool:
    match arguments_of(node):
        case [Node() as made, Node() as base, None]:
            return dotted(made) is not None and dotted(base) == "builtins.object"
    return False


def _encode(node: Node) -> bool:
    match arguments_of(node):
        case [str(), "latin1" | "latin-1"]:
            return True
    return False


def _partial(node: Node) -> bool:
    """A partial of one name, which its state does not exchange for another."""
    name = _first(node)
    if name is None or name in GUARDS or len(node.states or ()) > _MOST:
        return False
    for state in node.states or ():
        match state:
            case Node(kind="tuple", parts=[function, *_]) if resolve(function) == name:
                continue
        return False
    return not node.parts and not node.pairs


def _methodcaller(node: Node) -> bool:
    arguments = arguments_of(node)
    if not arguments or not literal_arguments(node):
        return False
    return isinstance(arguments[0], str) and arguments[0] in methods()


GUARDS: dict[str, Callable[[Node], bool]] = {
    "_codecs.encode": _encode,
    "_functools.reduce": _reduce,
    "builtins.getattr": _getattr,
    "builtins.type": _one_literal,
    "copyreg._reconstructor": _reconstructor,
    "dill._dill._create_namedtuple": _namedtuple,
    "dill._dill._eval_repr": _one_of(frozenset({"Ellipsis", "NotImplemented"})),
    "dill._dill._load_type": _one_of(frozenset(_DILL_TYPES)),
    "functools.partial": _partial,
    "operator.methodcaller": _methodcaller,
    f"{_FUNCTIONS}.make_opaque_unary_fn": _one_of(_UNARY),
}
"""What is asked of a call of a guarded name."""

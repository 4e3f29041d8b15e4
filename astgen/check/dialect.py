"""What generated code may contain, as data: names, limits and the grammar.

The emitter builds nothing that is not written here, the checker accepts nothing
that is not written here. Both read this module; neither has a list of its own.
The long lists of operators, functions and methods are in `astgen.check.paths`.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property

from astgen.errors import InvalidNameError

__all__ = [
    "BUILTINS",
    "DEFAULT_DIALECT",
    "FOREIGN_NAMESPACES",
    "GRAMMAR",
    "MAX_ARGUMENT_NESTING",
    "MAX_INTEGER_BITS",
    "MAX_KEYWORDS",
    "MAX_SLOTS",
    "MAX_TREE_DEPTH",
    "MODULES",
    "PACKET_ATTRIBUTES",
    "Dialect",
]

MODULES = ("torch", "operator")
"""The modules that a text imports, and the only roots of dotted paths."""

BUILTINS = ("range", "slice")
"""The builtins that a text may name; execution has no others."""

_MEANINGFUL = frozenset({*MODULES, *BUILTINS, "__builtins__", "__debug__", "__name__"})

MAX_ARGUMENT_NESTING = 20
"""Containers in one expression; what is deeper goes through temporaries."""

MAX_TREE_DEPTH = 120
"""Levels of syntax tree that the checker walks; CPython's parser stops near 200."""

MAX_INTEGER_BITS = 2**17
"""Bits of an integer in the text: to compile arithmetic on longer ones takes long."""

MAX_KEYWORDS = 4096
"""Keywords of one call: CPython compares each with all others when it compiles."""

MAX_SLOTS = 2**31
"""Slots that an index may count where the number of slots is not known."""

PACKET_ATTRIBUTES = frozenset({"name", "op", "op_overloads", "overloads"})
"""What operators and their namespaces have in Python that is no operator."""

FOREIGN_NAMESPACES = frozenset(
    {
        "_C",
        "_flashmla_C",
        "_moe_C",
        "_qutlass_C",
        "_rocm_C",
        "_vllm_fa2_C",
        "_vllm_fa3_C",
        "_xpu_C",
        "vllm",
        "vllm_aiter",
        "vllm_helion",
        "vllm_ir",
    }
)
"""Operator namespaces of vLLM 0.32 and its platforms that graphs need (its sources).

`_C_cache_ops` and `_C_custom_ar` are missing on purpose: they have operators that
copy between, or free, any addresses they are given. vLLM calls them inside its own
operators, where no graph sees them.
"""


@dataclass(frozen=True)
class Dialect:
    """The names that one family of generated code uses; the defaults are vLLM's.

    Attributes:
        entry: Name of the entry function.
        submods: Name of the list of compiled pieces, a parameter of the entry.
        consts: Name of the list of constants, a global.
        inlined: Prefix of inlined functions; the slot index follows.
        namespaces: Operator namespaces that are allowed beside PyTorch's own,
            whose operators are listed one by one.
        paths: Exact paths that may be called beside the listed ones; never a prefix.

    Raises:
        InvalidNameError: One of `paths` is no dotted path from `torch` or `operator`, or
            leads through a dunder; or a name is none, is taken, or is given twice.
    """

    entry: str = "execution_fn"
    submods: str = "__vllm_submods__"
    consts: str = "__vllm_consts__"
    inlined: str = "__vllm_inlined_submods__"
    namespaces: frozenset[str] = field(default=FOREIGN_NAMESPACES)
    paths: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        names = (self.entry, self.submods, self.consts)
        for name in names:
            if names.count(name) > 1:
                raise InvalidNameError(
                    f"{name!r} cannot be two things in one text; give the entry, the "
                    "pieces and the constants different names",
                    name,
                )
            reason = self._why_no_name(name)
            if reason is not None:
                raise InvalidNameError(
                    f"{name!r} cannot be a name of the dialect: {reason}; choose "
                    "another, such as 'execution_fn' or '__pieces__'",
                    name,
                )
        if not _is_identifier(f"{self.inlined}0"):
            raise InvalidNameError(
                f"{self.inlined!r} cannot begin the names of inlined functions, which "
                "end with a number; choose another, such as '__part_'",
                self.inlined,
            )
        for path in sorted(self.paths):
            reason = _why_no_path(path)
            if reason is not None:
                raise InvalidNameError(
                    f"{path!r} cannot be allowed: {reason}; give the whole path of "
                    "one function, such as 'torch.special.expit'",
                    path,
                )

    def _why_no_name(self, name: str) -> str | None:
        if not _is_identifier(name):
            return "it is no name that Python can define, or not in normal form"
        if name in _MEANINGFUL:
            return "it has a meaning of its own"
        if self.inlined and name.startswith(self.inlined):
            return "it begins like the names of inlined functions"
        return None

    @cached_property
    def reserved(self) -> frozenset[str]:
        """Names that nothing in a text may bind, inlined functions aside."""
        return frozenset({*MODULES, *BUILTINS, self.submods, self.consts, self.entry})

    @cached_property
    def _inlined_pattern(self) -> re.Pattern[str]:
        return re.compile(re.escape(self.inlined) + r"[0-9]+\Z")

    def is_inlined(self, name: str) -> bool:
        """Whether `name` is that of an inlined function."""
        return self._inlined_pattern.match(name) is not None

    def is_reserved(self, name: str) -> bool:
        """Whether a parameter or local called `name` would shadow the dialect."""
        return name in self.reserved or name.startswith(self.inlined)


def _is_identifier(name: str) -> bool:
    # Python brings names into a normal form, so others would not be found again.
    is_normal = unicodedata.is_normalized("NFKC", name)
    return name.isidentifier() and is_normal and not keyword.iskeyword(name)


def _why_no_path(path: str) -> str | None:
    root, *names = path.split(".")
    if root not in MODULES or not names:
        return f"it does not begin with {' or '.join(f'{name}.' for name in MODULES)}"
    for name in names:
        if not (_is_identifier(name) and name.isascii()):
            return f"{name!r} is no name in ASCII"
        if name.startswith("__"):
            return f"{name!r} leads from any object to any other"
    return None


DEFAULT_DIALECT = Dialect()

GRAMMAR: dict[str, dict[str, dict[str, str] | str]] = {
    "module": {"Module": {"body": "toplevel*"}},
    "toplevel": {
        "Import": {"names": "alias+"},
        "FunctionDef": {"name": "@text", "args": "parameters", "body": "statement+"},
    },
    "alias": {"alias": {"name": "@text"}},
    "parameters": {
        "arguments": {
            "args": "parameter*",
            "vararg": "parameter?",
            "kwonlyargs": "parameter*",
            "kwarg": "parameter?",
            "defaults": "default*",
            "kw_defaults": "default~",
        }
    },
    "parameter": {"arg": {"arg": "@text"}},
    "default": {
        "Name": {"id": "@text"},
        "Constant": {"value": "@literal"},
        "UnaryOp": {"op": "minus", "operand": "number"},
        "Attribute": {"value": "default", "attr": "@text"},
        "Subscript": {"value": "local", "slice": "default"},
        "Tuple": {"elts": "default*"},
        "List": {"elts": "default*"},
        "Call": {"func": "default", "args": "default*"},
    },
    "number": {"Constant": {"value": "@number"}},
    "minus": {"USub": {}},
    "statement": {
        "Assign": {"targets": "local", "value": "expression"},
        "Expr": {"value": "call"},
        "Delete": {"targets": "deleted+"},
        "Return": {"value": "expression?"},
    },
    "local": {"Name": {"id": "@text"}},
    "deleted": {
        "Name": {"id": "@text"},
        "Tuple": {"elts": "local+"},
    },
    "call": {
        "Call": {"func": "callee", "args": "argument*", "keywords": "keyword*"},
    },
    "callee": {
        "Name": {"id": "@text"},
        "Attribute": {"value": "expression", "attr": "@text"},
        "Subscript": {"value": "expression", "slice": "index"},
    },
    "keyword": {"keyword": {"arg": "@text", "value": "expression"}},
    "argument": {"*": "expression", "Starred": {"value": "expression"}},
    "expression": {
        "*": "call",
        "Name": {"id": "@text"},
        "Constant": {"value": "@literal"},
        "Attribute": {"value": "expression", "attr": "@text"},
        "Subscript": {"value": "expression", "slice": "index"},
        "Tuple": {"elts": "expression*"},
        "List": {"elts": "expression*"},
        "Dict": {"keys": "expression*", "values": "expression*"},
        "UnaryOp": {"op": "sign", "operand": "expression"},
        "BinOp": {"left": "expression", "op": "binary", "right": "expression"},
        "Compare": {
            "left": "expression",
            "ops": "comparison",
            "comparators": "expression+",
        },
    },
    "index": {
        "*": "expression",
        "Slice": {
            "lower": "expression?",
            "upper": "expression?",
            "step": "expression?",
        },
        "Tuple": {"elts": "index*"},
    },
    "sign": {"USub": {}, "UAdd": {}, "Invert": {}},
    "binary": {
        name: {}
        for name in (
            "Add",
            "Sub",
            "Mult",
            "MatMult",
            "Div",
            "FloorDiv",
            "Mod",
            "Pow",
            "LShift",
            "RShift",
            "BitAnd",
            "BitOr",
            "BitXor",
        )
    },
    "comparison": {name: {} for name in ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")},
}
"""The grammar: nonterminal -> node type of `ast` -> field -> what may stand there.

What may stand in a field is a nonterminal, with `?` for at most one, `*` for any
number, `+` for at least one and `~` for any number that may each be absent;
without a suffix it is exactly one (a list of one where the field is a list).
`@text` is a name as Python's parser gives it, or none; `@number` a plain number, `@literal` a value of
exactly the type None, bool, int, str, bytes or Ellipsis, or a finite float; an int
has at most `MAX_INTEGER_BITS`. A
field that is not named must be empty: no decorators, no annotations, no type
parameters (`ctx` follows from the place). A node type that is not named is
refused, so new syntax of Python fails closed. `"*"` takes over the alternatives
of another nonterminal.

The emitter builds a subset: arithmetic and comparisons are accepted because
older generators wrote them. What a callee or a default may be is narrower than
it looks here; `astgen.check.access` and `astgen.check.calls` know names.
"""

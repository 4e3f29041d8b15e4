"""Pickles in which something else calls, reads or replaces what the pickle prepares.

Each holds only names that caches hold too.
"""

from __future__ import annotations

from hostile.making import CANARY, ENTRY, TOUCH
from hostile.pickle_making import (
    HostilePickle,
    blob,
    call,
    glob,
    refused,
    stack_glob,
    state,
    text,
    touch,
)

__all__ = ["VALUES"]

PROTO = b"\x80\x04"
SYMBOLS = "torch.utils._sympy.functions"
PICKLER = "torch.fx._graph_pickler"
CACHING = "vllm.compilation.caching"
EVIL = PROTO + touch() + b"."
TEXT = text(f"__import__('os').system({TOUCH!r})")
PARTIAL = glob("functools", "partial")
BYTES = glob("builtins", "bytes")
OPAQUE = glob(SYMBOLS, "make_opaque_bitwise_fn")
READER = stack_glob(CACHING, "VllmSerializableFunction.deserialize_compile_artifacts")
TOKEN = text("unpickle_state") + b"Q"


def table(*items: bytes) -> bytes:
    """A dictionary of keys and values in turn."""
    return b"}(" + b"".join(items) + b"u"


def new(module: str, name: str, *items: bytes) -> bytes:
    """An object that is made empty and gets its attributes."""
    return glob(module, name) + b")\x81" + table(*items) + b"b"


def part(*arguments: bytes) -> bytes:
    return call(PARTIAL, *arguments)


def numbers(data: bytes) -> bytes:
    """A list of numbers."""
    return b"](" + b"".join(b"K" + bytes([code]) for code in data) + b"e"


def read(name: str, value: bytes, rules: str) -> HostilePickle:
    """A pickle that hands a value to vLLM's reader."""
    data = PROTO + table(text("compiled_fn"), READER + value + b"\x86") + b"."
    return HostilePickle(name, data, rules)


def beside(name: str, value: bytes, rules: str = "AG610") -> HostilePickle:
    """A pickle without a mark, in place of the graph beside a program."""
    data = PROTO + state(text("graph_module"), blob(value)) + b"."
    return HostilePickle(name, data, rules)


PARTIALS = [
    refused(
        "partial of a symbolic size",
        call(part(glob(SYMBOLS, "ToFloat"), TEXT)),
        "AG610 AG610 AG610",
    ),
    refused(
        "partial of Not",
        call(part(glob("sympy.logic.boolalg", "Not"), TEXT)),
        "AG610 AG610 AG610",
    ),
    refused("partial of a class", part(glob("torch", "Size")), "AG610 AG610"),
    refused("partial without its state", part(OPAQUE), "AG610 AG610"),
    refused(
        "partial that binds another operation",
        part(OPAQUE)
        + b"("
        + OPAQUE
        + b")"
        + table(text("real_op_name"), text("call"))
        + b"Ntb",
        "AG610 AG610",
    ),
    refused(
        "partial that binds an argument",
        part(OPAQUE)
        + b"("
        + OPAQUE
        + TEXT
        + b"\x85"
        + table(text("real_op_name"), text("or_"))
        + b"Ntb",
        "AG610 AG610",
    ),
]

HIDDEN = part(stack_glob("torch._guards", "ShapeGuard"), glob(SYMBOLS, "ToFloat"))
OBJECTS = [
    refused(
        "a copied object copies itself",
        call(
            glob("torch._library.fake_class_registry", "FakeScriptObject"),
            b"N",
            text("n"),
            new("torch.fx.graph", "CodeGen", text("__reduce_ex__"), HIDDEN),
        ),
        "AG610 AG610 AG610 AG610 AG610",
    ),
    refused(
        "a graph that unpickles itself",
        call(
            stack_glob(PICKLER, "_GraphModulePickleData.unpickle"),
            new("torch.fx.graph", "CodeGen", text("unpickle"), b"N"),
            TOKEN,
        ),
        "AG610 AG610 AG610",
    ),
    refused(
        "a method with other arguments",
        call(
            stack_glob(PICKLER, "_TensorPickleData.unpickle"),
            new(PICKLER, "_TensorPickleData", text("metadata"), b"N"),
            b"N",
        ),
    ),
    refused(
        "an attribute that classes do not have",
        new("torch.fx.graph", "CodeGen", text("__setstate__"), b"N"),
    ),
    refused("two states", new("torch.fx.graph", "CodeGen") + b"}b"),
    refused(
        "a computed attribute",
        new("torch.fx.graph", "CodeGen", call(BYTES), b"N"),
    ),
    refused(
        "a state that is no dictionary", glob("torch.fx.graph", "CodeGen") + b")\x81]b"
    ),
    refused("a frame reads", call(glob("traceback", "FrameSummary"), text(CANARY))),
    refused("a class called", call(glob("torch.fx.graph", "CodeGen"))),
    refused(
        "a source whose name is code",
        call(
            glob("torch._dynamo.source", "CallMethodItemSource"),
            new(PICKLER, "_OpStrPickleData", text("name"), TEXT),
        ),
    ),
    refused("a loader's object", b"](" + TOKEN + b"e"),
    refused(
        "a symbol that is code",
        glob("sympy.core.symbol", "Symbol") + TEXT + b"\x85\x81",
    ),
    refused(
        "a version that is a key",
        call(glob("torch.torch_version", "TorchVersion"), text("consts")),
    ),
    refused(
        "a factory",
        call(glob("collections", "defaultdict"), glob("traceback", "FrameSummary")),
    ),
]

PLACES = [
    refused("a symbolic size in a list", b"](" + glob(SYMBOLS, "ToFloat") + b"e"),
    refused("a symbolic size as reader", glob(SYMBOLS, "ToFloat") + TEXT + b"\x86"),
    refused("a class in a tuple", glob("torch", "Tensor") + TEXT + b"\x86"),
    refused(
        "a function under another key",
        table(
            text("other"),
            glob("torch._inductor.decomposition", "select_decomp_table"),
        ),
    ),
    refused("a class as key", table(glob("torch", "Tensor"), b"N")),
    refused(
        "a class as state",
        glob("torch.fx.graph", "CodeGen") + b")\x81" + glob("torch", "Tensor") + b"b",
        "AG610 AG610",
    ),
    HostilePickle(
        "a class as the whole", PROTO + glob(SYMBOLS, "ToFloat") + b".", "AG610"
    ),
    HostilePickle(
        "a frame among constants",
        PROTO
        + table(
            text("execution_code"),
            text(ENTRY),
            text("consts"),
            b"](" + glob("traceback", "FrameSummary") + b"e",
        )
        + b".",
        "AG610",
    ),
]

READERS = [
    read("bytes of numbers", call(BYTES, numbers(EVIL)), "AG610 AG610"),
    read(
        "a bytearray of numbers",
        call(glob("builtins", "bytearray"), numbers(EVIL)),
        "AG610 AG610",
    ),
    read(
        "bytes of text of bytes",
        call(
            BYTES,
            call(glob("builtins", "str"), blob(EVIL), text("latin-1")),
            text("latin-1"),
        ),
        "AG610 AG610 AG610 AG610",
    ),
    read(
        "bytes in UTF-16",
        call(
            BYTES,
            text(
                (EVIL + b"0")[: len(EVIL) // 2 * 2].decode("utf-16-le", "surrogatepass")
            ),
            text("utf-16-le"),
        ),
        "AG610 AG610",
    ),
    read(
        "a bytearray of bytes",
        call(glob("builtins", "bytearray"), blob(PROTO + b"N.")),
        "AG610",
    ),
    read("nothing to read", b"N", "AG610"),
    HostilePickle(
        "vLLM's reader in a dictionary",
        PROTO + b"}(" + READER + b"K\x00" + blob(PROTO + b"}.") + b"K\x00u.",
        "AG610",
    ),
    HostilePickle(
        "vLLM's reader in a list",
        PROTO + b"](" + READER + blob(PROTO + b"}.") + b"e.",
        "AG607 AG610",
    ),
]

UNMARKED = [
    beside("import alone, unmarked", b"cantigravity\nfly\n."),
    beside(
        "an item of a module",
        b"cjson\n__dict__\n(Vloads\ncos\nsystem\nu.",
        "AG610 AG610",
    ),
    beside(
        "an attribute of a function",
        b"ccopy\ndeepcopy\n}(Vx\ncos\nsystem\nub.",
        "AG610 AG610",
    ),
    beside("an extension alone", b"\x82\x01."),
    beside("a persistent id alone", b"Pstorage\n."),
    beside("broken behind an import", b"cantigravity\nfly\n\xff", "AG601 AG610"),
]

KEYS = [
    HostilePickle(
        "a computed key beside the code",
        PROTO
        + state(call(glob("builtins", "str"), text("execution_code")), text("x"))
        + b".",
        "AG610 AG610",
    ),
    HostilePickle(
        "a tuple as key beside the code", PROTO + state(b")", text("x")) + b".", "AG610"
    ),
    HostilePickle(
        "the code twice",
        PROTO + state(text("execution_code"), text("import os")) + b".",
        "AG610",
    ),
    HostilePickle(
        "constants twice", PROTO + state(text("consts"), b"]") + b".", "AG610"
    ),
]

VALUES = [*PARTIALS, *OBJECTS, *PLACES, *READERS, *UNMARKED, *KEYS]

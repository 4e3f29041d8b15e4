"""Pickles that want to run something while they are loaded, or slip past the reader.

Where a pickle would leave a trace if any of it ran, the trace is the file `CANARY`, in
the working directory of the test.
"""

from __future__ import annotations

from hostile.making import CANARY, TOUCH
from hostile.pickle_making import (
    HostilePickle,
    blob,
    call,
    glob,
    refused,
    stack_glob,
    text,
    touch,
)
from hostile.pickles_damaged import DAMAGED, NESTED
from hostile.pickles_values import VALUES

__all__ = ["HOSTILE_PICKLES"]

PROTO = b"\x80\x04"
GETATTR = glob("builtins", "getattr")
SYSTEM = glob("os", "system")
SYMBOLS = "torch.utils._sympy.functions"
EVAL_TOUCH = f"__import__('os').system({TOUCH!r})"
OWNER = glob("vllm.compilation.caching", "VllmSerializableFunction")


CALLS = [
    refused("os.system", touch()),
    refused("posix.system", call(glob("posix", "system"), text(TOUCH))),
    refused("nt.system", call(glob("nt", "system"), text(TOUCH))),
    refused("popen", call(glob("subprocess", "Popen"), text(TOUCH), b"\x88")),
    refused("eval", call(glob("builtins", "eval"), text(EVAL_TOUCH))),
    refused("exec", call(glob("builtins", "exec"), text(EVAL_TOUCH))),
    refused("python 2 eval", call(glob("__builtin__", "eval"), text(EVAL_TOUCH))),
    refused("open", call(glob("builtins", "open"), text(CANARY), text("w"))),
    refused("__import__", call(glob("builtins", "__import__"), text("antigravity"))),
    refused("a module", call(glob("importlib", "import_module"), text("this"))),
    refused("runpy", call(glob("runpy", "run_path"), text(CANARY))),
    refused("webbrowser", call(glob("webbrowser", "open"), text("http://x"))),
    refused(
        "unpickling",
        call(glob("pickle", "loads"), blob(b"cos\nabort\n)R.")),
        "AG610 AG610",
    ),
    refused("torch.load", call(glob("torch", "load"), text(CANARY))),
    refused(
        "torch's loader", call(glob("torch.storage", "_load_from_bytes"), blob(b"."))
    ),
    refused("numpy's reader", call(glob("numpy", "load"), text(CANARY))),
    refused("a library", call(glob("ctypes", "CDLL"), text(CANARY))),
    refused("code", call(glob("types", "CodeType"), b"K\x00")),
    refused("function", call(glob("types", "FunctionType"), b"NN")),
    refused("socket", call(glob("socket", "create_connection"), text("x"))),
    refused("import alone", glob("antigravity", "fly")),
    refused("INST", b"(" + text(TOUCH) + b"ios\nsystem\n"),
    refused("OBJ", b"(" + SYSTEM + text(TOUCH) + b"o"),
    refused("NEWOBJ", SYSTEM + text(TOUCH) + b"\x85\x81"),
    refused("NEWOBJ_EX", SYSTEM + text(TOUCH) + b"\x85}\x92"),
    refused("STACK_GLOBAL", call(stack_glob("os", "system"), text(TOUCH))),
    refused("BUILD after a call", touch() + b"}b"),
]

NAMES = [
    refused("os behind torch", call(stack_glob("torch", "os.system"), text(TOUCH))),
    refused("os behind fx", call(stack_glob("torch.fx", "os.system"), text(TOUCH))),
    refused("listed, then on", stack_glob("torch", "device.__class__")),
    refused("subclasses", stack_glob("builtins", "object.__subclasses__")),
    refused("a name with a space", glob("os system", "torch device")),
    refused("an empty name", glob("torch", "")),
    refused("an empty module", glob("", "torch.device")),
    refused("carriage return", glob("torch\r", "device\r")),
    refused("trailing dot", stack_glob("torch.", "device")),
    refused("null byte", stack_glob("torch", "device\0")),
    refused("look-alike", stack_glob("t\u043erch", "device")),
    refused("surrogate", stack_glob("torch", "device\udc80")),
    refused(
        "module from the memo", text("os") + b"\x940h\x00" + text("system") + b"\x93"
    ),
    refused(
        "memo overwritten",
        text("torch")
        + b"q\x050"
        + text("os")
        + b"q\x050h\x05"
        + text("abort")
        + b"\x93",
    ),
    refused("name swapped by DUP", text("os") + b"2\x93"),
    refused(
        "a computed module",
        call(glob("builtins", "str"), text("os")) + text("system") + b"\x93",
        "AG610 AG610",
    ),
    refused(
        "a computed name",
        text("os") + call(glob("builtins", "str"), text("system")) + b"\x93",
        "AG610 AG610",
    ),
    refused("extension code 1", b"\x82\x01"),
    refused("extension code 4", b"\x84\xff\xff\xff\x7f"),
    refused("persistent id", b"Pstorage\n"),
    refused("persistent id by stack", text("module") + b"Q"),
    refused("computed persistent id", b")Q"),
    HostilePickle("the result itself", PROTO + touch() + b".", "AG610"),
    HostilePickle("protocol 0", b"cos\nsystem\n(S'true'\ntR.", "AG610"),
    HostilePickle("no protocol", touch() + b".", "AG610"),
]

TRICKS = [
    refused(
        "getattr chain",
        call(GETATTR, glob("torch", "device"), text("__init__")),
        "AG610 AG610",
    ),
    refused(
        "getattr of a module",
        call(GETATTR, glob("os", "path"), text("os")),
        "AG610 AG610",
    ),
    refused(
        "getattr by a computed name",
        call(GETATTR, glob("torch", "Size"), b")"),
        "AG610 AG610",
    ),
    refused("getattr of a result", call(GETATTR, b"]", text("__class__"))),
    refused(
        "getattr with a default",
        call(GETATTR, glob("torch", "Size"), text("x"), b"N"),
        "AG610 AG610",
    ),
    refused("getattr handed on", b"](" + GETATTR + b"e"),
    refused("getattr from a list", GETATTR + b"]R"),
    refused(
        "reduce over getattr",
        call(glob("_functools", "reduce"), GETATTR, b"]"),
        "AG610 AG610",
    ),
    refused(
        "calls in a chain",
        call(call(glob("collections", "OrderedDict")), text(TOUCH)),
    ),
    refused("type with three", call(glob("builtins", "type"), text("X"), b")}")),
    refused("_eval_repr", call(glob("dill._dill", "_eval_repr"), text(EVAL_TOUCH))),
    refused("_load_type", call(glob("dill._dill", "_load_type"), text("CodeType"))),
    refused(
        "_create_namedtuple",
        call(
            glob("dill._dill", "_create_namedtuple"), text("system"), b")", text("os")
        ),
    ),
    refused(
        "_import_module", call(glob("dill._dill", "_import_module"), text("os.system"))
    ),
    refused(
        "partial of a guarded function",
        call(glob("functools", "partial"), GETATTR),
        "AG610 AG610",
    ),
    refused(
        "partial with another function in its state",
        call(glob("functools", "partial"), glob("torch", "Size"))
        + b"("
        + glob("torch", "device")
        + b")}Ntb",
        "AG610 AG610 AG610",
    ),
    refused("methodcaller", call(glob("operator", "methodcaller"), text("tofile"))),
    refused("attrgetter", call(glob("operator", "attrgetter"), text("__class__"))),
    refused("sympify", call(glob("sympy", "sympify"), text(EVAL_TOUCH))),
    refused(
        "text for sympy", call(glob(SYMBOLS, "FloorDiv"), text(EVAL_TOUCH), b"K\x02")
    ),
    refused("text in a list for sympy", call(glob(SYMBOLS, "Mod"), b"]", b"K\x02")),
    refused(
        "state of a symbolic size",
        glob("sympy.core.mul", "Mul") + b")\x81}b",
    ),
    refused(
        "opaque function", call(glob(SYMBOLS, "make_opaque_unary_fn"), text("preview"))
    ),
    refused("codec", call(glob("_codecs", "encode"), text("x"), text("zip"))),
    refused(
        "reconstructor",
        call(glob("copyreg", "_reconstructor"), SYSTEM, SYSTEM, b"N"),
        "AG610 AG610",
    ),
    refused(
        "a class is changed",
        glob("torch", "device") + b"N}" + text("x") + b"K\x01s\x86b",
    ),
    refused("a class gets items", glob("torch", "device") + text("x") + b"K\x01s"),
    refused(
        "a logger is changed", call(glob("logging", "getLogger"), text("x")) + b"}b"
    ),
    refused("a value is called", call(glob("torch", "SymInt"))),
    refused(
        "vLLM's reader is called",
        call(
            call(GETATTR, OWNER, text("deserialize_compile_artifacts")), blob(b"....")
        ),
    ),
    refused(
        "numpy functions",
        stack_glob("torch.fx._graph_pickler", "_TorchNumpyPickleData.unpickle"),
    ),
]

HOSTILE_PICKLES = [*CALLS, *NAMES, *TRICKS, *VALUES, *NESTED, *DAMAGED]

"""Pickles inside pickles, and pickles that break off or ask for too much."""

from __future__ import annotations

import struct

from hostile.making import ENTRY
from hostile.pickle_making import (
    HostilePickle,
    blob,
    call,
    glob,
    nest,
    state,
    text,
    touch,
)

__all__ = ["DAMAGED", "NESTED"]

PROTO = b"\x80\x04"
GETATTR = glob("builtins", "getattr")
OWNER = glob("vllm.compilation.caching", "VllmSerializableFunction")
CODE = text("execution_code")


def sized(opcode: bytes, form: str, size: int, content: bytes = b"") -> bytes:
    return opcode + struct.pack(form, size) + content


def _damaged(name: str, data: bytes, rules: str = "AG601") -> HostilePickle:
    return HostilePickle(name, data, rules)


NESTED = [
    HostilePickle("nested", nest(PROTO + touch() + b"."), "AG610"),
    HostilePickle("nested without a mark", nest(touch() + b"."), "AG610"),
    HostilePickle("nested in protocol 0", nest(b"cos\nsystem\n(S'true'\ntR."), "AG610"),
    HostilePickle("nested and cut", nest(PROTO + touch()), "AG601 AG610"),
    HostilePickle("nested, more behind", nest(PROTO + touch() + b".tail"), "AG610"),
    HostilePickle(
        "nested, broken behind", nest(PROTO + touch() + b"\xff"), "AG601 AG610"
    ),
    HostilePickle("nested, unmarked, broken", nest(touch() + b"\xff"), "AG601 AG610"),
    HostilePickle(
        "nested, odd number first", nest(PROTO + b"I0x10\n0" + touch() + b"."), "AG601"
    ),
    HostilePickle(
        "nested, sets list items",
        nest(PROTO + b"](K\x00K\x01u" + touch() + b"."),
        "AG601",
    ),
    HostilePickle(
        "nested three deep", nest(nest(nest(PROTO + touch() + b"."))), "AG610"
    ),
    HostilePickle(
        "nested and dropped", PROTO + blob(PROTO + touch() + b".") + b"0N.", "AG610"
    ),
    HostilePickle(
        "nested in a bytearray",
        PROTO + b"\x96" + struct.pack("<Q", len(touch()) + 3) + PROTO + touch() + b"..",
        "AG610",
    ),
    HostilePickle(
        "nested as text",
        PROTO
        + call(glob("_codecs", "encode"), text(touch().decode() + "."), text("latin1"))
        + b".",
        "AG610",
    ),
    HostilePickle(
        "nested beside a program",
        PROTO + state(text("graph_module"), blob(PROTO + touch() + b".")) + b".",
        "AG610",
    ),
    HostilePickle(
        "nested for vLLM, no code",
        PROTO
        + call(GETATTR, OWNER, text("deserialize_compile_artifacts"))
        + blob(PROTO + b"}.")
        + b"\x86.",
        "AG607",
    ),
    HostilePickle(
        "nested for vLLM, damaged",
        PROTO
        + call(GETATTR, OWNER, text("deserialize_compile_artifacts"))
        + blob(b"\xff\xff\xff\xff")
        + b"\x86.",
        "AG601",
    ),
]

DAMAGED = [
    _damaged("empty", b""),
    _damaged("a mark alone", b"\x80"),
    _damaged("no end", PROTO + state()),
    _damaged("bytes behind the end", PROTO + state() + b".."),
    _damaged("a second pickle", PROTO + state() + b"." + touch() + b"."),
    _damaged("a protocol of the future", b"\x80\x06N."),
    _damaged("an unknown opcode", PROTO + b"\xff."),
    _damaged("nothing on the stack", PROTO + b"0."),
    _damaged("no mark", PROTO + b"t."),
    _damaged("memo without entry", PROTO + b"h\x00."),
    _damaged("memo with a negative entry", PROTO + b"Np-1\n."),
    _damaged("a key without value", PROTO + b"}(Nu."),
    _damaged("a tuple grows", PROTO + b")Na."),
    _damaged("text gets a state", PROTO + text("x") + b"}b."),
    _damaged("non-ASCII global", "cos\u00e9\nsystem\n.".encode()),
    _damaged("quotes do not match", b"S'x\n."),
    _damaged("huge bytes announced", PROTO + sized(b"\x8e", "<Q", 1 << 62)),
    _damaged("more bytes than can be", PROTO + sized(b"\x8e", "<Q", (1 << 64) - 1)),
    _damaged("huge text announced", PROTO + sized(b"\x8d", "<Q", 1 << 40)),
    _damaged("huge number announced", PROTO + sized(b"\x8b", "<i", (1 << 31) - 1)),
    _damaged("negative size of a number", PROTO + sized(b"\x8b", "<i", -1)),
    _damaged("a number of many digits", b"I" + b"9" * 10_000 + b"\n."),
    _damaged(
        "memo bomb", PROTO + b"N" + sized(b"r", "<I", (1 << 31) - 1) + b".", "AG005"
    ),
    _damaged("memo bomb in text", PROTO + b"Np99999999999\n.", "AG005"),
    _damaged("code is a number", PROTO + b"}" + CODE + b"K\x01s.", "AG607"),
    _damaged(
        "code is bytes", PROTO + b"}" + CODE + blob(ENTRY.encode()) + b"s.", "AG607"
    ),
    _damaged(
        "code is computed",
        PROTO + b"}" + CODE + call(glob("builtins", "str"), text("x")) + b"s.",
        "AG607 AG610",
    ),
    _damaged("code is empty", PROTO + b"}" + CODE + text(" \n") + b"s.", "AG606"),
]

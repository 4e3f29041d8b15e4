"""What caches do with the listed names passes; files without a program do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile.making import ENTRY
from hostile.pickle_making import blob, call, glob, stack_glob, state, text
from hostile.pickles_values import OPAQUE, PICKLER, READER, SYMBOLS, TOKEN, new, table

from astgen.lint.sources.limits import Limits
from astgen.lint.sources.pickle_names import listed
from astgen.lint.sources.pickles import read_pickle
from astgen.lint.sources.read import read

PROTO = b"\x80\x04"
LOAD_TYPE = glob("dill._dill", "_load_type")
TENSOR = glob("torch", "Tensor")
NONE_TYPE = call(glob("builtins", "type"), b"N")
SYMBOL = glob("sympy.core.symbol", "Symbol") + text("s0") + b"\x85"
SYMBOL += table(text("integer"), b"\x88") + b"\x92"
BOUND = (
    call(call(LOAD_TYPE, text("PartialType")), OPAQUE)
    + b"("
    + OPAQUE
    + b")"
    + table(text("real_op_name"), text("or_"))
    + b"Ntb"
)
FRAME = (
    glob("traceback", "FrameSummary")
    + b")\x81N"
    + table(text("filename"), text("a.py"), text("lineno"), b"K\x01")
    + b"\x86b"
)
USED = {
    "a bitwise class": b"\x8f(" + call(BOUND, text("bitwise_or")) + b"\x90",
    "classes of sizes in a set": b"\x8f(" + glob(SYMBOLS, "ToFloat") + b"\x90",
    "a symbol": SYMBOL,
    "a sum of sizes": glob("sympy.core.add", "Add") + b"K\x01" + SYMBOL + b"\x86\x81",
    "a frame": FRAME,
    "a union": table(
        text("_annotation"),
        call(
            glob("_functools", "reduce"),
            glob("_operator", "or_"),
            TENSOR + NONE_TYPE + b"\x86",
        ),
    ),
    "a list of tensors": call(
        glob("types", "GenericAlias"), glob("builtins", "list"), TENSOR + b"\x85"
    ),
    "a default of lists": call(
        glob("collections", "defaultdict"), call(LOAD_TYPE, text("set"))
    )
    + text("k")
    + b"Ns",
    "a slice with a size": call(glob("builtins", "slice"), b"N", SYMBOL, b"N"),
    "a graph": call(
        stack_glob(PICKLER, "_GraphModulePickleData.unpickle"),
        new(PICKLER, "_GraphModulePickleData", text("gm_dict"), b"}"),
        TOKEN,
    ),
    "the type of a node": new(PICKLER, "_NodePickleData", text("type"), TENSOR),
    "a constant that is a type": table(
        text("execution_code"), text(ENTRY), text("consts"), b"](" + TENSOR + b"e"
    ),
    "a state for vLLM": READER + blob(PROTO + state() + b".") + b"\x86",
    "old bytes": call(glob("_codecs", "encode"), text("x"), text("latin1")),
    "an old bytearray": call(
        glob("builtins", "bytearray"),
        call(glob("_codecs", "encode"), text("x"), text("latin1")),
    ),
}


def rules(data: bytes) -> list[str]:
    contents = read_pickle(PROTO + data + b".", "model", "", Limits())
    return [finding.rule for finding in contents.findings]


@pytest.mark.parametrize("data", USED.values(), ids=USED)
def test_what_caches_do_is_known(data: bytes) -> None:
    assert rules(b"](" + data + b"e") == ["AG608"]


def test_the_list_says_how_every_name_is_used() -> None:
    kinds = {shape.kind for shape in listed().values()}
    assert kinds == set(
        "call constant guarded literal mapping object opaque reader source sympy type".split()
    )
    with_keys = {shape.kind for shape in listed().values() if shape.keys}
    assert with_keys == {"call", "object"}


@pytest.mark.parametrize("name", ["_functools.reduce", "functools.partial"])
def test_an_allowed_name_is_called_as_one_likes(name: str) -> None:
    module, _, short = name.rpartition(".")
    data = PROTO + call(glob(module, short), b"]") + b"."
    contents = read_pickle(data, "model", "", Limits(), names=frozenset({name}))
    assert [finding.rule for finding in contents.findings] == ["AG608"]


@pytest.mark.parametrize(
    "key", [text("execution_code"), call(glob("builtins", "str"), text("x"))]
)
def test_every_text_that_may_count_is_looked_at(key: bytes) -> None:
    data = PROTO + state(key, text("import os\n")) + b"."
    contents = read_pickle(data, "model", "", Limits())
    assert [subject.text for subject in contents.subjects] == [ENTRY, "import os\n"]


def test_a_text_that_is_there_very_often_is_looked_at_some_times() -> None:
    data = PROTO + state((text("execution_code") + text("y")) * 500) + b"."
    assert len(read_pickle(data, "model", "", Limits()).subjects) == 100


@pytest.mark.parametrize("value", [b"N", b"}", b"K\x01"])
def test_an_artifact_without_a_program_is_incomplete(
    value: bytes, tmp_path: Path
) -> None:
    def found(path: Path, explicit: bool) -> list[str]:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(PROTO + value + b".")
        contents = read(str(path), Limits(), explicit=explicit)
        return [finding.rule for finding in contents.findings]

    assert found(tmp_path / "rank_0_0" / "model", False) == ["AG608", "AG607"]
    assert found(tmp_path / "model", True) == ["AG608", "AG607"]
    assert found(tmp_path / "model", False) == ["AG608"]
    assert found(tmp_path / "other", True) == ["AG608", "AG006"]
    assert found(tmp_path / "other", False) == ["AG608"]

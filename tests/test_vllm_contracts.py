"""What vLLM's backend, its caches and its dashboards expect of its code generator."""

from __future__ import annotations

import json
import logging
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch
from torch import fx
from torch._dynamo import utils as dynamo_utils
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.passes.split_module import split_module

from astgen.codegen import (
    _node_ref,
    compile_execution_fn,
    generate_execution_code,
    generate_execution_code_with_name,
)
from astgen.errors import UnsupportedGraphError
from support.compare import assert_same
from support.graphs import finish, graph, module

aten = torch.ops.aten
Generated = tuple[str, list[str], list[Any]]


def traced_and_split(
    function: Callable[..., Any], inputs: Sequence[torch.Tensor], *ops: Any
) -> fx.GraphModule:
    """The stitching graph of a function whose pieces end before and behind `ops`."""
    gm = make_fx(function)(*inputs)
    part = 0
    parts: dict[fx.Node, int] = {}
    for node in gm.graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        if node.target in ops:
            parts[node] = part + 1
            part += 2
        else:
            parts[node] = part
    return split_module(
        gm, None, parts.__getitem__, keep_original_order=True, tuple_return=True
    )


def checked(
    function: Callable[..., Any], inputs: Sequence[torch.Tensor], *ops: Any
) -> Generated:
    """Split, generate, run, compare with eager; what was generated."""
    gm = traced_and_split(function, inputs, *ops)
    code, names, consts = generate_execution_code(gm)
    generated = compile_execution_fn(code, {}, names, consts)
    assert_same(generated(*inputs), function(*inputs))
    return code, names, consts


def bodies(code: str) -> dict[str, str]:
    """Text of the inlined pieces by index, found the way that vLLM's tests look."""
    pattern = r"def __vllm_inlined_submods__(\d+)\([^)]*\):\n((?:    .*\n)+)"
    return dict(re.findall(pattern, code))


@pytest.fixture
def x() -> torch.Tensor:
    return torch.arange(6.0).reshape(2, 3) - 2


# Constants


def test_device_and_dtype_of_a_conversion_are_lifted(x: torch.Tensor) -> None:
    code, _, consts = checked(
        lambda x: x.to(device=torch.device("cpu"), dtype=torch.float16),
        [x],
        aten._to_copy.default,
    )
    assert "device(type=" not in code
    assert torch.device("cpu") in consts and torch.float16 in consts


def test_device_and_dtype_of_a_constructor_are_lifted(x: torch.Tensor) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        made = torch.empty(x.shape, device=torch.device("cpu"), dtype=torch.float64)
        return made.fill_(1).add(x.to(dtype=torch.float64))

    code, _, consts = checked(function, [x])
    assert "aten.empty.memory_format" in code and "device(type=" not in code
    assert torch.device("cpu") in consts and torch.float64 in consts


def test_one_dtype_takes_one_slot(x: torch.Tensor) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return (x - 1).to(torch.float16) * (x + 3).to(torch.float16)

    code, _, consts = checked(function, [x])
    assert code.count("_to_copy.default") == 2
    assert consts == [torch.float16]
    assert code.count("__vllm_consts__[0]") == 2


def test_two_dtypes_take_two_slots(x: torch.Tensor) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return x.to(torch.bfloat16) + x.to(torch.float64)

    _, _, consts = checked(function, [x])
    assert consts == [torch.bfloat16, torch.float64]


def test_slots_come_in_the_same_order_for_every_trace(x: torch.Tensor) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x.to(device=torch.device("cpu"), dtype=torch.float64)
        return y.to(dtype=torch.int32) + y.to(dtype=torch.int8)

    first, second = (checked(function, [x]) for _ in range(2))
    assert first == second
    assert len(first[2]) == 4


def test_primitive_arguments_stand_in_the_text(x: torch.Tensor) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.transpose(x, 0, 1).clamp(-1, 1.5).sum(1, keepdim=True)

    code, _, consts = checked(function, [x])
    assert consts == [] and "__vllm_consts__" not in code
    assert ", 0, 1)" in code and "-1, 1.5)" in code and ", True)" in code


def test_slots_are_shared_across_inlined_pieces(x: torch.Tensor) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        a = x.to(torch.float16).relu()
        return (a.to(torch.float32) - 1).to(torch.float16)

    code, names, consts = checked(function, [x], aten.relu.default)
    assert len(names) == 3
    slot = f"__vllm_consts__[{consts.index(torch.float16)}]"
    assert consts.count(torch.float16) == 1
    users = [index for index, body in bodies(code).items() if slot in body]
    assert users == ["0", "2"]


# Pieces


class Opaque(torch.nn.Module):
    """What a compiled piece looks like: a module that is no GraphModule."""

    def __init__(self, gm: fx.GraphModule) -> None:
        super().__init__()
        self.compiled = gm.forward
        self.calls = 0

    def forward(self, *args: Any) -> Any:
        self.calls += 1
        return self.compiled(*args)


def test_a_child_that_is_no_graph_is_called_by_index(x: torch.Tensor) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return (x.neg().relu().exp(),)[0]

    gm = traced_and_split(function, [x], aten.relu.default)
    opaque = Opaque(gm.submod_1)
    gm.submod_1 = opaque
    code, names, consts = generate_execution_code(gm)
    assert names == ["submod_0", "submod_1", "submod_2"]
    assert "__vllm_submods__[1](" in code
    assert list(bodies(code)) == ["0", "2"]
    generated = compile_execution_fn(code, {"submod_1": opaque}, names, consts)
    assert_same(generated(x), function(x))
    assert opaque.calls == 1


def test_an_item_of_a_piece_is_an_index(x: torch.Tensor) -> None:
    code, _, _ = checked(
        lambda x: x.relu().sigmoid() + 1, [x], aten.relu.default, aten.sigmoid.default
    )
    entry = code[code.index("def execution_fn") :]
    assert re.search(r"\b\w+ = \w+\[\d+\]\n", entry)
    assert "getitem(" not in code


def test_intermediates_are_deleted(x: torch.Tensor) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return x.relu().sigmoid().tanh()

    code, _, _ = checked(function, [x], aten.relu.default, aten.sigmoid.default)
    assert re.search(r"^    del \w+", code, re.MULTILINE)


def test_a_graph_that_calls_a_piece_is_refused_where_pieces_are_not_passed() -> None:
    made = fx.Graph()
    node = made.call_module("piece", (made.placeholder("x"),))
    gm = finish(made, node, module(piece=torch.nn.Identity()))
    with pytest.raises(RuntimeError, match="call_module is not allowed") as caught:
        generate_execution_code_with_name(gm, "f", with_submod=False)
    assert isinstance(caught.value, UnsupportedGraphError)
    assert caught.value.node is node


def test_the_text_of_one_function_goes_on_with_slots_that_are_there() -> None:
    gm = graph(
        lambda g, x: g.call_function(
            aten._to_copy.default, (x,), {"dtype": torch.float16}
        ),
        "x",
    )
    consts: list[Any] = [torch.float64, torch.float16]
    index = {id(value): slot for slot, value in enumerate(consts)}
    code, names, returned = generate_execution_code_with_name(
        gm, "cast", False, consts, index
    )
    assert returned is consts and names == []
    assert code.startswith("def cast(x):\n") and "__vllm_consts__[1]" in code
    namespace: dict[str, Any] = {"torch": torch, "__vllm_consts__": consts}
    exec(code, namespace)
    assert_same(namespace["cast"](torch.ones(2)), torch.ones(2).half())


def test_the_shape_of_the_text(x: torch.Tensor) -> None:
    def function(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return (first + second).relu() * 2

    gm = traced_and_split(function, [x, x], aten.relu.default)
    code, names, _ = generate_execution_code(gm)
    targets = [node.target for node in gm.graph.find_nodes(op="placeholder")]
    assert code.startswith("import torch\nimport operator\n")
    assert f"def execution_fn({', '.join(targets)}, *, __vllm_submods__):\n" in code
    assert len(bodies(code)) == len(names) == 3
    assert code.rindex("\ndef ") == code.index("\ndef execution_fn")


# References


def test_a_reference_goes_through_containers() -> None:
    consts: list[Any] = []
    index: dict[int, int] = {}
    cpu, half = torch.device("cpu"), torch.float16

    def ref(value: Any) -> str:
        return _node_ref(value, consts, index)

    assert ref([cpu, 1]) == "[__vllm_consts__[0], 1]"
    assert ref((cpu, 2)) == "(__vllm_consts__[0], 2)"
    assert ref((half,)) == "(__vllm_consts__[1],)"
    assert ref({"k": cpu}) == "{'k': __vllm_consts__[0]}"
    assert (
        ref({"a": [(half, None)], 1: ()})
        == "{'a': [(__vllm_consts__[1], None)], 1: ()}"
    )
    assert consts == [cpu, half]
    assert index == {id(cpu): 0, id(half): 1}


@pytest.mark.parametrize(
    "value", ["it's", 'say "so"', "both ' and \"", b"it's", -1, -0.0, 1.5, None, True]
)
def test_a_reference_to_a_literal_reads_as_its_repr(value: Any) -> None:
    assert _node_ref([value], [], {}) == repr([value])


def test_a_reference_evaluates_to_what_it_refers_to(x: torch.Tensor) -> None:
    made = fx.Graph()
    node = made.placeholder("x")
    value = {
        "k": [node, (torch.float16, {"l": slice(node, None)}), torch.device("cpu")]
    }
    consts: list[Any] = []
    text = _node_ref(value, consts, {})
    found = eval(text, {"__vllm_consts__": consts, "x": x})
    wanted = {"k": [x, (torch.float16, {"l": slice(x, None)}), torch.device("cpu")]}
    assert_same(found, wanted)


# Older artifacts


def test_code_from_before_there_were_constants() -> None:
    code = (
        "import torch\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return __vllm_submods__[0](x) + 1\n"
    )
    generated = compile_execution_fn(code, {"piece": torch.neg}, ["piece"], consts=None)
    assert_same(generated(torch.ones(3)), torch.zeros(3))


def test_code_as_the_older_generator_wrote_it(x: torch.Tensor) -> None:
    code = (
        "import torch\n"
        "import operator\n"
        "def __vllm_inlined_submods__0(a, b):\n"
        "    add = torch.ops.aten.add.Tensor(a, b, alpha = 2)\n"
        "    return (add,)\n"
        "\n"
        "def execution_fn(x, y, *, __vllm_submods__):\n"
        "    submod_0 = __vllm_inlined_submods__0(x, y)\n"
        "    getitem = submod_0[0]\n"
        "    del submod_0\n"
        "    relu = torch.ops.aten._to_copy.default(getitem, dtype = __vllm_consts__[0])\n"
        "    del getitem\n"
        "    return (relu, operator.add(2, 3))\n"
    )
    generated = compile_execution_fn(code, {}, ["submod_0"], [torch.float64])
    assert_same(generated(x, x), ((x + 2 * x).double(), 5))


# What is logged


@pytest.fixture
def regions(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, list[float]]]:
    """The seconds that each timed region took, by name."""
    monkeypatch.setattr(dynamo_utils, "compilation_time_metrics", {})
    yield dynamo_utils.compilation_time_metrics


def test_generation_and_compilation_are_timed_regions(
    x: torch.Tensor, regions: dict[str, list[float]]
) -> None:
    checked(lambda x: x.relu() + 1, [x])
    for name in ("vllm.generate_execution_code", "vllm.compile_execution_fn"):
        assert len(regions[name]) == 1


def test_the_text_is_an_artifact_of_the_structured_trace(x: torch.Tensor) -> None:
    records: list[logging.LogRecord] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    logger = logging.getLogger("torch.__trace")
    handler, level = Keep(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        code, _, _ = checked(lambda x: x.relu() + 1, [x])
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    found = [
        record
        for record in records
        if getattr(record, "metadata", {}).get("artifact", {}).get("name")
        == "vllm_execution_code"
    ]
    (record,) = found
    assert record.metadata["artifact"]["encoding"] == "string"
    assert record.payload == code
    json.dumps(record.metadata)


def test_operators_are_called_by_path(x: torch.Tensor) -> None:
    made = fx.Graph()
    node = made.call_function(operator.mul, (made.placeholder("n"), 2))
    code, names, consts = generate_execution_code(finish(made, node))
    assert "operator.mul(n, 2)" in code and consts == []
    assert compile_execution_fn(code, {}, names, consts)(x.numel()) == 12

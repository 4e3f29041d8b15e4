"""What vLLM gets from the functions that stand in its modules, and reads in its log."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import fx

from astgen import codegen
from astgen.check import check
from astgen.errors import BindError, InvalidProgramError, UnsupportedGraphError
from support.graphs import carry, graph, interpret, module, tensor
from support.vllm_standin import OWN_TEXT

Logged = Callable[[], list[tuple[str, str]]]
aten = torch.ops.aten

HOSTILE = OWN_TEXT.replace("    return neg", "    neg = x.__class__\n    return neg")
FOREIGN = OWN_TEXT.replace("aten.neg.default", "astgen_plugin.halve.default")
TRACE = """\
  File "my_model.py", line 12, in forward
    return self.layers(x)
           ^^^^^^^^^^^^^^
  File "my_model.py", line 31, in forward
    return join(
           ^^^^^
        {x})
        ~~~^
"""

_library = torch.library.Library("astgen_plugin", "DEF")
_library.define("halve(Tensor x) -> Tensor")
_library.impl("halve", lambda x: x / 2, "CompositeExplicitAutograd")


class Double(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def stitching(*, constants: bool) -> fx.GraphModule:
    """A piece, an inlined child, and a constant if there is to be one."""
    inner = graph(lambda g, y: g.call_function(aten.relu.default, (y,)), "y")

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        made = g.call_module("submod_0", (x,))
        made = g.call_module("submod_1", (made,))
        if constants:
            made = g.call_function(aten.to.dtype, (made, torch.float64))
        return g.call_function(operator.sub, (made, x))

    return graph(body, "x", root=module(submod_0=Double(), submod_1=inner))


def inexpressible() -> fx.GraphModule:
    """A node in a set, of which FX and vLLM know nothing."""

    def body(g: fx.Graph, x: fx.Node) -> fx.Node:
        joined = g.call_function(torch.cat, ({x},))
        joined.meta["stack_trace"] = TRACE
        return joined

    return graph(body, "x")


def backend(vllm: SimpleNamespace, rank: int = 0) -> Any:
    parallel = SimpleNamespace(rank=rank, data_parallel_index=0)
    config = SimpleNamespace(parallel_config=parallel)
    return vllm.backends.VllmBackend(config, "backbone")


@pytest.mark.parametrize(
    ("kind", "constants"), [("two", False), ("three", False), ("three", True)]
)
def test_a_graph_runs_as_without_generated_code(
    plugged, logged: Logged, kind: str, constants: bool
) -> None:
    vllm = plugged(kind)
    gm = stitching(constants=constants)
    x = tensor(-2, 0, 3)
    got = backend(vllm)(gm)(x)
    assert torch.equal(got, interpret(gm, x)) and got.dtype == interpret(gm, x).dtype
    values = vllm.codegen.generate_execution_code(gm)
    assert len(values) == (2 if kind == "two" else 3)
    assert not logged()


def test_without_constants_in_vllm_a_graph_with_one_is_refused(
    plugged, logged: Logged
) -> None:
    vllm = plugged("two", version="0.20.1")
    with pytest.raises(UnsupportedGraphError, match=r"slot 0 is a torch\.dtype") as got:
        vllm.backends.generate_execution_code(stitching(constants=True))
    assert got.value.node.name == "to_dtype"
    ((level, line),) = logged()
    assert level == "ERROR"
    assert "vLLM 0.20.1 has no place for constants" in line and "to_dtype" in line


def test_helpers_do_what_those_of_codegen_do(plugged) -> None:
    vllm = plugged("three")
    lists: tuple[list[Any], dict[int, int]] = ([], {})
    arg = ({"k": torch.float16}, [1])
    assert vllm.codegen._node_ref(arg, *lists) == "({'k': __vllm_consts__[0]}, [1])"
    assert lists[0] == [torch.float16]
    gm = graph(lambda g, x: g.call_function(aten.neg.default, (x,)), "x")
    made = vllm.codegen.generate_execution_code_with_name(gm, "f", with_submod=False)
    assert made == codegen.generate_execution_code_with_name(gm, "f", False)


@pytest.mark.parametrize("kind", ["two", "three"])
def test_an_error_is_logged_once_with_the_node_and_the_users_line(
    plugged, logged: Logged, kind: str
) -> None:
    vllm = plugged(kind)
    with pytest.raises(UnsupportedGraphError):
        backend(vllm)(inexpressible())
    ((level, line),) = logged()
    assert level == "ERROR"
    assert "cat" in line and 'File "my_model.py", line 31, in forward' in line
    assert "    return join(" in line and "^" not in line
    assert "ASTGEN_VLLM_FALLBACK=1" in line


def test_an_error_of_no_kind_that_is_known_is_logged_too(
    plugged, logged: Logged, monkeypatch: pytest.MonkeyPatch
) -> None:
    vllm = plugged("three")

    def fail(split_gm: fx.GraphModule) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(codegen, "generate_execution_code", fail)
    with pytest.raises(ZeroDivisionError):
        backend(vllm)(stitching(constants=False))
    assert [level for level, _ in logged()] == ["ERROR"]
    assert "ZeroDivisionError: by nothing" in logged()[0][1]


@pytest.mark.parametrize("kind", ["two", "three"])
def test_vllms_generator_takes_over_only_if_it_was_asked_to(
    plugged, logged: Logged, kind: str
) -> None:
    vllm = plugged(kind, fallback="1")
    x = tensor(1, -2)
    # The stand-in's generator makes a negation of any graph.
    assert torch.equal(backend(vllm)(inexpressible())(x), torch.neg(x))
    ((level, line),) = logged()
    assert level == "WARNING" and "\n" not in line
    assert "cat" in line and "my_model.py" in line
    gm = stitching(constants=False)
    assert torch.equal(backend(vllm)(gm)(x), interpret(gm, x))


def test_a_fallback_that_is_no_switch_is_none(plugged, logged: Logged) -> None:
    vllm = plugged("three", fallback="on")
    assert "ASTGEN_VLLM_FALLBACK is 'on'" in vllm.said[0]
    with pytest.raises(UnsupportedGraphError):
        backend(vllm)(inexpressible())


def test_vllms_text_that_is_refused_runs_as_vllm_runs_it(
    plugged, logged: Logged
) -> None:
    vllm = plugged("three", fallback="1")
    vllm.codegen.OWN_TEXT = HOSTILE
    assert backend(vllm)(inexpressible())(tensor(1)) is torch.Tensor
    levels = [level for level, _ in logged()]
    assert levels == ["WARNING", "WARNING"]
    assert "all the same" in logged()[1][1]


def test_with_the_fallback_a_text_of_astgens_is_refused_while_there_is_a_graph(
    plugged, logged: Logged, monkeypatch: pytest.MonkeyPatch
) -> None:
    vllm = plugged("three", fallback="1")
    refused = check(HOSTILE)
    assert refused
    monkeypatch.setattr("astgen.vllm.generator.check", lambda *a, **k: refused)
    x = tensor(1, -2)
    got = backend(vllm)(stitching(constants=False))(x)
    assert torch.equal(got, torch.neg(x))
    assert [level for level, _ in logged()] == ["WARNING"]


def test_the_fallback_checks_a_graph_with_operators_of_its_own(
    plugged, logged: Logged
) -> None:
    vllm = plugged("three", fallback="1")
    halve = torch.ops.astgen_plugin.halve.default
    gm = graph(lambda g, x: g.call_function(halve, (x,)), "x")
    assert torch.equal(backend(vllm)(gm)(tensor(4)), tensor(2))
    assert not logged()


def test_a_constant_that_cannot_be_pickled_is_told_with_its_node(
    plugged, logged: Logged
) -> None:
    vllm = plugged("three")
    vllm.backends.generate_execution_code(carry(torch.float16, threading.Lock()))
    ((level, line),) = logged()
    assert level == "WARNING"
    # The two that are not told are the function and the dtype.
    assert "constant 2, a _thread.lock of node 'dict_1'" in line
    assert line.count("constant ") == 1


def rebuilt(vllm: SimpleNamespace, code: str, consts: Any = ()) -> Any:
    """What vLLM's cache makes of a text."""
    state = {"code": code, "names": [], "consts": consts}
    return vllm.caching.rebuild(state, "backbone", None)


@pytest.mark.parametrize("consts", [None, []])
def test_a_cached_text_of_vllms_own_generator_is_run(
    plugged, logged: Logged, consts: Any
) -> None:
    x = tensor(1, -2)
    assert torch.equal(rebuilt(plugged("three"), OWN_TEXT, consts)(x), torch.neg(x))
    assert not logged()


@pytest.mark.parametrize("fallback", ["0", "1"])
def test_a_cached_text_that_does_not_pass_is_refused_with_the_findings(
    plugged, logged: Logged, fallback: str
) -> None:
    vllm = plugged("three", fallback=fallback)
    with pytest.raises(InvalidProgramError) as got:
        rebuilt(vllm, HOSTILE, [])
    ((level, line),) = logged()
    assert level == "ERROR" and "\n" not in line
    assert line.startswith(
        "astgen refuses a cached program, vLLM compiles again: line 6: "
    )
    assert all(finding.rule in line for finding in got.value.findings)


@pytest.mark.parametrize("code", [b"bytes", ["a list"], None])
def test_a_cached_text_that_is_no_text_is_refused(
    plugged, logged: Logged, code: Any
) -> None:
    with pytest.raises(InvalidProgramError):
        rebuilt(plugged("three"), code, [])
    ((level, line),) = logged()
    assert level == "ERROR" and "AG001" in line


def test_a_generated_text_without_its_pieces_is_told_as_such(
    plugged, logged: Logged
) -> None:
    vllm = plugged("three")
    made = vllm.codegen.generate_execution_code(stitching(constants=False))
    with pytest.raises(BindError):
        vllm.codegen.compile_execution_fn(made[0], {}, *made[1:])
    ((level, line),) = logged()
    assert level == "ERROR" and "\n" not in line
    assert line.startswith("astgen cannot use a generated program: BindError: ")


def test_operators_of_a_cached_text_are_allowed_by_a_setting(
    plugged, logged: Logged
) -> None:
    vllm = plugged("three")
    with pytest.raises(InvalidProgramError):
        rebuilt(vllm, FOREIGN, [])
    assert "ASTGEN_VLLM_NAMESPACES" in logged()[0][1]


def test_operators_of_a_namespace_that_is_allowed_run(plugged, logged: Logged) -> None:
    vllm = plugged("three", namespaces="other, astgen_plugin")
    assert torch.equal(rebuilt(vllm, FOREIGN, [])(tensor(4)), tensor(2))
    assert not logged()

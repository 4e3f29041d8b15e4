"""Paths and slots are looked up once, and nothing else of the tree changes."""

from __future__ import annotations

import ast
import copy
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from support.unhoist import equal, hoisted, lookups, unhoisted
from torch.overrides import TorchFunctionMode

from astgen.check import DEFAULT_DIALECT
from astgen.codegen import compile_execution_fn
from astgen.run import load as loading

PROGRAMS = Path(__file__).parents[1] / "check" / "programs"
ALL_PLACES = """\
import torch
import operator


def __vllm_inlined_submods__1(x, dim, __vllm_submods__):
    y = torch.add(x, __vllm_consts__[0])
    z = __vllm_submods__[0](y, torch.ops.aten.add.Tensor)
    del y
    return (z[0], [operator.neg(z[1]), {"k": __vllm_consts__[1]}])


def execution_fn(x, key=torch.float16, *, __vllm_submods__):
    a = __vllm_inlined_submods__1(x, 1, __vllm_submods__)
    b = __vllm_submods__[2](*a, name=__vllm_consts__[0])
    c = x[__vllm_consts__[0] : 2].to(dtype=torch.float32)
    __vllm_consts__[2](c)
    return torch.ops.aten.add.Tensor(b, c)
"""


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.txt")), ids=lambda p: p.stem)
def test_undoing_it_gives_back_the_checked_tree(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = hoisted(text, DEFAULT_DIALECT)
    assert lookups(tree, DEFAULT_DIALECT) == []
    assert equal(unhoisted(tree), ast.parse(text))


def test_every_place_is_found() -> None:
    tree = hoisted(ALL_PLACES, DEFAULT_DIALECT)
    assert lookups(tree, DEFAULT_DIALECT) == []
    undone = unhoisted(tree)
    assert equal(undone, ast.parse(ALL_PLACES))
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    assert sorted({name for name in names if not name.isidentifier()}) == [
        "__vllm_consts__[0]",
        "__vllm_consts__[1]",
        "__vllm_consts__[2]",
        "__vllm_submods__[0]",
        "__vllm_submods__[2]",
        "operator.neg",
        "torch.add",
        "torch.float16",
        "torch.float32",
        "torch.ops.aten.add.Tensor",
    ]


def test_positions_stay() -> None:
    tree, original = hoisted(ALL_PLACES, DEFAULT_DIALECT), ast.parse(ALL_PLACES)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    for node in names:
        source = ast.get_source_segment(ALL_PLACES, node)
        assert source == node.id, (source, node.id)
    assert len(names) > len([n for n in names if n.id.isidentifier()])
    assert original.body[0].lineno == tree.body[0].lineno


def test_the_tree_that_is_compiled_is_the_one_that_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[ast.Module] = []
    build = loading.__globals__["build"]

    def recording(tree: ast.Module, *args: Any) -> Any:
        built.append(copy.deepcopy(tree))
        return build(tree, *args)

    monkeypatch.setitem(loading.__globals__, "build", recording)
    compile_execution_fn(ALL_PLACES, {"a": abs, "b": abs}, ["a", "x", "b"], [1, 2, abs])
    assert len(built) == 1
    assert equal(unhoisted(built[0]), ast.parse(ALL_PLACES))


def test_nothing_is_looked_up_when_it_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = (
        "import torch\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return torch.add(__vllm_submods__[0](x), __vllm_consts__[0])\n"
    )
    consts: list[Any] = [2]
    function = compile_execution_fn(text, {"a": torch.neg}, ["a"], consts)
    monkeypatch.setattr(torch, "add", None)
    consts[0] = None
    assert function(torch.tensor(5)) == -3


def test_a_traceback_points_at_the_whole_path() -> None:
    text = (
        "import torch\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return torch.ops.aten.mm.default(x, x)\n"
    )
    with pytest.raises(RuntimeError) as caught:
        compile_execution_fn(text, {}, [], None)(torch.ones(2, 3))
    shown = "".join(traceback.format_exception(caught.value))
    assert "return torch.ops.aten.mm.default(x, x)" in shown
    frame = traceback.extract_tb(caught.value.__traceback__)[1]
    assert frame.lineno == 3


# Packets


@pytest.fixture
def operators() -> Iterator[None]:
    """A packet with one overload, and one with two."""
    library = torch.library.Library("vllm_helion", "FRAGMENT")
    library.define("hoist_one(Tensor x) -> Tensor")
    library.define("hoist_two(Tensor x) -> Tensor")
    library.define("hoist_two.other(Tensor x, int y) -> Tensor")
    for name in ("hoist_one", "hoist_two"):
        library.impl(name, torch.neg, "CompositeExplicitAutograd")
    library.impl("hoist_two.other", torch.add, "CompositeExplicitAutograd")
    yield
    library._destroy()


class Called(TorchFunctionMode):
    """Notes which callables PyTorch is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: list[Any] = []

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.functions.append(function)
        return function(*args, **(kwargs or {}))


def entry(line: str) -> str:
    return (
        "import torch\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        f"    return {line}\n"
    )


def run(text: str, *consts: Any) -> tuple[Any, list[Any]]:
    function = compile_execution_fn(text, {}, [], list(consts))
    argument = torch.tensor(3)
    with Called() as called:
        result = function(argument)
    return result, called.functions


@pytest.mark.usefixtures("operators")
def test_a_packet_with_one_overload_is_called_as_that() -> None:
    result, functions = run(entry("torch.ops.vllm_helion.hoist_one(x)"))
    assert result == torch.ops.vllm_helion.hoist_one(torch.tensor(3)) == -3
    assert functions == [torch.ops.vllm_helion.hoist_one.default]


@pytest.mark.usefixtures("operators")
def test_a_packet_with_two_overloads_chooses() -> None:
    packet = torch.ops.vllm_helion.hoist_two
    text = entry(
        "(torch.ops.vllm_helion.hoist_two(x), torch.ops.vllm_helion.hoist_two(x, 4))"
    )
    result, functions = run(text)
    assert result == (packet(torch.tensor(3)), packet(torch.tensor(3), 4)) == (-3, 7)
    assert functions == [packet, packet]


@pytest.mark.usefixtures("operators")
def test_a_packet_that_is_handed_on_stays_a_packet() -> None:
    text = entry(
        "(torch.ops.vllm_helion.hoist_one(x), "
        "__vllm_consts__[0](torch.ops.vllm_helion.hoist_one))"
    )
    result, _ = run(text, lambda value: value)
    assert result[1] is torch.ops.vllm_helion.hoist_one

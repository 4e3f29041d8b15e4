"""Tracebacks and `inspect` show the generated line, for as long as it can run."""

from __future__ import annotations

import gc
import inspect
import linecache
import threading
import traceback

import pytest
import torch
from support.graphs import chain
from torch import fx

import astgen
from astgen.codegen import compile_execution_fn


class Broken(torch.nn.Module):
    def forward(self, *args: object) -> None:
        raise ValueError("a piece failed")


def broken_graph() -> fx.GraphModule:
    """Two additions and then a piece that raises, inside an inlined child."""
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_module("broken", (graph.call_function(torch.neg, (x,)),)))
    child = fx.GraphModule({"broken": Broken()}, graph)
    outer = fx.Graph()
    x = outer.placeholder("x")
    doubled = outer.call_function(torch.add, (x, x))
    outer.output(outer.call_module("child", (doubled,)))
    return fx.GraphModule({"child": child}, outer)


def test_a_traceback_shows_the_generated_lines() -> None:
    program = astgen.generate(broken_graph())
    function = program.compile({"child.broken": Broken()})
    with pytest.raises(ValueError) as caught:
        function(torch.ones(1))
    frames = traceback.extract_tb(caught.value.__traceback__)
    generated = [frame for frame in frames if frame.filename.startswith("<astgen")]
    assert [frame.name for frame in generated] == [
        "execution_fn",
        "__vllm_inlined_submods__0",
    ]
    lines = program.code.splitlines()
    for frame in generated:
        assert frame.lineno is not None
        assert frame.line == lines[frame.lineno - 1].strip()
    assert generated[1].line == "broken = __vllm_submods__[1](neg)"


def test_inspect_finds_the_source() -> None:
    program = astgen.generate(chain(torch.neg, torch.relu))
    function = program.compile()
    assert inspect.getsource(function) in program.code
    assert inspect.getsource(function).startswith("def execution_fn(")


def test_the_source_goes_with_its_last_function() -> None:
    program = astgen.generate(chain(torch.neg, torch.exp))
    first, second = program.compile(), program.compile()
    name = first.__code__.co_filename
    assert second.__code__.co_filename == name
    del first
    gc.collect()
    assert name in linecache.cache
    linecache.checkcache()
    assert name in linecache.cache
    del second
    gc.collect()
    assert name not in linecache.cache


def test_different_programs_have_different_file_names() -> None:
    names = {
        astgen.generate(chain(target)).compile().__code__.co_filename
        for target in (torch.neg, torch.exp)
    }
    assert len(names) == 2


def test_threads_compile_and_drop_the_same_program() -> None:
    program = astgen.generate(chain(torch.neg, torch.cos))
    wrong: list[object] = []
    start = threading.Barrier(8)

    def work() -> None:
        start.wait()
        for _ in range(20):
            function = program.compile()
            if not torch.equal(function(torch.zeros(1)), torch.ones(1)):
                wrong.append("result")
            if function.__code__.co_filename not in linecache.cache:
                wrong.append("source")
            del function

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_lines_end_where_python_ends_them() -> None:
    code = (
        "import torch\n\n\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    y = __vllm_submods__[0](x, 'a\x0cb\u2028c')\n"
        "    return __vllm_submods__[1](y)\n"
    )
    function = compile_execution_fn(
        code, {"first": lambda x, _: x, "second": Broken()}, ["first", "second"], []
    )
    with pytest.raises(ValueError) as caught:
        function(torch.ones(1))
    frames = traceback.extract_tb(caught.value.__traceback__)
    (line,) = [frame.line for frame in frames if frame.filename.startswith("<astgen")]
    assert line == "return __vllm_submods__[1](y)"


def test_threads_parse_and_compile_while_finalizers_run() -> None:
    lines = "".join(f"    v{i} = torch.add(x, {i})\n" for i in range(150))
    code = (
        "import torch\n\n\ndef execution_fn(x, *, __vllm_submods__):\n"
        f"{lines}    return x\n"
    )
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(25):
                compile_execution_fn(code, {}, [], [])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []

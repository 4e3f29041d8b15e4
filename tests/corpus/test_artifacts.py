"""Text, names and constants that went through pickle, as stock caches keep them."""

from __future__ import annotations

import operator
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
from torch import fx

import astgen
from astgen.codegen import compile_execution_fn, generate_execution_code
from support.compare import assert_same
from support.graphs import graph, tensor
from support.things import Colour, Level, Pair, scale

aten = torch.ops.aten

LOAD = """
import pickle, sys
results = []
for code, names, consts, inputs in map(pickle.loads, pickle.load(sys.stdin.buffer)):
    namespace = {"__vllm_consts__": consts}
    exec(code, namespace)
    torch.manual_seed(0)
    pieces = [None] * len(names)
    results.append(namespace["execution_fn"](*inputs, __vllm_submods__=pieces))
assert not any(name.partition(".")[0] == "astgen" for name in sys.modules)
sys.stdout.buffer.write(pickle.dumps(results))
"""


def reloaded(gm: fx.GraphModule) -> Any:
    code, names, consts = pickle.loads(pickle.dumps(generate_execution_code(gm)))
    return compile_execution_fn(code, {}, names, consts)


def test_an_in_place_operator_still_changes_its_input() -> None:
    function = reloaded(graph(lambda g, x: g.call_function(operator.iadd, (x, 1)), "x"))
    x = tensor(1)
    assert function(x) is x and function(x) is x
    assert x.item() == 3


def test_random_numbers_are_not_frozen() -> None:
    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_function(torch.add, (g.call_function(torch.rand, (64,)), x))

    function = reloaded(graph(body, "x"))
    assert not torch.equal(function(tensor(0)), function(tensor(0)))


def test_a_constant_that_two_nodes_use_is_still_one_object() -> None:
    bag = {1}

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return [g.call_function(dict, (), {"v": bag, "x": x}) for _ in range(2)]

    function = reloaded(graph(body, "x"))
    first, second = function(0), function(0)
    assert len({id(each["v"]) for each in (*first, *second)}) == 1
    assert first[0]["v"] is not bag


def test_a_constant_and_the_list_it_stands_in_stay_connected() -> None:
    bag = {1}
    held = frozenset([1]), bag

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return g.call_function(dict, (), {"v": held, "w": bag, "x": x})

    result = reloaded(graph(body, "x"))(0)
    assert result["v"][1] is result["w"]


def helpers(g: fx.Graph, x: fx.Node) -> Any:
    """Everything that needs a callable which no path spells."""
    held = {
        "attribute": g.call_function(getattr, (x, "shape")),
        "method": g.call_method("numpy", (x,)),
        "unlisted": g.call_method("hex", (b"ab",)),
        "from": g.call_function(getattr(aten.random_, "from"), (x, 3, 4)),
        "descriptor": g.create_node(
            "call_function", torch.Tensor.T.__get__, (x,), name="t"
        ),
        "class": g.call_function(complex, (1, 2)),
    }
    return {**held, "constants": [Colour.RED, float("inf"), torch.float16, Level.LOW]}


def record(g: fx.Graph, x: fx.Node) -> Any:
    return Pair(g.call_function(torch.neg, (x,)), Pair(x, (1, x)))


def user_function(g: fx.Graph, x: fx.Node) -> Any:
    return g.call_function(scale, (x,), {"k": 4})


def test_a_process_that_never_heard_of_astgen_runs_it() -> None:
    stored, expected = [], []
    for body in (helpers, record, user_function):
        code, names, consts = generate_execution_code(graph(body, "x"))
        function = compile_execution_fn(code, {}, names, consts)
        stored.append(pickle.dumps((code, names, consts, (torch.ones(2, 2),))))
        torch.manual_seed(0)
        expected.append(function(torch.ones(2, 2)))
    root = str(Path(__file__).parents[1])
    head = f"import sys; sys.path.insert(0, {root!r}); import torch"
    done = subprocess.run(
        [sys.executable, "-c", f"{head}\n{LOAD}"],
        input=pickle.dumps(stored),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert_same(pickle.loads(done.stdout), expected)


def test_constants_that_the_emitter_made_survive_many_rounds_of_pickle() -> None:
    """Operators and descriptors aside: loaded, they are the very objects."""

    def body(g: fx.Graph, x: fx.Node) -> Any:
        return record(g, x), g.call_function(getattr, (x, "shape")), Level.LOW

    program = astgen.generate(graph(body, "x"))
    consts = program.consts
    for _ in range(3):
        consts = pickle.loads(pickle.dumps(consts))
    function = astgen.Program(program.code, (), consts).compile({})
    assert_same(function(torch.ones(2, 2)), program.compile({})(torch.ones(2, 2)))

"""The node that a statement is said to come from computes what the statement binds."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from support.compare import assert_same
from support.told_graphs import CASES, GRAPHS, SEEDS, Made, case, random_graph
from support.traced_runs import Called, Interpreted, body_of, interpreted, traced
from torch import fx

import astgen
from astgen.program import Program
from astgen.provenance import Provenance, read_provenance, write_provenance

_NOT_COMPARED = {"name_duplicate", "enum_class_shadowed", "const_touchy"}
"""Cases where two nodes have one name, or values cannot be compared with copies."""

_MADE: dict[str, Callable[[], Made]] = {
    **GRAPHS,
    **{f"random {seed}": partial(random_graph, seed) for seed in SEEDS},
    **{name: partial(case, name) for name in CASES},
}


def told(gm: fx.GraphModule) -> tuple[Program, Provenance]:
    program = astgen.generate(gm, provenance=True)
    assert program.provenance is not None
    return program, read_provenance(program.provenance)


def state(gm: fx.GraphModule) -> list[Any]:
    """What a graph is: nodes, arguments and metadata, by identity where possible."""
    return [
        (module.graph, node, node.args, node.kwargs, list(node.meta.items()))
        for module in gm.modules()
        if isinstance(module, fx.GraphModule)
        for node in module.graph.nodes
    ]


@pytest.mark.skipif(bool(CASES), reason="there are cases")
def test_more_graphs() -> None:
    pytest.skip("ASTGEN_CASES does not name a folder with more graphs")


@pytest.mark.parametrize("name", _MADE)
def test_every_statement_has_a_place(name: str) -> None:
    gm, _, _ = _MADE[name]()
    before = state(gm)
    plain = astgen.generate(gm)
    program, known = told(gm)
    after = state(gm)
    assert [one[1] for one in after] == [one[1] for one in before]
    assert all(
        len(left[4]) == len(right[4])
        and all(a is b for (_, a), (_, b) in zip(left[4], right[4]))
        for left, right in zip(before, after)
    )
    assert program.code == plain.code and program.submod_names == plain.submod_names
    assert plain.provenance is None
    assert write_provenance(known) == program.provenance
    bodies = body_of(program.code)
    assert {*known.functions} == {*bodies}
    for function, body in bodies.items():
        origins = known.functions[function]
        assert len(origins.statements) == len(body)
        path = origins.path
        nodes = {node.name for node in (gm.get_submodule(path)).graph.nodes}
        for statement, origin in zip(body, origins.statements):
            if isinstance(statement, ast.Delete):
                assert origin is None
            elif origin is None:
                text = ast.unparse(statement)
                assert text.startswith("flat = ") or text == "return None"
            else:
                assert origin.node in nodes


@pytest.mark.parametrize("name", [one for one in _MADE if one not in _NOT_COMPARED])
def test_a_node_computes_what_its_statement_binds(name: str) -> None:
    gm, args, kwargs = _MADE[name]()
    program, known = told(gm)
    grad = torch.is_grad_enabled()
    try:
        torch.manual_seed(3)
        actual, calls = traced(gm, program, *copy.deepcopy(args), **kwargs)
        again, args, kwargs = _MADE[name]()
        torch.set_grad_enabled(grad)
        torch.manual_seed(3)
        expected, runs = interpreted(again, *copy.deepcopy(args), **kwargs)
    except NotImplementedError as error:
        pytest.skip(f"it cannot run here: {error}")
    finally:
        torch.set_grad_enabled(grad)
    assert_same(actual, expected)
    if len(calls) > len(runs):
        # Operators that call graphs do so behind the interpreter's back.
        calls, runs = calls[:1], runs[:1]
    assert len(calls) == len(runs)
    for called, run in zip(calls, runs):
        compare(gm, known, called, run)


def compare(
    gm: fx.GraphModule, known: Provenance, called: Called, run: Interpreted
) -> None:
    """Hold what a call bound against what the nodes computed.

    Equal children share one function: then the nodes are those at the same places.
    """
    origins = known.functions[called.name]
    nodes = gm.get_submodule(origins.path).graph.nodes
    others = {
        node.name: other.name for node, other in zip(nodes, run.module.graph.nodes)
    }
    assert len(others) == len(run.module.graph.nodes)
    for place, value in called.values.items():
        origin = origins.statements[place]
        if origin is None:
            assert isinstance(value, list), "only the flat inputs come from no node"
        elif not called.names[place].startswith("part"):
            # A part is only what a node is given.
            computed = run.values[others[origin.node]]
            assert_same(value, computed, f"{called.name}, statement {place}")


def test_a_part_of_an_argument_is_not_what_the_node_computes() -> None:
    gm, _, _ = GRAPHS["temporaries"]()
    for node in gm.graph.nodes:
        node.meta["val"] = torch.ones(2)
    program, known = told(gm)
    origins = known.functions["execution_fn"].statements
    body = body_of(program.code)["execution_fn"]
    found = [
        origin.value is None
        for statement, origin in zip(body, origins)
        if isinstance(statement, ast.Assign) and origin is not None
        for target in statement.targets
        if ast.unparse(target).startswith("part")
    ]
    assert found == [True] * 3
    named = [one for one in origins if one is not None and one.value is not None]
    assert {one.node for one in named} == {
        node.name for node in gm.graph.nodes if node.op.startswith("call_")
    }


def test_equal_children_are_told_of_once() -> None:
    gm, _, _ = GRAPHS["nested"]()
    program, known = told(gm)
    paths = {one.path for one in known.functions.values()}
    assert paths == {"", "middle", "middle.one"}
    assert {*known.pieces} == {*program.submod_names}


def test_statements_behind_an_output_are_not_there() -> None:
    made = fx.Graph()
    x = made.placeholder("x")
    made.output(x)
    made.call_function(torch.neg, (x,))
    gm = fx._lazy_graph_module._LazyGraphModule(torch.nn.Module(), made)
    _, known = told(gm)
    origins = known.functions["execution_fn"].statements
    assert [one and one.node for one in origins] == ["output"]

"""The layer tree: what is equal is one line, what is not is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from support.report_pages import DECODER, layered, programs_of, shown

from astgen.review.programs import ReadProgram


def data_of(program: ReadProgram) -> dict[str, Any]:
    (found,) = programs_of(shown(program).html)
    side: dict[str, Any] = found["sides"][0]
    return side


def all_of(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from all_of(node["nodes"])


def blocks(node: dict[str, Any]) -> list[int]:
    return [block for start, end in node["spans"] for block in range(start, end)]


def groups(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in all_of(data["tree"]["nodes"]) if one["kind"] == "group"]


def odd(data: dict[str, Any]) -> list[str]:
    return [one["label"] for one in all_of(data["tree"]["nodes"]) if one["odd"]]


def test_layers_that_do_the_same_are_one_group() -> None:
    data = data_of(layered(8))
    assert data["tree"]["kind"] == "modules"
    (group,) = groups(data)
    assert [one["label"] for one in group["nodes"]] == [str(i) for i in range(8)]
    assert odd(data) == []


@pytest.mark.parametrize("changed", [{"odd": {3}}, {"late": {3}}])
def test_a_layer_that_does_something_else_is_odd(changed: dict[str, set[int]]) -> None:
    data = data_of(layered(8, **changed))
    (group,) = groups(data)
    assert [one["label"] for one in group["nodes"]] == list("0124567")
    assert odd(data) == ["3"]


def test_a_layer_whose_piece_does_something_else_is_odd() -> None:
    program = layered(8)
    known = program.provenance
    pieces = {
        **known.pieces,
        "layer_5": replace(known.pieces["layer_5"], structure="x"),
    }
    program = replace(program, provenance=replace(known, pieces=pieces))
    assert odd(data_of(program)) == ["5"]


def test_the_blocks_of_a_module_are_those_of_its_statements() -> None:
    data = data_of(layered(4))
    modules, words = data["origins"]["module"], data["words"]
    for node in all_of(data["tree"]["nodes"]):
        if node["kind"] == "module" and node["note"].startswith("layers."):
            named = [words[modules[one]] for one in blocks(node) if modules[one] >= 0]
            path = node["note"]
            assert named and all((name + ".").startswith(path + ".") for name in named)


@pytest.mark.parametrize("known", [True, False])
def test_each_statement_of_the_entry_is_in_one_node_at_the_top(known: bool) -> None:
    program = layered(6, odd={2}, late={4})
    program = program if known else replace(program, provenance=None)
    data = data_of(program)
    there = [one for node in data["tree"]["nodes"] for one in blocks(node)]
    statements = [i for i, one in enumerate(data["blocks"]["statement"]) if one >= 0]
    assert sorted(there) == statements


def test_without_modules_rows_of_statements_are_groups() -> None:
    data = data_of(replace(layered(9, odd={4}), provenance=None))
    assert data["tree"]["kind"] == "rows"
    found = groups(data)
    assert len(found) == 2
    assert [len(one["nodes"]) for one in found] == [4, 4]
    assert "a0, 1, 2, 3" in found[0]["label"]
    assert odd(data) == ["a4"]


def test_functions_that_do_the_same_are_one_group() -> None:
    code = DECODER.read_text(encoding="utf-8")
    head, _, entry = code.partition("def execution_fn")
    function = head[head.index("def ") :]
    name = function.split("(")[0].removeprefix("def ")
    twice = f"{head}{function.replace(name, name + '1')}def execution_fn{entry}"
    data = data_of(ReadProgram(twice))
    found = [one for one in groups(data) if one["nodes"][0]["kind"] == "function"]
    assert [[node["label"] for node in one["nodes"]] for one in found] == [
        [name, name + "1"]
    ]

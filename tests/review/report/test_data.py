"""What a page has of a program; Python's own parser is what it is compared with."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest
from support.report_pages import (
    DECODER,
    HOSTILE,
    hostile,
    layered,
    programs_of,
    shown,
    statements_of,
)

from astgen.check import check
from astgen.review.programs import ReadProgram
from astgen.review.report.visible import visible

_MARK = re.compile("([a-zA-Z_])([0-9]+)")

PLAIN = ReadProgram(DECODER.read_text(encoding="utf-8"))
PROGRAMS = {"layers": layered(5, odd={2}, late={1}), "decoder": PLAIN}


def data_of(program: ReadProgram) -> dict[str, Any]:
    (found,) = programs_of(shown(program).html)
    side: dict[str, Any] = found["sides"][0]
    return side


@pytest.fixture(scope="module", params=PROGRAMS)
def pair(request: pytest.FixtureRequest) -> tuple[ReadProgram, dict[str, Any]]:
    program = PROGRAMS[request.param]
    return program, data_of(program)


def tokens(data: dict[str, Any], line: int) -> list[tuple[str, str, int]]:
    """The kind, the text and the column of each part of a line of ASCII."""
    found, at = [], 0
    for kind, size in _MARK.findall(data["marks"][line]):
        found.append((kind, data["lines"][line][at : at + int(size)], at))
        at += int(size)
    assert at == len(data["lines"][line])
    return found


def blocks_of(data: dict[str, Any], function: int) -> list[int]:
    return [
        block
        for block, (one, statement) in enumerate(
            zip(data["blocks"]["function"], data["blocks"]["statement"])
        )
        if one == function and statement >= 0
    ]


def test_the_lines_are_those_of_the_text(pair) -> None:
    program, data = pair
    assert data["lines"] == program.code.splitlines()


def test_every_statement_is_a_block_at_its_line(pair) -> None:
    program, data = pair
    for function, body in enumerate(statements_of(program.code)):
        blocks = blocks_of(data, function)
        assert [data["blocks"]["line"][one] + 1 for one in blocks] == [
            node.lineno for node in body
        ]


def test_every_line_is_in_one_block(pair) -> None:
    _, data = pair
    starts = data["blocks"]["start"]
    assert starts[0] == 0 and starts == sorted(set(starts))
    assert starts[-1] < len(data["lines"])


def test_names_are_marked_where_python_has_them(pair) -> None:
    program, data = pair
    wanted = set()
    for function in ast.parse(program.code).body:
        if isinstance(function, ast.FunctionDef):
            nodes = list(ast.walk(function))
            local = {node.arg for node in nodes if isinstance(node, ast.arg)}
            local |= {
                node.id
                for node in nodes
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            for node in nodes:
                name = getattr(node, "arg", getattr(node, "id", None))
                if isinstance(node, (ast.arg, ast.Name)) and name in local:
                    if not (name.startswith("__") and isinstance(node, ast.Name)):
                        wanted.add((node.lineno - 1, node.col_offset, name))
    found = {
        (line, column, text)
        for line in range(len(data["lines"]))
        for kind, text, column in tokens(data, line)
        if kind == "v"
    }
    assert found == wanted


def test_names_are_bound_read_and_deleted_where_python_says(pair) -> None:
    program, data = pair
    for function, body in enumerate(statements_of(program.code)):
        blocks = blocks_of(data, function)
        for name, places in data["names"][function].items():
            for kind, found in zip((ast.Store, ast.Load, ast.Del), places):
                assert [one for one in found if one in blocks] == [
                    block
                    for block, statement in zip(blocks, body)
                    if any(
                        isinstance(node, ast.Name)
                        and (node.id, type(node.ctx)) == (name, kind)
                        and not name.startswith("__")
                        for node in ast.walk(statement)
                    )
                ], (name, kind)


def test_types_modules_and_lines_are_those_of_the_provenance() -> None:
    program = PROGRAMS["layers"]
    data = data_of(program)
    origins = program.provenance.functions["execution_fn"].statements
    columns, words = data["origins"], data["words"]
    for block, origin in zip(blocks_of(data, 0), origins, strict=True):
        if origin is None:
            assert columns["node"][block] == columns["source"][block] == -1
        else:
            assert words[columns["node"][block]] == origin.node
            assert words[columns["type"][block]] == origin.value.type
            assert words[columns["module"][block]] == origin.module
            source = columns["sources"][columns["source"][block]]
            assert source == [*vars(origin.source).values()]


def test_pieces_say_where_they_are_called_and_what_they_take() -> None:
    data = data_of(PROGRAMS["layers"])
    assert [one["name"] for one in data["pieces"]] == [f"layer_{i}" for i in range(5)]
    for number, one in enumerate(data["pieces"]):
        (block,) = one["calls"]
        line = data["lines"][data["blocks"]["line"][block]]
        assert f"__vllm_submods__[{number}]" in line
        (name, kind), _ = one["takes"]
        assert (name, data["words"][kind]) == (f"x{number}", "f32[s72, 64]")
        assert (one["kind"], data["words"][one["gives"]]) == ("piece", "f32[s72, 64]")


def test_a_piece_that_is_not_called_is_told() -> None:
    program = layered(2)
    program = ReadProgram(program.code, ("a", "b", "c"), program.constants)
    kinds = [one["kind"] for one in data_of(program)["pieces"]]
    assert kinds == ["piece", "piece", "not called"]


def test_inlined_functions_have_the_calls_of_them() -> None:
    data = data_of(PLAIN)
    inlined = [one for one in data["pieces"] if one["kind"] == "inlined"]
    assert inlined
    for one in inlined:
        name = data["functions"][one["function"]][0]
        for block in one["calls"]:
            assert f"{name}(" in data["lines"][data["blocks"]["line"][block]]


def test_constants_say_where_they_are_used() -> None:
    data = data_of(PROGRAMS["layers"])
    (one,) = data["constants"]
    assert (one["kind"], one["value"]) == ("torch.dtype", "torch.bfloat16")
    lines = [data["lines"][data["blocks"]["line"][block]] for block in one["uses"]]
    assert len(lines) == 5 and all("__vllm_consts__[0]" in line for line in lines)


def test_findings_are_those_of_the_linter_and_in_their_blocks() -> None:
    data = data_of(PROGRAMS["layers"])
    (one,) = data["findings"]
    assert (one["rule"], data["lines"][one["line"]][one["from"] : one["to"]]) == (
        "AG203",
        "a1",
    )
    assert data["blocks"]["line"][one["block"]] == one["line"]
    assert data["counts"] == {"error": 0, "warning": 1, "note": 0}


@pytest.mark.parametrize("code", ["x = ;\n", "", "\x00", "def f(:\n  '''", "lambda: 1"])
def test_a_text_that_is_no_program_is_shown_with_what_is_wrong(code: str) -> None:
    found = shown(ReadProgram(code))
    ((data,),) = ([one["sides"][0]] for one in programs_of(found.html))
    lines = code.removesuffix("\n").split("\n")
    assert data["lines"] == [visible(line) for line in lines]
    assert found.refused == 1 and data["refused"]
    assert {one["rule"] for one in data["findings"]} >= {
        one.rule for one in check(code)[:1]
    }
    assert not data["timeline"] or not data["timeline"]["functions"]


def test_what_harms_is_spelled_and_names_are_kept_apart() -> None:
    html = shown(hostile(), name=f"/somewhere/{HOSTILE}").html
    assert "\u202e" not in html and "\u2028" not in html and "\x00" not in html
    ((data,),) = ([one["sides"][0]] for one in programs_of(html))
    assert data["place"] == visible(HOSTILE)
    assert "\\u202e" in data["place"] and "\\ud800" in data["place"]
    assert set(data["names"][0]) >= {"__proto__", "constructor", "toString"}
    assert html.count("</script>") == html.count("<script")


def test_long_names_have_short_ones() -> None:
    data = data_of(PROGRAMS["layers"])
    long = "l_self_modules_layers_modules_3_parameters_w_"
    assert data["short"][long] == "layers_3_w"
    assert len(set(data["short"].values())) == len(data["short"])

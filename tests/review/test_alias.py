"""Short names: what they stand for, and that nothing else changes."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from random import Random

import black
import pytest
import torch
from support.compare import assert_same
from support.random_graphs import RandomGraph
from support.review_texts import DECODER, executed, vllm_text
from support.graphs import interpret
from support.running import pieces_of

import astgen
from astgen.check import DEFAULT_DIALECT, check
from astgen.program import Program
from astgen.review.dump import Options, dump
from astgen.review.programs import ReadProgram

HEAD = "import torch\nimport operator\n\n\n"
LONG = "l_self_modules_layers_modules_0_modules_mlp_parameters_weight_"


def aliased(code: str) -> tuple[str, dict[str, str]]:
    """The text without its legend, and for each short name the long one."""
    text = dump(ReadProgram(code), Options(alias=True)).text
    head, start, rest = text.partition("import torch\n")
    pairs = re.findall(r"^#   (\w+) = (\S+)$", head, re.M)
    return start + rest, dict(pairs)


def names(code: str) -> set[str]:
    """Every name that stands anywhere in a text."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        for field in ("id", "arg", "attr", "name"):
            value = getattr(node, field, None)
            found |= {value} if isinstance(value, str) else set()
    return found


def undone(text: str, pairs: dict[str, str]) -> str:
    """The tree of a text with the long names back in their places."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for field in ("id", "arg"):
            name = getattr(node, field, None)
            if isinstance(name, str) and not isinstance(node, ast.keyword):
                setattr(node, field, pairs.get(name, name))
        if isinstance(node, ast.Delete) and isinstance(node.targets[0], ast.Tuple):
            node.targets = node.targets[0].elts
    return ast.dump(tree)


def body(parameters: str, *lines: str) -> str:
    head = f"def execution_fn({parameters}, *, __vllm_submods__):\n"
    return HEAD + head + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize("code", [vllm_text(4), DECODER.read_text()])
def test_only_names_change_and_the_legend_has_them(code: str) -> None:
    text, pairs = aliased(code)
    assert undone(text, pairs) == undone(code, {})
    assert not names(code) & pairs.keys()
    assert len({*pairs.values()}) == len(pairs)
    assert all(len(short) < len(name) for short, name in pairs.items())
    assert not any(name.startswith("l_self") for name in names(text))
    assert check(text) == ()
    assert black.format_str(text, mode=black.Mode()) == text


def test_names_say_which_weight_of_which_layer_it_is() -> None:
    _, pairs = aliased(vllm_text(12))
    assert pairs["layers_11_self_attn_o_proj_weight"] == (
        "l_self_modules_layers_modules_11_modules_self_attn_modules_o_proj_"
        "parameters_weight_"
    )


def test_the_results_stay() -> None:
    code = vllm_text(5)
    text, _ = aliased(code)
    assert torch.equal(executed(text, 5), executed(code, 5))


def lengthened(code: str) -> str:
    """A program whose parameters and locals all have long names."""
    tree = ast.parse(code)
    bound = {
        name
        for node in ast.walk(tree)
        for name in ([node.id] if isinstance(node, ast.Name) and _binds(node) else [])
        + ([one.arg for one in node.args] if isinstance(node, ast.arguments) else [])
        if not DEFAULT_DIALECT.is_reserved(name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in bound:
            node.id = f"l_self_modules_layers_modules_{node.id}_parameters_"
        elif isinstance(node, ast.arg) and node.arg in bound:
            node.arg = f"l_self_modules_layers_modules_{node.arg}_parameters_"
    return ast.unparse(tree)


def _binds(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def test_random_programs_with_long_names_give_the_same() -> None:
    for seed in range(20):
        drawn = RandomGraph(Random(seed))
        module = drawn.module()
        program = astgen.generate(module)
        text, pairs = aliased(lengthened(program.code))
        assert pairs and check(text) == ()
        inputs = [torch.arange(3.0) - 1.5 * index for index in range(drawn.inputs)]
        again = Program(text, program.submod_names, program.consts)
        pieces = pieces_of(module, program)
        assert_same(again.compile(pieces)(*inputs), interpret(module, *inputs), text)


def test_a_short_name_that_is_taken_gets_a_number() -> None:
    code = body(
        f"layers_0_mlp_weight, {LONG}",
        f"y = torch.mul(layers_0_mlp_weight, {LONG})",
        "layers_0_mlp_weight_2 = torch.neg(y)",
        "return layers_0_mlp_weight_2",
    )
    text, pairs = aliased(code)
    assert pairs == {"layers_0_mlp_weight_3": LONG}
    assert undone(text, pairs) == undone(code, {})


@pytest.mark.parametrize(
    "word", ["lambda", "match", "list", "torch", "operator", "slice", "range", "_"]
)
def test_no_short_name_has_another_meaning(word: str) -> None:
    name = f"l_self_modules_{word}_"
    code = body(f"x, {name}", f"y = torch.mul(x, {name})", "return y")
    text, pairs = aliased(code)
    taken = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "torch", "operator"}
    assert not pairs.keys() & taken and list(pairs.values()) == [name]
    assert check(text) == ()


def test_two_names_that_become_one_stay_two() -> None:
    other = LONG.replace("modules_mlp", "mlp")
    code = body(f"{LONG}, {other}", f"y = torch.sub({LONG}, {other})", "return y")
    text, pairs = aliased(code)
    assert pairs == {"layers_0_mlp_weight": LONG, "layers_0_mlp_weight_2": other}
    assert "torch.sub(layers_0_mlp_weight, layers_0_mlp_weight_2)" in text


def test_a_name_of_any_length_gets_a_short_one() -> None:
    name = "a" * 100_000
    code = body(f"x, {name}", f"y = torch.mul(x, {name})", f"del {name}", "return y")
    text, pairs = aliased(code)
    assert len(text) < 200 and pairs == {"name": name}


def test_keywords_of_pieces_keep_their_names() -> None:
    code = body(f"x, {LONG}", f"return __vllm_submods__[0]({LONG}=x, y={LONG})")
    text, _ = aliased(code)
    run = Program(text, ("g",)).compile({"g": lambda y, **named: y - named[LONG]})
    assert torch.equal(run(torch.ones(2), torch.zeros(2)), -torch.ones(2))


def test_parameters_that_only_a_keyword_reaches_keep_their_names() -> None:
    code = HEAD + (
        f"def execution_fn(x, *, {LONG}, __vllm_submods__):\n"
        f"    return torch.mul(x, {LONG})\n"
    )
    text, pairs = aliased(code)
    assert pairs == {} and LONG in text


def test_short_names_are_left_alone() -> None:
    code = body("x, l_input_ids_", "y = torch.mul(x, l_input_ids_)", "return y")
    assert aliased(code) == (code, {})

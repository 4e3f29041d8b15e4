"""What a text that is no Python is told, by what stands on the broken line."""

from __future__ import annotations

import pytest

from astgen.check import check

HEAD = "import torch\ndef execution_fn(x, *, __vllm_submods__):\n"


def hint(line: str) -> str:
    (finding,) = check(f"{HEAD}    {line}\n    return y\n")
    assert (finding.rule, finding.line) == ("AG001", 3)
    return finding.hint


@pytest.mark.parametrize(
    "value",
    [
        "<built-in function add>",
        "<built-in method relu of type object at 0x7f10>",
        "<function <lambda> at 0x7f10>",
        "<bound method Module.forward of Linear()>",
        "<slot wrapper '__add__' of 'int' objects>",
        "<class 'int'>",
        "<enum 'Color'>",
        "<module 'math' (built-in)>",
        "<Color.RED: 1>",
        "<RedOpType.SUM: 0>",
        "<object object at 0x7f10>",
        "<torch._C.Generator object at 0x7F10>",
    ],
)
@pytest.mark.parametrize("call", ["torch.add(x, {})", "torch.add(x, other=[{}, 1])"])
def test_what_repr_wrote_belongs_into_a_slot(call: str, value: str) -> None:
    said = hint(f"y = {call.format(value)}")
    assert said == "a value was written with repr(); it belongs into a constant slot"


@pytest.mark.parametrize(
    "line",
    [
        "y = torch.add(x, 1",
        "y = x <",
        "y = x < 3 > : 2",
        "y = x <y and z> w at",
        "y = {1: <2>}",
        "y = <>",
    ],
)
def test_other_damage_is_damage(line: str) -> None:
    assert hint(line).startswith("the file is damaged")


def test_only_the_broken_line_is_looked_at() -> None:
    text = "# <Color.RED: 1>\ndef f(:\n# <Color.RED: 1>\n"
    (finding,) = check(text)
    assert finding.line == 2
    assert finding.hint.startswith("the file is damaged")


@pytest.mark.parametrize("piece", ["<a", "<a ", "<a: ", "< ", "<a.a"])
def test_a_long_line_is_searched_once(piece: str) -> None:
    (finding,) = check("y = " + piece * 100_000 + "\n")
    assert finding.rule == "AG001"
    (finding,) = check("y = <" + piece[1:] * 200_000 + "\n")
    assert finding.rule == "AG001"

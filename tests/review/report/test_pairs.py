"""Two programs beside each other: each block once, in order, with its counterpart."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from support.report_pages import DECODER, layered, programs_of

from astgen.review.diff import compare_programs
from astgen.review.programs import ReadProgram
from astgen.review.report import Shown, report

CODE = DECODER.read_text(encoding="utf-8")


def compared(left: str, right: str) -> dict[str, Any]:
    sides = [Shown("a.py", [ReadProgram(left)]), Shown("b.py", [ReadProgram(right)])]
    (found,) = programs_of(report(*sides).html)
    return found


def rows(found: dict[str, Any]) -> list[tuple[int, int]]:
    flat = found["diff"]["rows"]
    return list(zip(flat[::2], flat[1::2]))


def changed(code: str, random: Random) -> str:
    """A text with some statements gone, moved, or changed."""
    lines = code.split("\n")
    places = [
        i for i, line in enumerate(lines) if re.match(r" {4}\w+ = [^(]*\[\d\]$", line)
    ]
    for place in sorted(random.sample(places, 3), reverse=True):
        kind = random.choice(["gone", "other", "twice"])
        if kind == "gone":
            del lines[place]
        elif kind == "other":
            lines[place] = re.sub(r"\[\d\]$", "[7]", lines[place])
        else:
            lines.insert(place, lines[place].replace(" = ", "_more = "))
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(6))
def test_each_block_stands_in_one_row_and_in_order(seed: int) -> None:
    found = compared(CODE, changed(CODE, Random(seed)))
    for number in range(2):
        there = [row[number] for row in rows(found) if row[number] >= 0]
        assert there == list(range(len(found["sides"][number]["blocks"]["start"])))


@pytest.mark.parametrize("seed", range(6))
def test_differences_are_those_of_diff_and_rows_agree_with_them(seed: int) -> None:
    other = changed(CODE, Random(seed))
    found = compared(CODE, other)
    wanted = compare_programs(ReadProgram(CODE), ReadProgram(other))
    assert found["diff"]["verdict"] == wanted.verdict
    lines = [one["blocks"]["line"] for one in found["sides"]]
    partner = dict(rows(found))
    for one, told in zip(found["diff"]["differences"], wanted.differences, strict=True):
        assert one["category"] == told.category
        for number, place in enumerate((told.left, told.right)):
            block = one[("left", "right")[number]]
            assert (block < 0) == (place is None)
            assert block < 0 or lines[number][block] + 1 == place.line
        if one["category"] in ("call changed", "constant changed"):
            assert partner[one["left"]] == one["right"]
        if one["category"] == "call removed":
            assert partner[one["left"]] == -1


def test_programs_that_differ_in_names_stand_beside_each_other() -> None:
    found = compared(CODE, re.sub(r"\bgetitem_(\d+)\b", r"item_\1", CODE))
    assert found["diff"]["verdict"] == "renamed only"
    assert all(left == right for left, right in rows(found))


def test_equal_functions_stand_beside_each_other_in_whatever_order() -> None:
    def text(*names: str) -> str:
        made = {
            "neg": "def __vllm_inlined_submods__{}(a):\n    return torch.neg(a)\n\n\n",
            "abs": "def __vllm_inlined_submods__{}(a):\n    return torch.abs(a)\n\n\n",
        }
        head = "import torch\nimport operator\n\n\n"
        functions = "".join(made[one].format(i) for i, one in enumerate(names))
        calls = {one: f"__vllm_inlined_submods__{i}" for i, one in enumerate(names)}
        return (
            f"{head}{functions}def execution_fn(x, *, __vllm_submods__):\n"
            f"    y = {calls['neg']}(x)\n    del x\n    return {calls['abs']}(y)\n"
        )

    found = compared(text("neg", "abs"), text("abs", "neg"))
    heads = [{name: head for name, head in one["functions"]} for one in found["sides"]]
    partner = dict(rows(found))
    assert found["diff"]["verdict"] == "renamed only"
    for one, other in (("0", "1"), ("1", "0")):
        name = "__vllm_inlined_submods__"
        assert partner[heads[0][name + one]] == heads[1][name + other]


def test_what_is_no_program_is_shown_beside_one() -> None:
    found = compared(CODE, "x = ;\n")
    assert found["diff"]["verdict"].startswith("not compared")
    assert [row[0] for row in rows(found)] == [
        *range(len(found["sides"][0]["blocks"]["start"]))
    ]


def test_programs_of_folders_are_paired_by_place() -> None:
    first, second = layered(2).code, layered(3).code
    left = [ReadProgram(first, place="a.py"), ReadProgram(second, place="b.py")]
    html = report(Shown("one", left), Shown("two", left[::-1])).html
    assert [one["diff"]["verdict"] for one in programs_of(html)] == ["identical"] * 2


def test_what_is_not_compared_is_on_the_page() -> None:
    found = compared(CODE, CODE)["diff"]
    assert found["verdict"] == "identical"
    assert found["unknown"].startswith("not compared: what 5 pieces do")

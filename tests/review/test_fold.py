"""Repeated layers: what is shown once is the same, and everything else is shown."""

from __future__ import annotations

import ast
import re
from random import Random

import pytest
from support.review_texts import DECODER, vllm_text

from astgen.lint.subject import Constant
from astgen.review.dump import Options, dump
from astgen.review.dump.fold import FOLDED
from astgen.review.dump.repeats import Repeat, repeats
from astgen.review.programs import ReadProgram

NOTE = re.compile(r"# (\d+) statements?, (\d+) times, equal up to names:\n +# (.*)\n")


def folded(code: str, **program: object) -> str:
    return dump(ReadProgram(code, **program), Options(fold=True)).text


def rows(code: str) -> list[tuple[int, int, str]]:
    """How many statements are repeated how often, and what people call the rows."""
    return [(int(a), int(b), names) for a, b, names in NOTE.findall(folded(code))]


def function(*lines: str) -> str:
    head = (
        "import torch\nimport operator\n\n\ndef execution_fn(x, w0, w1, w2, w3, w4, *"
    )
    return f"{head}, __vllm_submods__):\n" + "".join(f"    {one}\n" for one in lines)


def chain(count: int, *layer: str) -> str:
    """A function with a layer, where {i} is its number and {h} the layer before."""
    lines = [
        line.format(i=i, h=f"h{i - 1}" if i else "x")
        for i in range(count)
        for line in layer
    ]
    return function(*lines, f"return h{count - 1}")


def test_layers_are_shown_once_with_how_often_and_which() -> None:
    assert rows(vllm_text(40)) == [
        (13, 40, "submod_0, submod_2, submod_4, ..., submod_78")
    ]
    text = folded(vllm_text(40))
    assert text.startswith(f"{FOLDED}\n")
    assert "# 40 functions, equal up to names: __vllm_inlined_submods__1, ..." in text
    assert "# 3 parameters, 40 times, equal up to numbers:" in text
    assert len(text.split("\n")) < 60


def test_a_folded_text_is_none_that_python_reads() -> None:
    with pytest.raises(SyntaxError):
        ast.parse(folded(vllm_text(3)))


def test_every_statement_is_shown_or_counted() -> None:
    code = DECODER.read_text()
    entry = ast.parse(code).body[-1]
    assert isinstance(entry, ast.FunctionDef)
    text = "\n".join(folded(code).split("\n")[1:])
    left = ast.parse(text).body[-1]
    assert isinstance(left, ast.FunctionDef)
    hidden = sum(int(a) * (int(b) - 1) for a, b, _ in NOTE.findall(folded(code)))
    assert len(left.body) + hidden == len(entry.body)
    kept = {ast.dump(one) for one in left.body}
    assert kept <= {ast.dump(one) for one in entry.body}


def test_a_text_without_repetition_stays_and_runs() -> None:
    code = function("h0 = torch.mul(x, w0)", "return h0")
    assert folded(code) == code


@pytest.mark.parametrize("layer", range(1, 7))
def test_a_layer_with_the_weight_of_another_one_stands_alone(layer: int) -> None:
    code = vllm_text(8, swapped={layer})
    assert f"mul_{layer} = torch.ops.aten.mul.Tensor(" in folded(code)
    found = rows(code)
    assert found
    for _, _, names in found:
        first, *_, last = (int(name[7:]) for name in names.split(", ") if name != "...")
        assert not first <= 2 * layer <= last


def test_a_layer_that_takes_an_older_value_stands_alone() -> None:
    code = chain(6, "a{i} = torch.neg({h})", "h{i} = torch.mul(a{i}, w0)")
    assert rows(code) == [(2, 6, "a0, a1, a2, ..., a5")]
    for other in ("h1", "h0", "x", "w1"):
        wrong = code.replace("torch.neg(h2)", f"torch.neg({other})")
        assert [count for _, count, _ in rows(wrong)] == [3, 3], other


def test_a_layer_that_takes_one_value_twice_stands_alone() -> None:
    code = chain(7, "a{i} = torch.add({h}, w{i})", "h{i} = torch.mul(a{i}, v{i})")
    assert [count for _, count, _ in rows(code)] == [7]
    for wrong, other in (("v3", "w3"), ("w3", "v3")):
        found = rows(code.replace(f" {wrong})", f" {other})"))
        assert [count for _, count, _ in found] == [3, 3], other


def test_a_value_for_all_is_not_one_for_each() -> None:
    code = chain(5, "a{i} = torch.neg({h})", "h{i} = torch.mul(a{i}, w0)")
    each = chain(5, "a{i} = torch.neg({h})", "h{i} = torch.mul(a{i}, w{i})")
    assert rows(code) == rows(each) == [(2, 5, "a0, a1, a2, ..., a4")]
    mixed = each.replace("w3)", "w2)")
    assert rows(mixed) != rows(each)


@pytest.mark.parametrize(
    "other", ["torch.mul(a3, 0.0)", "torch.mul(a3, False)", "torch.add(a3, 0)"]
)
def test_layers_with_other_operators_or_literals_are_not_alike(other: str) -> None:
    code = chain(8, "a{i} = torch.neg({h})", "h{i} = torch.mul(a{i}, 0)")
    assert [count for _, count, _ in rows(code)] == [8]
    found = rows(code.replace("torch.mul(a3, 0)", other))
    assert [count for _, count, _ in found] == [3, 4]


def test_constants_that_are_known_tell_layers_apart() -> None:
    code = chain(
        4, "a{i} = torch.neg({h})", "h{i} = torch.mul(a{i}, __vllm_consts__[{i}])"
    )
    same = [Constant("builtins.int", "1", "int 1")] * 4
    other = [*same[:2], Constant("builtins.int", "2", "int 2"), same[3]]
    assert "4 times" in folded(code, constants=tuple(same))
    assert "4 times" not in folded(code, constants=tuple(other))
    assert "4 times" in folded(code)


def test_a_row_of_rows_is_folded_twice() -> None:
    layer = ["h{i} = torch.neg({h})"]
    experts = [f"e{j}_{{i}} = torch.relu(h{{i}})" for j in range(6)]
    code = chain(3, *layer, *experts)
    counts = [(size, count) for size, count, _ in rows(code)]
    assert counts == [(7, 3), (1, 6)]


def test_statements_on_one_line_are_parted_first() -> None:
    code = function(
        *(f"a{i} = torch.neg(x); b{i} = torch.relu(a{i})" for i in range(5)),
        "return b4",
    )
    assert [(size, count) for size, count, _ in rows(code)] == [(2, 5)]
    assert "    a0 = torch.neg(x)\n    b0 = torch.relu(a0)\n" in folded(code)
    assert ";" not in folded(code)


def test_comments_stay_with_what_they_are_above() -> None:
    code = chain(6, "a{i} = torch.neg({h})", "h{i} = torch.mul(a{i}, w0)")
    code = code.replace("    return", "    # the end\n    return")
    assert "    # the end\n    return h5\n" in folded(code)


def brute(keys: list[int]) -> int:
    """The most items that one repetition can save, found by trying everything."""
    best = 0
    for start in range(len(keys)):
        for period in range(1, len(keys) - start):
            count = 1
            row = keys[start : start + period]
            while keys[start + count * period :][:period] == row:
                count += 1
            best = max(best, period * (count - 1))
    return best


def test_repeats_are_what_they_say_and_are_found() -> None:
    for seed in range(200):
        random = Random(seed)
        row = [random.randrange(5) for _ in range(random.randint(1, 9))]
        keys = [random.randrange(5) for _ in range(random.randint(0, 6))]
        keys += row * random.randint(1, 6)
        keys += [random.randrange(5) for _ in range(random.randint(0, 6))]
        found = repeats(keys)
        end = 0
        for one in found:
            assert end <= one.start and one.end <= len(keys)
            assert one.period * (one.count - 1) >= 4
            first = keys[one.start : one.start + one.period]
            assert keys[one.start : one.end] == first * one.count
            end = one.end
        assert bool(found) == (brute(keys) >= 4), (seed, keys, found)


def test_rows_that_do_not_agree_are_none() -> None:
    keys = [1, 2, 3] * 5
    assert (
        repeats(keys, lambda start, period, count: min(count, 3))
        == [
            Repeat(0, 3, 3),
            Repeat(9, 3, 2),
        ]
        or repeats(keys, lambda start, period, count: 1) == []
    )
    assert repeats(keys, lambda start, period, count: 1) == []


@pytest.mark.parametrize("row", [[1], [1, 2], [*range(50)], [1, 1, 2, 1, 1, 1, 2]])
def test_the_effort_has_a_bound(row: list[int]) -> None:
    """Rows that never agree are looked at a bounded number of times."""
    keys = (row * 20_000)[:20_000]
    calls = []

    def agree(start: int, period: int, count: int) -> int:
        calls.append(2 * period)
        return 1

    assert repeats(keys, agree) == []
    assert sum(calls) <= 300 * len(keys)

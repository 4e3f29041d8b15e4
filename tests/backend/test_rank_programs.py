"""What `check_ranks` sees: the ranks are threads that exchange what they gather."""

from __future__ import annotations

import functools
import math
import operator
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
import torch.distributed as dist

import astgen
from astgen import Program
from astgen.backend import RankReport, check_ranks
from astgen.errors import RankError

HEAD = "import torch\nimport operator\n\ndef execution_fn(x, *, __vllm_submods__):\n"
CONST = "__vllm_consts__[0]"
C10D = "torch.ops._c10d_functional."
REDUCE = torch.ops._c10d_functional.all_reduce.default
GATHER = torch.ops._c10d_functional.all_gather_into_tensor.default
Outcome = RankReport | RankError


@pytest.fixture
def compare(monkeypatch) -> Callable[..., list[Outcome]]:
    """`compare(program, program, literals=...)`: what each of two ranks finds.

    A rank that stays away from an exchange makes the other one fail, not wait.
    """
    barrier, sent = threading.Barrier(2, timeout=60), {}
    rank = threading.local()

    def gather(values: list[Any], value: Any, group: Any = None) -> None:
        sent[rank.number] = value
        barrier.wait()
        values[:] = [sent[0], sent[1]]
        barrier.wait()

    monkeypatch.setattr(dist, "all_gather_object", gather)
    monkeypatch.setattr(dist, "get_world_size", lambda group=None: 2)

    def one(number: int, program: Any, literals: Any) -> Outcome:
        rank.number = number
        try:
            return check_ranks(program, literals=literals)
        except RankError as error:
            return error
        except BaseException:
            barrier.abort()
            raise

    def both(*programs: Any, literals: Any = ("report", "report")) -> list[Outcome]:
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(one, (0, 1), programs, literals))

    return both


def program(expression: str, *consts: Any, names: tuple[str, ...] = ()) -> Program:
    return Program(
        f"{HEAD}    r = {expression}\n    return (r,)\n", names, list(consts)
    )


def texts_of(outcomes: list[Outcome]) -> tuple[str, ...]:
    first, second = outcomes
    assert isinstance(first, RankError) and str(first) == str(second)
    assert len(set(first.texts)) == 2, "the difference is not shown"
    return first.texts


@pytest.mark.parametrize(
    "consts",
    [
        (torch.zeros(3), torch.ones(3)),
        (torch.zeros(3), torch.zeros(3, dtype=torch.int32)),
        (slice(0, 5), slice(0, 6)),
        ([*range(100)], [*range(1, 101)]),
        ("a" * 70 + "b", "a" * 70 + "c"),
        ({"a": 1}, {"a": 2}),
        (0.0, -0.0),
    ],
)
def test_constants_differ_if_their_content_does(compare, consts):
    ranks = [program(f"operator.add(x, {CONST})", one) for one in consts]
    for report in compare(*ranks):
        (found,) = report.literals
        assert found.place == 1 and len(set(found.texts)) == 2
    texts_of(compare(*ranks, literals=("raise", "raise")))


def test_integers_that_python_does_not_write_in_decimal_are_compared(compare):
    ranks = [program(f"operator.add(x, 0x{'f' * 5000}{last})") for last in "01"]
    for report in compare(*ranks):
        (found,) = report.literals
        assert [text[-2:] for text in found.texts] == ["0)", "1)"]


def test_constants_with_equal_content_are_the_same(compare):
    for make in (lambda: torch.arange(3), lambda: [1, [2]], lambda: slice(0, 5)):
        ranks = [program(f"operator.add(x, {CONST})", make()) for _ in range(2)]
        assert [report.literals for report in compare(*ranks)] == [(), ()]


@pytest.mark.parametrize(
    ("call", "targets"),
    [
        ("(2.0)", (math.sin, math.cos)),
        ("(x)", (operator.methodcaller("sum"), operator.methodcaller("prod"))),
        ("(x)", (operator.itemgetter(0), operator.itemgetter(1))),
        ("(x)", (functools.partial(torch.add, 1), functools.partial(torch.mul, 1))),
        ("(x, 'sum', 'g')", (REDUCE, GATHER)),
    ],
)
def test_what_a_slot_calls_is_structure(compare, call, targets):
    ranks = [program(CONST + call, target) for target in targets]
    texts_of(compare(*ranks))


def test_what_a_partial_gives_its_function_is_a_literal(compare):
    ranks = [program(f"{CONST}(x)", functools.partial(pow, n)) for n in (2, 3)]
    for report in compare(*ranks):
        (found,) = report.literals
        assert len(set(found.texts)) == 2


@pytest.mark.parametrize(
    ("reduces", "groups", "is_same"),
    [(("sum", "sum"), ("a", "b"), True), (("sum", "max"), ("a", "a"), False)],
)
def test_an_operator_in_a_slot_is_the_collective(compare, reduces, groups, is_same):
    ranks = [
        program(f"{CONST}(x, {reduce!r}, {group!r})", REDUCE)
        for reduce, group in zip(reduces, groups)
    ]
    outcomes = compare(*ranks)
    if is_same:
        assert [one.collectives for one in outcomes] == [1, 1]
        assert len(outcomes[0].literals) == 1
    else:
        texts_of(outcomes)


@pytest.mark.parametrize("failing", [0, 1])
@pytest.mark.parametrize(
    ("broken", "reason"),
    [(Program("def f(:"), "SyntaxError"), (None, "AttributeError")],
)
def test_a_rank_that_fails_fails_on_all(compare, failing, broken, reason):
    ranks: list[Any] = [program("x"), program("x")]
    ranks[failing] = broken
    outcomes = compare(*ranks)
    assert reason in texts_of(outcomes)[failing]
    assert outcomes[failing].__cause__ is not None


@pytest.mark.parametrize("second", ["raise", "rise"])
def test_the_ranks_must_ask_for_the_same(compare, second):
    said = texts_of(compare(*[program("x")] * 2, literals=("report", second)))
    assert repr(second) in said[1] or said[1] == second


HEADS = {
    "plain": "x, y, *, __vllm_submods__",
    "reversed": "y, x, *, __vllm_submods__",
    "rest": "x, y, *a, __vllm_submods__",
    "keyword": "x, y, *, k, __vllm_submods__",
    "other keyword": "x, y, *, l, __vllm_submods__",
    "optional keyword": "x, y, *, k=1, __vllm_submods__",
    "keywords": "x, y, *, __vllm_submods__, **k",
    "default": "x, y=1, *, __vllm_submods__",
}


@pytest.mark.parametrize("one", HEADS)
@pytest.mark.parametrize("other", HEADS)
def test_parameters_are_compared(compare, one, other):
    ranks = [
        Program(f"def execution_fn({HEADS[name]}):\n    return (x,)\n")
        for name in (one, other)
    ]
    outcomes = compare(*ranks)
    if one == other:
        assert [report.literals for report in outcomes] == [(), ()]
    else:
        texts_of(outcomes)


def test_defaults_are_literals_and_so_are_slots_in_them(compare):
    for defaults, consts in [(("1", "2"), ()), ((CONST, CONST), ([1], [2]))]:
        ranks = [
            Program(
                f"def execution_fn(x={default}, *, __vllm_submods__):\n    return x\n",
                (),
                list(consts[rank : rank + 1]),
            )
            for rank, default in enumerate(defaults)
        ]
        for report in compare(*ranks):
            (found,) = report.literals
            assert found.place == 0 and len(set(found.texts)) == 2


def test_pieces_are_told_by_their_names(compare):
    call = "__vllm_submods__[0](x)"
    texts_of(compare(program(call, names=("a",)), program(call, names=("b",))))
    for report in compare(*[program(call, names=("a",))] * 2):
        assert report == RankReport(2, 3, 0)


def test_functions_that_cannot_be_stored_are_told_by_their_names(compare):
    ranks = [program(f"{CONST}(x)", one) for one in (compare, lambda x: x)]
    texts_of(compare(*ranks))


def test_what_is_generated_is_the_same_as_itself(compare):
    gm = torch.fx.symbolic_trace(lambda x: torch.sin(x).to(torch.float64)[0:2] + 1)
    for report in compare(astgen.generate(gm), astgen.generate(gm)):
        assert report.literals == () and report.ranks == 2

"""Statements accepted at one look: the checker says the same without that look."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from hostile.programs import HOSTILE
from support.defects import program

from astgen.check import RULES, scan
from astgen.check import walk as walking
from astgen.check.plain import plain
from astgen.check.scan import Scan
from astgen.check.scope import Scope

PROGRAMS = [
    path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parent / "programs").glob("*.txt"))
]
EXAMPLES = [
    text
    for rule in RULES.values()
    for text in (*rule.bad, *rule.good)
    if isinstance(text, str)
]
TOKEN = re.compile(r"\w+|[^\w\s]|\n")
HEAD = "import torch\n"
ENTRY = "def execution_fn(x, y, *, __vllm_submods__):\n"
INLINED = (
    "def __vllm_inlined_submods__1(a, b):\n    c = torch.add(a, b)\n    return (c, a)\n"
)

# One statement each; whether it is taken at one look is what is tested.
PLAIN = [
    "z = __vllm_submods__[2](x, y)",
    "z = __vllm_submods__[0](x, 1, 'a', None, scale=2.5, other=y)",
    "z = __vllm_consts__[1](x)",
    "z = __vllm_inlined_submods__1(x, y)",
    "z = x[0]",
    "z = x['key']",
    "x = x[0]",
    "z = torch.add(x, y)",
    "z = x.relu()",
    "__vllm_submods__[0]()",
    "del x",
    "del x, y",
    "del (x, y)",
]
NOT_PLAIN = [
    "z = x[-1]",
    "z = (x, y)",
    "z = x",
    "z = x[y]",
    "z = x[0, 1]",
    "z = __vllm_submods__[3](x)",
    "z = __vllm_submods__[True](x)",
    "z = __vllm_submods__[0](w)",
    "z = __vllm_submods__[0](*x)",
    "z = __vllm_submods__[0](**{'a': x})",
    "z = __vllm_submods__[0](x, __debug__=y)",
    "z = __vllm_consts__[2](x)",
    "z = __vllm_inlined_submods__1(x)",
    "z = __vllm_inlined_submods__1(x, b=y)",
    "z = __vllm_inlined_submods__2(x, y)",
    "z = torch.save(x, y)",
    "z = torch.mul(x, y)",
    "z = x.numpy()",
    "z = x.sort(key=y)",
    "z = x.T.relu()",
    "z = __vllm_submods__[0](u'a')",
    "z = __vllm_submods__[0](1e999)",
    "z = __vllm_submods__[0]([x])",
    "z = x(y)",
    "torch = x[0]",
    "__debug__ = x[0]",
    "__vllm_inlined_submods__7 = x[0]",
    "z: int = x[0]",
    "z = w = x[0]",
    "z[0] = x[0]",
    "del z",
    "del x, x",
    "del ()",
    "del x[0]",
    "del torch",
    "x",
    "return x",
]


PIECES = "def __vllm_inlined_submods__1(a, __vllm_submods__):\n    return a\n"
OTHERS = [
    # A function that does not take the pieces calls one.
    f"{INLINED}{ENTRY}    return x\n".replace("torch.add", "__vllm_submods__[0]"),
    # A path is a value first, and called then.
    f"{HEAD}{ENTRY}    z = torch.add(x, torch.float32)\n"
    "    u = torch.float32(x)\n    return z\n",
    f"{HEAD}{ENTRY}    u = torch.strided(x)\n    return u\n".replace(
        "y,", "y=torch.strided,"
    ),
    # A function that takes the pieces is given something else.
    f"{PIECES}{ENTRY}    z = __vllm_inlined_submods__1(x, y)\n    return z\n",
]
"""Problems that a statement of the entry alone cannot have."""


def text_of(statement: str) -> str:
    known = "    k = torch.add(x, y)\n"
    return f"{HEAD}{INLINED}{ENTRY}{known}    {statement}\n    return None\n"


def scanned(text: str) -> Scan:
    return scan(text, consts=2, submods=3)


def nothing(scope: Scope, body: Sequence[ast.stmt], start: int) -> int:
    """Takes no statement at one look."""
    return start


def taken(text: str, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each statement of a text that was looked at was taken."""
    answers: list[bool] = []

    def watched(scope: Scope, body: Sequence[ast.stmt], start: int) -> int:
        behind = plain(scope, body, start)
        answers.extend([True] * (behind - start) + [False] * (behind < len(body)))
        return behind

    monkeypatch.setattr(walking, "plain", watched)
    scanned(text)
    return answers


@pytest.mark.parametrize("statement", PLAIN)
def test_a_plain_statement_is_taken(
    statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `c = …`, `return`, `k = …` (the path is new there in neither), the statement.
    assert taken(text_of(statement), monkeypatch)[3] is True


@pytest.mark.parametrize("statement", NOT_PLAIN)
def test_other_statements_are_left_to_the_grammar(
    statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert taken(text_of(statement), monkeypatch)[3] is False


def test_after_a_problem_nothing_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{HEAD}{ENTRY}    z = w\n    u = x[0]\n    del u\n    return None\n"
    assert taken(text, monkeypatch) == [False]


def facts(text: str) -> tuple[object, ...]:
    found = scanned(text)
    places = [
        (one.name, one.called, one.node.lineno, one.node.col_offset)
        for one in found.references
    ]
    return found.findings, found.paths, found.pieces, found.in_grammar, sorted(places)


def broken(text: str, random: Random) -> str:
    """A text with a few tokens or lines in other places."""
    tokens = TOKEN.findall(text)
    spaced = TOKEN.split(text)
    for _ in range(random.randint(1, 3)):
        here, there = random.randrange(len(tokens)), random.randrange(len(tokens))
        kind = random.randrange(3)
        if kind == 0:
            tokens[here] = tokens[there]
        elif kind == 1:
            tokens[here], tokens[there] = tokens[there], tokens[here]
        else:
            tokens[here] = random.choice(["", "0", "x", "del", "torch", "*", "(", ")"])
    pairs = zip(spaced, [*tokens, ""])
    lines = "".join(space + token for space, token in pairs).split("\n")
    if random.randrange(3) == 0:
        here, there = random.randrange(len(lines)), random.randrange(len(lines))
        lines[here], lines[there] = lines[there], lines[here]
    return "\n".join(lines)


def sources() -> dict[str, Callable[[Random], str]]:
    fixed = [*PROGRAMS, *EXAMPLES, *OTHERS, *map(text_of, [*PLAIN, *NOT_PLAIN])]
    return {"random": program, "fixed": lambda random: random.choice(fixed)}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("source", ["random", "fixed"])
def test_what_is_found_does_not_depend_on_it(
    source: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    texts = [sources()[source](random) for _ in range(20)]
    texts += [broken(text, random) for text in texts for _ in range(3)]
    expected = [facts(text) for text in texts]
    monkeypatch.setattr(walking, "plain", nothing)
    assert [facts(text) for text in texts] == expected


@pytest.mark.parametrize("text", OTHERS)
def test_functions_and_pieces_do_not_depend_on_it(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = facts(text)
    assert expected[0]
    monkeypatch.setattr(walking, "plain", nothing)
    assert facts(text) == expected


@pytest.mark.parametrize("chunk", range(8))
def test_hostile_programs_do_not_depend_on_it(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [one.text for one in HOSTILE[chunk::8] if len(one.text) < 20_000]
    expected = [facts(text) for text in texts]
    monkeypatch.setattr(walking, "plain", nothing)
    assert [facts(text) for text in texts] == expected


def test_only_names_have_an_id() -> None:
    kinds = {
        kind
        for kind in vars(ast).values()
        if isinstance(kind, type) and issubclass(kind, ast.AST) and "id" in kind._fields
    }
    assert kinds == {ast.Name}

"""Calls against schemas, without the PyTorch that the schemas are from."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pytest

from astgen.check.report import Problem, locate
from astgen.lint.rules.operators import OP_SCHEMA
from astgen.lint.schema import fault


class Type:
    """A type of an argument, as PyTorch describes one."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def kind(self) -> str:
        return self._kind

    def __str__(self) -> str:
        return self._kind.removesuffix("Type")


def argument(name: str, kind: str = "TensorType", keyword: bool = False) -> Any:
    return SimpleNamespace(
        name=name,
        type=Type(kind),
        N=None,
        kwarg_only=keyword,
        has_default_value=lambda: keyword,
    )


ADD = SimpleNamespace(
    arguments=[
        argument("self"),
        argument("other"),
        argument("alpha", "NumberType", keyword=True),
    ]
)


def pointed_at(text: str) -> tuple[str, str]:
    """The characters that the finding covers, and what is wrong there."""
    call = ast.parse(text).body[0].value  # type: ignore[attr-defined]
    found = fault(call, ADD)
    assert found is not None
    node, reason = found
    (finding,) = locate([Problem(OP_SCHEMA, node, reason, "")], text)
    assert finding.line == finding.end_line
    line = text.split("\n")[finding.line - 1]
    return line[finding.column - 1 : finding.end_column - 1], reason


@pytest.mark.parametrize("before", ["add(x, y, ", "add(é, y, ", "add(x, y,\n  "])
@pytest.mark.parametrize(
    "argument, where, reason",
    [
        ("alhpa=1)", "alhpa", "it has no argument 'alhpa'"),
        ("alhpa  = 1)", "alhpa", "it has no argument 'alhpa'"),
        ("other=z)", "other", "argument 'other' is given twice"),
        ("alpha='two')", "'two'", "argument 'alpha' is of type str, not Number"),
        ("**{'alhpa': 1})", "'alhpa'", "it has no argument 'alhpa'"),
    ],
)
def test_a_wrong_name_is_pointed_at_by_its_name_and_a_value_by_the_value(
    before: str, argument: str, where: str, reason: str
) -> None:
    assert pointed_at(before + argument) == (where, reason)


def test_a_call_that_fits_has_no_fault() -> None:
    call = ast.parse("add(x, other=y, **{'alpha': 2})", mode="eval").body
    assert isinstance(call, ast.Call)
    assert fault(call, ADD) is None

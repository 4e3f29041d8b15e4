"""Texts from before there were constants: values of PyTorch stand in the text."""

from __future__ import annotations

import pytest
import torch

from astgen.check import Dialect
from astgen.codegen import compile_execution_fn
from astgen.errors import BindError, InvalidProgramError

LEGACY = """\
import torch
def execution_fn(x, dtype=torch.float64, *, __vllm_submods__):
    y = torch.ops.aten._to_copy.default(x, dtype=torch.float16, layout=torch.strided)
    z = y.contiguous(memory_format=torch.channels_last).to(dtype)
    w = __vllm_submods__[0](z, torch.bool)
    del z
    return (y, w)
"""


def test_a_legacy_text_computes_what_eager_code_does() -> None:
    def piece(z: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        return (z > 0).to(dtype)

    function = compile_execution_fn(LEGACY, {"a": piece}, ["a"], None)
    x = torch.randn(1, 2, 3, 4)
    y, w = function(x)
    expected = x.to(torch.float16)
    assert y.dtype is torch.float16 and w.dtype is torch.bool
    assert torch.equal(y, expected) and torch.equal(w, expected > 0)


@pytest.mark.parametrize(
    ("value", "rule"),
    [("torch.float16(x)", "AG503"), ("torch.Tensor", "AG502")],
)
def test_what_is_no_value_stays_refused(value: str, rule: str) -> None:
    text = LEGACY.replace("(y, w)", f"({value}, w)")
    with pytest.raises(InvalidProgramError) as caught:
        compile_execution_fn(text, {"a": print}, ["a"], None)
    assert [finding.rule for finding in caught.value.findings] == [rule]


def test_a_value_that_this_pytorch_lacks_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(torch, "uint7")
    text = LEGACY.replace("torch.bool", "torch.uint7")
    with pytest.raises(BindError, match="torch.uint7") as caught:
        compile_execution_fn(text, {"a": print}, ["a"], None)
    assert caught.value.missing == ("torch.uint7",)


def test_a_path_of_the_configuration_is_called() -> None:
    text = LEGACY.replace("(y, w)", "(torch.typename(y), w)")
    dialect = Dialect(paths=frozenset({"torch.typename"}))
    function = compile_execution_fn(
        text, {"a": torch.Tensor.to}, ["a"], None, dialect=dialect
    )
    assert function(torch.ones(1, 1, 1, 1))[0] == "torch.HalfTensor"


def test_a_path_below_the_operators_is_called_only_if_it_is_one() -> None:
    path = "torch.ops.load_library"
    text = LEGACY.replace("(y, w)", f"({path}('x'), w)")
    with pytest.raises(BindError, match="load_library"):
        compile_execution_fn(
            text,
            {"a": print},
            ["a"],
            None,
            dialect=Dialect(paths=frozenset({path})),
        )

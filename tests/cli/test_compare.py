"""When two results are equal."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from astgen.cli.compare import difference, tolerances_for
from astgen.errors import CaptureError

NAN = float("nan")


@dataclass
class Output:
    logits: torch.Tensor
    size: int = 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.tensor([1.0, NAN, -0.0]),
        lambda: torch.tensor(3),
        lambda: torch.tensor([True, False]),
        lambda: torch.zeros(0, 3, dtype=torch.bfloat16),
        lambda: torch.tensor([1 + 2j]).conj(),
        lambda: torch.eye(3).to_sparse(),
        lambda: (1, [2.5, NAN, "a", None], {"a": torch.ones(2, 3).t()}),
        lambda: Output(torch.ones(2), 3),
        lambda: torch.Size((2, 3)),
    ],
)
@pytest.mark.parametrize("exact", [True, False])
def test_equal(make, exact):
    assert difference(make(), make(), exact) is None


@pytest.mark.parametrize(
    "actual, expected, told",
    [
        (
            torch.tensor([1.0, 2]),
            torch.tensor([1.0, 4]),
            "1 of 2 elements differ, by 2",
        ),
        (torch.tensor([0.0]), torch.tensor([-0.0]), "1 of 1 elements differ, by 0"),
        (
            torch.tensor(1),
            torch.tensor(True),
            "dtype torch.int64 instead of torch.bool",
        ),
        (torch.ones(2, 3), torch.ones(3, 2), "shape (2, 3) instead of (3, 2)"),
        ([1], (1,), "the containers differ"),
        ({"a": 1}, {"b": 1}, "the containers differ"),
        ([1, 2], [1, 3], "[1]: 2 instead of 3"),
        (1, True, "a int instead of a bool"),
        (1, torch.ones(1), "a int instead of a Tensor"),
        (Output(torch.ones(2)), Output(torch.zeros(2)), "['logits']: 2 of 2 elements"),
    ],
)
def test_different(actual, expected, told):
    found = difference(actual, expected, exact=True)
    assert found is not None
    assert told in found


def test_a_tolerance_is_for_floats_only():
    x, near = torch.ones(3), torch.ones(3) + 1e-5
    assert difference(near, x, exact=False) is None
    assert difference(near, x, exact=True) is not None
    assert difference(x * 1.1, x, exact=False) is not None
    assert difference(torch.tensor(1000), torch.tensor(1001), exact=False) is not None
    assert tolerances_for({"a": x, "b": torch.ones(1, dtype=torch.int)}) == {
        "float32": 1e-3
    }


def test_values_without_a_meaning_of_equal_are_refused():
    with pytest.raises(CaptureError, match="type object cannot be compared"):
        difference(object(), object(), exact=True)
    meta = torch.ones(2, device="meta")
    with pytest.raises(CaptureError, match="'meta'"):
        difference(meta, meta, exact=True)

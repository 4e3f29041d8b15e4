"""Callables in slots: what they stand for here, and again wherever they are loaded."""

from __future__ import annotations

import pickle
import subprocess
import sys

import torch

from astgen.emit.resolve import CALL, ByName

LOAD = """
import pickle, sys
found = pickle.loads(bytes.fromhex(sys.argv[1]))
import torch
assert "astgen" not in sys.modules
print(found(torch.zeros(3), 5, 6).tolist())
"""


def test_an_operator_that_no_path_spells_is_called_by_name() -> None:
    operator = ByName(torch, "ops.aten.random_.from")
    assert operator(torch.zeros(3), 5, 6).tolist() == [5.0, 5.0, 5.0]


def test_it_loads_as_the_operator_itself_where_there_is_no_astgen() -> None:
    payload = pickle.dumps(ByName(torch, "ops.aten.random_.from")).hex()
    ran = subprocess.run(
        [sys.executable, "-c", LOAD, payload], capture_output=True, text=True
    )
    assert ran.stdout.strip() == "[5.0, 5.0, 5.0]", ran.stderr


def test_a_descriptor_is_called_by_name() -> None:
    shape = ByName(torch.Tensor, "shape.__get__")
    assert shape(torch.ones(2, 3)) == torch.Size([2, 3])
    assert pickle.loads(pickle.dumps(shape))(torch.ones(2, 3)) == torch.Size([2, 3])


def test_call_calls() -> None:
    assert CALL(dict, [("a", 1)], b=2) == {"a": 1, "b": 2}
    assert pickle.loads(pickle.dumps(CALL)) is CALL

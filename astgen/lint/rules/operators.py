"""AG504 and AG505: operators against the PyTorch of this process (`--resolve-ops`)."""

from __future__ import annotations

from astgen.check.finding import Rule

__all__ = ["OP_SCHEMA", "OP_UNRESOLVED", "RULES"]

OP_UNRESOLVED = Rule(
    code="AG504",
    name="op-unresolved",
    summary="a path of the text leads nowhere in this process",
    reason=(
        "Operators come and go with versions of PyTorch and exist only after the "
        "library that registers them was imported, so a text from elsewhere may name "
        "what is not here; torch.ops raises AttributeError for it at the first call. "
        "It is a warning because the library may be missing only where the linter "
        "runs. Looked up with --resolve-ops alone, which imports torch; only listed "
        "paths and names of operators are looked up."
    ),
    good=(
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.ops.aten.relu.default(x)
""",
    ),
    bad=(
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.ops.vllm.operator_that_nobody_registers(x)
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.ops._moe_C.operator_that_nobody_registers.default(x)
""",
    ),
    severity="warning",
)

OP_SCHEMA = Rule(
    code="AG505",
    name="op-schema",
    summary="the arguments of an operator do not fit its schema",
    reason=(
        "Every operator has a schema (torch.ops.aten.add.Tensor._schema), and the "
        "dispatcher refuses a call that does not fit it: too many or missing "
        "arguments, unknown keywords, an argument given twice, a literal of a type "
        "that cannot be converted. That is a RuntimeError in the middle of a forward "
        "pass, typically where code was generated for another version of PyTorch. "
        "Values that are no literals are not judged. Looked up with --resolve-ops "
        "alone."
    ),
    good=(
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.ops.aten.add.Tensor(x, 1, alpha=2.5)
""",
        """\
import torch
def execution_fn(x, n, *, __vllm_submods__):
    return torch.ops.aten.sum.dim_IntList(x, [0, n], True, dtype=None)
""",
    ),
    bad=(
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.ops.aten.add.Tensor(x, x, 2)
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.ops.aten.relu.default(x, inplace=True)
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.ops.aten.mm.default(x)
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.ops.aten.mm.default(x, x, self=x)
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.ops.aten.transpose.int(x, "0", 1)
""",
        """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return torch.ops.aten.relu(x, 1, 2)
""",
    ),
)

RULES = (OP_UNRESOLVED, OP_SCHEMA)

"""Write ``astgen/check/*.txt``: the exact names that generated code may contain.

Run with the PyTorch that the lists are for, and review what changes::

    python tools/list_paths.py --check     # say what differs, exit 1 if anything does
    python tools/list_paths.py             # write the files

Candidates come from PyTorch itself, decisions from ``path_review.py`` and
``operator_review.py``. New functions and operators of a new PyTorch show up as
differences, so that somebody reads them before anybody can call them.
"""

from __future__ import annotations

import importlib
import keyword
import operator
import sys
import types
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import torch
import torch.overrides

import operator_review
import path_review

__all__ = [
    "higher_order_operators",
    "main",
    "methods",
    "mixed_packets",
    "namespaces",
    "operators",
    "render",
    "torch_paths",
    "values",
]

DATA = Path(__file__).resolve().parent.parent / "astgen" / "check"

# Bindings of operators and nothing else: every function is a candidate.
BINDINGS = (
    "torch._C._fft",
    "torch._C._linalg",
    "torch._C._nested",
    "torch._C._nn",
    "torch._C._sparse",
    "torch._C._special",
)
# Modules with helpers and imports among their functions: only what tensor subclasses
# can override is a candidate.
MIXED = (
    "torch",
    "torch.functional",
    "torch.nn.functional",
    "torch.fft",
    "torch.linalg",
    "torch.special",
)
# Register operators that graphs contain; `import torch` alone does not import them.
REGISTERING = (
    "torch._dynamo",
    "torch._higher_order_ops",
    "torch.ao.quantization.fx._decomposed",
    "torch.distributed._functional_collectives",
    "torch.distributed.fsdp",
)


def torch_paths() -> set[str]:
    """Dotted paths from the names ``torch`` and ``operator`` which may be called."""
    overridable = {
        id(function)
        for functions in torch.overrides.get_overridable_functions().values()
        for function in functions
    }
    found = set(path_review.TORCH_ADDED)
    for prefix in MIXED:
        for name, value in _functions(importlib.import_module(prefix)):
            is_operator = prefix == "torch" and hasattr(
                torch._C._VariableFunctions, name
            )
            if is_operator or id(value) in overridable and not name.startswith("_"):
                found.add(f"{prefix}.{name}")
    for prefix in BINDINGS:
        module = operator.attrgetter(prefix.removeprefix("torch."))(torch)
        found |= {f"{prefix}.{name}" for name, _ in _functions(module)}
    found |= {f"operator.{name}" for name in operator.__all__}
    found -= {f"operator.{name}" for name in path_review.OPERATOR_MODULE_DENIED}
    return found - set(path_review.TORCH_DENIED)


def _functions(module: object) -> Iterator[tuple[str, Callable[..., object]]]:
    for name in dir(module):
        value = getattr(module, name)
        is_value = isinstance(value, (type, types.ModuleType))
        if callable(value) and not is_value and not name.startswith("__"):
            yield name, value


def operators() -> set[str]:
    """What may follow ``torch.ops.``: overloads, packets and higher-order operators."""
    overloads = _overloads()
    accepted = {name for name, schema in overloads.items() if _accepts(name, schema)}
    found = {name for name in accepted if _can_be_written(name)}
    for packet, names in _by_packet(overloads).items():
        has_accepted = not names.isdisjoint(accepted)
        if has_accepted and (
            names <= accepted or packet in operator_review.MIXED_PACKETS
        ):
            found |= {packet} if _can_be_written(packet) else set()
    return found | {f"higher_order.{name}" for name in higher_order_operators()}


def mixed_packets() -> dict[str, set[str]]:
    """Packets with accepted and other overloads, and the latter, to be decided on."""
    overloads = _overloads()
    accepted = {name for name, schema in overloads.items() if _accepts(name, schema)}
    return {
        packet: names - accepted
        for packet, names in _by_packet(overloads).items()
        if not names.isdisjoint(accepted) and not names <= accepted
    }


def _overloads() -> dict[str, torch.FunctionSchema]:
    for module in REGISTERING:
        importlib.import_module(module)
    return {
        f"{schema.name.replace('::', '.')}.{schema.overload_name or 'default'}": schema
        for schema in torch._C._jit_get_all_schemas()
        if schema.name.split("::")[0] in operator_review.NAMESPACES_LISTED
    }


def _by_packet(overloads: dict[str, torch.FunctionSchema]) -> dict[str, set[str]]:
    packets = defaultdict(set)
    for name in overloads:
        packets[name.rpartition(".")[0]].add(name)
    return packets


def _accepts(name: str, schema: torch.FunctionSchema) -> bool:
    """Whether the operator passes the review: not denied, and its types are plain."""
    packet = name.rpartition(".")[0]
    if name in operator_review.OPERATORS_ADDED:
        return True
    if packet in operator_review.OPERATORS_DENIED or name.startswith("prim."):
        return False
    if not torch._C._dispatch_has_kernel(_dispatcher_name(schema)):
        # TorchScript's own: strings, lists, dicts, and its interpreter's bookkeeping.
        return False
    allowed = operator_review.SCHEMA_TYPES
    if packet in operator_review.STRING_ARGUMENTS:
        # `Any` is how the collectives declare a process group or its name.
        allowed = allowed | {"str", "Any"}
    values = [*schema.arguments, *schema.returns]
    return "..." not in str(schema) and all(
        _element_type(value.type) in allowed for value in values
    )


def _dispatcher_name(schema: torch.FunctionSchema) -> str:
    suffix = f".{schema.overload_name}" if schema.overload_name else ""
    return schema.name + suffix


def _element_type(kind: torch.Type) -> str:
    while kind.kind() in ("ListType", "OptionalType"):
        kind = kind.getElementType()
    return str(kind)


def _can_be_written(name: str) -> bool:
    return not any(map(keyword.iskeyword, name.split(".")))


def higher_order_operators() -> set[str]:
    """Names of the higher-order operators which may be called."""
    for module in REGISTERING:
        importlib.import_module(module)
    return set(torch._ops._higher_order_ops) - set(operator_review.HIGHER_ORDER_DENIED)


def methods() -> set[str]:
    """Names which may be called as methods of any value."""
    found = {
        name
        for name in dir(torch.Tensor)
        if not name.startswith("_") and callable(getattr(torch.Tensor, name))
    }
    return (found - set(path_review.METHODS_DENIED)) | set(path_review.METHODS_ADDED)


def values() -> set[str]:
    """Paths of the values which older generators wrote into the text."""
    return {
        f"torch.{name}"
        for name in dir(torch)
        if type(getattr(torch, name)) in path_review.VALUE_TYPES
    }


def namespaces() -> set[str]:
    """Operator namespaces of PyTorch itself, registered in this build or in others."""
    for module in REGISTERING:
        importlib.import_module(module)
    schemas = torch._C._jit_get_all_schemas()
    attributes = {name for name in dir(torch.ops) if not name.startswith("__")}
    registered = {schema.name.split("::")[0] for schema in schemas}
    reviewed = {
        *operator_review.NAMESPACES_LISTED,
        *operator_review.NAMESPACES_UNLISTED,
    }
    return attributes | registered | reviewed


FILES: dict[str, tuple[str, Callable[[], set[str]]]] = {
    "torch_paths.txt": ("paths that may be called", torch_paths),
    "operators.txt": ("operators that may be called, after torch.ops", operators),
    "methods.txt": ("methods that may be called", methods),
    "values.txt": ("paths that may stand as values", values),
    "namespaces.txt": ("operator namespaces of PyTorch itself", namespaces),
}


def render(title: str, names: set[str]) -> str:
    """The text of one list: what it is, which PyTorch made it, one name a line."""
    version = torch.__version__.split("+")[0]
    header = f"# {title}\n# made by tools/list_paths.py from PyTorch {version}\n"
    return header + "".join(f"{name}\n" for name in sorted(names))


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a list differs.")
@click.option(
    "--mixed", is_flag=True, help="Show packets with overloads that are not listed."
)
def main(check: bool, mixed: bool) -> None:
    """Write the lists of names which generated code may contain."""
    warnings.simplefilter("ignore")
    if mixed:
        for packet, names in sorted(mixed_packets().items()):
            click.echo(f"{packet}: {' '.join(sorted(names))}")
        return
    differs = False
    for name, (title, collect) in FILES.items():
        path, text = DATA / name, render(title, collect())
        stored = path.read_text() if path.exists() else ""
        if not check:
            path.write_text(text)
            click.echo(f"{path.name}: {len(text.splitlines()) - 2} names")
        elif text != stored:
            differs = True
            _echo_differences(name, set(stored.splitlines()), set(text.splitlines()))
    sys.exit(1 if differs else 0)


def _echo_differences(name: str, stored: set[str], made: set[str]) -> None:
    for line in sorted(made - stored):
        click.echo(f"{name}: + {line}")
    for line in sorted(stored - made):
        click.echo(f"{name}: - {line}")


if __name__ == "__main__":
    main()

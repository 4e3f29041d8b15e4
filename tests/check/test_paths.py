"""The lists of names: everything on them is real, and harmless in kind."""

from __future__ import annotations

import importlib
import inspect
import keyword
import operator
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
import torch._ops

from astgen.check.paths import (
    builtin_namespaces,
    methods,
    operators,
    torch_paths,
    values,
)

ROOT = Path(__file__).resolve().parents[2]

# The lists may hold names that an older PyTorch lacks: they are for reading text, and
# `operator` grows with Python.
LISTED_WITH = (ROOT / "astgen" / "check" / "operators.txt").read_text()[:400]
pytestmark = pytest.mark.skipif(
    f"PyTorch {torch.__version__.split('+')[0]}\n" not in LISTED_WITH,
    reason="the lists were made with another PyTorch",
)


@pytest.fixture(scope="module")
def tool() -> Iterator[types.ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("list_paths")


@pytest.fixture(scope="module")
def resolved(tool: types.ModuleType) -> dict[str, object]:
    """What each listed operator is, once everything that registers some is imported."""
    for module in tool.REGISTERING:
        importlib.import_module(module)
    return {name: operator.attrgetter(name)(torch.ops) for name in operators()}


def _python(code: str) -> str:
    command = [sys.executable, "-W", "ignore", "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_reading_the_lists_imports_neither_torch_nor_libcst() -> None:
    code = (
        "import sys; from astgen.check import paths; paths.torch_paths(); paths.operators(); paths.methods();"
        "print(sorted({'torch', 'libcst'} & set(sys.modules)))"
    )
    assert _python(code) == "[]"


def test_every_torch_path_leads_to_a_callable_after_import_torch_alone() -> None:
    code = (
        "import operator, torch\n"
        "from astgen.check.paths import torch_paths\n"
        "roots = {'torch': torch, 'operator': operator}\n"
        "for path in sorted(torch_paths()):\n"
        "    root, _, rest = path.partition('.')\n"
        "    try: found = operator.attrgetter(rest)(roots[root])\n"
        "    except AttributeError: found = None\n"
        "    if not callable(found): print(path)\n"
    )
    assert _python(code) == ""


def test_no_torch_path_leads_to_a_module_or_a_class_but_two_value_types() -> None:
    found = {
        path: operator.attrgetter(path.partition(".")[2])(torch)
        for path in torch_paths()
        if path.startswith("torch.")
    }
    odd = {
        path
        for path, value in found.items()
        if isinstance(value, (type, types.ModuleType))
    }
    assert odd == {"torch.Size", "torch.device"}


def test_values_are_immutable_and_cannot_be_called(tool: types.ModuleType) -> None:
    found = {path: getattr(torch, path.partition(".")[2]) for path in values()}
    kinds = {type(value) for value in found.values()}
    assert kinds == tool.path_review.VALUE_TYPES
    assert not any(map(callable, found.values()))


def test_no_function_takes_a_callable_but_the_checks_their_message() -> None:
    suspicious = set()
    for path in torch_paths():
        root = operator if path.startswith("operator.") else torch
        function = operator.attrgetter(path.partition(".")[2])(root)
        if isinstance(function, types.FunctionType):
            suspicious |= {
                f"{path}({parameter.name})"
                for parameter in inspect.signature(function).parameters.values()
                if "Callable" in str(parameter.annotation)
                or parameter.name in {"fn", "func", "function", "callback", "tracker"}
            }
    assert suspicious == set()


def test_every_operator_is_what_its_name_says(resolved: dict[str, object]) -> None:
    for name, found in resolved.items():
        if name.startswith("higher_order."):
            assert isinstance(found, torch._ops.HigherOrderOperator), name
        elif name.count(".") == 2:
            assert isinstance(found, torch._ops.OpOverload), name
            assert f"{found.namespace}.{found._opname}.{found._overloadname}" == name
        else:
            assert isinstance(found, torch._ops.OpOverloadPacket), name


def test_a_packet_is_listed_only_with_all_its_overloads(
    resolved: dict[str, object], tool: types.ModuleType
) -> None:
    for name, packet in resolved.items():
        if isinstance(packet, torch._ops.OpOverloadPacket):
            missing = {
                overload
                for overload in packet.overloads()
                if f"{name}.{overload}" not in operators()
                and not keyword.iskeyword(overload)
            }
            assert not missing or name in tool.operator_review.MIXED_PACKETS, (
                name,
                missing,
            )


def test_every_packet_with_overloads_that_are_not_listed_was_decided_about(
    tool: types.ModuleType,
) -> None:
    decided = {
        *tool.operator_review.MIXED_PACKETS,
        *tool.operator_review.MIXED_PACKETS_DENIED,
    }
    assert set(tool.mixed_packets()) == decided
    assert operators().isdisjoint(tool.operator_review.MIXED_PACKETS_DENIED)


def test_overloads_take_only_reviewed_strings_and_no_objects(
    resolved: dict[str, object], tool: types.ModuleType
) -> None:
    with_words = set()
    for name, found in resolved.items():
        if not isinstance(found, torch._ops.OpOverload):
            continue
        schema = found._schema
        kinds = " ".join(str(value.type) for value in schema.arguments + schema.returns)
        assert "classes" not in kinds and "Storage" not in kinds, name
        assert "Dict" not in kinds and "Future" not in kinds, name
        if "str" in kinds.lower().replace("stream", "") or "Any" in kinds:
            with_words.add(name.rpartition(".")[0])
    assert with_words == set(tool.operator_review.STRING_ARGUMENTS)


def test_names_that_python_cannot_spell_are_not_listed() -> None:
    for name in torch_paths() | operators() | methods() | values():
        parts = name.split(".")
        assert all(part.isidentifier() for part in parts), name
        assert not any(map(keyword.iskeyword, parts)), name


def test_methods_belong_to_tensors_or_were_added_with_a_reason(
    tool: types.ModuleType,
) -> None:
    for name in methods():
        on_tensor = callable(getattr(torch.Tensor, name, None))
        assert on_tensor or name in tool.path_review.METHODS_ADDED, name


def test_denied_methods_exist_so_that_the_table_stays_short(
    tool: types.ModuleType,
) -> None:
    assert [
        n for n in tool.path_review.METHODS_DENIED if not hasattr(torch.Tensor, n)
    ] == []


def test_denied_tensor_functions_exist_somewhere(tool: types.ModuleType) -> None:
    denied = tool.path_review.table(tool.path_review.UNSAFE_TENSOR_FUNCTIONS)
    homes = (torch, torch._C._nn, torch.ops.aten)
    assert [n for n in denied if not any(hasattr(home, n) for home in homes)] == []


def test_every_operator_namespace_of_this_pytorch_is_known_as_its_own(
    resolved: dict[str, object],
) -> None:
    own = {
        name.split("::")[0]
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith(("aten", "prim", "c10d", "_c10d", "quantized", "inductor"))
    }
    assert own <= builtin_namespaces()
    assert {"debugprims", "higher_order", "load_library"} <= builtin_namespaces()
    assert {name.split(".")[0] for name in operators()} <= builtin_namespaces()


@pytest.mark.parametrize("name", ["vllm", "_C", "_moe_C", "astgen_cases"])
def test_namespaces_of_other_projects_are_foreign(name: str) -> None:
    assert name not in builtin_namespaces()


def test_the_stored_lists_are_what_the_tool_makes() -> None:
    command = [sys.executable, str(ROOT / "tools" / "list_paths.py"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (run.returncode, run.stdout) == (0, ""), run.stderr


def test_the_tool_reports_a_name_that_somebody_added_by_hand(
    tool: types.ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Not the operators: other tests of this process register some.
    name = "torch_paths.txt"
    stored = (tool.DATA / name).read_text()
    (tmp_path / name).write_text(stored + "torch.load\n")
    monkeypatch.setattr(tool, "DATA", tmp_path)
    monkeypatch.setattr(tool, "FILES", {name: tool.FILES[name]})
    with pytest.raises(SystemExit) as stop:
        tool.main(["--check"])
    assert stop.value.code == 1
    assert capsys.readouterr().out == "torch_paths.txt: - torch.load\n"

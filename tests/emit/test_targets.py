"""A path is written only if it leads to the very object."""

from __future__ import annotations

import operator
from typing import Any

import pytest
import torch
from support.graphs import chain

import astgen
from astgen.check.paths import operators, torch_paths
from astgen.emit.constants import Constants
from astgen.emit.nodes import slot_of
from astgen.emit.render import render
from astgen.emit.targets import Targets


def spelled(target: Any) -> str:
    constants = Constants()
    targets = Targets(constants, lambda slot: slot_of("consts", slot))
    return render(targets.spell(target))


def resolved(path: str) -> Any:
    root, _, rest = path.partition(".")
    return operator.attrgetter(rest)({"torch": torch, "operator": operator}[root])


def test_every_listed_function_is_spelled_by_a_path_to_itself() -> None:
    wrong = []
    for path in sorted(torch_paths()):
        try:
            target = resolved(path)
        except AttributeError:
            continue
        if resolved(spelled(target)) is not target:
            wrong.append(path)
    assert wrong == []


def test_every_listed_operator_is_spelled_by_its_name() -> None:
    wrong = []
    for name in sorted(operators()):
        try:
            target = resolved(f"torch.ops.{name}")
        except (AttributeError, RuntimeError):
            continue
        if spelled(target) != f"torch.ops.{name}":
            wrong.append(name)
    assert wrong == []


def test_operators_that_are_not_listed_go_through_a_slot() -> None:
    assert spelled(torch.ops.aten.from_file.default) == "consts[0]"
    assert spelled(getattr(torch.ops.aten.random_, "from")) == "consts[0]"


def test_a_function_that_was_replaced_is_not_spelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = torch.relu
    assert spelled(original) == "torch.relu"
    monkeypatch.setattr(torch, "relu", lambda x: x)
    assert spelled(original) == "consts[0]"
    assert spelled(torch.relu) == "consts[0]"


def test_a_foreign_namespace_is_vouched_for_by_its_own_graph_only() -> None:
    library = torch.library.Library("astgen_targets", "DEF")
    library.define("double(Tensor x) -> Tensor")
    library.impl("double", lambda x: x * 2, "CompositeExplicitAutograd")
    program = astgen.generate(chain(torch.ops.astgen_targets.double.default))
    assert "torch.ops.astgen_targets.double.default(x)" in program.code
    assert program.check() == ()
    assert program.compile()(torch.ones(1)).item() == 2
    strangers = astgen.generate(chain(torch.relu)).dialect
    assert "astgen_targets" not in strangers.namespaces
    found = astgen.check.check(program.code)
    assert [finding.rule for finding in found] == ["AG506"]

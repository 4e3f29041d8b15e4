"""Paths that were mistyped, and paths that were meant as they are."""

from __future__ import annotations

import pytest

from astgen.check import check
from astgen.check.finding import Finding
from astgen.check.paths import operators, torch_paths, values
from astgen.lint.suggest import suggest

LISTED = torch_paths() | values() | {f"torch.ops.{name}" for name in operators()}


def program(*paths: str, before: str = "") -> str:
    body = "".join(f"    y = {before}torch.cat({path})\n" for path in paths)
    head = "import torch\ndef execution_fn(x, *, __vllm_submods__):\n"
    return f"{head}{body}    return y\n"


def hints(text: str) -> list[str]:
    return [finding.hint for finding in suggest(check(text), text)]


@pytest.mark.parametrize(
    "path, meant",
    [
        ("torch.reul", "torch.relu"),
        ("torch.Relu", "torch.relu"),
        ("torch.sofmax", "torch.softmax"),
        ("torch.flaot32", "torch.float32"),
        ("torch.bfloat61", "torch.bfloat16"),
        ("torch.nn.functional.softmaxx", "torch.nn.functional.softmax"),
        ("torch.nn.functionl.relu", "torch.nn.functional.relu"),
        ("torch.ops.aten.addd.Tensor", "torch.ops.aten.add.Tensor"),
        ("torch.ops.aten.add.tensor", "torch.ops.aten.add.Tensor"),
        ("torch.ops.aten.convlution.default", "torch.ops.aten.convolution.default"),
        ("operator.getitme", "operator.getitem"),
    ],
)
def test_a_listed_path_that_is_close_is_named(path: str, meant: str) -> None:
    assert meant in LISTED
    assert hints(program(path)) == [f"did you mean '{meant}'?"]
    call = program("x").replace("torch.cat", path)
    assert hints(call) == [f"did you mean '{meant}'?"]


@pytest.mark.parametrize(
    "path",
    [
        "torch.load",
        "torch.save",
        "torch.compile",
        "torch.inf",
        "torch.hub",
        "torch.os.system",
        "torch.nm.functional.sofmax",
        "torch.ops.aten",
        "torch.ops.aten.nothing_of_this_name.default",
        "torch." + "relu" * 1000,
        "torch" + ".relu" * 20,
        "torch.\u0433\u0435lu",
        "x.reul",
        "x.relu.reul",
        "torch.float32.reul",
    ],
)
def test_other_paths_keep_their_hint(path: str) -> None:
    text = program(path)
    found = check(text)
    assert [finding.rule for finding in found] == ["AG502"]
    assert suggest(found, text) == list(found)


def test_whatever_is_named_is_listed() -> None:
    named = 0
    for path in sorted(LISTED)[::40]:
        for wrong in (path[:-1], f"{path}x", path[:-2] + path[:-3:-1]):
            text = program(wrong)
            for hint in hints(text):
                if hint.startswith("did you mean"):
                    named += 1
                    assert hint.split("'")[1] in LISTED
    assert named > 100


def test_characters_are_counted_as_in_the_finding() -> None:
    text = program("torch.reul", before="'量é', ")
    found = [one for one in suggest(check(text), text) if one.rule == "AG502"]
    assert [finding.hint for finding in found] == ["did you mean 'torch.relu'?"]


def test_a_text_with_many_of_them_is_from_elsewhere() -> None:
    told = [hint.startswith("did you mean") for hint in hints(program(*WRONG))]
    assert told == [True] * 20 + [False] * 5


WRONG = ["torch.reul"] * 25


def test_findings_that_do_not_fit_the_text_are_left_alone() -> None:
    places = [(9, 1, 9, 5), (1, 3, 1, 3), (1, 1, 2, 5), (1, 90, 1, 99)]
    found = [Finding(*place, "AG502", "wrong", "hint") for place in places]
    assert suggest(found, "torch.reul\n") == found


def test_findings_of_other_rules_are_left_alone() -> None:
    found = Finding(1, 1, 1, 11, "AG101", "wrong", "hint")
    assert suggest([found], "torch.reul\n") == [found]

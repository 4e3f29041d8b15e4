"""A part of PyTorch's operator database, and the sweep that runs all of it."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

import astgen

pytest.importorskip("expecttest", reason="PyTorch's operator database imports it")

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import opinfo_sweep  # noqa: E402
from graph_runs import judge  # noqa: E402
from opinfo_cases import Verdict, operators, verdicts  # noqa: E402
from sameness import differences  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

# Views, indices, random numbers, memory without content, several results, complex
# numbers, results whose size is in the data, reflected operators.
FAMILIES = re.compile(
    "view|as_strided|unfold|split|chunk|unbind|transpose|expand|narrow|diag"
    "|index|scatter|gather|masked|where|take|put"
    "|rand|normal|bernoulli|multinomial|dropout|uniform|cauchy|exponential"
    "|empty|new_|_like|resize"
    "|linalg.lu|svd|eig|qr|sort|topk|unique|mode|median|meshgrid|frexp|aminmax"
    "|complex|real|imag|conj|polar|fft.fft|stft"
    "|item|nonzero|equal|allclose|cov|one_hot|sparse"
    "|__r|_attention|batch_norm"
)
CHOSEN = [
    name
    for number, name in enumerate(operators())
    if number % 5 == 0 or FAMILIES.search(name)
]

JITERATORS = [name for name in operators() if name.startswith("jiterator_")]

# What there is no graph of on a CPU, at least in place, and why.
WITHOUT_GRAPH = {
    **dict.fromkeys(JITERATORS, "only supported on CUDA"),
    "torch.ops.aten._efficient_attention_forward": "not supported on the CPU",
    "torch.ops.aten._flash_attention_forward": "not supported on the CPU",
    "float_power": "float_power_ has dtype Float",
    "nn.functional.batch_norm.without_cudnn": "not supported on the CPU",
    "sparse.mm.reduce": "Sparse CSR tensors",
    "sparse.sampled_addmm": "Sparse CSR tensors",
}


def test_the_part_is_a_large_one() -> None:
    assert len(CHOSEN) >= 150


@pytest.mark.parametrize("name", CHOSEN)
def test_an_operator_gives_what_the_interpreter_gives(name: str) -> None:
    found = list(verdicts(name, 1))
    why = WITHOUT_GRAPH.get(name)
    skipped = [
        verdict
        for verdict in found
        if verdict.kind in ("untraceable", "no sample")
        and why
        and why in verdict.detail
    ]
    assert bool(skipped) is (why is not None), "WITHOUT_GRAPH is out of date"
    compared = [verdict for verdict in found if verdict not in skipped]
    assert {verdict.kind for verdict in compared} <= {"equal"}, compared
    if not compared:
        pytest.skip(why)


# What a wrong generator would do: (call, replaced text, its replacement, difference).
WRONG: dict[str, tuple[Callable[..., object], str, str, str]] = {
    "other numbers": (
        lambda x: x + 1,
        "aten.add.Tensor",
        "aten.sub.Tensor",
        "['result']: 6 of 6 elements differ",
    ),
    "another dtype": (
        lambda x: x.sin(),
        "aten.sin.default",
        "aten.isnan.default",
        "['result']: dtype torch.bool for torch.float32",
    ),
    "other strides": (
        lambda x: x.t().clone(),
        "aten.clone.default",
        "aten.contiguous.default",
        "['result']: stride (2, 1) for (1, 3)",
    ),
    "a copy for a view": (
        lambda x: x.view(6),
        "aten.view.default",
        "aten.view_copy.default",
        "['same storages'][1]: 1 for 0",
    ),
    "an input left as it was": (
        lambda x: x.mul_(2),
        "aten.mul_.Tensor",
        "aten.mul.Tensor",
        "['inputs'][0]: 6 of 6 elements differ",
    ),
    "another random number": (
        lambda x: torch.rand_like(x),
        "    return",
        "    torch.ops.aten.rand_like.default(x_1)\n    return",
        "['random numbers']: ",
    ),
    "another container": (
        lambda x: (x.sin(),),
        "return (sin,)",
        "return [sin]",
        "['result']: a list for a tuple",
    ),
    "uninitialised memory": (
        lambda x: torch.empty_like(x),
        "aten.empty_like.default",
        "aten.zeros_like.default",
        "['result']: 6 of 6 elements differ",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_text_is_seen(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call, old, new, difference = WRONG[what]
    inputs = (torch.arange(1.0, 7.0).view(2, 3),)
    gm = make_fx(lambda x: call(x))(inputs[0].clone())
    assert judge(gm, inputs) == ("equal", "")
    right = astgen.generate(gm)
    assert old in right.code, right.code
    wrong = dataclasses.replace(right, code=right.code.replace(old, new))
    monkeypatch.setattr(astgen, "generate", lambda gm: wrong)
    kind, detail = judge(gm, inputs)
    assert kind == "different"
    assert difference in detail


def test_findings_and_errors_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = (torch.ones(2),)
    gm = make_fx(torch.sin)(*inputs)
    right = astgen.generate(gm)

    def judged(text: str) -> tuple[str, str]:
        wrong = dataclasses.replace(right, code=right.code.replace("default(", text))
        monkeypatch.setattr(astgen, "generate", lambda gm: wrong)
        return judge(gm, inputs)

    assert judged("default(y, ")[0] == "findings"
    kind, detail = judged("default(1, ")
    assert kind == "error"
    assert detail.startswith("astgen: ")


NAN = float("nan")


def bits(pattern: int) -> torch.Tensor:
    return torch.tensor([pattern], dtype=torch.int32).view(torch.float32)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (torch.tensor(0.0), torch.tensor(-0.0), False),
        (torch.tensor([1.0, NAN]), torch.tensor([1.0, NAN]), True),
        (bits(0x7FC00000), bits(0x7FC00001), True),
        (torch.tensor([1.0, NAN]), torch.tensor([NAN, 1.0]), False),
        (torch.ones(2, 3), torch.ones(3, 2), False),
        (torch.eye(2).to_sparse(), torch.eye(2).to_sparse(), True),
        (torch.eye(2).to_sparse(), 2 * torch.eye(2).to_sparse(), False),
        (torch.eye(2).to_sparse(), torch.eye(2), False),
        (torch.ones(2) * 1j, (torch.ones(2) * -1j).conj(), False),
        (torch.zeros(2, 0), torch.zeros(2, 0), True),
        (torch.ones(2, device="meta"), torch.ones(2, device="meta"), True),
        (NAN, NAN, True),
        (0.0, -0.0, False),
        (1, True, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        ([1, [2, 3]], [1, [2, 4]], False),
        ((1, 2), (1, 2, 3), False),
    ],
)
def test_sameness_is_of_bits_and_types(one: object, other: object, same: bool) -> None:
    assert any(differences(one, other)) is not same
    assert any(differences(other, one)) is not same
    assert not any(differences(one, one))


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_quantised_tensors_are_compared_with_their_scale() -> None:
    made = [
        torch.quantize_per_tensor(torch.ones(2), scale, 0, torch.qint8)
        for scale in (0.5, 0.5, 0.25)
    ]
    assert not any(differences(made[0], made[1]))
    assert any(differences(made[0], made[2]))


def pretended(name: str, samples: int) -> Iterator[Verdict]:
    """In place of the real verdicts: each operator ends in a way of its own."""
    if name == "add":
        os.kill(os.getpid(), signal.SIGKILL)
    yield Verdict(name, 0, "function", "equal", "", "real")
    if name == "sub":
        os._exit(7)
    if name == "mul":
        yield Verdict(name, 1, "in place", "different", "stock: six", "real")
    if name == "div.floor_rounding":
        yield Verdict(name, 1, "function", "untraceable", "no way")


@pytest.fixture
def pretence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opinfo_sweep, "verdicts", pretended)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(opinfo_sweep.main, arguments)
    return result.exit_code, result.output


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("pretence")
def test_the_death_of_a_process_does_not_end_the_sweep(jobs: int) -> None:
    names = ["sin", "add", "sub", "cos"]
    found = {
        verdict.operator: verdict
        for results in opinfo_sweep.sweep(names, 1, jobs)
        for verdict in results
    }
    assert [found[name].kind for name in names] == [
        "equal",
        "crashed",
        "crashed",
        "equal",
    ]
    assert found["add"].detail == "SIGKILL, at once"
    assert found["sub"].detail == "exit status 7, after sample 0 (function)"


def silent(name: str, samples: int) -> Iterator[Verdict]:
    if name == "add":
        signal.pause()
    yield Verdict(name, 0, "function", "equal")


def test_an_operator_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opinfo_sweep, "verdicts", silent)
    monkeypatch.setattr(opinfo_sweep, "TIMEOUT", 2)
    hung, fine = opinfo_sweep.sweep(["add", "sin"], 1, 1)
    assert [verdict.kind for verdict in hung] == ["crashed"]
    assert "no answer for 2 s" in hung[0].detail
    assert [verdict.kind for verdict in fine] == ["equal"]


@pytest.mark.usefixtures("pretence")
def test_failures_come_with_the_command_that_repeats_them(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    status, output = run("--op", "mul", "--op", "sin", "--json", str(report))
    assert status == 1
    assert "different: stock: six" in output
    assert "python tools/opinfo_sweep.py --op mul --samples 2" in output
    assert json.loads(report.read_text())["operators"] == {
        "mul": "different",
        "sin": "equal",
    }


@pytest.mark.usefixtures("pretence")
def test_what_cannot_be_traced_is_listed_and_no_failure() -> None:
    status, output = run("--op", "div.floor_rounding")
    assert status == 0
    assert "not traceable, 1 call: no way\n    div.floor_rounding: sample 1" in output


@pytest.mark.usefixtures("pretence")
def test_a_part_of_a_name_chooses_all_that_contain_it() -> None:
    status, output = run("--op", "atan")
    assert status == 0
    # `atan` is an operator; `rounding` is a part of three.
    assert re.search(r"total +1 +1\n", output)
    assert re.search(r"total +3 +4\n", run("--op", "rounding")[1])


def test_unknown_operators_are_refused() -> None:
    status, output = run("--op", "no such operator")
    assert status == 2
    assert "no operator's name contains 'no such operator'" in output


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def operators_without_it() -> None:
        raise ModuleNotFoundError("No module", name="expecttest")

    monkeypatch.setattr(opinfo_sweep, "operators", operators_without_it)
    status, output = run()
    assert status == 2
    assert output.count("\n") == 1
    assert "pip install expecttest" in output


def test_the_database_leaves_the_process_as_it_was() -> None:
    operators()
    assert not torch.backends.flags_frozen()
    assert not torch.are_deterministic_algorithms_enabled()

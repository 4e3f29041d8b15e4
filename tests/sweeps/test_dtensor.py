"""Distributed tensors on two ranks: captured by Dynamo, generated, run, compared.

Two processes run `support.dtensor_ranks` once; the tests judge their reports.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import black
import pytest
import torch

Report = dict[str, dict[str, Any]]

TESTS = Path(__file__).parents[1]
RANKS = 2
DEADLINE = 120
GRACE = 5
CASES = (
    "placements",
    "keywords",
    "an input",
    "training",
    "a parallel module",
    "lowered to aten",
    "two dimensions",
    "collectives",
)
# That there are two from a cache says that the slots can be pickled.
ALL_EQUAL = dict.fromkeys(
    ("astgen", "stock", "stock from a cache", "astgen from a cache")
)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[Report]:
    """What each rank reports."""
    if not (torch.distributed.is_available() and torch.distributed.is_gloo_available()):
        pytest.skip("this PyTorch has no gloo")
    folder = tmp_path_factory.mktemp("ranks")
    ranks = [_start(rank, folder) for rank in range(RANKS)]
    try:
        _wait(ranks)
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()
    if any(rank.returncode for rank in ranks):
        pytest.fail(
            "\n".join(
                f"--- rank {i} ended with {rank.returncode}:\n{_output(folder, i)}"
                for i, rank in enumerate(ranks)
            )
        )
    return [
        json.loads((folder / f"report{rank}.json").read_text(encoding="utf-8"))
        for rank in range(RANKS)
    ]


def _start(rank: int, folder: Path) -> subprocess.Popen[bytes]:
    loopback = [name for _, name in socket.if_nameindex() if name.startswith("lo")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)]),
        # The text must not depend on it, so each rank has another one.
        "PYTHONHASHSEED": str(rank + 1),
        "OMP_NUM_THREADS": "1",
        "RANK": str(rank),
        "WORLD_SIZE": str(RANKS),
        "RENDEZVOUS": str(folder / "rendezvous"),
        "GLOO_SOCKET_IFNAME": loopback[0],
    }
    with (folder / f"output{rank}.txt").open("wb") as output:
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "support.dtensor_ranks",
                str(folder / f"report{rank}.json"),
            ],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def _wait(ranks: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait for all ranks; once one has failed, the others are not waited for long."""
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        codes = [rank.poll() for rank in ranks]
        if None not in codes:
            return
        if any(codes):
            deadline = min(deadline, time.monotonic() + GRACE)
        time.sleep(0.1)


def _output(folder: Path, rank: int) -> str:
    text = (folder / f"output{rank}.txt").read_text(encoding="utf-8", errors="replace")
    return text[-6000:]


def test_each_case_is_judged(reports: list[Report]) -> None:
    for report in reports:
        assert tuple(report) == (*CASES, "a mesh in a slot")


@pytest.mark.parametrize("case", CASES)
def test_results_are_those_of_eager_mode_on_both_ranks(
    reports: list[Report], case: str
) -> None:
    for report in reports:
        ways = report[case]["differences"]
        aten = case == "lowered to aten"
        assert list(ways) == (
            ["generated"] if aten else ["generated", "backend", "split"]
        )
        assert set(ways.values()) == {None}, ways


@pytest.mark.parametrize("case", CASES)
def test_the_program_does_what_the_interpreter_does(
    reports: list[Report], case: str
) -> None:
    for report in reports:
        assert report[case]["runs"] == ALL_EQUAL


@pytest.mark.parametrize("case", CASES)
def test_text_and_slots_are_the_same_on_both_ranks(
    reports: list[Report], case: str
) -> None:
    first, second = (report[case] for report in reports)
    assert first["text"] == second["text"]
    assert first["slots"] == second["slots"]


@pytest.mark.parametrize("case", CASES)
def test_the_text_passes_the_checker_and_black(
    reports: list[Report], case: str
) -> None:
    facts = reports[0][case]
    assert facts["findings"] == []
    assert black.format_str(facts["text"], mode=black.Mode()) == facts["text"]


def test_dynamo_captures_what_this_is_about(reports: list[Report]) -> None:
    facts = reports[0]["placements"]
    assert {
        "call_function DTensor.from_local",
        "call_method redistribute",
        "call_method to_local",
    } <= set(facts["calls"])


@pytest.mark.parametrize("case", CASES)
def test_equal_placements_share_a_slot(reports: list[Report], case: str) -> None:
    facts = reports[0][case]
    kinds = [slot.partition(":")[0] for slot in facts["slots"]]
    held = sum(kind in ("Shard", "Replicate", "Partial") for kind in kinds)
    assert held == facts["placements"]["values"]


def test_a_slot_stands_for_placements_that_are_not_one_object(
    reports: list[Report],
) -> None:
    facts = reports[0]["placements"]
    assert facts["placements"]["objects"] > facts["placements"]["values"]
    assert facts["slots"] == [
        "function: DTensor.from_local",
        "Shard: S(0)",
        "Replicate: R",
        "Shard: S(1)",
        "Partial: P(sum)",
    ]


@pytest.mark.parametrize("case", CASES)
def test_slots_hold_placements_and_functions_alone(
    reports: list[Report], case: str
) -> None:
    """No mesh and no process group: Dynamo makes an input of a mesh."""
    kinds = {slot.partition(":")[0] for slot in reports[0][case]["slots"]}
    assert kinds <= {"function", "Shard", "Replicate", "Partial"}


def test_collectives_name_their_group(reports: list[Report]) -> None:
    for case in ("collectives", "lowered to aten"):
        assert "torch.ops._c10d_functional." in reports[0][case]["text"]
        assert reports[0][case]["slots"] == []


def test_a_mesh_that_is_a_constant_is_one_slot(reports: list[Report]) -> None:
    first, second = (report["a mesh in a slot"] for report in reports)
    assert first["text"] == second["text"]
    for facts in (first, second):
        assert facts["slots"] == ["function", "DeviceMesh", "Shard", "Replicate"]
        assert facts["runs"] == ALL_EQUAL

"""Two ranks compare their programs; each case is judged on both."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from typing import Any

import pytest
import torch.distributed as dist
from support.cache_runs import environment

pytestmark = pytest.mark.skipif(
    not dist.is_available() or not dist.is_gloo_available(),
    reason="this PyTorch has no gloo",
)
Report = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[Report]:
    """What each of two ranks found."""
    folder = tmp_path_factory.mktemp("ranks")
    loopback = [name for _, name in socket.if_nameindex() if name.startswith("lo")]
    ranks = [
        subprocess.Popen(
            [sys.executable, "-m", "support.compared_ranks", folder / f"{rank}.json"],
            env={
                **environment(str(rank)),
                "OMP_NUM_THREADS": "1",
                "RANK": str(rank),
                "WORLD_SIZE": "2",
                "RENDEZVOUS": str(folder / "rendezvous"),
                "GLOO_SOCKET_IFNAME": loopback[0],
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        outputs = [rank.communicate(timeout=300)[0] for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    assert [rank.returncode for rank in ranks] == [0, 0], "\n".join(outputs)
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


def test_both_ranks_find_the_same(reports):
    assert reports[0] == reports[1]


def test_equal_programs_pass(reports):
    for found in reports[0]["equal"]:
        assert found == {"ranks": 2, "collectives": 0, "literals": []}


@pytest.mark.parametrize(
    ("case", "texts"),
    [("literal", ["x, 0)", "x, 100)"]), ("constant", ["float16", "float64"])],
)
def test_literals_are_reported_and_raise_on_request(reports, case, texts):
    reported, raised = reports[0][case]
    (differing,) = reported["literals"]
    assert all(part in text for part, text in zip(texts, differing))
    assert raised["texts"] == differing


def test_the_name_of_a_group_is_a_literal(reports):
    reported, raised = reports[0]["group"]
    assert reported["collectives"] == 1 and len(reported["literals"]) == 1
    assert "error" in raised


@pytest.mark.parametrize(
    ("case", "parts"),
    [
        ("other operation", ["torch.add(x, 1)", "torch.mul(x, 1)"]),
        ("one statement more", ["return (x,)", "exp"]),
        ("reduction", ["'sum'", "'max'"]),
        ("order", ["all_reduce", "all_gather_into_tensor"]),
        ("shape", ["[2, 3]", "[3, 3]"]),
    ],
)
def test_a_divergence_raises_on_both_with_the_first_statement(reports, case, parts):
    for report in reports:
        for found in report[case]:
            assert "do not run the same program" in found["error"]
            assert all(part in text for part, text in zip(parts, found["texts"]))
            assert all(part in found["error"] for part in parts)


def test_the_backend_compares_before_it_compiles(reports):
    for report in reports:
        assert report["option"] == [{"equal": True}] * 2
        for found in report["option, diverging"]:
            assert found["error"].startswith("RankError: the ranks do not run the same")
            assert "softmax" in found["error"]


def test_pieces_are_compared_as_well(reports):
    reported, raised = reports[0]["captured"]
    assert len(reported["literals"]) == 1
    assert "error" in raised

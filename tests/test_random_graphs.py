"""Random graphs mean the same generated as interpreted, bit for bit."""

from __future__ import annotations

from random import Random

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.random_graphs import RandomGraph
from support.running import run_graph


@settings(
    deadline=None,
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.randoms(use_true_random=False))
def test_a_random_graph_means_what_the_interpreter_makes_of_it(random: Random) -> None:
    drawn = RandomGraph(random)
    module = drawn.module()
    inputs = [torch.arange(3.0) - 1.5 * index for index in range(drawn.inputs)]
    run_graph(module, *inputs)

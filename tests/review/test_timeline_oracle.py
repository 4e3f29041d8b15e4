"""Curves against the memory that is there while the programs run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch
from support.measured_memory import Run, Weighed, measured, reachable
from support.memory_models import Attending, Borrowing, Dropping, Sharing, Wandering
from torch import fx

import astgen
from astgen.backend import compile_graph, parse_options
from astgen.cli.demo import decoder
from astgen.program import Program
from astgen.provenance.document import read_provenance
from astgen.review.programs import ReadProgram
from astgen.review.timeline import Timelines, curves, timelines


@dataclass
class Built:
    """A program of a model, and its calls.

    Attributes:
        program: The program.
        function: What runs.
        model: What it was made of.
        calls: The arguments of each call, with the symbols as these bind them.
        pieces: The graphs of its pieces.
    """

    program: Program
    function: Callable[..., Any]
    model: torch.nn.Module
    calls: list[tuple[list[Any], dict[str, int]]] = field(default_factory=list)
    pieces: dict[str, fx.GraphModule] = field(default_factory=dict)

    def timelines(self) -> Timelines:
        assert self.program.provenance is not None
        program, said = self.program, read_provenance(self.program.provenance)
        read = ReadProgram(
            program.code, program.submod_names, profile="astgen-1", provenance=said
        )
        return timelines(read)

    def owned(self) -> list[torch.Tensor]:
        return [*self.model.parameters(), *self.model.buffers()]


def llama() -> torch.nn.Module:
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=96,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        use_cache=False,
        attn_implementation="sdpa",
    )
    return transformers.LlamaForCausalLM(config).eval()


def tokens(length: int) -> tuple[Any, ...]:
    made = torch.randint(96, (2, length))
    torch._dynamo.mark_dynamic(made, 1)
    return (made,)


def rows(length: int) -> tuple[Any, ...]:
    made = torch.randn(2, length, 8)
    torch._dynamo.mark_dynamic(made, 1)
    return (made,)


def shared(length: int) -> tuple[Any, ...]:
    x, matrix = torch.randn(length, 8), torch.randn(6, 3 * length + 1)
    torch._dynamo.mark_dynamic(x, 0)
    torch._dynamo.mark_dynamic(matrix, 1)
    return x, (torch.randn(8), matrix)


def parts(length: int) -> tuple[Any, ...]:
    base = torch.randn(2 * length + 3, 8)
    x, y = base[2 : 2 + length], base[1 : 1 + length, :4]
    z = torch.randn(length, 20)[:, :3]
    for one in (x, y, z):
        torch._dynamo.mark_dynamic(one, 0)
    return x, y, z


def five(length: int) -> tuple[Any, ...]:
    x, y = torch.randn(5, length), torch.randn(length)
    torch._dynamo.maybe_mark_dynamic(x, 1)
    torch._dynamo.maybe_mark_dynamic(y, 0)
    return x, y


Case = tuple[Callable[[], Any], Callable[[int], Any], list[str] | None]
LENGTHS = (12, 7, 31)
WHOLE: dict[str, Case] = {
    "decoder": (lambda: decoder()[0], tokens, None),
    "attending": (Attending, rows, None),
    "sharing": (Sharing, shared, None),
    "dropping": (lambda: Dropping().eval(), rows, None),
    "llama": (llama, tokens, None),
}
CUT: dict[str, Case] = {
    "decoder": (*WHOLE["decoder"][:2], []),
    "attending": (Attending, rows, ["baddbmm", "softmax", "bmm", "aten::bmm"]),
    "sharing": (Sharing, shared, ["cat", "stack", "mul_", "sort"]),
    "dropping": (*WHOLE["dropping"][:2], ["gelu", "dropout", "sin"]),
    "llama": (llama, tokens, []),
}
CASES = {
    **{f"{name}, whole": case for name, case in WHOLE.items()},
    **{f"{name}, cut": case for name, case in CUT.items()},
}
BUILT: dict[str, Built] = {}


@pytest.fixture(params=CASES)
def built(request: pytest.FixtureRequest) -> Built:
    return once(request.param)


def once(name: str) -> Built:
    if name not in BUILT:
        BUILT[name] = build(*CASES[name])
    return BUILT[name]


def build(
    make: Callable[[], Any], inputs: Callable[[int], Any], ops: list[str] | None
) -> Built:
    """The program of the first call, and the calls that it is for."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = make()
    found: list[Built] = []

    def backend(gm: fx.GraphModule, _: Any) -> Callable[..., Any]:
        found.append(made := compiled(gm, model, ops))
        named = [
            (str(node.meta["example_value"].node.expr), place)
            for place, node in enumerate(gm.graph.find_nodes(op="placeholder"))
            if isinstance(node.meta.get("example_value"), torch.SymInt)
        ]

        def call(*args: Any) -> Any:
            symbols = {name: args[place] for name, place in named}
            made.calls.append(([*args], symbols))
            return made.function(*args)

        return call

    run = torch.compile(model, backend=backend, fullgraph=True)
    with torch.no_grad():
        for length in LENGTHS:
            run(*inputs(length))
    torch._dynamo.reset()
    return found[0]


def compiled(gm: fx.GraphModule, model: Any, ops: list[str] | None) -> Built:
    if ops is None:
        program = astgen.generate(gm, provenance=True)
        return Built(program, program.compile({}), model)
    options = {"splitting_ops": ops} if ops else {}
    graph = compile_graph(gm, parse_options({**options, "provenance": True}))
    pieces = {name: graph.split.gm.get_submodule(name) for name in graph.pieces}
    return Built(graph.program, graph.function, model, pieces=pieces)


def runs(built: Built) -> Iterator[tuple[dict[str, int], list[Run]]]:
    functions = built.timelines().functions
    with torch.no_grad():
        for args, symbols in built.calls:
            yield symbols, measured(built.function, args, functions, built.owned())


def test_every_sample_is_what_lies_in_memory(built: Built) -> None:
    lines = built.timelines()
    peaks = set()
    for symbols, found in runs(built):
        computed = curves(lines, symbols)
        for run in found:
            curve = computed[run.name]
            assert curve.unit == "bytes" and curve.unknown == 0
            sums = run.sums()
            assert list(curve.samples) == sums
            assert (curve.peak, curve.peak_at) == (max(sums), sums.index(max(sums)))
        assert {run.name for run in found} == {*lines.functions}
        peaks.add(computed["execution_fn"].peak)
    assert len(peaks) == len(LENGTHS)


@pytest.mark.parametrize("ops", [None, ["sin", "matmul"]], ids=["whole", "cut"])
def test_inputs_may_share_memory(ops: list[str] | None) -> None:
    """Of what an input is a part of, a graph knows the size that it had once: none."""
    built = build(Borrowing, parts, ops)
    timelines = built.timelines()
    entry = timelines.functions["execution_fn"]
    unknown = {
        storage
        for lane in entry.lanes
        for storage in lane.storages
        if timelines.storages[storage][0] is None
    }
    assert unknown
    for symbols, found in runs(built):
        curve = curves(timelines, symbols)["execution_fn"]
        assert curve.unknown
        # What is on top of it is known to the byte.
        (run,) = [run for run in found if run.name == "execution_fn"]
        grown = {real - known for real, known in zip(run.sums(), curve.samples)}
        assert min(grown) >= 0 and len(grown) <= 2


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("is_cut", [False, True], ids=["whole", "cut"])
def test_random_steps_are_measured_as_well(seed: int, is_cut: bool) -> None:
    ops = ["add", "relu", "chunk", "add_", "clone", "cat"] if is_cut else None
    built = build(lambda: Wandering(seed, LENGTHS), five, ops)
    lines = built.timelines()
    for symbols, found in runs(built):
        computed = curves(lines, symbols)
        seen: set[str] = set()
        for run in found:
            # Calls that share a function may be of other sizes than the first one.
            if run.name not in seen:
                seen.add(run.name)
                assert list(computed[run.name].samples) == run.sums()
    for timeline in lines.functions.values():
        assert not [one for one in timeline.lanes if one.is_late or one.is_missing]


def test_what_an_inlined_function_needs_by_itself(built: Built) -> None:
    lines = built.timelines()
    for symbols, found in runs(built):
        computed = curves(lines, symbols)
        for run in found:
            function, statement = run.caller
            if function:
                assert computed[function].inside[statement] == run.own


@pytest.mark.parametrize("name", [*CUT])
def test_what_a_piece_needs_by_itself(name: str) -> None:
    built = once(f"{name}, cut")
    lines = built.timelines()
    weighed = {
        name: Weighed(graph, garbage_collect_values=True)
        for name, graph in built.pieces.items()
    }
    function = built.program.compile({name: one.run for name, one in weighed.items()})
    calls = [one for one in lines.functions["execution_fn"].calls]
    assert {one.name for one in calls if one.kind == "piece"} == {*weighed}
    for args, symbols in built.calls:
        with torch.no_grad():
            function(*args)
        inside = curves(lines, symbols)["execution_fn"].inside
        for one in calls:
            if one.kind == "piece":
                assert inside[one.statement] == weighed[one.name].peak
    assert any(one.peak for one in weighed.values())


def test_what_the_model_owns(built: Built) -> None:
    args, symbols = built.calls[0]
    entry = curves(built.timelines(), symbols)["execution_fn"]
    taken, owned = reachable(args), reachable(built.owned())
    assert entry.owned == sum(size for key, size in owned.items() if key in taken) > 0


def test_no_del_of_a_generated_program_is_late_or_missing(built: Built) -> None:
    for timeline in built.timelines().functions.values():
        assert not [one for one in timeline.lanes if one.is_late or one.is_missing]

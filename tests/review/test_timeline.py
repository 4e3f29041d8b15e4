"""The timelines of programs against going through them statement by statement."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from support.random_timelines import SYMBOLS, alive, program, simulate

from astgen.errors import InvalidProgramError
from astgen.provenance.model import (
    FunctionOrigins,
    Interval,
    Origin,
    PieceOrigins,
    Provenance,
    Storage,
    Value,
)
from astgen.provenance.sizes import OPERATORS
from astgen.review.programs import ReadProgram
from astgen.review.timeline import Curve, Lane, Timeline, as_data, curves, timelines

SEEDS = range(120)
HEAD = "import torch\nimport operator\n\n\n"


def entry(made: ReadProgram) -> Timeline:
    return timelines(made).functions["execution_fn"]


def curve(made: ReadProgram) -> Curve:
    return curves(timelines(made), SYMBOLS)["execution_fn"]


def written(*lines: str, given: str = "x") -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"{HEAD}def execution_fn({given}, *, __vllm_submods__):\n{body}\n"


def lanes(*lines: str, given: str = "x", profile: Any = "vllm-0.32") -> dict[str, Lane]:
    made = ReadProgram(written(*lines, given=given), profile=profile)
    return {one.name: one for one in entry(made).lanes}


def known(
    code: str,
    storages: list[Storage],
    values: dict[str, Value],
    pieces: dict[str, PieceOrigins] | None = None,
) -> ReadProgram:
    """A program with what its names are bound to, in all functions."""
    functions = {}
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef):
            origins = [
                (
                    Origin("node", values.get(ast.unparse(one.targets[0])))
                    if isinstance(one, ast.Assign)
                    else None
                )
                for one in node.body
            ]
            functions[node.name] = FunctionOrigins("", values, tuple(origins))
    said = Provenance({}, tuple(storages), functions, pieces or {})
    names = tuple(pieces) if pieces else None
    return ReadProgram(code, names, provenance=said)


# Against a simulation


@pytest.mark.parametrize("seed", SEEDS)
def test_a_curve_is_what_is_bound_after_each_statement(seed: int) -> None:
    made = program(seed)
    states = [sum(alive(made, bound).values()) for _, bound in simulate(made)]
    found = curve(made)
    assert found.samples == tuple(states)
    assert (found.peak, found.peak_at) == (max(states), states.index(max(states)))
    assert found.unknown == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_lanes_are_what_is_bound_and_held_what_is_reachable(seed: int) -> None:
    made = program(seed)
    timeline = entry(made)
    for place, (node, bound) in enumerate(simulate(made)):
        now = [one for one in timeline.lanes if one.span[0] <= place < one.span[1]]
        assert {(one.first, one.name) for one in now} == {*bound.values()}
        spans = [(one, *span) for one in timeline.held for span in one.spans]
        reached = {one.storage for one, first, end in spans if first <= place < end}
        assert reached == {storage for one in now for storage in one.storages}
        assert timeline.lines[place] == (node.lineno, node.end_lineno)
    for one in timeline.held:
        assert all(end < first for (_, end), (first, _) in pairwise(one.spans))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_last_use_is_the_last_statement_that_reads_a_value(seed: int) -> None:
    made = program(seed)
    last: dict[tuple[int, str], int] = {}
    bound: dict[str, tuple[int, str]] = {}
    for place, (node, after) in enumerate(simulate(made)):
        before = bound if place else {name: (-1, name) for name in after} | bound
        bound = after
        for below in ast.walk(node):
            if isinstance(below, ast.Name) and isinstance(below.ctx, ast.Load):
                # `torch` is read too; it is no value.
                last[before.get(below.id, (-1, below.id))] = place
    for one in entry(made).lanes:
        assert one.last_use == last.get((one.first, one.name), one.first)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_held_for_nothing(seed: int) -> None:
    made = program(seed)
    timeline = entry(made)
    body = [node for node, _ in simulate(made)]
    running = [
        place
        for place, node in enumerate(body)
        if isinstance(getattr(node, "value", None), (ast.Call, ast.Subscript))
    ]
    names = [one.name for one in timeline.lanes]
    end = len(body)
    wrong: dict[int, bool] = {}
    for place, one in enumerate(timeline.lanes):
        is_deleted = one.end < end
        behind = [at for at in running if one.last_use < at < one.end]
        is_used = one.first >= 0 or one.last_use >= 0 or is_deleted
        # A name that means two values is not asked for a `del`.
        is_only = names.count(one.name) == 1
        is_asked = is_deleted or one.first >= 0 or bool(one.storages)
        if behind and is_used and is_only and is_asked and not is_owned(one, made):
            wrong[place] = is_deleted
    for place, one in enumerate(timeline.lanes):
        assert one.is_late == (wrong.get(place) is True), one
        assert one.is_missing == (wrong.get(place) is False), one
        if place in wrong:
            assert {*one.needless} == needless(made, timeline, {*wrong}, one)
        else:
            assert one.needless == ()


def is_owned(one: Lane, made: ReadProgram) -> bool:
    assert made.provenance is not None
    owners = [made.provenance.storages[at].owner for at in one.storages]
    return one.first < 0 and bool(owners) and all(owners)


def needless(
    made: ReadProgram, timeline: Timeline, wrong: set[int], asked: Lane
) -> set[int]:
    """Storages of a lane that at some time no lane holds that is still needed."""
    assert made.provenance is not None
    found = set()
    for sample in range(asked.last_use + 1, asked.end):
        rightly = set()
        for place, one in enumerate(timeline.lanes):
            end = one.last_use + 1 if place in wrong else one.end
            if one.first <= sample < end:
                rightly |= {*one.storages}
        found |= {*asked.storages} - rightly
    return {at for at in found if not made.provenance.storages[at].owner}


# The data for pages


@pytest.mark.parametrize("seed", range(0, 120, 4))
def test_a_page_can_compute_the_same_from_the_data(seed: int) -> None:
    recompute_all(program(seed))


def test_a_page_can_compute_what_calls_need() -> None:
    recompute_all(called())
    made = called()
    recompute_all(ReadProgram(made.code, made.submod_names))


def recompute_all(made: ReadProgram) -> None:
    found = timelines(made)
    data = json.loads(json.dumps(as_data(found)))
    inner: dict[str, int] = {}
    for name, one in curves(found, SYMBOLS).items():
        (row,) = [row for row in data["functions"] if row["name"] == name]
        assert recompute(data, row, inner) == {
            "samples": list(one.samples),
            "owned": one.owned,
            "inside": [*one.inside],
            "needless": list(one.needless.values()),
        }


def size_of(size: Any) -> int:
    if isinstance(size, list):
        first, *rest = map(size_of, size[1:])
        for one in rest:
            first = OPERATORS[size[0]](first, one)
        return first
    return SYMBOLS[size] if isinstance(size, str) else size


def recompute(
    data: dict[str, Any], row: dict[str, Any], inner: dict[str, int]
) -> dict[str, list[int] | int]:
    """The curve of a function as the layout describes it, by its words alone."""
    count = len(row["lines"])
    is_bytes = row["unit"] == "bytes"
    sizes = [(size_of(size), owner) for size, owner in data["storages"]]
    rows = []
    if is_bytes:
        for storage, is_given, spans in row["held"]:
            size, owner = sizes[storage]
            pairs = zip(spans[::2], spans[1::2])
            rows += [(size, is_given, *pair) for pair in pairs if not owner]
    else:
        rows = [(1, one[1] == 1, one[2], one[4]) for one in row["lanes"] if one[1]]

    def sample(place: int, own: bool = False) -> int:
        return sum(
            size
            for size, is_given, first, end in rows
            if first <= place < end and not (own and is_given)
        )

    inside: list[Any] = [0] * count
    for statement, kind, name in row["calls"]:
        inside[statement] = inner.get(name) if kind == "function" else None
        if kind == "piece" and is_bytes:
            memory = data["pieces"][name][1]
            inside[statement] = max(
                sum(size_of(size) for size, a, b in memory if a <= node <= b)
                for node in range(20)
            )
    own = [0, *(sample(place, own=True) for place in range(count))]
    during = [before + (more or 0) for before, more in zip(own, inside)]
    inner[row["name"]] = max(own + during)
    owned = [sizes[one[0]] for one in row["held"]]
    return {
        "samples": [sample(place) for place in range(count)],
        "owned": (
            sum(size for size, owner in owned if owner)
            if is_bytes
            else sum(one[1] == 0 for one in row["lanes"])
        ),
        "inside": inside,
        "needless": [
            sum(sizes[at][0] for at in one[8]) if is_bytes else 1
            for one in row["lanes"]
            if one[5]
        ],
    }


# What a call needs by itself


def called() -> ReadProgram:
    code = (
        f"{HEAD}def __vllm_inlined_submods__1(a, *, __vllm_submods__):\n"
        "    b = torch.relu(a)\n"
        "    c = __vllm_submods__[0](b)\n"
        "    del b\n"
        "    return c\n\n\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    y = __vllm_submods__[0](x)\n"
        "    z = __vllm_inlined_submods__1(y, __vllm_submods__=__vllm_submods__)\n"
        "    del y\n"
        "    return (x, z)\n"
    )
    storages = [Storage(size) for size in (1, 10, 100, 1000, 10_000)]
    values = {name: Value("f32[1]", (place,)) for place, name in enumerate("xyabc")}
    values["z"] = values["c"]
    memory = [Interval(5, 0, 3), Interval(7, 4, 9), Interval(2, 3, 4)]
    return known(code, storages, values, {"submod_0": PieceOrigins(3, tuple(memory))})


def test_what_calls_need_by_themselves_stands_apart() -> None:
    found = curves(timelines(called()), {})
    inner, outer = found.values()
    # Nodes 0 to 9 of the piece need 5 5 5 7 9 7 7 7 7 7.
    assert inner.inside == (0, 9, 0, 0)
    assert inner.samples == (1100, 11_100, 10_100, 10_100)
    # Without `a`; while the piece runs, `b` is there.
    assert outer.inside == (9, 11_000, 0, 0)
    assert outer.samples == (11, 10_011, 10_001, 10_001)


def test_what_is_not_known_of_calls_is_said() -> None:
    made = called()
    nameless = ReadProgram(made.code, None, provenance=made.provenance)
    assert curve(nameless).inside == (None, 11_000, 0, 0)
    bare = curve(ReadProgram(made.code, made.submod_names))
    assert bare.unit == "values"
    assert bare.samples == (2, 3, 2, 2)
    assert bare.inside == (None, 2, 0, 0)


def test_a_piece_in_a_function_may_need_more_than_its_values() -> None:
    made = called()
    assert made.provenance is not None
    large = PieceOrigins(1, (Interval(50_000, 0, 0),))
    said = replace(made.provenance, pieces={"submod_0": large})
    outer = curve(replace(made, provenance=said))
    # Beside what the piece needs there is `b`.
    assert outer.inside == (50_000, 51_000, 0, 0)


# Without provenance, and with part of it


def test_without_provenance_values_are_counted() -> None:
    owned = "L_self_modules_up_parameters_weight_"
    lines = ["y = torch.mm(x, w)", "del x", "z = torch.relu(y)", "return z"]
    made = ReadProgram(written(*lines, given=f"x, {owned}").replace("w)", f"{owned})"))
    found = curve(made)
    assert (found.unit, found.samples) == ("values", (2, 1, 2, 2))
    assert (found.owned, found.unknown) == (1, 2 + 1)
    kinds = [one.kind for one in entry(made).lanes]
    assert kinds == ["input", "parameter", "value", "value"]


def test_values_of_unknown_size_are_told() -> None:
    code = written("y = torch.relu(x)", "z = torch.relu(y)", "return (y, z)")
    storages = [Storage(4), Storage(None)]
    values = {"x": Value("f32[1]", (0,)), "y": Value("f32[?]", (1,))}
    made = known(code, storages, values)
    found = curve(made)
    assert (found.samples, found.unknown) == ((4, 4, 4), 2)
    (row,) = as_data(timelines(made))["functions"]
    assert [one[7] for one in row["lanes"]] == [[0], [1], None]


def test_origins_of_another_text_are_not_taken() -> None:
    code = written("y = torch.relu(x)", "return y")
    made = known(code, [Storage(4)], {"x": Value("", (0,)), "y": Value("", (0,))})
    longer = written("y = torch.relu(x)", "del x", "return y")
    assert curve(ReadProgram(longer, provenance=made.provenance)).unit == "values"


def test_a_part_is_what_is_put_together_and_not_what_takes_it() -> None:
    lines = ["part = [x, [w, 1]]", "y = torch.cat(part, dim=-1)", "del part, x, w"]
    code = written(*lines, "return y", given="x, w")
    storages = [Storage(1), Storage(10), Storage(100)]
    values = {name: Value("f32[1]", (at,)) for at, name in enumerate(["x", "w", "y"])}
    # Both lines were made of one node.
    made = known(code, storages, {**values, "part": values["y"]})
    found = curve(made)
    assert (found.samples, found.unknown) == ((11, 111, 100, 100), 0)
    assert not any(one.is_late or one.is_missing for one in entry(made).lanes)


def test_what_is_put_together_is_told_from_what_is_computed() -> None:
    code = written("y = [x, -1]", "z = -x", "return (y, z)")
    found = timelines(known(code, [Storage(4)], {"x": Value("f32[1]", (0,))}))
    lanes = found.functions["execution_fn"].lanes
    assert [one.storages for one in lanes] == [(0,), (0,), ()]
    assert [one.is_known for one in lanes] == [True, True, False]


def test_parts_of_parts_do_not_fill_the_memory() -> None:
    count = 1500
    given = [f"x{number}" for number in range(count)]
    lines = [f"part_{at} = [part_{at - 1}, x{at}]" for at in range(1, count)]
    code = written("part_0 = [x0]", *lines, "return 1", given=", ".join(given))
    storages = [Storage(1)] * count
    values = {name: Value("", (at,)) for at, name in enumerate(given)}
    timeline = entry(known(code, storages, values))
    assert sum(len(one.storages) for one in timeline.lanes) <= 1_000_000 + count
    assert timeline.lanes[count + 1000].is_known
    assert not timeline.lanes[-1].is_known


def test_what_is_not_generated_code_is_refused() -> None:
    with pytest.raises(InvalidProgramError):
        timelines(ReadProgram("import os\nos.system('true')\n"))


# Dels that are late or missing, and those that only look so


def wasteful(found: dict[str, Lane]) -> tuple[str, ...]:
    return tuple(
        f"{name} {'late' if one.is_late else 'missing'}"
        for name, one in found.items()
        if one.is_late or one.is_missing
    )


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["y = torch.relu(x)", "del x", "z = torch.relu(y)", "del y", "return z"], ()),
        (["y = torch.relu(x)", "z = torch.relu(y)", "del x, y", "return z"], ("x late",)),
        (["y = torch.relu(x)", "del x", "z = torch.relu(1)", "return z"], ("y missing",)),
        (["y = torch.relu(x)", "del x", "return torch.relu(1)"], ("y missing",)),
        # The value of a return lives to the end, and so may what is read right before.
        (["y = torch.relu(x)", "z = torch.relu(1)", "return (x, y, z)"], ()),
        (["y = torch.relu(x)", "return y"], ()),
        # A tuple is there for its items.
        (["y = torch.chunk(x, 2)", "del x", "a = y[0]", "b = y[1]", "return (a, b)"], ()),
        (
            ["y = torch.chunk(x, 2)", "del x", "a = y[0]", "b = torch.neg(a)", "return b"],
            ("y missing",),
        ),
        # Constants hold what the program holds anyway.
        (["c = 4", "y = torch.add(x, c)", "del x", "z = torch.relu(y)", "return z"],
         ()),
        (["c = __vllm_consts__[0]", "y = torch.add(x, c)", "y = torch.relu(y)",
          "del c, x", "return y"], ("x late",)),
        # What the next statement takes is not used before it.
        (["part = (x, 1)", "y = torch.add(part)", "del part, x", "return y"], ()),
        (["y = torch.add(x, 1)", "part = (x, y)", "z = torch.add(part)", "del x",
          "return (y, z)"], ()),
    ],
)  # fmt: skip
def test_dels_are_late_or_missing(lines: list[str], expected: tuple[str, ...]) -> None:
    assert wasteful(lanes(*lines)) == expected


def test_weights_need_no_del() -> None:
    owned = "L_self_modules_up_parameters_weight_"
    late = ["y = torch.mm(x, w)", "del x", "z = torch.relu(y)", "del y, w", "return z"]
    text = [line.replace("w", owned) for line in late]
    assert wasteful(lanes(*text, given=f"x, {owned}")) == ()
    missing = [line.replace(f", {owned}", "") for line in text[1:]]
    text = [text[0], *missing]
    assert wasteful(lanes(*text, given=f"x, {owned}")) == ()


def test_what_a_parameter_holds_decides_if_it_is_known() -> None:
    """astgen deletes no weights and no numbers; of the others it misses none."""
    lines = ["y = torch.add(x, n)", "z = torch.relu(y)", "del y", "return z"]
    code = written(*lines, given="x, n")
    storages = [Storage(4), Storage(8), Storage(8)]
    values = {"x": (0,), "n": (), "y": (1,), "z": (2,)}
    made = known(code, storages, {key: Value("", at) for key, at in values.items()})
    assert wasteful({one.name: one for one in entry(made).lanes}) == ("x missing",)
    assert curve(made).needless == {0: 4}
    assert wasteful(lanes(*lines, given="x, n", profile="astgen-1")) == ()


def test_a_view_that_is_needed_keeps_the_storage() -> None:
    lines = ["v = torch.t(x)", "y = torch.relu(v)", "z = torch.neg(y)", "return (z, v)"]
    code = written(*lines)
    values = {"x": (0,), "v": (0,), "y": (1,), "z": (2,)}
    made = known(
        code, [Storage(4)] * 3, {key: Value("", at) for key, at in values.items()}
    )
    found = {one.name: one for one in entry(made).lanes}
    assert found["x"].is_missing and found["x"].needless == ()
    assert curve(made).needless == {0: 0}

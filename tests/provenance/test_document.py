"""The document says what the provenance is, and no bytes do more than be refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from support.captured import capture
from support.graphs import graph, module

import astgen
from astgen.errors import ArtifactError
from astgen.provenance import Provenance, read_provenance, write_provenance
from astgen.provenance.document import MOST_BYTES
from astgen.provenance.model import (
    FunctionOrigins,
    Interval,
    Origin,
    PieceOrigins,
    Source,
    Storage,
    Symbol,
    Value,
)

_TEXTS = st.text(max_size=6) | st.sampled_from(["\ud800", "\x00\n", "x" * 300])
_NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)
_NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)
_SIZES = st.recursive(
    _NUMBERS | _NAMES,
    lambda inner: st.tuples(st.sampled_from(["+", "//", "max"]), inner, inner),
    max_leaves=5,
)


@st.composite
def provenances(draw: Callable[[Any], Any]) -> Provenance:
    symbols = draw(
        st.lists(
            st.builds(Symbol, _NAMES, st.none() | _NUMBERS, _NUMBERS, st.none()),
            max_size=3,
            unique_by=lambda one: one.name,
        )
    )
    storages = draw(
        st.lists(st.builds(Storage, st.none() | _SIZES, _TEXTS), max_size=4)
    )
    places = st.lists(st.sampled_from(range(len(storages))), unique=True, max_size=3)
    values = st.builds(Value, _TEXTS, places.map(tuple) if storages else st.just(()))
    sources = st.builds(Source, _TEXTS, _NUMBERS, _TEXTS, _TEXTS)
    origins = st.builds(Origin, _TEXTS, st.none() | values, _TEXTS, st.none() | sources)
    functions = st.builds(
        FunctionOrigins,
        _TEXTS,
        st.dictionaries(_TEXTS, values, max_size=3),
        st.lists(st.none() | origins, max_size=5).map(tuple),
    )
    intervals = st.builds(
        lambda size, first, more: Interval(size, first, first + more),
        st.none() | _SIZES,
        st.integers(0, 1 << 40),
        st.integers(0, 1 << 40),
    )
    pieces = st.builds(
        PieceOrigins,
        st.integers(0, 1 << 40),
        st.lists(intervals, max_size=3).map(tuple),
        _TEXTS,
    )
    return Provenance(
        {one.name: one for one in symbols},
        tuple(storages),
        draw(st.dictionaries(_TEXTS, functions, max_size=3)),
        draw(st.dictionaries(_TEXTS, pieces, max_size=3)),
    )


@settings(deadline=None)
@given(provenances())
def test_what_is_written_is_read_again(provenance: Provenance) -> None:
    data = write_provenance(provenance)
    assert data.isascii()
    again = read_provenance(data)
    assert again == provenance
    assert write_provenance(again) == data


@settings(deadline=None)
@given(provenances(), st.randoms(use_true_random=False))
def test_equal_provenances_give_equal_bytes(said: Provenance, random: Any) -> None:
    def mixed(content: Any) -> dict[Any, Any]:
        items = list(content.items())
        random.shuffle(items)
        return dict(items)

    functions = {
        name: FunctionOrigins(one.path, mixed(one.parameters), one.statements)
        for name, one in mixed(said.functions).items()
    }
    other = Provenance(
        mixed(said.symbols), said.storages, functions, mixed(said.pieces)
    )
    assert other == said
    assert write_provenance(other) == write_provenance(said)


def model(x: torch.Tensor, w: torch.Tensor) -> Any:
    y = torch.relu(x @ w).view(-1)
    return y[: x.shape[0]], y.sum()


@cache
def real() -> bytes:
    """The document of a captured graph with symbols and a child."""
    gm, inputs = capture(model, torch.ones(4, 6), torch.ones(6, 6), dynamic=True)
    outer = graph(
        lambda g, *given: g.call_module("child", given),
        *(f"x{number}" for number in range(len(inputs))),
        root=module(child=gm),
    )
    data = astgen.generate(outer, provenance=True).provenance
    assert data is not None
    return data


def judged(data: bytes) -> bool:
    """Whether bytes are taken; then they are a provenance, which can be written."""
    try:
        found = read_provenance(data)
    except ArtifactError as error:
        assert error.reason
        return False
    assert read_provenance(write_provenance(found)) == found
    return True


def test_a_real_document_is_canonical() -> None:
    known = read_provenance(real())
    assert known.symbols and known.storages and known.functions
    assert write_provenance(known) == real()


def test_no_part_of_a_document_is_one() -> None:
    data = real()
    assert not any(judged(data[:length]) for length in range(len(data)))


def test_flipped_bytes() -> None:
    data, random = real(), Random(5)
    for _ in range(3000):
        damaged = bytearray(data)
        for _ in range(random.randint(1, 3)):
            damaged[random.randrange(len(data))] ^= 1 << random.randrange(8)
        judged(bytes(damaged))


_VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    -2,
    1 << 70,
    10**4000,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "s0",
    [],
    {},
    [[]],
    ["*", 1],
    ["*", "s0", ["*", 1, 2]],
]


def paths(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value in a document."""
    yield path
    if isinstance(content, (dict, list)):
        keys = content if isinstance(content, dict) else range(len(content))
        for key in keys:
            yield from paths(content[key], (*path, key))


def changed(content: Any, path: tuple[Any, ...], random: Random) -> Any:
    """A document with one value replaced, dropped, or there twice."""
    made = copy.deepcopy(content)
    parent = made
    for key in path[:-1]:
        parent = parent[key]
    kind = random.randrange(4)
    if kind == 0:
        del parent[path[-1]]
    elif kind == 1 and isinstance(parent, list):
        parent.insert(path[-1], parent[path[-1]])
    else:
        parent[path[-1]] = random.choice(_VALUES)
    return made


def test_changed_documents() -> None:
    content, random = json.loads(real()), Random(6)
    places = [path for path in paths(content) if path]
    taken = 0
    for _ in range(4000):
        made = changed(content, random.choice(places), random)
        taken += judged(json.dumps(made).encode())
    assert 0 < taken < 2000


@pytest.mark.parametrize("value", [True, False, 0.0, 1e400, float("nan"), 1 << 63])
def test_no_number_but_an_integer_of_63_bits(value: Any) -> None:
    content = json.loads(real())
    numbers = [
        path
        for path in paths(content)
        if path and type(_at(content, path)) is int and path[0] != "storages"
    ]
    assert len(numbers) > 20
    for path in numbers:
        made = copy.deepcopy(content)
        _at(made, path[:-1])[path[-1]] = value
        assert not judged(json.dumps(made).encode()), path


def _at(content: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        content = content[key]
    return content


_MANY = 1_000_000


@pytest.mark.parametrize(
    "field",
    [
        '"types": [%s]' % ",".join(['""'] * _MANY),
        '"types": [%s]' % ",".join(["[]"] * _MANY),
        '"storages": [[["*", %s], ""]]' % ",".join(["9" * 18] * _MANY),
        '"symbols": [["s", %s, 0, null]]' % ("9" * 4000),
        '"symbols": [["s", %s, 0, null]]' % ("9" * 100_000),
        '"symbols": [["s", 1, 0, null], ["s", 2, 0, null]]',
        '"storages": %s1%s' % ("[" * 10_000, "]" * 10_000),
        '"storages": %s' % ("[" * 1_000_000),
        '"types": ["a"], "types": ["b"]',
        '"pieces": {"p": [1, [[8, 3, 2]], ""]}',
        '"pieces": {"p": [1, [[8, -1, 2]], ""]}',
        '"pieces": {"p": [-1, [], ""]}',
        '"functions": {"f": {"path": "", "parameters": {"x": [-1, []]}, '
        '"statements": []}}',
        '"types": ["t"], "storages": [[1, ""]], "functions": {"f": {"path": "", '
        '"parameters": {"x": [0, [0, 0]]}, "statements": []}}',
    ],
    ids=lambda one: one[:30],
)
def test_documents_that_ask_for_too_much(field: str) -> None:
    usual = {
        "version": 1,
        "symbols": [],
        "storages": [],
        "types": [],
        "modules": [],
        "sources": [],
        "functions": {},
        "pieces": {},
    }
    text = json.dumps(usual)
    for name in usual:
        if f'"{name}":' in field:
            text = text.replace(f'"{name}": {json.dumps(usual[name])}, ', "")
            text = text.replace(f', "{name}": {json.dumps(usual[name])}', "")
    is_many = field.startswith('"types": ["",')
    assert judged(f"{text[:-1]}, {field}}}".encode()) is is_many


def test_a_document_has_a_largest_size() -> None:
    with pytest.raises(ArtifactError, match="the limit is") as caught:
        read_provenance(b" " * (MOST_BYTES + 1))
    assert caught.value.rule == "AG005"


@pytest.mark.parametrize("version", [0, 2, -1, "1", None])
def test_another_version_is_not_read(version: Any) -> None:
    content = {**json.loads(real()), "version": version}
    assert not judged(json.dumps(content).encode())

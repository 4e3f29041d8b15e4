"""Names of functions and classes: what is listed, and what leads where."""

from __future__ import annotations

import builtins
import math
import operator
import sys
import types
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from astgen.check.paths import methods, torch_paths
from astgen.errors import ArtifactError, ConstantError
from astgen.store.codec import DecodePolicy, decode, encode
from astgen.store.codec.listed import (
    ATTRIBUTES,
    CALLABLES,
    KEYWORD_OPERATORS,
    METHODS,
)
from support import things

DANGEROUS = """
    __import__ ascii breakpoint bytearray bytes classmethod compile delattr dir eval exec
    filter format getattr globals hasattr hash help id input isinstance issubclass iter
    locals map max memoryview min next object open print property repr setattr sorted
    staticmethod str super type vars
""".split()


def loaded(name: str, *modules: str) -> Any:
    document = {"slots": [{"name": name}], "storages": [], "version": 1}
    (value,) = decode(document, {}, DecodePolicy(modules=frozenset(modules)))
    return value


@pytest.mark.parametrize("name", sorted(CALLABLES))
def test_what_is_listed_is_what_it_is_called(name: str) -> None:
    module, _, path = name.partition(":")
    expected = getattr(sys.modules[module], path, None)
    if expected is None:
        # Newer than this Python, or older than this numpy.
        with pytest.raises(ArtifactError):
            loaded(name)
    elif encode([expected]).document["slots"] == [{"name": name}]:
        assert loaded(name) is expected
    else:
        assert name in ("numpy:bool_", "numpy:bool")


@pytest.mark.parametrize("name", DANGEROUS)
def test_builtins_that_reach_further_are_not_listed(name: str) -> None:
    assert f"builtins:{name}" not in CALLABLES
    assert hasattr(builtins, name) or name == "help"


def test_the_checkers_paths_are_names() -> None:
    roots = {"torch": torch, "operator": operator}
    for path in sorted(torch_paths())[::40]:
        root, _, rest = path.partition(".")
        try:
            expected = operator.attrgetter(rest)(roots[root])
        except AttributeError:
            continue
        (form,) = encode([expected]).document["slots"]
        assert loaded(form["name"]) is expected
        assert encode([expected]).needs == ()


def test_functions_that_call_themselves_otherwise_are_still_found() -> None:
    assert encode([operator.add]).document["slots"] == [{"name": "operator:add"}]
    assert operator.add.__module__ == "_operator"
    assert encode([torch.relu]).document["slots"] == [{"name": "torch:relu"}]


def test_listed_attributes_lead_to_no_code() -> None:
    tensor = torch.ones(2, 2)
    subjects = [
        *(
            tensor,
            tensor.dtype,
            tensor.device,
            tensor.layout,
            torch.finfo(tensor.dtype),
        ),
        *(torch.Size([1]), torch.max(tensor, 0), slice(1), range(2), 1, 1.5, 1j, "x"),
        *(b"x", [1], (1,), {1: 1}, {1}, np.ones(2), np.float32(1), np.dtype("f4")),
        *(math.floor, things.scale, things, things.Config(1, "n"), things.Colour.RED),
        *(types.SimpleNamespace(), torch.nn.Linear(1, 1), torch.Generator(), print),
    ]
    code = (ModuleType, types.FunctionType, types.CodeType, types.FrameType)
    for subject in subjects:
        for name in ATTRIBUTES - methods():
            try:
                value = getattr(subject, name, None)
            except (RuntimeError, ValueError):
                # Real numbers have no imaginary parts, vectors no transpose.
                continue
            if not isinstance(subject, torch.nn.Module):
                assert not isinstance(value, code), (subject, name)


class Watched:
    """Notes what is asked of it, and does nothing that was not listed for it."""

    def __init__(self) -> None:
        self.called = False

    def __call__(self, *args: Any, **kwargs: Any) -> int:
        self.called = True
        return 0


def _results(function: Any, argument: Any) -> None:
    """Call a function in many ways with the one argument in every place."""
    ways: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        *(((argument,) * count, {}) for count in range(1, 4)),
        *((([1, 2],) + (argument,) * count, {}) for count in range(3)),
        *(
            (([1, 2],), {name: argument})
            for name in ("key", "default", "start", "func")
        ),
        *(((text, argument), {}) for text in ("ab", b"ab", 3, 2.5, (1,), {1: 2}, {1})),
        ((argument, [1, 2]), {}),
        ((argument, argument, argument), {"key": argument}),
    ]
    for args, kwargs in ways:
        try:
            made = function(*args, **kwargs)
            if hasattr(made, "__next__"):
                next(made, None)
        except Exception:
            continue


@pytest.mark.parametrize("name", sorted(CALLABLES | {f"method {m}" for m in METHODS}))
def test_what_is_listed_calls_nothing_that_it_is_given(name: str) -> None:
    if name.startswith("method "):
        owner, _, own = name.removeprefix("method ").partition(".")
        function = vars(getattr(builtins, owner)).get(own)
    else:
        module, _, path = name.partition(":")
        function = getattr(sys.modules[module], path, None)
    watched = Watched()
    if function is not None and "pytree" not in name:
        _results(function, watched)
    assert not watched.called


@pytest.mark.parametrize("function", [max, min, sorted, list.sort, map, filter, iter])
def test_the_look_at_calls_sees_what_it_is_there_for(function: Any) -> None:
    watched = Watched()
    _results(function, watched)
    assert watched.called


def test_listed_methods_are_there() -> None:
    for name in METHODS:
        owner, _, own = name.partition(".")
        value = getattr(getattr(builtins, owner), own)
        (form,) = encode([value]).document["slots"]
        assert form == {"method": [owner, own]}
        assert decode({"slots": [form], "storages": [], "version": 1}, {}) == [value]


@pytest.mark.parametrize(
    "method",
    [
        *(str.format, str.format_map, str.encode, bytes.decode, str.translate),
        *(list.__getattribute__, list.__init__, set.__reduce__, tuple.__hash__),
        *(
            str.__repr__,
            int.__format__,
            torch.Tensor.backward,
            torch.Tensor.register_hook,
        ),
    ],
    ids=lambda method: method.__qualname__,
)
def test_methods_that_reach_further_are_not_listed(method: Any) -> None:
    try:
        encoded = encode([method])
    except ConstantError:
        return
    # Functions in Python are loaded where they are allowed by name.
    assert encoded.needs and "name" in encoded.document["slots"][0]
    with pytest.raises(ArtifactError):
        decode(encoded.document, {})


@pytest.mark.parametrize(
    "parts",
    [
        ["torch._tensor", "backward"],
        ["torch._tensor", "add"],
        ["torch._tensor", "__class__"],
        ["torch._tensor", ""],
        ["torch._tensor", "__rdiv__"],
        ["str", "format"],
        ["type", "mro"],
    ],
)
def test_no_other_method_is_loaded(parts: list[str]) -> None:
    document = {"slots": [{"method": parts}], "storages": [], "version": 1}
    with pytest.raises(ArtifactError):
        decode(document, {})


def test_no_listed_name_is_a_dunder_or_private() -> None:
    assert not [name for name in ATTRIBUTES if name.startswith("_")]
    assert not [name for name in CALLABLES if ":_" in name]


def test_operators_named_like_keywords_exist() -> None:
    for name in KEYWORD_OPERATORS:
        namespace, operator_name, overload = name.split(".")
        packet = getattr(getattr(torch.ops, namespace), operator_name)
        assert getattr(packet, overload).name() == f"aten::{operator_name}.{overload}"


def test_a_function_that_was_replaced_is_refused() -> None:
    original = things.scale
    try:
        things.scale = lambda x: x
        with pytest.raises(ConstantError, match="not where this is found"):
            encode([original])
    finally:
        things.scale = original


def test_a_name_has_to_be_that_of_the_function() -> None:
    things.other_name = things.scale  # type: ignore[attr-defined]
    try:
        with pytest.raises(ArtifactError, match="calls itself"):
            loaded(f"{things.__name__}:other_name", things.__name__)
    finally:
        del things.other_name  # type: ignore[attr-defined]


def test_what_a_module_only_imported_is_not_its_own() -> None:
    assert things.Any is not None
    for name in ("Any", "torch", "library", "NamedTuple"):
        with pytest.raises(ArtifactError):
            loaded(f"{things.__name__}:{name}", things.__name__)


def test_a_modules_getattr_does_not_run() -> None:
    module = ModuleType("lazy_module")
    asked: list[str] = []
    module.__getattr__ = asked.append  # type: ignore[method-assign]
    sys.modules["lazy_module"] = module
    try:
        with pytest.raises(ArtifactError, match="there is no lazy_module:anything"):
            loaded("lazy_module:anything", "lazy_module")
    finally:
        del sys.modules["lazy_module"]
    assert asked == []

"""Code of classes that is reached from behind: metaclasses, comparisons, combinations."""

from __future__ import annotations

import abc
import collections
import dataclasses
import enum
from collections.abc import Iterator
from typing import Any

import pytest

from astgen.errors import ArtifactError, ConstantError
from astgen.store.codec import DecodePolicy, decode, encode

HERE = __name__
RAN: list[str] = []
ALLOWED = DecodePolicy(modules=frozenset({HERE}))


class Number(int):
    def __new__(cls, value: Any) -> Any:
        RAN.append("__new__")
        return super().__new__(cls, value)


class Mixed(Number, enum.Flag):
    A = 1
    B = 2


class Compared(enum.Flag):
    A = 1
    B = 2
    AB = 3

    def __eq__(self, other: object) -> bool:
        RAN.append("__eq__")
        return self is other

    __hash__ = enum.Enum.__hash__


class Iterated(enum.Flag):
    A = 1
    B = 2


def _iter_member(value: int) -> Iterator[Any]:
    RAN.append("_iter_member_")
    return iter(Iterated)


def _create(value: int) -> Any:
    RAN.append("_create_pseudo_member_")
    return Iterated.A


# What these are called depends on the Python.
setattr(Iterated, "_iter_member_", _iter_member)
setattr(Iterated, "_create_pseudo_member_", _create)


class Key(enum.Enum):
    A = 1
    B = 2

    def __eq__(self, other: object) -> bool:
        RAN.append("__eq__")
        return self is other

    __hash__ = enum.Enum.__hash__


class IntKey(enum.IntEnum):
    A = 1
    B = 2

    def __eq__(self, other: object) -> bool:
        RAN.append("__eq__")
        return True

    __hash__ = int.__hash__


class Pair(collections.namedtuple("Pair", "x y")):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        RAN.append("__eq__")
        return True

    __hash__ = tuple.__hash__


class Walked(collections.namedtuple("Walked", "x y")):
    __slots__ = ()

    def __iter__(self) -> Any:
        RAN.append("__iter__")
        return iter(())


class Meta(type):
    def __getattribute__(cls, name: str) -> Any:
        if name not in ("__class__", "__name__"):
            RAN.append(name)
        return super().__getattribute__(name)


class EnumMeta(enum.EnumMeta):
    def __getattribute__(cls, name: str) -> Any:
        RAN.append(name)
        return super().__getattribute__(name)


@dataclasses.dataclass
class Watched(metaclass=Meta):
    x: int = 0

    @dataclasses.dataclass
    class Inside:
        x: int = 0


class WatchedEnum(enum.Enum, metaclass=EnumMeta):
    A = 1


@dataclasses.dataclass
class Abstract(abc.ABC):
    x: int = 0


def document(form: Any) -> dict[str, Any]:
    return {"slots": [form], "storages": [], "version": 1}


@pytest.mark.parametrize("name", ["Mixed", "Compared", "Iterated"])
def test_flags_are_combined_by_no_code_of_their_class(name: str) -> None:
    RAN.clear()
    for policy in (DecodePolicy(), ALLOWED):
        with pytest.raises(ArtifactError, match="standard kind"):
            decode(document({"flags": [f"{HERE}:{name}", 3]}), {}, policy)
    assert RAN == []


def test_a_combination_that_would_not_be_loaded_is_not_stored() -> None:
    with pytest.raises(ConstantError, match="no plain combination"):
        encode([Mixed.A | Mixed.B])


@pytest.mark.parametrize("kind", ["dict", "set"])
@pytest.mark.parametrize(
    "form",
    [
        *({"enum": [f"{HERE}:{name}", "A"]} for name in ("Key", "IntKey")),
        {"namedtuple": [f"{HERE}:Pair", [1, 2]]},
        {"tuple": [{"namedtuple": [f"{HERE}:Pair", [1, 2]]}]},
    ],
    ids=str,
)
def test_keys_and_items_are_compared_by_no_code_of_their_class(
    form: Any, kind: str
) -> None:
    forms = [[1, 0], [form, 0]] if kind == "dict" else [1, form]
    RAN.clear()
    with pytest.raises(ArtifactError, match="is a key or an item"):
        decode(document({kind: forms}), {}, ALLOWED)
    assert RAN == []


@pytest.mark.parametrize("key", [Key.A, IntKey.A, Pair(1, 2), (Pair(1, 2),)], ids=str)
def test_such_keys_are_not_stored(key: Any) -> None:
    with pytest.raises(ConstantError, match="code of"):
        encode([{key: 1}])


def test_a_tuple_is_walked_by_no_code_of_its_class() -> None:
    form = {"namedtuple": [f"{HERE}:Walked", [{"list": []}, 2]]}
    RAN.clear()
    with pytest.raises(ArtifactError, match="is a key or an item"):
        decode(document({"dict": [[form, 0]]}), {}, ALLOWED)
    assert RAN == []


@pytest.mark.parametrize(
    "form",
    [
        {"object": [f"{HERE}:Watched", [["x", 1]]]},
        {"enum": [f"{HERE}:WatchedEnum", "A"]},
    ],
    ids=str,
)
def test_no_code_of_a_metaclass_runs(form: Any) -> None:
    RAN.clear()
    with pytest.raises(ArtifactError, match="a metaclass") as caught:
        decode(document(form), {})
    assert RAN == [] and caught.value.rule == "AG306"
    assert decode(document(form), {}, ALLOWED)


def test_a_name_leads_through_a_class_without_its_metaclass() -> None:
    RAN.clear()
    (made,) = decode(document({"object": [f"{HERE}:Watched.Inside", [["x", 1]]]}), {})
    assert RAN == [] and type(made).__name__ == "Inside"


def test_an_abstract_class_is_as_good_as_another() -> None:
    assert decode(encode([Abstract(1)]).document, {}) == [Abstract(1)]

"""Classes of data: none of their code runs, and texts can reach none of it later."""

from __future__ import annotations

import collections
import dataclasses
import enum
from typing import Any

import pytest

from astgen.errors import ArtifactError, ConstantError
from astgen.store.codec import DecodePolicy, decode, encode
from support import things

HERE = __name__
RAN: list[str] = []
ALLOWED = DecodePolicy(modules=frozenset({HERE}))


def note(name: str) -> None:
    RAN.append(name)


@dataclasses.dataclass
class Loud:
    """Runs code wherever it can, and is inert all the same."""

    count: int
    items: list[int] = dataclasses.field(default_factory=list)

    def __new__(cls, *_: Any, **__: Any) -> Any:
        note("__new__")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        note("__post_init__")

    def __setattr__(self, name: str, value: Any) -> None:
        note("__setattr__")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        note("__eq__")
        return True

    def __hash__(self) -> int:
        note("__hash__")
        return 1


@dataclasses.dataclass(frozen=True)
class Slotted:
    __slots__ = ("left", "right")
    left: int
    right: Any


@dataclasses.dataclass(order=True)
class Ordered:
    data: int
    type: str = "x"


@dataclasses.dataclass
class Called:
    command: str

    def __call__(self) -> str:
        return self.command


@dataclasses.dataclass
class Listed:
    command: str

    def item(self) -> str:
        return self.command


@dataclasses.dataclass
class Attribute:
    command: str

    @property
    def shape(self) -> str:
        return self.command


@dataclasses.dataclass
class Added:
    command: str

    def __add__(self, other: Any) -> str:
        return self.command


@dataclasses.dataclass
class Torched:
    command: str

    @classmethod
    def __torch_function__(cls, *args: Any, **kwargs: Any) -> str:
        return "ran"


@dataclasses.dataclass
class Deleted:
    command: str

    def __del__(self) -> None:
        note("__del__")


class Anything:
    def __getattr__(self, name: str) -> str:
        raise AttributeError(name)


@dataclasses.dataclass
class Inherited(Anything):
    command: str


class CalledEnum(enum.Enum):
    RUN = 1

    def __call__(self) -> str:
        return "ran"


class Split(str):
    def split(self, *_: Any) -> Any:
        return "ran"


class Counted(collections.namedtuple("Counted", "a b")):
    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return "ran"


class Operations(enum.Enum):
    """Members may be called like methods."""

    add = 1
    item = 2
    shape = 3


Methods = collections.namedtuple("Methods", "add shape item")


class Missing(enum.Flag):
    A = 1

    @classmethod
    def _missing_(cls, value: object) -> Any:
        note("_missing_")
        return cls.A


@dataclasses.dataclass
class Descripted:
    value: int


INERT = [
    things.Colour.BLUE,
    things.Level.LOW,
    things.Permission.R | things.Permission.W,
    things.Config(1, "n"),
    things.Pair(1, 2),
    things.LyingInt(3),
    things.ShortPath(1, 2),
    Slotted(1, (2,)),
    Ordered(1),
    Operations.add,
    Operations.shape,
    Methods(1, 2, 3),
]
GADGETS = [
    Called("x"),
    Listed("x"),
    Attribute("x"),
    Added("x"),
    Torched("x"),
    Deleted("x"),
    Inherited("x"),
    CalledEnum.RUN,
    Split("x"),
    Counted(1, 2),
]


@pytest.mark.parametrize("value", INERT, ids=lambda value: type(value).__name__)
def test_inert_classes_of_imported_modules_are_data(value: Any) -> None:
    (made,) = decode(encode([value]).document, {})
    assert type(made) is type(value) and made == value


@pytest.mark.parametrize("value", GADGETS, ids=lambda value: type(value).__name__)
def test_classes_that_texts_can_call_have_to_be_allowed(value: Any) -> None:
    encoded = encode([value])
    with pytest.raises(ArtifactError, match="DecodePolicy") as caught:
        decode(encoded.document, {})
    assert caught.value.rule == "AG306"
    (made,) = decode(encoded.document, {}, ALLOWED)
    assert type(made) is type(value)
    assert tuple.__eq__(made, value) if isinstance(made, tuple) else made == value
    only = DecodePolicy(modules=frozenset({f"{HERE}:{type(value).__qualname__}"}))
    assert type(decode(encoded.document, {}, only)[0]) is type(value)


def test_no_code_of_a_class_runs() -> None:
    value = Loud(1, [2])
    RAN.clear()
    encoded = encode([value, value, Slotted(1, 2)])
    one, two, _ = decode(encoded.document, {})
    assert RAN == [] and one is two
    assert vars(one) == {"count": 1, "items": [2]}


def test_no_code_of_an_enum_runs() -> None:
    form = {"flags": [f"{HERE}:Missing", 64]}
    RAN.clear()
    with pytest.raises(ArtifactError, match="standard kind"):
        decode({"slots": [form], "storages": [], "version": 1}, {}, ALLOWED)
    assert RAN == []


def test_a_record_is_a_value_and_an_object_is_one() -> None:
    frozen, plain = things.Config(1, "n"), Ordered(1)
    made = decode(encode([frozen, frozen, plain, plain]).document, {})
    assert made[2] is made[3]
    assert made[0] == made[1] == frozen


def test_a_field_that_code_sets_is_refused() -> None:
    value = Descripted(1)
    setattr(Descripted, "value", property(lambda self: 1, lambda self, value: None))
    try:
        with pytest.raises(ConstantError, match="set by code"):
            encode([value])
        form = {"object": [f"{HERE}:Descripted", [["value", 1]]]}
        with pytest.raises(ArtifactError, match="set by code"):
            decode({"slots": [form], "storages": [], "version": 1}, {}, ALLOWED)
    finally:
        delattr(Descripted, "value")


@pytest.mark.parametrize("name", ["extra", "count"])
def test_a_dataclass_with_other_attributes_than_its_fields_is_refused(
    name: str,
) -> None:
    value = Ordered(1)
    if name == "extra":
        vars(value)["extra"] = 1
    else:
        del vars(value)["data"]
    with pytest.raises(ConstantError):
        encode([value])


def test_subclasses_with_attributes_are_refused() -> None:
    value = things.LyingInt(3)
    value.unit = "m"  # type: ignore[attr-defined]
    with pytest.raises(ConstantError, match="attributes of its own: unit"):
        encode([value])


def test_classes_inside_functions_are_refused() -> None:
    @dataclasses.dataclass
    class Local:
        x: int

    with pytest.raises(ConstantError, match="nothing that can be imported"):
        encode([Local(1)])

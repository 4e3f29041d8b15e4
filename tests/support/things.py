"""Types, functions and operators of an imaginary user; they pickle by name."""

from __future__ import annotations

import collections
import dataclasses
import enum
import sys
import weakref
from typing import Any, NamedTuple

import torch

__all__ = [
    "AngleFloat",
    "BareWord",
    "Colour",
    "Config",
    "Doubler",
    "EqualByName",
    "Five",
    "Level",
    "Live",
    "LyingInt",
    "NamesInside",
    "NoisyBytes",
    "NoisyStr",
    "Pair",
    "Permission",
    "ShortPath",
    "Static",
    "Touchy",
    "WithDefault",
    "Word",
    "library",
    "scale",
    "scale_in_place",
]


class Colour(enum.Enum):
    RED = 1
    BLUE = "blue"
    CRIMSON = 1  # an alias


NamesInside = enum.Enum("NamesInside", {"class": 1, "a b": 2, "None": 3})
NamesInside.__module__ = __name__


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Permission(enum.Flag):
    R = 1
    W = 2
    X = 4


class Bits(enum.IntFlag):
    A = 1
    B = 2


if sys.version_info >= (3, 11):

    class Word(enum.StrEnum):
        YES = "yes"

else:

    class Word(str, enum.Enum):
        YES = "yes"


class BareWord(str, enum.Enum):
    """Printed as its bare value, as some configuration libraries do."""

    X = "x"

    def __repr__(self) -> str:
        return self.value


class LyingInt(int):
    def __repr__(self) -> str:
        return "0"

    __str__ = __repr__


class NoisyStr(str):
    def __repr__(self) -> str:
        return "x"


class NoisyBytes(bytes):
    def __repr__(self) -> str:
        return "x"


class AngleFloat(float):
    def __repr__(self) -> str:
        return f"<{float(self)}>"


Pair = collections.namedtuple("Pair", "left right")


class WithDefault(NamedTuple):
    value: Any
    count: Any = 3


class ShortPath(tuple):
    """A tuple that is not made from one sequence."""

    def __new__(cls, *items: Any) -> ShortPath:
        return super().__new__(cls, items)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


@dataclasses.dataclass(frozen=True)
class Config:
    count: int
    name: str


class Touchy:
    """Cannot be compared, hashed or printed."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("do not compare me")

    def __repr__(self) -> str:
        raise RuntimeError("do not print me")


class EqualByName:
    """Callables that are equal and do different things."""

    __name__ = __qualname__ = "equal_by_name"

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, x: Any) -> Any:
        return x * self.factor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualByName)

    def __hash__(self) -> int:
        return 1


class Doubler(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2


class Static:
    factor = 3

    @staticmethod
    def triple(x: Any) -> Any:
        return x * 3

    @classmethod
    def scaled(cls, x: Any) -> Any:
        return x * cls.factor


def scale(x: Any, k: float = 2) -> Any:
    return x * k


def scale_in_place(x: torch.Tensor, k: float = 2) -> torch.Tensor:
    return x.mul_(k)


class Five(torch.nn.Module):
    def forward(self, x: Any) -> list[Any]:
        return [x, x + 1, x + 2, x + 3, x + 4]


class Live:
    """Pieces that make tensors, and one that tells how many of them are alive."""

    def __init__(self) -> None:
        self.made: list[weakref.ref[torch.Tensor]] = []
        outer = self

        class Make(torch.nn.Module):
            def forward(self, *_: Any) -> torch.Tensor:
                return outer.make()

        class Many(torch.nn.Module):
            def forward(self, *_: Any) -> list[torch.Tensor]:
                return [outer.make() for _ in range(3)]

        class Alive(torch.nn.Module):
            def forward(self, *_: Any) -> int:
                return len(outer)

        self.root = torch.nn.Module()
        self.root.make, self.root.many, self.root.alive = Make(), Many(), Alive()

    def make(self) -> torch.Tensor:
        made = torch.ones(4)
        self.made.append(weakref.ref(made))
        return made

    def __len__(self) -> int:
        return sum(ref() is not None for ref in self.made)


library = torch.library.Library("astgen_tests", "FRAGMENT")


def _define(schema: str, name: str, implementation: Any) -> None:
    library.define(schema)
    library.impl(name, implementation, "CompositeExplicitAutograd")


def _bump(x: torch.Tensor, text: str = "") -> None:
    x.add_(1)


def _span(x: torch.Tensor, **given: int) -> torch.Tensor:
    return x + given.get("from", 1)


_define("bump(Tensor(a!) x) -> ()", "bump", _bump)
_define("bump_text(Tensor(a!) x, str text) -> ()", "bump_text", _bump)
_define("span(Tensor x, *, int from=1) -> Tensor", "span", _span)
_define("op(Tensor x) -> Tensor", "op", lambda x: x + 13)
_define("overloads.op(Tensor x) -> Tensor", "overloads.op", lambda x: x + 17)
_define("lambda.yield(Tensor x) -> Tensor", "lambda.yield", lambda x: x + 11)

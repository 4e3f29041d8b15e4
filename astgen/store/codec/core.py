"""The walk over values, and over documents: nesting, identity, limits.

What a type's form is, the modules beside this one say, each for its own types. Forms
are trees. `null`, booleans, whole numbers of 64 bits and text stand for themselves,
everything else is an object of one key, the tag: `{"dtype": "bfloat16"}`.

Objects that have an identity (lists, tensors, …) are numbered in the order in which
they are complete; where one occurs again stands `{"same": number}`. Only complete
objects have a number, so no document says that an object contains itself, and
since only they can occur twice, a document is never smaller than what it says.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from astgen.store.codec.budget import Budget
from astgen.store.codec.faults import Malformed, Unstorable, type_name
from astgen.store.codec.memory import Memory
from astgen.store.codec.policy import DecodePolicy

__all__ = ["MAX_DEPTH", "Decoder", "Encoder", "Kind", "fits"]

MAX_DEPTH = 64
"""Values in values. The walks are recursive, three frames a level at most."""

_MAX_COUNT = 1 << 20
_INLINE = 256
"""Longer byte strings are blobs."""

_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_HEX = re.compile(r"(?:[0-9a-f]{2})*\Z")


@dataclass(frozen=True)
class Kind:
    """How values of one type are stored.

    Attributes:
        tag: The key of their forms.
        encode: Value -> what stands under the tag.
        decode: The way back.
        identity: Whether it matters that two slots hold the same object.
    """

    tag: str
    encode: Callable[[Encoder, Any], Any]
    decode: Callable[[Decoder, Any], Any]
    identity: bool = False


def fits(number: int) -> bool:
    """Whether a whole number stands for itself."""
    return -(1 << 63) <= number < 1 << 63


class Encoder:
    """Makes forms of the values of one list of constants.

    Attributes:
        blobs: Bytes by their digest.
        storages: The forms of the tensors' storages, in order of first use.
        storage_ids: The number of each by its address.
        notes: What the values are bound to, and why.
        needs: What a policy must allow for them to be loaded.
        numbers: The numbers of objects by their `id`.
        memory: What keeps its data at which addresses.
    """

    def __init__(
        self,
        kind_of: Callable[[Any], Kind],
        dry: bool = False,
        memory: Memory | None = None,
    ) -> None:
        """Start with nothing.

        Args:
            kind_of: Finds how a value is stored; raises `Unstorable`.
            dry: Whether the bytes of blobs are left out: only the forms matter.
            memory: That of the constants before; None if there are none.
        """
        self.blobs: dict[str, bytes] = {}
        self.storages: list[Any] = []
        self.storage_ids: dict[int, int] = {}
        self.notes: list[tuple[str, str]] = []
        self.needs: set[str] = set()
        self.numbers: dict[int, int] = {}
        self.memory = memory or Memory()
        self.dry = dry
        self._budget = Budget()
        self._kept: list[Any] = []
        self._kind_of = kind_of
        self._open: set[int] = set()
        self._count = 0

    def form(self, value: Any) -> Any:
        """The form of a value."""
        kind = type(value)
        self._count += 1
        if self._count > _MAX_COUNT:
            raise Unstorable(
                value,
                f"the constants hold more than {_MAX_COUNT} values",
                "pass large data as a tensor",
            )
        if value is None or kind is bool or (kind is int and fits(value)):
            return value
        if kind is str and (value.isascii() or not _has_surrogates(value)):
            return value
        found = self._kind_of(value)
        key = id(value)
        if found.identity and key in self.numbers:
            return {"same": self.numbers[key]}
        if key in self._open:
            raise Unstorable(value, "it contains itself", "take the cycle apart")
        if len(self._open) >= MAX_DEPTH:
            raise Unstorable(
                value,
                f"it is nested deeper than {MAX_DEPTH} levels",
                "flatten it, or pass it as an input",
            )
        self._open.add(key)
        payload = found.encode(self, value)
        self._open.remove(key)
        if found.identity:
            self.numbers[key] = len(self.numbers)
            # An id is only that of this object while the object lives.
            self._kept.append(value)
        return {found.tag: payload}

    def part(self, value: Any, step: str) -> Any:
        """The form of a part of a value; `step` leads to it."""
        try:
            return self.form(value)
        except Unstorable as fault:
            fault.steps.append(step)
            raise

    def items(self, values: Iterable[Any]) -> list[Any]:
        """The forms of the items of a sequence."""
        return [self.part(value, f"[{place}]") for place, value in enumerate(values)]

    def raw(self, data: bytes) -> Any:
        """The form of bytes: themselves in hex, a reference if they are many."""
        return data.hex() if len(data) <= _INLINE else {"blob": self.blob(data)}

    def blob(self, data: bytes) -> str:
        """Keep bytes outside the document, equal ones once; the name they go by."""
        if self.dry:
            return ""
        name = hashlib.sha256(data).hexdigest()
        if name not in self.blobs:
            self.blobs[name] = data
            self._budget.stored += len(data)
        if not self._budget.spend(len(data)):
            raise Unstorable(
                data,
                f"the constants are the same bytes too often, {self._budget.made} in "
                f"all of {self._budget.stored} that are stored",
                "use one object in all places",
            )
        return name


class Decoder:
    """Makes the values of one document.

    Attributes:
        policy: What is allowed.
        storages: The tensors' storages.
        used_storages: How many of them tensors have referred to.
    """

    def __init__(
        self,
        kinds: Callable[[str], Kind | None],
        kind_of: Callable[[Any], Kind],
        blobs: Mapping[str, bytes],
        policy: DecodePolicy,
    ) -> None:
        """Start with nothing.

        Args:
            kinds: Finds what a tag means.
            kind_of: Finds how a value is stored; raises `Unstorable`.
            blobs: Bytes by their digest.
            policy: What is allowed.
        """
        self.policy = policy
        self.storages: list[Any] = []
        self.used_storages = 0
        self._kinds = kinds
        self._kind_of = kind_of
        self._blobs = blobs
        self._budget = Budget(sum(map(len, filter(_is_bytes, blobs.values()))))
        self._verified: set[str] = set()
        self._objects: list[Any] = []
        self._depth = 0

    def value(self, form: Any) -> Any:
        """The value that a form stands for."""
        kind = type(form)
        if form is None or kind is bool or (kind is int and fits(form)):
            return form
        if kind is str:
            if not form.isascii() and _has_surrogates(form):
                raise Malformed("text with surrogates stands for itself")
            return form
        if kind is not dict or len(form) != 1:
            raise Malformed("a form is no object of one key")
        ((tag, payload),) = form.items()
        if tag == "same":
            return self._same(payload)
        found = self._kinds(tag)
        if found is None:
            raise Malformed(f"the tag {ascii(tag)[:80]} is not known")
        if self._depth >= MAX_DEPTH:
            raise Malformed(f"it is nested deeper than {MAX_DEPTH} levels")
        self._depth += 1
        value = found.decode(self, payload)
        self._depth -= 1
        if self._kind_of(value).tag != tag:
            # Say, a value that has a tag of its own as a dataclass.
            raise Malformed(f"a {type_name(value)} is not stored as {tag}")
        if found.identity:
            self._objects.append(value)
        return value

    def values(self, forms: Any) -> list[Any]:
        """The values of a list of forms."""
        if type(forms) is not list:
            raise Malformed("a list was expected")
        return [self.value(form) for form in forms]

    def knows(self, value: Any) -> bool:
        """Whether a value is an object that stands in the document already."""
        return any(known is value for known in self._objects)

    @property
    def objects(self) -> int:
        """How many objects with an identity there are."""
        return len(self._objects)

    def number(self, value: Any, form: Any) -> int | None:
        """The number of the value that was made last; None if it has no identity."""
        if type(form) is dict and "same" in form:
            return int(form["same"])
        is_last = bool(self._objects) and self._objects[-1] is value
        return len(self._objects) - 1 if is_last else None

    def raw(self, form: Any) -> bytes:
        """The bytes that `Encoder.raw` made a form of."""
        if type(form) is str and _HEX.match(form) and len(form) <= 2 * _INLINE:
            return bytes.fromhex(form)
        if type(form) is not dict or list(form) != ["blob"]:
            raise Malformed("bytes are neither hex digits nor a blob")
        data = self.blob(form["blob"])
        if len(data) <= _INLINE:
            raise Malformed("few bytes are a blob")
        return data

    def blob(self, name: Any) -> bytes:
        """The bytes of a name, which is their digest."""
        if type(name) is not str or not _DIGEST.match(name):
            raise Malformed("the name of a blob is no digest of 64 hex digits")
        data = self._blobs.get(name)
        if not isinstance(data, bytes):
            raise Malformed(f"the blob {name} is missing")
        if not self.policy.verified and name not in self._verified:
            if hashlib.sha256(data).hexdigest() != name:
                raise Malformed(f"the blob {name} has other bytes", "AG602")
            self._verified.add(name)
        if not self._budget.spend(len(data)):
            reason = f"its few bytes would be {self._budget.made} and more in memory"
            raise Malformed(reason, "AG005", "load only what you would have written")
        return data

    def _same(self, number: Any) -> Any:
        if type(number) is not int or not 0 <= number < len(self._objects):
            raise Malformed("there is no such object yet")
        return self._objects[number]


def _is_bytes(value: object) -> bool:
    return isinstance(value, bytes)


def _has_surrogates(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False

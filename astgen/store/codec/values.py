"""The codec on one page: constants -> document and bytes, and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from astgen.errors import ArtifactError, ConstantError
from astgen.store.codec.core import Decoder, Encoder
from astgen.store.codec.document import NAME
from astgen.store.codec.faults import Malformed, Unstorable, type_name
from astgen.store.codec.kinds import kind_of, kind_of_tag
from astgen.store.codec.policy import DEFAULT_POLICY, DecodePolicy
from astgen.store.codec.shown import describe
from astgen.store.codec.supplied import (
    demand_slots,
    describe_supplied,
    held_too,
    is_supplied,
    supplied_form,
    take_supplied,
)
from astgen.store.codec.tensors import decode_storages
from astgen.store.manifest import Slot

__all__ = ["VERSION", "Decoded", "Encoded", "decode", "decode_described", "encode"]

VERSION = 1
"""Of the forms. What is read is exactly this one."""


@dataclass(frozen=True)
class Encoded:
    """Constants in stored form.

    Attributes:
        document: JSON; `dumps` has its one spelling.
        blobs: Bytes that lie outside the document, by their SHA-256.
        slots: What the manifest says of each constant.
        needs: What a policy must allow for all of them to be loaded.
    """

    document: Any
    blobs: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    slots: tuple[Slot, ...] = ()
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decoded:
    """Constants that were made of a document.

    Attributes:
        values: They, in slot order.
        slots: What a manifest has to say of them.
    """

    values: list[Any]
    slots: tuple[Slot, ...]


def encode(values: Sequence[Any], supplied: Collection[int] = ()) -> Encoded:
    """Store constants: equal ones give equal documents, in any process.

    Args:
        values: The constants, in slot order.
        supplied: The slots of those that are left out, for whoever loads to supply.

    Returns:
        Their stored form.

    Raises:
        ConstantError: One cannot be stored.
        ValueError: A slot that is left out is none.
    """
    demand_slots(supplied, len(values))
    encoder = Encoder(kind_of)
    forms, slots = [], []
    for place, value in enumerate(values):
        if place in supplied:
            forms.append(form := supplied_form(value))
            slots.append(describe_supplied(place, form))
            continue
        before = len(encoder.numbers)
        try:
            form = encoder.form(value)
        except Unstorable as fault:
            raise _refusal(place, fault) from fault
        except RecursionError as error:
            deep = Unstorable(value, "the call stack is too deep", "save elsewhere")
            raise _refusal(place, deep) from error
        forms.append(form)
        known, new = encoder.numbers.get(id(value)), len(encoder.numbers) - before
        slots.append(describe(place, value, form, known, new))
    held = held_too(encoder, values, supplied)
    if held is not None:
        reason = "it is supplied by the caller, and a constant that is stored holds it"
        raise _refusal(held, Unstorable(values[held], reason, "supply that one too"))
    document = {"slots": forms, "storages": encoder.storages, "version": VERSION}
    return Encoded(document, encoder.blobs, tuple(slots), tuple(sorted(encoder.needs)))


def decode(
    document: Any,
    blobs: Mapping[str, bytes],
    policy: DecodePolicy = DEFAULT_POLICY,
    supplied: Mapping[int, Any] = MappingProxyType({}),
) -> list[Any]:
    """Make the constants of a document. Nothing that it names is called.

    Args:
        document: What `loads` returned.
        blobs: Bytes by their SHA-256; more than the document refers to will do.
        policy: What it may refer to, and what references mean here.
        supplied: The constants that are not in it, by slot.

    Returns:
        The constants, in slot order.

    Raises:
        ArtifactError: The document is malformed, refers to what is not there or not
            allowed, or is not in the one form that its constants have.
    """
    return decode_described(document, blobs, policy, supplied).values


def decode_described(
    document: Any,
    blobs: Mapping[str, bytes],
    policy: DecodePolicy = DEFAULT_POLICY,
    supplied: Mapping[int, Any] = MappingProxyType({}),
) -> Decoded:
    """Make the constants of a document, and say of each what it is; see `decode`."""
    if type(document) is not dict or set(document) != {"slots", "storages", "version"}:
        raise ArtifactError("it is no list of constants", path=NAME)
    version, forms = document["version"], document["slots"]
    if type(version) is not int or version != VERSION:
        reason = f"the constants are not of version {VERSION}"
        raise ArtifactError(reason, path=NAME, field="version", rule="AG603")
    if type(forms) is not list:
        raise ArtifactError("it is no list", path=NAME, field="slots")
    decoder = Decoder(kind_of_tag, kind_of, blobs, policy)
    where, values, slots = "storages", [], []
    try:
        decode_storages(decoder, document["storages"])
        for place, form in enumerate(forms):
            where = f"slots[{place}]"
            if is_supplied(form):
                values.append(take_supplied(place, form, supplied))
                slots.append(describe_supplied(place, form))
                continue
            if place in supplied:
                raise Malformed(
                    "it is in the file, and supplied", "AG604", "pass fewer"
                )
            before = decoder.objects
            values.append(value := decoder.value(form))
            number, new = decoder.number(value, form), decoder.objects - before
            slots.append(describe(place, value, form, number, new))
        where = "storages"
        if decoder.used_storages != len(decoder.storages):
            raise Malformed("a storage is not used")
    except (Malformed, Unstorable) as fault:
        raise _malformed(fault, where) from fault
    except Exception as error:
        # PyTorch, numpy and classes of the caller may refuse a value in their own way.
        reason = f"it cannot be made: {type_name(error)}"
        raise ArtifactError(reason, path=NAME, field=where) from error
    return Decoded(values, tuple(slots))


def _malformed(fault: Malformed | Unstorable, where: str) -> ArtifactError:
    if not isinstance(fault, Malformed):
        return ArtifactError(fault.reason, path=NAME, field=where)
    if not fault.hint:
        return ArtifactError(fault.reason, path=NAME, field=where, rule=fault.rule)
    return ArtifactError(
        fault.reason, path=NAME, field=where, rule=fault.rule, hint=fault.hint
    )


def _refusal(place: int, fault: Unstorable) -> ConstantError:
    return ConstantError(
        fault.reason,
        fault.way_out,
        slot=place,
        field="".join(reversed(fault.steps)),
        type_name=fault.culprit,
    )

"""The codec on one page: constants -> document and bytes, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from astgen.errors import ArtifactError, ConstantError
from astgen.store.codec.core import Decoder, Encoder
from astgen.store.codec.document import NAME
from astgen.store.codec.faults import Malformed, Unstorable, type_name
from astgen.store.codec.kinds import kind_of, kind_of_tag
from astgen.store.codec.policy import DEFAULT_POLICY, DecodePolicy
from astgen.store.codec.shown import describe
from astgen.store.codec.tensors import decode_storages
from astgen.store.manifest import Slot

__all__ = ["VERSION", "Encoded", "decode", "encode"]

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


def encode(values: Sequence[Any]) -> Encoded:
    """Store constants: equal ones give equal documents, in any process.

    Args:
        values: The constants, in slot order.

    Returns:
        Their stored form.

    Raises:
        ConstantError: One cannot be stored.
    """
    encoder = Encoder(kind_of)
    forms, slots = [], []
    for place, value in enumerate(values):
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
    document = {"slots": forms, "storages": encoder.storages, "version": VERSION}
    return Encoded(document, encoder.blobs, tuple(slots), tuple(sorted(encoder.needs)))


def decode(
    document: Any, blobs: Mapping[str, bytes], policy: DecodePolicy = DEFAULT_POLICY
) -> list[Any]:
    """Make the constants of a document. Nothing that it names is called.

    Args:
        document: What `loads` returned.
        blobs: Bytes by their SHA-256; more than the document refers to will do.
        policy: What it may refer to, and what references mean here.

    Returns:
        The constants, in slot order.

    Raises:
        ArtifactError: The document is malformed, refers to what is not there or not
            allowed, or is not in the one form that its constants have.
    """
    if type(document) is not dict or set(document) != {"slots", "storages", "version"}:
        raise ArtifactError("it is no list of constants", path=NAME)
    version, forms = document["version"], document["slots"]
    if type(version) is not int or version != VERSION:
        reason = f"the constants are not of version {VERSION}"
        raise ArtifactError(reason, path=NAME, field="version", rule="AG603")
    if type(forms) is not list:
        raise ArtifactError("it is no list", path=NAME, field="slots")
    decoder = Decoder(kind_of_tag, kind_of, blobs, policy)
    where, values = "storages", []
    try:
        decode_storages(decoder, document["storages"])
        for place, form in enumerate(forms):
            where = f"slots[{place}]"
            values.append(decoder.value(form))
        where = "storages"
        if decoder.used_storages != len(decoder.storages):
            raise Malformed("a storage is not used")
    except (Malformed, Unstorable) as fault:
        rule = fault.rule if isinstance(fault, Malformed) else "AG601"
        raise ArtifactError(fault.reason, path=NAME, field=where, rule=rule) from fault
    except Exception as error:
        # PyTorch, numpy and classes of the caller may refuse a value in their own way.
        reason = f"it cannot be made: {type_name(error)}"
        raise ArtifactError(reason, path=NAME, field=where) from error
    return values


def _refusal(place: int, fault: Unstorable) -> ConstantError:
    return ConstantError(
        fault.reason,
        fault.way_out,
        slot=place,
        field="".join(reversed(fault.steps)),
        type_name=fault.culprit,
    )

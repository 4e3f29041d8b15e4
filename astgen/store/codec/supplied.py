"""Constants that are not stored: whoever loads the program hands them over.

Closures, bound methods and objects of any class are no data. Where the caller says so
by slot, the document holds the type of such a constant in place of its form, and
loading takes the object itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import torch
from torch import fx
from torch.fx._lazy_graph_module import _LazyGraphModule

from astgen.emit.resolve import WholeModule
from astgen.store.codec.core import Encoder
from astgen.store.codec.faults import Malformed, type_name
from astgen.store.manifest import SUPPLIED, Slot

__all__ = [
    "OR_SUPPLY",
    "demand_slots",
    "describe_supplied",
    "held_too",
    "is_supplied",
    "supplied_form",
    "take_supplied",
]

OR_SUPPLY = (
    ", or leave it out: save(…, supplied=[{slot}]), load(…, supplied={{{slot}: …}})"
)
"""What can be done about any constant that cannot be stored."""


def demand_slots(slots: Collection[int], count: int) -> None:
    """Refuse slots that a program has not.

    Raises:
        ValueError: It has fewer constants.
    """
    for slot in slots:
        if type(slot) is not int or not 0 <= slot < count:
            raise ValueError(f"there is no constant {slot!r} to supply; {count} exist")


def supplied_form(value: object) -> dict[str, str]:
    """What stands in a document for a constant that is not in it."""
    if isinstance(value, WholeModule):
        # Whoever loads has the module, and nothing of ours around it.
        value = value._module
    name = type_name(value)
    if isinstance(value, fx.GraphModule):
        # PyTorch makes a class for each, and a lazy one becomes one that is not.
        kinds = (
            kind for kind in type(value).__mro__[1:] if kind is not _LazyGraphModule
        )
        kind = next(kinds)
        name = f"{kind.__module__}.{kind.__qualname__}"
    return {SUPPLIED: ascii(name)[1:-1]}


def is_supplied(form: object) -> bool:
    """Whether a form is that of a constant that is not in the document."""
    return (
        type(form) is dict and list(form) == [SUPPLIED] and type(form[SUPPLIED]) is str
    )


def take_supplied(place: int, form: dict[str, str], given: Mapping[int, Any]) -> Any:
    """The object that the caller hands over for a slot.

    Raises:
        Malformed: There is none, or it is of another type than the one was that the
            program was saved with.
    """
    wanted = form[SUPPLIED]
    hint = f"pass supplied={{{place}: …}} with an object of that type"
    if place not in given:
        raise Malformed(f"a {wanted} is to be supplied by the caller", "AG604", hint)
    found = supplied_form(given[place])[SUPPLIED]
    if found != wanted:
        reason = f"a {wanted} is to be supplied by the caller, and not a {found}"
        raise Malformed(reason, "AG604", hint)
    if isinstance(given[place], fx.GraphModule):
        # The first call of a module that is not printed yet runs its hooks twice.
        _LazyGraphModule.force_recompile(given[place])
    return given[place]


def describe_supplied(place: int, form: dict[str, str]) -> Slot:
    """What a manifest says of such a constant."""
    return Slot(form[SUPPLIED], "supplied by the caller", f"slot {place}", True)


def held_too(
    encoder: Encoder, values: Sequence[Any], supplied: Collection[int]
) -> int | None:
    """A slot that is left out, and of which a stored constant holds the object.

    It would come back as two objects.

    Args:
        encoder: What the others were stored with.
        values: All constants.
        supplied: The slots that are left out.

    Returns:
        The first such slot; None if there is none.
    """
    for slot in sorted(supplied):
        value = values[slot]
        is_seen = isinstance(value, torch.Tensor) and (
            _storage(value) in encoder.storage_ids
        )
        if is_seen or id(value) in encoder.numbers:
            return slot
    return None


def _storage(value: torch.Tensor) -> int | None:
    try:
        return int(value.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):
        return None

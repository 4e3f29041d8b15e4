"""What constants are bound to, told before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from astgen.store.codec.core import Encoder
from astgen.store.codec.faults import Unstorable, type_name
from astgen.store.codec.kinds import kind_of
from astgen.store.codec.memory import Memory

__all__ = ["Portability", "check_portable"]

_WORST_LAST = ("portable", "architecture", "device", "rank")


@dataclass(frozen=True)
class Portability:
    """What one constant is bound to.

    Attributes:
        slot: Which constant.
        status: `portable`, `device`, `rank`, `architecture` or `not storable`.
        why: What binds it; empty for what is portable.
        type_name: The type of the constant, or of what in it cannot be stored.
        field: Where that is inside it (`[0].left`).
        needs: What whoever loads it has to allow, see `DecodePolicy`: names of
            functions and classes (`mymodel:scale`), attributes (`.logits`),
            operator namespaces (`torch.ops.mylib`). Classes of plain data need it
            only where their module is not imported, or can be called.
    """

    slot: int
    status: str
    why: str
    type_name: str
    field: str = ""
    needs: tuple[str, ...] = ()


def check_portable(values: Sequence[Any]) -> tuple[Portability, ...]:
    """Say of each constant whether and where it can be loaded again.

    Args:
        values: The constants.

    Returns:
        One answer for each.
    """
    memory = Memory()
    return tuple(_answer(slot, value, memory) for slot, value in enumerate(values))


def _answer(slot: int, value: Any, memory: Memory) -> Portability:
    encoder = Encoder(kind_of, dry=True, memory=memory)
    try:
        encoder.form(value)
    except Unstorable as fault:
        why = f"{fault.reason}; {fault.way_out}"
        field = "".join(reversed(fault.steps))
        return Portability(slot, "not storable", why, fault.culprit, field)
    except RecursionError:
        why = "the call stack is too deep to look at it"
        return Portability(slot, "not storable", why, type_name(value))
    notes = encoder.notes or [("portable", "")]
    status, why = max(notes, key=lambda note: _WORST_LAST.index(note[0]))
    needs = tuple(sorted(encoder.needs))
    return Portability(slot, status, why, type_name(value), needs=needs)

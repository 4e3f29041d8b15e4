"""What constants are bound to, told before anything is written."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from astgen.store.codec.core import Encoder
from astgen.store.codec.faults import Unstorable, type_name
from astgen.store.codec.kinds import kind_of
from astgen.store.codec.memory import Memory
from astgen.store.codec.supplied import OR_SUPPLY, demand_slots

__all__ = ["Portability", "check_portable"]

_REFUSED, _SUPPLIED = "not storable", "supplied"
_WORST_LAST = ("portable", "architecture", "device", "rank")


@dataclass(frozen=True)
class Portability:
    """What one constant is bound to.

    Attributes:
        slot: Which constant.
        status: `portable`, `device`, `rank`, `architecture`, `not storable`, or
            `supplied` for one that the caller leaves out.
        why: What binds it; empty for what is portable.
        type_name: The type of the constant, or of what in it cannot be stored.
        field: Where that is inside it (`[0].left`).
        needs: What whoever loads it has to allow, see `DecodePolicy`: names of
            functions and classes (`mymodel:scale`), attributes (`.logits`),
            operator namespaces (`torch.ops.mylib`). Classes of plain data need it
            only where their module is not imported, or can be called.
        use: The node that uses it, and as which argument (`to, kwargs['dtype']`), if
            it is not stored and that is known.
    """

    slot: int
    status: str
    why: str
    type_name: str
    field: str = ""
    needs: tuple[str, ...] = ()
    use: str = ""

    @property
    def is_stored(self) -> bool:
        """Whether saving writes it down."""
        return self.status not in (_REFUSED, _SUPPLIED)


def check_portable(
    values: Sequence[Any], supplied: Collection[int] = ()
) -> tuple[Portability, ...]:
    """Say of each constant whether and where it can be loaded again.

    Args:
        values: The constants.
        supplied: The slots of those that are left out of the file.

    Returns:
        One answer for each.

    Raises:
        ValueError: One of the slots is none.
    """
    demand_slots(supplied, len(values))
    memory = Memory()
    return tuple(
        _left_out(slot, value) if slot in supplied else _answer(slot, value, memory)
        for slot, value in enumerate(values)
    )


def _left_out(slot: int, value: Any) -> Portability:
    why = f"whoever loads the program passes supplied={{{slot}: …}}"
    return Portability(slot, _SUPPLIED, why, type_name(value))


def _answer(slot: int, value: Any, memory: Memory) -> Portability:
    encoder = Encoder(kind_of, dry=True, memory=memory)
    try:
        encoder.form(value)
    except Unstorable as fault:
        why = f"{fault.reason}; {fault.way_out}{OR_SUPPLY.format(slot=slot)}"
        field = "".join(reversed(fault.steps))
        return Portability(slot, _REFUSED, why, fault.culprit, field)
    except RecursionError:
        why = "the call stack is too deep to look at it"
        return Portability(slot, _REFUSED, why, type_name(value))
    notes = encoder.notes or [("portable", "")]
    status, why = max(notes, key=lambda note: _WORST_LAST.index(note[0]))
    needs = tuple(sorted(encoder.needs))
    return Portability(slot, status, why, type_name(value), needs=needs)

"""The machine that pickles are programs for, with nothing behind it.

It follows the stack, the marks and the memo as Python's unpickler does, opcode by
opcode, and describes what would be made (`pickle_values`). It imports nothing, calls
nothing and allocates nothing that the bytes only announce.
"""

from __future__ import annotations

import io
import pickletools
from dataclasses import dataclass, field

from astgen.lint.sources.pickle_opcodes import Opcodes
from astgen.lint.sources.pickle_stack import Stop
from astgen.lint.sources.pickle_values import Node, Value

__all__ = ["Budget", "Damage", "Reading", "run"]

_TEXT_OPCODES = frozenset(b"ILFSVcigpP")
"""Opcodes with a line of text behind them; unpicklers do not agree on what it may be."""


@dataclass
class Budget:
    """What is left of the limits, for all pickles of a file together.

    Attributes:
        opcodes: How many opcodes may still be read.
        memo: How many entries a memo may have.
    """

    opcodes: int
    memo: int


@dataclass(frozen=True)
class Damage:
    """Why a pickle could not be read to its end.

    Attributes:
        reason: What is wrong, for people.
        position: The byte at which it is.
        too_large: It is a limit of ours, not a fault of the pickle.
        doubtful: Another unpickler might read on.
    """

    reason: str
    position: int
    too_large: bool = False
    doubtful: bool = False


@dataclass
class Reading:
    """What one pickle would make.

    Attributes:
        top: The value of the whole.
        nodes: Every node that is made on the way, also those that are dropped.
        blobs: Every byte string, with the position of its opcode.
        end: The number of bytes read.
        damage: Why it ends early, None for a whole pickle.
    """

    top: Value = None
    nodes: list[Node] = field(default_factory=list)
    blobs: list[tuple[int, bytes]] = field(default_factory=list)
    end: int = 0
    damage: Damage | None = None


def run(data: bytes, budget: Budget) -> Reading:
    """Read one pickle from the beginning of some bytes.

    Args:
        data: The bytes; what follows the pickle is left alone.
        budget: What may be spent; reduced by what was.

    Returns:
        What it would make. Whatever is wrong with it is in `damage`.
    """
    machine = Opcodes(data, budget.memo)
    reading = Reading(nodes=machine.nodes, blobs=machine.blobs)
    try:
        _follow(machine, budget)
        reading.top = machine.top
    except Stop as stop:
        reading.damage = Damage(
            stop.reason, machine.position, stop.too_large, stop.doubtful
        )
    except IndexError:
        reading.damage = Damage("an opcode takes more than there is", machine.position)
    except (ValueError, OverflowError) as error:
        # From pickletools, before the opcode was handed on; also UnicodeDecodeError.
        opcode = data[machine.end : machine.end + 1]
        doubtful = bool(opcode) and opcode[0] in _TEXT_OPCODES
        reading.damage = Damage(_reason(error), machine.end, doubtful=doubtful)
    reading.end = machine.end
    return reading


def _follow(machine: Opcodes, budget: Budget) -> None:
    stream = io.BytesIO(machine.data)
    tell, actions = stream.tell, machine.actions()
    for opcode, argument, position in pickletools.genops(stream):
        budget.opcodes -= 1
        machine.position, machine.end = position or 0, tell()
        if budget.opcodes < 0:
            raise Stop("there are too many opcodes", too_large=True)
        actions[opcode.name](argument)


def _reason(error: Exception) -> str:
    # The messages of pickletools quote what they could not read, however long it is.
    text = str(error)
    return ascii(text if len(text) <= 100 else f"{text[:97]}...")[1:-1]

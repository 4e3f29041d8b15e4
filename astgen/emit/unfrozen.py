"""Subclasses of libcst's nodes whose fields are plain stores.

libcst's nodes are frozen dataclasses. Their constructors set each field through
`object.__setattr__` and then look for mistakes that a text made of a tree could
have; on a stitching graph that is half the time of generating. An instance of a
subclass that is not frozen is filled without all that, and becomes what it should
be by taking the class of its parent, which Python allows as the subclass adds
nothing.
"""

from __future__ import annotations

from abc import ABCMeta
from dataclasses import MISSING, fields
from typing import Any

import libcst as cst

__all__ = ["unfrozen"]


def unfrozen(kind: type[cst.CSTNode], known: str) -> Any:
    """A subclass of a node type whose instances are made empty.

    Args:
        kind: The node type.
        known: The fields that whoever makes instances sets. Others, of a libcst of
            another day, get their defaults.
    """
    others = [one for one in fields(kind) if one.name not in known.split()]

    def fill(self: Any) -> None:
        for one in others:
            make = one.default_factory
            setattr(self, one.name, one.default if make is MISSING else make())

    members = {
        "__slots__": (),
        "__init__": fill if others else object.__init__,
        "__setattr__": object.__setattr__,
        "__delattr__": object.__delattr__,
    }
    return ABCMeta(f"_Unfrozen{kind.__name__}", (kind,), members)

"""One entry of a cache: a compiled graph to a file and back.

The objects that the graph refers to (weights, functions, devices) are not stored: their
slots name a position, and are filled from the graph that is looked up. So an entry
holds no weights, and what it is bound to is the caller's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from astgen.backend.bundle import (
    Bundle,
    artifact_of,
    pieces_of,
    policy_for,
    program_of,
)
from astgen.backend.cache.folder import INGREDIENTS
from astgen.backend.cache.ingredients import Request
from astgen.backend.cache.leaves import Uncacheable
from astgen.check import DEFAULT_DIALECT, Dialect
from astgen.check.judge import OPS
from astgen.errors import ArtifactError, ConstantError
from astgen.program import Program
from astgen.store.artifact import Artifact, Opaque, save_artifact
from astgen.store.codec import DecodePolicy, encode
from astgen.store.facts import EnvironmentPolicy
from astgen.store.loading import load_artifact
from astgen.store.notation import parse_json, write_json

__all__ = ["Stored", "damaged", "load_entry", "save_entry"]

_BINDINGS = "bindings.json"
_GUARDS = "guards"
_GUARDS_KIND = "torch guards"
# What an entry was written in is part of its key.
_ANYWHERE = EnvironmentPolicy("accept", "accept", "accept", "accept")


@dataclass(frozen=True)
class Stored:
    """What an entry holds, bound to the graph that was looked up.

    Attributes:
        bundle: The compiled graph; blobs only if they were asked for.
        names: The names of all pieces, of those as well that are not in the bundle.
        assumptions: What the blobs assume of sizes.
    """

    bundle: Bundle
    names: tuple[str, ...]
    assumptions: str = ""


def damaged(path: str, reason: str) -> ArtifactError:
    """The error for an entry that is not what this program wrote."""
    hint = "remove it; the model is compiled again"
    return ArtifactError(reason, path=path, hint=hint)


def save_entry(
    path: str,
    request: Request,
    bundle: Bundle,
    names: Sequence[str],
    assumptions: str | None,
) -> None:
    """Write an entry.

    Args:
        path: The file.
        request: What it is found by.
        bundle: What was compiled, and can be stored.
        names: The names of all pieces.
        assumptions: What the blobs assume of sizes; None to store no blobs.

    Raises:
        Uncacheable: A constant that is not the graph's own cannot be stored.
        ArtifactError: The file cannot be written.
    """
    places = {id(value): i for i, value in enumerate(request.leaves.objects)}
    bindings: dict[str, dict[str, int]] = {}
    programs = {"": bundle.program, **bundle.pieces}
    for name, program in programs.items():
        bound = {
            slot: places[id(value)]
            for slot, value in enumerate(program.consts)
            if id(value) in places
        }
        consts = [
            None if slot in bound else value
            for slot, value in enumerate(program.consts)
        ]
        _demand_storable(consts, _allowed(request))
        bindings[name] = {str(slot): place for slot, place in bound.items()}
        programs[name] = replace(program, consts=consts)
    program = programs.pop("")
    blobs = {}
    if bundle.blobs and assumptions is not None:
        blobs[_GUARDS] = Opaque(_GUARDS_KIND, assumptions.encode())
    kept = bundle.blobs if blobs else {}
    extra = {
        INGREDIENTS: write_json(request.ingredients),
        _BINDINGS: write_json({"slots": bindings, "pieces": list(names)}),
    }
    save_artifact(path, artifact_of(Bundle(program, programs, kept), extra, blobs))


def load_entry(path: str, request: Request, *, trust: bool) -> Stored:
    """Read an entry, and bind it to the graph that was looked up.

    Args:
        path: The file.
        request: What it was found by.
        trust: Whether its blobs are wanted.

    Raises:
        ArtifactError: The file is damaged, or not what its name says.
    """
    policy, dialect = _allowed(request), _dialect(request)

    def load(source: str | bytes) -> Artifact:
        return load_artifact(
            source, trust=trust, policy=_ANYWHERE, dialect=dialect, constants=policy
        )

    found = load(path)
    if found.extra.get(INGREDIENTS) != write_json(request.ingredients):
        raise damaged(path, "it was compiled from something else")
    bindings, names = _bindings(path, found.extra.get(_BINDINGS, b""))
    program = _bound(path, _program(found), bindings.get(""), request)
    pieces = {
        name: _bound(path, piece, bindings.get(name), request)
        for name, piece in pieces_of(found, lambda data: _program(load(data))).items()
    }
    blobs = {name: opaque.data for name, opaque in found.blobs.items()}
    assumptions = blobs.pop(_GUARDS, b"").decode("utf-8", "replace")
    return Stored(Bundle(program, pieces, blobs), names, assumptions)


def _program(found: Artifact) -> Program:
    consts: list[Any] = found.consts
    return program_of(found, consts)


def _bound(path: str, program: Program, places: Any, request: Request) -> Program:
    objects, consts = request.leaves.objects, list(program.consts)
    slots = {str(slot): slot for slot in range(len(consts))}
    bound = places.items() if isinstance(places, dict) else [("", 0)]
    for said, place in bound:
        known = type(place) is int and 0 <= place < len(objects)
        if said not in slots or not known:
            raise damaged(path, "its slots are bound to nothing")
        consts[slots[said]] = objects[place]
    return replace(program, consts=consts)


def _bindings(path: str, data: bytes) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    reason = f"{_BINDINGS} does not say what slots are bound to"
    try:
        value = parse_json(data, 4)
        slots, names = value["slots"], value["pieces"]
        if isinstance(slots, dict) and isinstance(names, list):
            return slots, tuple(map(str, names))
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, reason) from error
    raise damaged(path, reason)


def _demand_storable(consts: list[Any], allowed: DecodePolicy) -> None:
    try:
        needs = policy_for(encode(consts).needs)
    except ConstantError as error:
        raise Uncacheable(str(error)) from error
    for kind in ("modules", "attributes", "namespaces"):
        missing = sorted(getattr(needs, kind) - getattr(allowed, kind))
        if missing:
            raise Uncacheable(f"a constant refers to {', '.join(missing)}")


def _allowed(request: Request) -> DecodePolicy:
    """Constants may refer to what the graph at hand refers to itself."""
    names = frozenset(
        f"{value.__module__}:{value.__qualname__}"
        for value in request.leaves.objects
        if hasattr(value, "__qualname__") and hasattr(value, "__module__")
    )
    return DecodePolicy(
        modules=names,
        attributes=request.methods,
        namespaces=_dialect(request).namespaces,
    )


def _dialect(request: Request) -> Dialect:
    used = {
        name.removeprefix(OPS).partition(".")[0]
        for name in request.leaves.operators
        if name.startswith(OPS)
    }
    return replace(DEFAULT_DIALECT, namespaces=DEFAULT_DIALECT.namespaces | used)

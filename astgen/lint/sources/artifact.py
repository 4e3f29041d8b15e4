"""Artifacts of astgen: does every member fit the manifest, and which program is it.

An archive or a folder is an artifact if its manifest says so, or if it has both a
`manifest.json` and an `execution.py`; see `astgen.store.manifest` for the layout.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import replace

from astgen.check import DEFAULT_DIALECT
from astgen.errors import ArtifactError
from astgen.lint.rules import artifacts
from astgen.lint.rules.files import TOO_LARGE
from astgen.lint.rules.pickles import PICKLE_PAYLOAD
from astgen.lint.sources.blob import Blob, of_file
from astgen.lint.sources.limits import Budget, Limits, too_many
from astgen.lint.sources.python import decode
from astgen.lint.sources.refusal import Refused, display
from astgen.lint.subject import Constant, Contents, Subject
from astgen.store import CODE, MANIFEST
from astgen.store.manifest import (
    DATA,
    FORMAT,
    Manifest,
    Member,
    supplied_of,
    usable_entry,
)
from astgen.store.members import CONSTANTS, PROVENANCE
from astgen.store.parsing import parse_manifest

__all__ = ["beside", "is_artifact", "read_artifact"]

_RULES = {rule.code: rule for rule in (*artifacts.RULES, TOO_LARGE)}
_HINT = "save the program again"


def is_artifact(manifest: bytes, code: bool) -> bool:
    """Whether a manifest is astgen's, or should be.

    Args:
        manifest: The bytes of `manifest.json`.
        code: Whether `execution.py` is beside it.
    """
    return code or f'"{FORMAT}"'.encode() in manifest


def beside(
    folder: str, shown: str, limits: Limits, contents: Contents
) -> dict[str, Blob]:
    """The files of an artifact that is a folder, by name.

    Args:
        folder: The folder.
        shown: The file that findings are about.
        limits: How many files there may be.
        contents: Gets a finding for each file that cannot be read.

    Raises:
        Refused: There are too many.
    """
    found: dict[str, Blob] = {}
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            file = os.path.join(path, name)
            member = os.path.relpath(file, folder).replace(os.sep, "/")
            try:
                found[member] = of_file(file, display(member), shown)
            except Refused as refused:
                contents.findings.append(refused.finding(shown, display(member)))
            if len(found) > limits.members:
                raise too_many("files beside a manifest", limits.members)
    return found


def read_artifact(
    data: bytes,
    place: Blob,
    members: Mapping[str, Blob],
    budget: Budget,
    contents: Contents,
) -> list[str]:
    """Compare an artifact with its manifest, and hand on its program.

    Args:
        data: The bytes of the manifest.
        place: The manifest, for findings.
        members: Everything beside it, by name.
        budget: How much may still be read.
        contents: Gets the program, if it can be read, and what does not fit. Members
            other than the program are not looked into.

    Raises:
        Spent: The budget is.
    """
    folder = place.member.removesuffix(MANIFEST)

    def tell(refused: Refused, name: str) -> None:
        member = folder + display(name) if name else place.member
        contents.findings.append(refused.finding(place.path, member))

    parsed: Manifest | None = None
    try:
        parsed = parse_manifest(data)
    except ArtifactError as error:
        where = f"{error.field}: " * bool(error.field)
        message = f"the manifest cannot be used: {where}{error.reason}"
        tell(Refused(_RULES[error.rule], message, _HINT), "")
    listed = parsed.members if parsed is not None else {}
    if CODE in members:
        try:
            found = _program(members[CODE], parsed, budget)
            there = {name: members[name] for name in listed if name in members}
            if PROVENANCE in there:
                found = replace(found, provenance=there[PROVENANCE].load)
            if CONSTANTS in there:
                found = replace(found, stored=there[CONSTANTS].load)
            contents.subjects.append(found)
        except Refused as refused:
            tell(refused, CODE)
    for slot, kind in supplied_of(parsed.consts if parsed is not None else None):
        tell(_supplied(slot, kind), "")
    for name, said in listed.items():
        if said.kind:
            tell(_opaque(said), name)
        try:
            _compare(name, said, members, budget)
        except Refused as refused:
            tell(refused, name)
    if parsed is not None:
        for name in sorted(members.keys() - listed.keys() - {MANIFEST}):
            message = "the manifest does not list this member"
            tell(Refused(artifacts.INCOMPLETE, message, _HINT), name)
    return [CODE, PROVENANCE, *(name for name in listed if name.startswith(DATA))]


def _opaque(said: Member) -> Refused:
    kind = ascii(said.kind[:100])
    message = f"the member is opaque, of the kind {kind}: reading it runs what is in it"
    hint = "load it with trust=True only if you know who made it"
    return Refused(PICKLE_PAYLOAD, message, hint)


def _supplied(slot: int, kind: str) -> Refused:
    message = f"constant {slot}, a {ascii(kind[:100])[1:-1]}, is not in the file"
    hint = f"load it with supplied={{{slot}: …}}, if you have such an object"
    return Refused(artifacts.NOT_HERE, message, hint)


def _compare(
    name: str, said: Member, members: Mapping[str, Blob], budget: Budget
) -> None:
    if name not in members:
        message = "the manifest lists this member, and it is not there"
        raise Refused(artifacts.INCOMPLETE, message, _HINT)
    blob = members[name]
    if blob.size != said.size:
        message = f"the member has {blob.size} bytes, and the manifest says {said.size}"
        raise Refused(artifacts.DIGEST_MISMATCH, message, _HINT)
    digest = hashlib.sha256()
    for block in blob.blocks(budget.limits.file_bytes):
        if not blob.exact:
            # Members of archives are counted where they are inflated.
            budget.inflate(len(block))
        digest.update(block)
    if digest.hexdigest() != said.sha256:
        message = (
            f"the SHA-256 of the member is {digest.hexdigest()}, and the manifest "
            f"says {said.sha256}"
        )
        raise Refused(artifacts.DIGEST_MISMATCH, message, _HINT)


def _program(blob: Blob, parsed: Manifest | None, budget: Budget) -> Subject:
    text = decode(blob.load(budget.limits.program_bytes))
    budget.program(len(text))
    if not text.strip():
        raise Refused(artifacts.EMPTY_ARTIFACT, "the program is empty", _HINT)
    if parsed is None:
        return Subject(text, blob.path, blob.member)
    slots = parsed.consts
    consts = None
    if slots is not None:
        consts = tuple(Constant(slot.kind, slot.shown, slot.key) for slot in slots)
    named = usable_entry(parsed.entry, DEFAULT_DIALECT)
    return Subject(
        text,
        blob.path,
        blob.member,
        submod_names=parsed.submod_names,
        consts=consts,
        entry=parsed.entry if named else "",
        manifest=parsed,
    )

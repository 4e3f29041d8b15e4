"""What is in an artifact, for people and as JSON, without torch and without running it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from astgen.check import Finding, scan
from astgen.errors import ArtifactError
from astgen.garbage import paused
from astgen.lint.sources.limits import Limits as TextLimits
from astgen.lint.sources.limits import within
from astgen.lint.subject import Contents, Subject
from astgen.provenance.document import read_provenance
from astgen.store.asked import asked_dialect
from astgen.store.container import Archive, located, read
from astgen.store.contents import read_content_keys, read_document
from astgen.store.hashes import code_hash, content_hash, interface, interface_hash
from astgen.store.limits import Limits
from astgen.store.manifest import SUPPLIED, Manifest, supplied_of
from astgen.store.members import CODE, CONSTANTS, MANIFEST, PROVENANCE
from astgen.store.uses import uses_of
from astgen.structure import structure_hash

__all__ = ["Inspected", "inspect_artifact", "verify_artifact"]


@dataclass(frozen=True)
class Inspected:
    """What an artifact says of itself, and what its text says.

    Attributes:
        manifest: Its manifest.
        digest: The SHA-256 of the manifest, which stands for the whole file.
        size: The bytes of all members.
        interface: Parameters, pieces and operators of the text; empty if the checker
            refuses it.
        findings: What the checker has to say of the text, with the operator
            namespaces allowed that the file asks for.
        hashes: Those of the program that is there; those of a refused text are not
            worked out.
        uses: For each constant that is not in the file, the node that uses it, and as
            which argument; empty if the checker refuses the text.
    """

    manifest: Manifest
    digest: str
    size: int
    interface: dict[str, Any]
    findings: tuple[Finding, ...]
    hashes: dict[str, str]
    uses: dict[int, str] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """All of it as a value of JSON."""
        said = self.manifest
        return {
            "format_version": list(said.version),
            "producer": said.producer,
            "entry": said.entry,
            "digest": self.digest,
            "size": self.size,
            "parameters": self.interface.get("parameters", []),
            "pieces": self.interface.get("pieces", []),
            "operators": self.interface.get("operators", []),
            "needs": {"namespaces": list(said.namespaces), "paths": list(said.paths)},
            "submod_names": said.submod_names,
            "consts": None if said.consts is None else [*map(vars, said.consts)],
            "supplied": [
                {"slot": slot, "type": kind, "use": self.uses.get(slot, "")}
                for slot, kind in supplied_of(said.consts)
            ],
            "members": {name: vars(one) for name, one in said.members.items()},
            "blobs": dict(said.blobs),
            "environment": dict(said.environment),
            "hashes": dict(said.hashes),
            "findings": [str(finding) for finding in self.findings],
        }


def inspect_artifact(
    source: str | os.PathLike[str] | bytes, limits: Limits = Limits()
) -> Inspected:
    """Look into an artifact.

    Args:
        source: The file, or its bytes.
        limits: How large it may be.

    Returns:
        What is in it.

    Raises:
        ArtifactError: It cannot be read, or is not whole.
    """
    return _inspected(read(source, limits))


def verify_artifact(
    source: str | os.PathLike[str] | bytes, limits: Limits = Limits()
) -> Inspected:
    """Look into an artifact, and compare what it says of its program with that.

    Raises:
        ArtifactError: It cannot be read, is not whole, or has hashes or a number of
            constants that are not those of its program, or an unreadable provenance.
    """
    archive = read(source, limits)
    found = _inspected(archive)
    try:
        _demand_hashes(found)
        _demand_constants(archive)
        _demand_provenance(archive)
    except ArtifactError as error:
        path = "" if isinstance(source, bytes) else os.fspath(source)
        raise located(error, path) from error
    return found


def _demand_hashes(found: Inspected) -> None:
    said = found.manifest.hashes
    for name, value in found.hashes.items():
        if said.get(name, value) != value:
            raise ArtifactError(
                f"it is not that of the program, {value}",
                field=f"hashes[{name!r}]",
                rule="AG602",
            )


def _demand_provenance(archive: Archive) -> None:
    if PROVENANCE in archive.members:
        try:
            read_provenance(archive.members[PROVENANCE])
        except ArtifactError as error:
            raise located(error, PROVENANCE) from error


def _demand_constants(archive: Archive) -> None:
    """Count the constants; what each of them is, only loading tells."""
    said, data = archive.manifest.consts, archive.members.get(CONSTANTS)
    if said is None or data is None:
        return
    slots = read_document(data)["slots"]
    if len(slots) != len(said):
        reason = f"it says {len(said)} constants, and there are {len(slots)}"
        raise ArtifactError(reason, path=MANIFEST, field="consts", rule="AG607")
    for place, (one, form) in enumerate(zip(said, slots)):
        if one.supplied != (isinstance(form, dict) and SUPPLIED in form):
            reason = "whether it is in the file or supplied is not as it is said"
            where = f"consts[{place}]"
            raise ArtifactError(reason, path=MANIFEST, field=where, rule="AG607")


@paused()
def _inspected(archive: Archive) -> Inspected:
    manifest = archive.manifest
    said = manifest.members
    size = sum(one.size for one in said.values())
    hashes = {"content": content_hash(said, manifest.entry, manifest.submod_names)}
    # What is no text has findings, too.
    text = archive.members[CODE].decode("utf-8", "surrogateescape")
    costly = within(Contents([Subject(text)]), TextLimits()).findings
    if costly:
        return Inspected(manifest, archive.digest, size, {}, tuple(costly), hashes)
    names = manifest.submod_names
    dialect = asked_dialect(manifest)
    scanned = scan(
        text,
        consts=None if manifest.consts is None else len(manifest.consts),
        submods=None if names is None else len(names),
        dialect=dialect,
        most=100,
    )
    found: dict[str, Any] = {}
    uses: dict[int, str] = {}
    if scanned.tree is not None and not scanned.findings:
        supplied = supplied_of(manifest.consts)
        found = interface(scanned.tree, scanned.paths, names or (), dialect, supplied)
        hashes["interface"] = interface_hash(found)
        hashes["code"] = code_hash(scanned.tree)
        if CONSTANTS in archive.members:
            keys = read_content_keys(archive.members[CONSTANTS])
            structure = structure_hash(scanned.tree, dialect, dict(enumerate(keys)))
            hashes["structure"] = structure
        if supplied:
            known = uses_of(scanned.tree, dialect)
            uses = {slot: str(known[slot]) for slot, _ in supplied if slot in known}
    return Inspected(
        manifest, archive.digest, size, found, scanned.findings, hashes, uses
    )

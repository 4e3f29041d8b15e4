"""A program with its constants from one file.

What is loaded has been compared with its digests, and its constants are made by the
codec's registry. Its text is checked where it is compiled, as any other text is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import astgen
from astgen.check import DEFAULT_DIALECT, Dialect
from astgen.errors import ArtifactError
from astgen.store.artifact import EXTRA, Artifact, Opaque, names_of
from astgen.store.codec import DecodePolicy, loads
from astgen.store.codec.values import decode_described
from astgen.store.container import Archive, located, read
from astgen.store.facts import (
    STRICT,
    EnvironmentPolicy,
    current_environment,
    judge_environment,
)
from astgen.store.limits import Limits
from astgen.store.manifest import DATA, Manifest, Slot, usable_entry
from astgen.store.members import CODE, CONSTANTS, MANIFEST, PROVENANCE
from astgen.store.uses import uses_in

__all__ = ["load_artifact"]

_CALLS = {"namespaces": "operators of ", "paths": ""}
_SLOT = re.compile(r"slots\[([0-9]+)\]")


def load_artifact(
    source: str | os.PathLike[str] | bytes,
    *,
    trust: bool = False,
    policy: EnvironmentPolicy | None = None,
    dialect: Dialect = DEFAULT_DIALECT,
    constants: DecodePolicy = DecodePolicy(),
    supplied: Mapping[int, Any] = MappingProxyType({}),
    limits: Limits = Limits(),
) -> Artifact:
    """Read an artifact. Nothing of it is run.

    Args:
        source: The file, or its bytes.
        trust: Whether opaque blobs are handed out. They are pickles and code of a
            backend: whoever reads them further runs what is in them.
        policy: What happens if it was written in another environment. By default
            another PyTorch is warned of, and blobs that are handed out must be made
            for this environment.
        dialect: What its text may name. A file does not get to say that itself.
        constants: What its constants may name.
        supplied: The constants that are not in it, by slot.
        limits: How large it may be.

    Returns:
        What is in it.

    Raises:
        ArtifactError: It is no artifact that is whole, needs what is not allowed
            here, or is for another environment.
    """
    archive = read(source, limits, opaque=trust)
    try:
        return _artifact(archive, trust, policy, dialect, constants, supplied)
    except ArtifactError as error:
        path = "" if isinstance(source, bytes) else os.fspath(source)
        raise located(error, path) from error


def _artifact(
    archive: Archive,
    trust: bool,
    policy: EnvironmentPolicy | None,
    dialect: Dialect,
    constants: DecodePolicy,
    supplied: Mapping[int, Any],
) -> Artifact:
    manifest = archive.manifest
    blobs = {} if not trust else _opaque(archive)
    judge_environment(
        manifest.environment, policy or (STRICT if blobs else EnvironmentPolicy())
    )
    _demand_allowed(manifest, dialect)
    names = manifest.submod_names
    if names is None or None in names or CONSTANTS not in manifest.members:
        reason = "it does not say what the names of the pieces, or the constants, are"
        raise ArtifactError(reason, path=MANIFEST, rule="AG607")
    try:
        code = archive.members[CODE].decode("utf-8")
    except UnicodeDecodeError as error:
        raise ArtifactError(f"it is no text: {error}", path=CODE) from error
    data = {
        name.removeprefix(DATA): content
        for name, content in archive.members.items()
        if name.startswith(DATA)
    }
    # Every digest has been compared, and the text may name these operators as well.
    allowed = constants.namespaces | dialect.namespaces
    constants = replace(constants, verified=True, namespaces=allowed)
    document = loads(archive.members[CONSTANTS])
    try:
        decoded = decode_described(document, data, constants, supplied)
    except ArtifactError as error:
        raise _placed(error, code, replace(dialect, entry=manifest.entry)) from error
    _demand_described(manifest, decoded.slots, bool(constants.device_map))
    return Artifact(
        code=code,
        submod_names=tuple(map(str, names)),
        consts=decoded.values,
        dialect=replace(dialect, entry=manifest.entry),
        blobs=blobs,
        extra={
            name.removeprefix(EXTRA): content
            for name, content in archive.members.items()
            if name.startswith(EXTRA)
        },
        environment=manifest.environment,
        hashes=manifest.hashes,
        withheld=() if trust else tuple(manifest.blobs),
        supplied=tuple(
            place for place, slot in enumerate(decoded.slots) if slot.supplied
        ),
        provenance=archive.members.get(PROVENANCE),
    )


def _placed(error: ArtifactError, code: str, dialect: Dialect) -> ArtifactError:
    """The same error, with the node that uses the constant that it is about."""
    found = _SLOT.match(error.field)
    if found is None:
        return error
    use = uses_in(code, dialect).get(int(found[1]))
    where = f" ({use})" if use else ""
    return ArtifactError(
        f"constant {found[1]}{where}: {error.reason}",
        path=error.path,
        field=error.field,
        rule=error.rule,
        hint=error.hint,
    )


def _opaque(archive: Archive) -> dict[str, Opaque]:
    listed = archive.manifest.members
    return {
        name: Opaque(listed[member].kind, archive.members[member])
        for name, member in archive.manifest.blobs.items()
    }


def _demand_described(
    manifest: Manifest, slots: Sequence[Slot], is_mapped: bool
) -> None:
    """Refuse a manifest that says something else of the constants than they are.

    Who looks at a file without making its constants, as the linter does, believes it.
    """
    said = manifest.consts
    if said is None:
        return
    if len(said) != len(slots):
        reason = f"it says {len(said)} constants, and there are {len(slots)}"
        raise ArtifactError(reason, path=MANIFEST, field="consts", rule="AG607")
    # Other versions may have other words for the same; the keys are in the document.
    torch = current_environment()["torch"]
    is_ours = manifest.producer == f"astgen {astgen.__version__}"
    in_words = is_ours and manifest.environment.get("torch") == torch and not is_mapped
    for place, (one, other) in enumerate(zip(said, slots)):
        same = (one.key, one.supplied) == (other.key, other.supplied)
        if one != other and (in_words or not same):
            reason = "it is not what the constant is"
            field = f"consts[{place}]"
            raise ArtifactError(reason, path=MANIFEST, field=field, rule="AG607")


def _way_in(manifest: Manifest) -> str:
    """The dialect that allows all that a file needs, not the first of it only."""
    usual = names_of(DEFAULT_DIALECT)
    given = [
        f"{name}={text!a}"
        for name, text in manifest.dialect.items()
        if name in usual and usual[name] != text
    ]
    for field, needed in (
        ("namespaces", manifest.namespaces),
        ("paths", manifest.paths),
    ):
        if needed:
            items = ", ".join(map(ascii, sorted({*needed})))
            given.append(f"{field}=frozenset({{{items}}})")
    return f"if you know them, allow them: dialect=Dialect({', '.join(given)})"


def _demand_allowed(manifest: Manifest, dialect: Dialect) -> None:
    """Refuse what needs more than the caller allows, before the checker does."""
    needs = {
        "namespaces": ("AG506", manifest.namespaces, dialect.namespaces),
        "paths": ("AG502", manifest.paths, dialect.paths),
    }
    for field, (rule, needed, allowed) in needs.items():
        missing = sorted({*needed} - allowed)
        if missing:
            raise ArtifactError(
                f"its text calls {_CALLS[field]}{', '.join(map(ascii, missing))}",
                path=MANIFEST,
                field=f"needs.{field}",
                rule=rule,
                hint=_way_in(manifest),
            )
    names = names_of(dialect)
    other = {name: text for name, text in manifest.dialect.items() if name in names}
    if any(names[name] != text for name, text in other.items()):
        raise ArtifactError(
            f"its text has other names: {other}",
            path=MANIFEST,
            field="dialect",
            rule="AG405",
            hint=_way_in(manifest),
        )
    if not usable_entry(manifest.entry, dialect):
        reason = f"a function cannot be called {manifest.entry!r}"
        raise ArtifactError(reason, path=MANIFEST, field="entry", rule="AG104")

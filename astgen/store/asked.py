"""The dialect that an artifact asks for; who loads it decides whether it is given."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

from astgen.check import DEFAULT_DIALECT, Dialect
from astgen.errors import InvalidNameError
from astgen.store.manifest import Manifest

__all__ = ["asked_dialect", "asked_names"]


def asked_dialect(manifest: Manifest) -> Dialect:
    """The dialect that a file asks for; for looking at it, not for running it.

    Args:
        manifest: Its manifest.
    """
    namespaces = DEFAULT_DIALECT.namespaces | {*manifest.namespaces}
    paths = set()
    for path in manifest.paths:
        with contextlib.suppress(InvalidNameError):
            Dialect(paths=frozenset({path}))
            paths.add(path)
    plain = Dialect(namespaces=namespaces, paths=frozenset(paths))
    return asked_names(manifest, plain)


def asked_names(manifest: Manifest, dialect: Dialect) -> Dialect:
    """A dialect with the names that a file asks for, and nothing else of it.

    Args:
        manifest: Its manifest.
        dialect: What else its text may name.
    """
    names: dict[str, Any] = {
        name: text
        for name, text in manifest.dialect.items()
        if name in ("submods", "consts", "inlined") and text.isidentifier()
    }
    # What has another meaning is no name, and then the checker has its say.
    with contextlib.suppress(InvalidNameError):
        return replace(dialect, entry=manifest.entry, **names)
    return dialect

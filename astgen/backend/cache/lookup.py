"""The directory cache on one page: look a graph up, else compile and keep it."""

from __future__ import annotations

import contextlib
import inspect
import logging
import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from torch import fx
from torch._dynamo.utils import counters

from astgen.backend.bundle import blob_of, built, bundle_of, loaded_piece
from astgen.backend.cache.difference import differences, nearest
from astgen.backend.cache.entries import Stored, damaged, load_entry, save_entry
from astgen.backend.cache.folder import (
    entries,
    entry_path,
    ingredients_of,
    quarantine,
    touch,
)
from astgen.backend.cache.guards import assume, assumed
from astgen.backend.cache.ingredients import Request, request_for
from astgen.backend.cache.leaves import Uncacheable
from astgen.backend.cache.storable import is_storable
from astgen.backend.caching import SerializableFunction
from astgen.backend.options import BackendOptions
from astgen.backend.pieces import build_piece
from astgen.backend.splitting import split
from astgen.errors import (
    ArtifactError,
    BackendError,
    BindError,
    InvalidProgramError,
)

__all__ = ["cached"]

_log = logging.getLogger(__name__)
_NEAREST = 200
_T = TypeVar("_T")
_NOT_HERE = frozenset({"AG004", "AG604"})
"""What cannot be read, or not in this process, is no damage to others."""


def cached(
    gm: fx.GraphModule,
    options: BackendOptions,
    build: Callable[[], SerializableFunction],
) -> SerializableFunction:
    """What a graph compiles to, from the cache if it is there.

    What happens is counted in `torch._dynamo.utils.counters["astgen"]`: `cache_hit`,
    `cache_miss`, `cache_bypass` for what cannot be kept, `cache_damaged`.

    Args:
        gm: The graph, as Dynamo hands it to a backend; it is not changed.
        options: The options, with a `cache_dir`.
        build: Compiles the graph.

    Returns:
        The compiled function.

    Raises:
        AstgenError: As `build` does.
    """
    try:
        request = request_for(gm, options)
    except Uncacheable as reason:
        _bypass(str(reason))
        return build()
    path = entry_path(str(options.cache_dir), request.key)
    found = _found(path, gm, options, request)
    if found is not None:
        counters["astgen"]["cache_hit"] += 1
        _log.info("hit: %s", request.key)
        touch(path)
        return found
    counters["astgen"]["cache_miss"] += 1
    _explain(str(options.cache_dir), request)
    function = build()
    _keep(path, gm, options, request, function)
    return function


def _found(
    path: str, gm: fx.GraphModule, options: BackendOptions, request: Request
) -> SerializableFunction | None:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    try:
        stored = load_entry(path, request, trust=options.trust_cache)
        return _function(path, stored, gm, options, request)
    except (BackendError, BindError) as error:
        # The entry may be sound: what it needs is not there, a compiler, say.
        _log.info("not loaded: %s", error)
        return None
    except ArtifactError as error:
        if error.rule in _NOT_HERE:
            # Somebody has pruned it, or keeps it to himself.
            _log.info("not read: %s", error)
            return None
        counters["astgen"]["cache_damaged"] += 1
        if quarantine(path, seen):
            # Whoever comes later finds no entry, so it is said once.
            warnings.warn(f"an entry of the cache was put aside: {error}", stacklevel=2)
        return None


def _function(
    path: str,
    stored: Stored,
    gm: fx.GraphModule,
    options: BackendOptions,
    request: Request,
) -> SerializableFunction | None:
    bundle = stored.bundle
    pieces = _of_entry(path, lambda: built(bundle.pieces))
    if bundle.blobs:
        if not _holds(path, request, stored.assumptions):
            _log.info("%s was compiled for other sizes", request.key)
            return None
        for name, data in bundle.blobs.items():
            pieces[name] = loaded_piece(data)
    missing = set(stored.names) - set(pieces)
    if missing:
        cut = split(gm, options.splitting_ops)
        if not missing <= {piece.name for piece in cut.pieces}:
            raise damaged(path, "it has pieces that the graph has not")
        for name in sorted(missing):
            child: Any = cut.gm.get_submodule(name)
            pieces[name] = build_piece(child, options.pieces)
    functions = {name: piece.function for name, piece in pieces.items()}
    function = _of_entry(path, lambda: bundle.program.compile(functions))
    if not _takes(function, len(gm.graph.find_nodes(op="placeholder"))):
        raise damaged(path, "it has other parameters than the graph")
    return SerializableFunction(bundle.program, pieces, function)


def _holds(path: str, request: Request, assumptions: str) -> bool:
    try:
        return assume(request, assumptions)
    except Exception as error:
        # PyTorch evaluates the text, so it raises whatever Python does.
        raise damaged(path, f"what it assumes cannot be told: {error}") from error


def _of_entry(path: str, make: Callable[[], _T]) -> _T:
    """What is made of an entry; what is wrong with its text is damage."""
    try:
        return make()
    except InvalidProgramError as error:
        raise damaged(path, str(error)) from error
    except BindError as error:
        if not error.missing:
            raise
        raise damaged(path, str(error)) from error


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Whether a function is called with so many inputs."""
    parameters = inspect.signature(function).parameters.values()
    kinds = [one.kind for one in parameters if one.default is one.empty]
    free = [one for one in parameters if one.kind is not one.KEYWORD_ONLY]
    return len(free) == count and inspect.Parameter.KEYWORD_ONLY not in kinds


def _keep(
    path: str,
    gm: fx.GraphModule,
    options: BackendOptions,
    request: Request,
    function: SerializableFunction,
) -> None:
    """Write an entry; a graph that cannot be kept has been compiled all the same."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        names = list(function.pieces)
        blobs, assumptions = _blobs(gm, options, request, function)
        programs = {n: p for n, p in function.pieces.items() if n not in blobs}
        kept = {n: p for n, p in programs.items() if p.program is not None}
        bundle = replace(bundle_of(function.program, kept), blobs=blobs)
        save_entry(path, request, bundle, names, assumptions)
    except (BackendError, InvalidProgramError, Uncacheable) as error:
        _bypass(str(error))
    except (ArtifactError, OSError) as error:
        warnings.warn(f"nothing is kept in the cache: {error}", stacklevel=2)


def _blobs(
    gm: fx.GraphModule,
    options: BackendOptions,
    request: Request,
    function: SerializableFunction,
) -> tuple[dict[str, bytes], str | None]:
    """What inductor made of pieces that may be stored, and what that assumes."""
    compiled = [n for n, piece in function.pieces.items() if piece.program is None]
    assumptions = assumed(request) if compiled else None
    blobs: dict[str, bytes] = {}
    if assumptions is None:
        return blobs, None
    cut = split(gm, options.splitting_ops).gm
    for name in compiled:
        child: Any = cut.get_submodule(name)
        if is_storable(child):
            # What PyTorch cannot store is compiled again.
            with contextlib.suppress(BackendError):
                blobs[name] = blob_of(function.pieces[name])
    return blobs, assumptions


def _bypass(reason: str) -> None:
    counters["astgen"]["cache_bypass"] += 1
    _log.info("not kept: %s", reason)


def _explain(folder: str, request: Request) -> None:
    """Say what the nearest entry differs in, to who listens."""
    if not _log.isEnabledFor(logging.INFO):
        return
    others = {}
    with contextlib.suppress(ArtifactError):
        for entry in entries(folder)[:_NEAREST]:
            with contextlib.suppress(ArtifactError):
                if not entry.is_damaged:
                    others[entry.key] = ingredients_of(entry.path)
    key = nearest(request.ingredients, others)
    if key is None:
        _log.info("miss: %s, the cache is empty", request.key)
        return
    found = differences(request.ingredients, others[key])
    where = ", ".join(one.ingredient for one in found) or "what it assumes of sizes"
    _log.info("miss: %s, the nearest is %s, it differs in %s", request.key, key, where)

"""The options of the `torch.compile` backend, checked before anything is compiled."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import torch.distributed as dist

from astgen.backend.operators import resolve_operators
from astgen.errors import BackendError

__all__ = ["BackendOptions", "PieceCompiler", "parse_options"]

PieceCompiler = Literal["eager", "inductor"]


@dataclass(frozen=True)
class BackendOptions:
    """How a graph is split and what compiles its pieces.

    Attributes:
        splitting_ops: Names of the operators to split at, as
            `resolve_operators` takes them. Attention by default.
        pieces: What the pieces between them run on: "eager" for plain calls
            of torch, "inductor" for TorchInductor.
        cache_dir: A folder in which compiled graphs are kept; made if it is not
            there. `~` stands for the home directory. None for no cache.
        trust_cache: Whether what inductor made of pieces may be loaded from there.
            These are pickles and code, so whoever can write to the folder can run
            anything. Without it, programs come from the cache and inductor
            compiles its pieces, with the help of caches of its own.
        check_ranks: Whether the ranks of a job are compared before anything is
            compiled, and which: True for all of them, or a process group. They have
            to compile the same graphs in the same order, or wait for each other.
        provenance: Whether programs note where their statements come from, for reviews
            of what is saved. They run the same.

    Raises:
        BackendError: On construction, for a value that does not fit.
    """

    splitting_ops: tuple[str, ...] = ("scaled_dot_product_attention", "flex_attention")
    pieces: PieceCompiler = "eager"
    cache_dir: str | None = None
    trust_cache: bool = False
    check_ranks: bool | dist.ProcessGroup = False
    provenance: bool = False

    def __post_init__(self) -> None:
        ops = self.splitting_ops
        if not isinstance(ops, tuple) or not all(isinstance(op, str) for op in ops):
            raise BackendError(
                f"option 'splitting_ops' takes a list of operator names, got {ops!r}"
            )
        resolve_operators(ops)
        if self.pieces not in get_args(PieceCompiler):
            raise BackendError(
                f"option 'pieces' has no value {self.pieces!r}; "
                + _accepted(self.pieces, get_args(PieceCompiler))
            )
        if self.cache_dir is not None:
            object.__setattr__(self, "cache_dir", _folder(self.cache_dir))
        for name in ("trust_cache", "provenance"):
            value = getattr(self, name)
            if type(value) is not bool:
                raise BackendError(
                    f"option {name!r} takes True or False, got {value!r}"
                )
        if self.check_ranks is not False:
            _demand_ranks(self.check_ranks)


def parse_options(options: Mapping[str, Any] | None) -> BackendOptions:
    """The options of a call of `torch.compile`.

    Args:
        options: Its `options` argument.

    Returns:
        The checked options, with defaults for those not given.

    Raises:
        BackendError: An option, a value or an operator is unknown; the message
            has what is accepted and the nearest of it.
    """
    given = dict(options or {})
    known = [field.name for field in fields(BackendOptions)]
    for name in given:
        if name not in known:
            raise BackendError(
                f"the astgen backend has no option {name!r}; {_accepted(name, known)}"
            )
    if isinstance(given.get("splitting_ops"), list):
        given["splitting_ops"] = tuple(given["splitting_ops"])
    if isinstance(given.get("cache_dir"), os.PathLike):
        given["cache_dir"] = os.fspath(given["cache_dir"])
    return BackendOptions(**given)


def _demand_ranks(group: object) -> None:
    """Refuse what are no ranks that can be compared."""
    is_there = dist.is_available()
    if group is not True and not (is_there and isinstance(group, dist.ProcessGroup)):
        raise BackendError(
            "option 'check_ranks' takes True, False or a process group, got "
            f"{group!r}"
        )
    if not (is_there and dist.is_initialized()):
        raise BackendError(
            "option 'check_ranks' compares the ranks of a job, and there is none; "
            "call torch.distributed.init_process_group before"
        )


def _folder(path: object) -> str:
    """The path of a folder, with the home directory in place of `~`."""
    if not (isinstance(path, str) and path) or "\0" in path:
        raise BackendError(
            f"option 'cache_dir' takes the path of a folder, got {path!r}"
        )
    try:
        os.fsencode(path)
    except UnicodeEncodeError as error:
        raise BackendError(
            f"option 'cache_dir' takes the path of a folder, and the file system has "
            f"no names such as {path!r}: {error.reason}"
        ) from error
    expanded = os.path.expanduser(path)
    if expanded.startswith("~"):
        raise BackendError(
            f"option 'cache_dir' is {path!r}, and nobody of that name has a home "
            f"directory here; write './{path}' for a folder of that name"
        )
    return expanded


def _accepted(name: object, known: Iterable[str]) -> str:
    accepted = ", ".join(repr(value) for value in sorted(known))
    nearest = difflib.get_close_matches(str(name), sorted(known), 1)
    hint = f"nearest: {nearest[0]!r}; " if nearest else ""
    return f"{hint}accepted: {accepted}"

"""Generated functions as files, for people: one each, and an index of the folder.

What a file contains, and what it is called, depends on nothing but the program, the
model part and the rank. Any number of processes may write into one folder: a name ends
with a digest of the text, so that different programs never have the same one.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType
from typing import Any

import torch
import torch.distributed
from torch import fx

from astgen.program import Program, generate
from astgen.store.atomic import put
from astgen.vllm.constants import type_name
from astgen.vllm.settings import LOG

__all__ = ["INDEX", "Dump"]

INDEX = "index.json"
"""The list of all functions in a folder."""

_FRAMES = 16
_SHOWN = (
    *(torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size),
    *(torch._ops.OpOverload, torch._ops.OpOverloadPacket),
)
_NAMED = (type, FunctionType, BuiltinFunctionType)


class Dump:
    """A folder for generated functions.

    Args:
        folder: Its path; it is made when there is something to write.
        version: The version of vLLM, for the index.
    """

    def __init__(self, folder: str, version: str) -> None:
        self._folder = folder
        self._version = version
        self._failed = False
        self._programs: dict[str, Program] = {}

    def note(self, gm: fx.GraphModule, code: str) -> None:
        """Keep what a graph knows of its function, until that is written.

        Args:
            gm: The graph.
            code: The text that was generated of it.
        """
        try:
            program = generate(gm, provenance=True)
        except Exception as error:
            LOG.warning(
                "astgen cannot note where %s comes from: %s", _place()[0], error
            )
            return
        self._programs[code] = replace(program, module=None)

    def write(self, code: str, pieces: Sequence[str], consts: Sequence[Any]) -> None:
        """Write a function that is about to run, by a call from vLLM.

        Where that fails, the log says so once, and nothing else happens.

        Args:
            code: The text, which is written as it is.
            pieces: Names of its pieces in slot order.
            consts: Its constants in slot order.
        """
        if self._failed:
            return
        try:
            self._write(code, pieces, consts)
        except Exception as error:
            self._failed = True
            LOG.warning(
                "astgen cannot dump generated code to %r: %s: %s",
                self._folder,
                type(error).__name__,
                error,
            )

    def _write(self, code: str, pieces: Sequence[str], consts: Sequence[Any]) -> None:
        part, rank, replica = _place()
        data = code.encode("utf-8")
        digest = hashlib.sha256(data).hexdigest()
        shown = re.sub(r"[^A-Za-z0-9_-]", "_", part)[:80]
        name = f"{shown}.rank_{rank}_{replica}.{digest[:8]}.py"
        entry = {
            "file": name,
            "part": part,
            "rank": rank,
            "data_parallel_rank": replica,
            "vllm": self._version,
            "sha256": digest,
            "lines": len(code.splitlines()),
            "pieces": list(pieces),
            "constants": [_described(value) for value in consts],
        }
        os.makedirs(self._folder, exist_ok=True)
        with _locked(self._folder):
            put(os.path.join(self._folder, name), [data])
            artifact = f"{name.removesuffix('.py')}.astgen"
            if self._save(os.path.join(self._folder, artifact), code, consts):
                entry["artifact"] = artifact
            self._add(entry)

    def _save(self, path: str, code: str, consts: Sequence[Any]) -> bool:
        """Write the program as an artifact as well, if it was generated here.

        Constants that cannot be stored are described: it is for reviews.
        """
        program = self._programs.get(code)
        if program is None:
            return False
        program = replace(program, consts=list(consts))
        stored = program.check_portable()
        left_out = [one.slot for one in stored if not one.is_stored]
        program.save(path, supplied=left_out)
        return True

    def _add(self, entry: dict[str, Any]) -> None:
        path = os.path.join(self._folder, INDEX)
        known = {one["file"]: one for one in _read(path)}
        known[entry["file"]] = entry
        functions = [known[name] for name in sorted(known)]
        text = json.dumps({"functions": functions}, indent=1, ensure_ascii=False)
        put(path, [f"{text}\n".encode()])


def _read(path: str) -> list[dict[str, Any]]:
    """The functions of an index; none of a file that is not there, or is none."""
    try:
        with open(path, encoding="utf-8") as file:
            functions = json.load(file)["functions"]
        return [one for one in functions if isinstance(one["file"], str)]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return []


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Others who write into the folder wait; a process that dies lets them go on."""
    descriptor = os.open(os.path.join(folder, ".lock"), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _place() -> tuple[str, int, int]:
    """The model part, the rank and the data-parallel rank that a text is for.

    Neither is handed to the generator. The functions of vLLM that call it have them,
    as locals or as attributes of their `self`.
    """
    frame = sys._getframe(1)
    for _ in range(_FRAMES):
        if frame.f_back is None:
            break
        frame = frame.f_back
        names = frame.f_locals
        for holder in (getattr(names.get("self"), "__dict__", {}), names):
            part, config = holder.get("prefix"), holder.get("vllm_config")
            parallel = getattr(config, "parallel_config", None)
            if isinstance(part, str) and parallel is not None:
                rank = getattr(parallel, "rank", 0)
                return part, rank, getattr(parallel, "data_parallel_index", 0)
    ranked = torch.distributed.is_available() and torch.distributed.is_initialized()
    return "model", torch.distributed.get_rank() if ranked else 0, 0


def _described(value: Any) -> dict[str, str]:
    """Type of a constant, and its value where that says nothing of this process."""
    told = {"type": type_name(value)}
    if isinstance(value, _SHOWN):
        told["value"] = str(value)
    elif isinstance(value, _NAMED):
        told["value"] = f"{value.__module__}.{value.__qualname__}"
    return told

"""Compiled functions that are saved ahead of time: what `aot_compile` stores of us.

    compiled = torch.compile(model.forward, backend="astgen", fullgraph=True)
    compiled.aot_compile(((x,), {})).save_compiled_function(path)

PyTorch's bundle around it is a pickle, with guards and bytecode; ours inside is an
artifact, as `Program.save` writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from astgen.backend.bundle import (
    artifact_of,
    built,
    bundle_of,
    loaded_piece,
    pieces_of,
    policy_for,
    program_of,
)
from astgen.backend.pieces import BuiltPiece
from astgen.check import DEFAULT_DIALECT, Dialect
from astgen.errors import ArtifactError, BackendError, InvalidNameError
from astgen.program import Program
from astgen.run import load
from astgen.store.artifact import EXTRA, Artifact, names_of, pack_artifact
from astgen.store.codec import DecodePolicy, encode
from astgen.store.container import Archive, read
from astgen.store.loading import load_artifact
from astgen.store.manifest import Manifest
from astgen.store.members import CODE, CONSTANTS, MANIFEST
from astgen.store.notation import parse_json, write_json

__all__ = ["SerializableFunction"]

_NEEDS = "needs.json"

if TYPE_CHECKING:
    _Base = object
else:
    try:
        from torch._dynamo.aot_compile import SerializableCallable as _Base
    except ImportError:
        # Older versions of PyTorch compile, and store nothing ahead of time.
        _Base = object


class SerializableFunction(_Base):
    """What the backend returns: a function that Dynamo can run, and store.

    Under `torch.compile`, Dynamo takes the plain function out of it, so a call costs
    no frame more. `aot_compile` runs and stores the object itself.

    Attributes:
        code: The source text.
        submod_names: The names of the pieces, in slot order.
        consts: The constants, in slot order; None if it was stored when there were
            none.
        dialect: The names and operator namespaces of the text.
        provenance: Where its statements come from, if that was noted.
        pieces: The compiled pieces by name.
        function: The plain function.
    """

    def __init__(
        self,
        program: Program,
        pieces: Mapping[str, BuiltPiece],
        function: Callable[..., Any],
        *,
        is_legacy: bool = False,
    ) -> None:
        """Wrap a compiled program.

        Args:
            program: The program; its tree is not kept.
            pieces: The pieces that it calls.
            function: The program, compiled and bound to the pieces.
            is_legacy: Whether it is from before there were constants.
        """
        self.code = program.code
        self.submod_names = program.submod_names
        self.consts: list[Any] | None = None if is_legacy else program.consts
        self.dialect = program.dialect
        self.provenance = program.provenance
        self.pieces = dict(pieces)
        self.function = function
        # By these two Dynamo knows a wrapper, and calls what is inside.
        self._torchdynamo_orig_callable = function
        self._torchdynamo_wrapper_id = id(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function."""
        return self.function(*args, **kwargs)

    @property
    def program(self) -> Program:
        """The stitching program."""
        return Program(
            self.code,
            self.submod_names,
            list(self.consts or ()),
            dialect=self.dialect,
            provenance=self.provenance,
        )

    @classmethod
    def serialize_compile_artifacts(cls, fn: SerializableFunction) -> bytes:
        """The bytes of a function: an artifact, with what inductor made inside.

        Raises:
            BackendError: A weight is a constant of the graph, or a piece cannot be
                stored.
            ConstantError: A constant cannot be stored.
        """
        bundle = bundle_of(fn.program, fn.pieces)
        programs = {"": bundle.program, **bundle.pieces}
        needs: set[str] = set()
        for name, program in programs.items():
            _refuse_weights(name, program)
            needs.update(encode(program.consts).needs)
        extra = {_NEEDS: write_json(sorted(needs))}
        return pack_artifact(artifact_of(bundle, extra))

    @classmethod
    def deserialize_compile_artifacts(cls, data: bytes) -> SerializableFunction:
        """Make a function of its bytes again, without compiling anything.

        PyTorch hands the bytes over from a bundle that it has unpickled, so whoever
        loads that bundle has trusted it already: what inductor made is loaded, and
        constants may refer to whatever they did when they were stored. The text is
        checked all the same, and every byte compared with its digest.

        Args:
            data: What `serialize_compile_artifacts` returned. An artifact without
                constants is from before there were any, and loads.

        Returns:
            The function.

        Raises:
            ArtifactError: The bytes are damaged, or made for another environment.
            BackendError: PyTorch does not take what inductor made.
        """
        archive = read(data)
        if CONSTANTS not in archive.manifest.members:
            return _legacy(archive)
        policy = _policy(archive)
        found = _load(data, policy)
        pieces = built(
            pieces_of(found, lambda content: _program(_load(content, policy)))
        )
        for name, opaque in found.blobs.items():
            pieces[name] = loaded_piece(opaque.data)
        program = _program(found)
        functions = {name: piece.function for name, piece in pieces.items()}
        return cls(program, pieces, program.compile(functions))


def _refuse_weights(name: str, program: Program) -> None:
    """Refuse weights: they would be stored as they are, and never change again."""
    for slot, value in enumerate(program.consts):
        if isinstance(value, (torch.nn.Parameter, torch.nn.Buffer)):
            where = f"piece {name!r}" if name else "the graph"
            raise BackendError(
                f"constant {slot} of {where} is a weight of the model, and would be "
                "stored with its value; let Dynamo make inputs of weights "
                "(torch._dynamo.config.inline_inbuilt_nn_modules)"
            )


def _load(data: bytes, policy: DecodePolicy) -> Artifact:
    dialect = _dialect(read(data).manifest)
    return load_artifact(data, trust=True, dialect=dialect, constants=policy)


def _program(found: Artifact) -> Program:
    consts: list[Any] = found.consts
    return program_of(found, consts)


def _dialect(manifest: Manifest) -> Dialect:
    """What the text was allowed to name when it was stored."""
    names = {
        name: manifest.dialect.get(name, default)
        for name, default in names_of(DEFAULT_DIALECT).items()
    }
    try:
        return replace(
            DEFAULT_DIALECT,
            namespaces=DEFAULT_DIALECT.namespaces | {*manifest.namespaces},
            paths=DEFAULT_DIALECT.paths | {*manifest.paths},
            **names,
        )
    except InvalidNameError as error:
        reason, _, hint = str(error).rpartition("; ")
        raise ArtifactError(
            reason, path=MANIFEST, field="dialect", rule="AG405", hint=hint
        ) from error


def _policy(archive: Archive) -> DecodePolicy:
    """What the constants referred to when they were stored."""
    content = archive.members.get(EXTRA + _NEEDS, b"[]")
    try:
        needs = [str(need) for need in parse_json(content, 2)]
    except (TypeError, ValueError) as error:
        reason = f"it is no list of names: {error}"
        raise ArtifactError(reason, path=EXTRA + _NEEDS) from error
    return policy_for(needs)


def _legacy(archive: Archive) -> SerializableFunction:
    """A function that was stored without constants, and without pieces."""
    names = tuple(map(str, archive.manifest.submod_names or ()))
    code = archive.members[CODE].decode("utf-8", "replace")
    dialect = replace(_dialect(archive.manifest), entry=archive.manifest.entry)
    program = Program(code, names, dialect=dialect)
    blobs = archive.manifest.blobs
    pieces = {
        name: loaded_piece(archive.members[member]) for name, member in blobs.items()
    }
    functions = {name: piece.function for name, piece in pieces.items()}
    function = load(code, functions, names, None, dialect)
    return SerializableFunction(program, pieces, function, is_legacy=True)

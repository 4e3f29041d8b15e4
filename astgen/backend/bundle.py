"""A stitching program with its compiled pieces, to and from one artifact.

Pieces that are "eager" are programs themselves and are stored as such. What inductor
made of a piece is an opaque blob.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from astgen.backend.inductor import KIND, dump_compiled, load_compiled
from astgen.backend.pieces import BuiltPiece
from astgen.check.judge import OPS
from astgen.errors import BackendError
from astgen.program import Program
from astgen.store.artifact import Artifact, Opaque, pack_artifact
from astgen.store.codec import DecodePolicy

__all__ = [
    "PIECES",
    "Bundle",
    "artifact_of",
    "blob_of",
    "built",
    "bundle_of",
    "loaded_piece",
    "pieces_of",
    "policy_for",
    "program_of",
]

PIECES = "pieces/"
"""Where the programs of pieces are, among the `extra` members."""


@dataclass(frozen=True)
class Bundle:
    """All that a compiled graph is made of.

    Attributes:
        program: The stitching program.
        pieces: The programs of "eager" pieces.
        blobs: What inductor made of the other ones.
    """

    program: Program
    pieces: Mapping[str, Program] = field(default_factory=dict)
    blobs: Mapping[str, bytes] = field(default_factory=dict)


def bundle_of(program: Program, pieces: Mapping[str, BuiltPiece]) -> Bundle:
    """What is to be stored of a compiled graph.

    Args:
        program: Its stitching program.
        pieces: Its pieces.

    Raises:
        BackendError: A piece cannot be stored.
    """
    programs: dict[str, Program] = {}
    blobs: dict[str, bytes] = {}
    for name, piece in pieces.items():
        if piece.modules:
            raise BackendError(
                f"piece {name!r} calls the modules {', '.join(piece.modules)}, and a "
                "module is code; let Dynamo trace into them "
                "(torch._dynamo.config.inline_inbuilt_nn_modules)"
            )
        if piece.program is None:
            blobs[name] = blob_of(piece)
        else:
            programs[name] = replace(piece.program, module=None)
    return Bundle(replace(program, module=None), programs, blobs)


def blob_of(piece: BuiltPiece) -> bytes:
    """The bytes of a piece that inductor compiled, here or elsewhere.

    Raises:
        BackendError: PyTorch cannot store the piece.
    """
    return dump_compiled(piece.function) if piece.stored is None else piece.stored


def loaded_piece(data: bytes) -> BuiltPiece:
    """A piece of its bytes, which have to be trusted; it can be stored again.

    Raises:
        BackendError: PyTorch does not load the piece.
    """
    return BuiltPiece(load_compiled(data), stored=data)


def artifact_of(
    bundle: Bundle,
    extra: Mapping[str, bytes] | None = None,
    blobs: Mapping[str, Opaque] | None = None,
) -> Artifact:
    """The artifact of a bundle.

    Args:
        bundle: What is stored.
        extra: Other members, by name.
        blobs: Other opaque members, by name.

    Raises:
        InvalidProgramError: A text is none that could be loaded again.
        ConstantError: A constant of a piece cannot be stored.
    """
    programs = {
        PIECES + name: pack_artifact(_artifact(piece))
        for name, piece in bundle.pieces.items()
    }
    return replace(
        _artifact(bundle.program),
        extra={**programs, **(extra or {})},
        blobs={
            **{name: Opaque(KIND, data) for name, data in bundle.blobs.items()},
            **(blobs or {}),
        },
    )


def program_of(artifact: Artifact, consts: list[Any]) -> Program:
    """The program of an artifact.

    Args:
        artifact: The artifact.
        consts: Its constants.
    """
    return Program(
        artifact.code,
        artifact.submod_names,
        consts,
        dialect=artifact.dialect,
        provenance=artifact.provenance,
    )


def pieces_of(
    artifact: Artifact, read: Callable[[bytes], Program]
) -> dict[str, Program]:
    """The programs of the "eager" pieces of an artifact.

    Args:
        artifact: An artifact that `artifact_of` made.
        read: Reads the artifact of a piece.

    Raises:
        ArtifactError: As `read` does.
    """
    return {
        name.removeprefix(PIECES): read(data)
        for name, data in artifact.extra.items()
        if name.startswith(PIECES)
    }


def built(programs: Mapping[str, Program]) -> dict[str, BuiltPiece]:
    """Make programs of pieces callable.

    Raises:
        AstgenError: As `Program.compile` does.
    """
    return {
        n: BuiltPiece(program.compile(), program) for n, program in programs.items()
    }


def policy_for(needs: Iterable[str]) -> DecodePolicy:
    """The policy that allows what constants need, as `check_portable` spells it."""
    modules, attributes, namespaces = set(), set(), set()
    for need in needs:
        if need.startswith("."):
            attributes.add(need[1:])
        elif need.startswith(OPS):
            namespaces.add(need.removeprefix(OPS))
        else:
            modules.add(need)
    return DecodePolicy(
        modules=frozenset(modules),
        attributes=frozenset(attributes),
        namespaces=DecodePolicy.namespaces | namespaces,
    )


def _artifact(program: Program) -> Artifact:
    consts: list[Any] = program.consts
    return Artifact(
        program.code,
        program.submod_names,
        consts,
        program.dialect,
        provenance=program.provenance,
    )

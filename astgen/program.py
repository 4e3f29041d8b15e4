"""The one value that travels, and the pipeline on one page. Read this first.

    torch.fx graph -> emit -> source text -> check -> build -> bind -> callable

Each stage is a module with one public function: plain values in, plain values
out. The text that is checked is the very text that is compiled.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from torch import fx

from astgen import emit
from astgen import provenance as origins
from astgen.check import DEFAULT_DIALECT, Dialect, Finding, check, scan
from astgen.run import load
from astgen.store.artifact import Artifact, Opaque, save_artifact
from astgen.store.codec import DecodePolicy, Portability, check_portable
from astgen.store.facts import EnvironmentPolicy
from astgen.store.loading import load_artifact
from astgen.store.uses import uses_in

if TYPE_CHECKING:
    # What only loads programs has no use for it, and it takes long to import.
    import libcst as cst

__all__ = ["Program", "generate"]


@dataclass(frozen=True)
class Program:
    """A generated function with everything that belongs to it.

    Attributes:
        code: The source text.
        submod_names: Names of the pieces, in slot order; inlined ones included.
        consts: The constants, in slot order.
        module: The syntax tree that `code` was rendered from; None if it came as
            text. A node may stand in several places: take `module.deep_clone()` for
            what tells places by their nodes, such as `deep_replace`.
        dialect: The names and operator namespaces of the text.
        provenance: Where its statements come from, as a document that
            `astgen.provenance.read_provenance` reads; None if nobody asked for it.
    """

    code: str
    submod_names: tuple[str, ...] = ()
    consts: list[Any] = field(default_factory=list)
    module: cst.Module | None = field(default=None, repr=False, compare=False)
    dialect: Dialect = DEFAULT_DIALECT
    provenance: bytes | None = field(default=None, repr=False, compare=False)

    @property
    def pieces(self) -> tuple[str, ...]:
        """The names of the pieces that the text calls, in slot order.

        Children that became functions of the text have a name and a slot, but are not
        called by it: nobody has to hand over a callable for them.
        """
        called = scan(self.code, dialect=self.dialect).pieces
        return tuple(
            name for slot, name in enumerate(self.submod_names) if slot in called
        )

    def check(self) -> tuple[Finding, ...]:
        """All findings of the checker; empty for a program that may be run."""
        return check(
            self.code,
            consts=len(self.consts),
            submods=len(self.submod_names),
            dialect=self.dialect,
        )

    def compile(
        self, submod_callables: Mapping[str, Callable[..., Any]] | None = None
    ) -> Callable[..., Any]:
        """Check the program and make it callable.

        Args:
            submod_callables: A callable for each piece that is called by slot.

        Returns:
            A plain function of the graph's inputs.

        Raises:
            InvalidProgramError: The checker refused the text.
            BindError: A piece has no callable, or an operator is missing here.
        """
        return load(
            self.code,
            submod_callables or {},
            self.submod_names,
            self.consts,
            self.dialect,
        )

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        blobs: Mapping[str, Opaque] | None = None,
        extra: Mapping[str, bytes] | None = None,
        supplied: Collection[int] = (),
    ) -> None:
        """Write the program with its constants.

        Equal programs give equal bytes in equal environments: the same versions of
        astgen, Python and PyTorch, platform and device, which the file names.

        Args:
            path: The file. It is replaced when all of the new one is on the disk.
            blobs: What a backend compiled, by the name of the piece.
            extra: Other bytes, by name.
            supplied: The slots of constants that are not stored, such as closures.
                The file has their types, and whoever loads it hands them over.

        Raises:
            InvalidProgramError: The text is none that could be loaded again.
            ConstantError: A constant cannot be stored; `check_portable` says which.
            ArtifactError: The file cannot be written.
            ValueError: A slot of `supplied` is none.
        """
        artifact = Artifact(
            self.code,
            self.submod_names,
            self.consts,
            self.dialect,
            blobs=blobs or {},
            extra=extra or {},
            supplied=tuple(sorted(supplied)),
            provenance=self.provenance,
        )
        save_artifact(path, artifact)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        policy: EnvironmentPolicy | None = None,
        dialect: Dialect = DEFAULT_DIALECT,
        constants: DecodePolicy = DecodePolicy(),
        supplied: Mapping[int, Any] | None = None,
    ) -> Program:
        """Read a program. Nothing of it is run; `compile` checks its text first.

        Blobs of a backend are left in the file: `astgen.store.load_artifact` hands
        them out to who trusts them.

        Args:
            path: A file that `save` wrote.
            policy: What happens if it was written in another environment.
            dialect: What its text may name. A file does not get to say that itself.
            constants: What its constants may name.
            supplied: The constants that are not in it, by slot, as `save` was told.
                Each is of exactly the type of the one that the program had.

        Returns:
            The program.

        Raises:
            ArtifactError: The file is damaged, needs what is not allowed or supplied
                here, or is for another environment.
        """
        found = load_artifact(
            path,
            policy=policy,
            dialect=dialect,
            constants=constants,
            supplied=supplied or {},
        )
        return cls(
            found.code,
            found.submod_names,
            found.consts,
            dialect=found.dialect,
            provenance=found.provenance,
        )

    def check_portable(self, supplied: Collection[int] = ()) -> tuple[Portability, ...]:
        """For each constant, whether and where it can be loaded again, and why not.

        Args:
            supplied: The slots of those that `save` will be told to leave out.

        Raises:
            ValueError: One of them is none.
        """
        answers = check_portable(self.consts, supplied)
        if all(answer.is_stored for answer in answers):
            return answers
        uses = uses_in(self.code, self.dialect)
        return tuple(
            one if one.is_stored else replace(one, use=str(uses.get(one.slot, "")))
            for one in answers
        )


def generate(
    gm: fx.GraphModule,
    name: str | None = None,
    dialect: Dialect = DEFAULT_DIALECT,
    *,
    provenance: bool | Mapping[str, fx.GraphModule] = False,
) -> Program:
    """Generate the program of a graph module.

    GraphModule children become functions of the same text; all other modules are
    pieces, called by slot.

    Args:
        gm: The graph module; it is not changed.
        name: The entry function's name; that of the dialect if it is not given.
        dialect: Names and operator namespaces. Namespaces that the graph itself
            uses are added: the graph is the caller's own.
        provenance: Whether to note where the statements come from, for reviews and
            annotated dumps: nodes, types, modules, lines, memory. The text is the
            same. A mapping has the graphs of pieces that are no GraphModules.

    Returns:
        The program.

    Raises:
        InvalidNameError: The function cannot be called `name`.
        UnsupportedGraphError: The graph cannot be expressed.
    """
    trace = None if provenance is False else emit.Trace()
    emitted = emit.emit(gm, name, dialect=dialect, trace=trace)
    known = None
    if trace is not None:
        graphs = provenance if isinstance(provenance, Mapping) else {}
        known = origins.write_provenance(origins.collect(trace, graphs))
    return Program(
        code=emitted.code,
        submod_names=tuple(emitted.submod_names),
        consts=emitted.consts,
        module=emitted.module,
        dialect=emitted.dialect,
        provenance=known,
    )

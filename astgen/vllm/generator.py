"""The functions of vLLM's generator, done by astgen, with a word in vLLM's log."""

from __future__ import annotations

import contextlib
import inspect
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any

from torch import fx

from astgen.check import DEFAULT_DIALECT, check
from astgen.errors import InvalidProgramError, UnsupportedGraphError
from astgen.execution import compile_execution_fn, dialect_of
from astgen.vllm.constants import node_of, type_name, warn_of_unpicklable
from astgen.vllm.dump import Dump
from astgen.vllm.settings import LOG, Settings
from astgen.vllm.shape import Shape

__all__ = ["Generator"]

_lock = threading.Lock()


class Generator:
    """What stands in vLLM's modules instead of its own functions.

    Args:
        shape: vLLM's own generator.
        settings: What the environment says.
    """

    def __init__(self, shape: Shape, settings: Settings) -> None:
        self._shape = shape
        self._fallback = settings.fallback
        self._dump = Dump(settings.dump, shape.version) if settings.dump else None
        namespaces = DEFAULT_DIALECT.namespaces | settings.namespaces
        self._dialect = replace(DEFAULT_DIALECT, namespaces=namespaces)
        self._generated: set[str] = set()
        self._vllms: set[str] = set()
        self._unsaid = ""

    def announce(self, said: str) -> None:
        """Say that astgen generates, now or as soon as somebody listens.

        vLLM may load its plugins before it configures its log.

        Args:
            said: One line.
        """
        self._unsaid = said
        if LOG.hasHandlers() and LOG.isEnabledFor(logging.INFO):
            self._speak()

    def _speak(self) -> None:
        said, self._unsaid = self._unsaid, ""
        if said:
            LOG.info("%s", said)

    def replacements(self) -> dict[str, Callable[..., Any]]:
        """astgen's functions, by the names of those of vLLM that they replace."""
        if self._shape.has_constants:
            new: dict[str, Callable[..., Any]] = {
                "generate_execution_code": self.generate_execution_code,
                "compile_execution_fn": self.compile_execution_fn,
                "generate_execution_code_with_name": self.generate_one_function,
                "_node_ref": self.node_ref,
            }
        else:
            # Its `_node_ref` has no list to put a constant in, and only vLLM's own
            # functions call it.
            new = {
                "generate_execution_code": self.generate_two_values,
                "compile_execution_fn": self.compile_without_constants,
            }
        return {name: new[name] for name in new if name in self._shape.functions}

    def generate_execution_code(self, split_gm: fx.GraphModule) -> tuple[Any, ...]:
        """Generate the source of a stitching graph, as vLLM's function does.

        Args:
            split_gm: The split graph.

        Returns:
            The text, the names of the pieces, and the constants if this vLLM knows
            them; of vLLM's own generator, if astgen fails and the fallback is on.

        Raises:
            UnsupportedGraphError: The graph cannot be expressed. The log has said so.
        """
        self._speak()
        try:
            code, names, consts = _codegen().generate_execution_code(split_gm)
            self._examine(split_gm, code, names, consts)
        except Exception as error:
            if not self._fallback:
                LOG.error(
                    "astgen cannot generate a graph (ASTGEN_VLLM_FALLBACK=1 leaves such "
                    "graphs to vLLM's own generator): %s",
                    f"{type(error).__name__}: {error}",
                )
                raise
            LOG.warning(
                "astgen leaves a graph to vLLM's own generator: %s", _told(error)
            )
            return self._by_vllm(split_gm)
        self._generated.add(code)
        if self._dump is not None:
            self._dump.note(split_gm, code)
        return (code, names, consts) if self._shape.has_constants else (code, names)

    def generate_two_values(self, split_gm: fx.GraphModule) -> tuple[Any, ...]:
        """`generate_execution_code` for a vLLM that knows no constants."""
        return self.generate_execution_code(split_gm)

    def compile_execution_fn(
        self,
        code: str,
        submod_callables: Mapping[str, Callable[..., Any]],
        submod_names: Sequence[str],
        consts: list[Any] | None = None,
    ) -> Callable[..., Any]:
        """Check a text and compile it; it may come from vLLM's cache.

        Args:
            code: The text.
            submod_callables: The pieces by name.
            submod_names: Their names in slot order.
            consts: The constants in slot order.

        Returns:
            The function.

        Raises:
            InvalidProgramError: The text was refused. vLLM compiles the model again
                if it was a cached one.
            BindError: A piece or an operator is missing.
        """
        self._speak()
        try:
            function = compile_execution_fn(
                code, submod_callables, submod_names, consts, dialect=self._dialect
            )
        except Exception as error:
            refused = isinstance(error, InvalidProgramError)
            if not refused or not isinstance(code, str) or code not in self._vllms:
                self._tell_refused(code, error)
                raise
            LOG.warning(
                "astgen refuses a program of vLLM's own generator, which is run all the "
                "same since ASTGEN_VLLM_FALLBACK is 1: %s",
                _told(error),
            )
            args = (consts,) if self._shape.has_constants else ()
            function = self._shape.functions["compile_execution_fn"](
                code, submod_callables, submod_names, *args
            )
        if self._dump is not None:
            self._dump.write(code, submod_names, consts or [])
        return function

    def compile_without_constants(
        self,
        code: str,
        submod_callables: Mapping[str, Callable[..., Any]],
        submod_names: Sequence[str],
    ) -> Callable[..., Any]:
        """`compile_execution_fn` for a vLLM that knows no constants."""
        return self.compile_execution_fn(code, submod_callables, submod_names)

    def generate_one_function(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """`generate_execution_code_with_name` of `astgen.codegen`."""
        made: tuple[Any, ...] = _codegen().generate_execution_code_with_name(
            *args, **kwargs
        )
        return made

    def node_ref(self, arg: Any, consts: list[Any], const_index: dict[int, int]) -> str:
        """`_node_ref` of `astgen.codegen`."""
        return str(_codegen()._node_ref(arg, consts, const_index))

    def _examine(
        self, gm: fx.GraphModule, code: str, names: list[str], consts: list[Any]
    ) -> None:
        """What has to be known while there still is a graph to name, or to fall back.

        Raises:
            UnsupportedGraphError: There are constants, and this vLLM has no place
                for them.
            InvalidProgramError: The checker refuses the text.
        """
        if consts and not self._shape.has_constants:
            raise UnsupportedGraphError(
                f"vLLM {self._shape.version} has no place for constants, and slot 0 "
                f"is a {type_name(consts[0])}; use vLLM 0.21 or newer",
                node_of(gm, consts[0]),
            )
        warn_of_unpicklable(gm, consts)
        if self._fallback:
            # Later there is no graph any more that vLLM's generator could be given.
            dialect = dialect_of(code, self._dialect)
            findings = check(
                code, consts=len(consts), submods=len(names), dialect=dialect
            )
            if findings:
                raise InvalidProgramError(findings)

    def _by_vllm(self, gm: fx.GraphModule) -> tuple[Any, ...]:
        with _originals(self._shape):
            made: tuple[Any, ...] = self._shape.functions["generate_execution_code"](gm)
        self._vllms.add(made[0])
        return made

    def _tell_refused(self, code: object, error: Exception) -> None:
        if isinstance(code, str) and code in self._generated | self._vllms:
            LOG.error("astgen cannot use a generated program: %s", _told(error))
        else:
            LOG.error(
                "astgen refuses a cached program, vLLM compiles again: %s", _told(error)
            )


def _codegen() -> ModuleType:
    """Imported when something is generated: libcst takes long, and a process that
    starts from a cache, or serves requests only, never needs it."""
    return import_module("astgen.codegen")


def _told(error: Exception) -> str:
    """An error in one line, with the way to allow what a setting can allow."""
    if not isinstance(error, InvalidProgramError):
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    told = "; ".join(
        f"line {finding.line}: {finding.rule} {finding.message}"
        for finding in error.findings[:5]
    )
    if len(error.findings) > 5:
        told += f"; and {len(error.findings) - 5} more"
    if any(finding.rule == "AG506" for finding in error.findings):
        told += " (ASTGEN_VLLM_NAMESPACES allows operators of more namespaces)"
    return told


@contextlib.contextmanager
def _originals(shape: Shape) -> Iterator[None]:
    """vLLM's module as vLLM wrote it: its functions find each other by name.

    Callers in other modules have astgen's functions meanwhile.
    """
    names = inspect.unwrap(shape.functions["generate_execution_code"]).__globals__
    with _lock:
        current = {name: names[name] for name in shape.functions if name in names}
        names.update({name: shape.functions[name] for name in current})
        try:
            yield
        finally:
            names.update(current)

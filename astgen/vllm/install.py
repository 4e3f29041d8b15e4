"""Replaces vLLM's functions wherever they are known by name, all of them or none."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from astgen.errors import BackendError
from astgen.vllm.generator import Generator
from astgen.vllm.settings import Settings
from astgen.vllm.shape import find_generator

__all__ = ["install"]


def install(settings: Settings) -> None:
    """Put astgen's functions in the place of vLLM's.

    Modules that imported them before have them replaced, too; whoever imports them
    later gets them from the module that defined them.

    Args:
        settings: What the environment says.

    Raises:
        UnknownGeneratorError: This vLLM has no generator that is known.
        BackendError: astgen lacks a library.
    """
    # It is imported late, and should not be found missing then.
    if find_spec("libcst") is None:
        raise BackendError("libcst is not installed; pip install libcst")
    shape = find_generator()
    generator = Generator(shape, settings)
    _replace(shape.functions, generator.replacements())
    values = "three values" if shape.has_constants else "two values, no constants"
    generator.announce(
        f"astgen generates the code of vLLM {shape.version} ({shape.module.__name__}, "
        f"{values})"
    )


def _replace(
    old: Mapping[str, Callable[..., Any]], new: Mapping[str, Callable[..., Any]]
) -> None:
    """Replaces functions, by their names, in all modules."""
    done: list[tuple[ModuleType, str]] = []
    try:
        for module in list(sys.modules.values()):
            # Some put other things than modules there, or fill them when asked.
            if not isinstance(module, ModuleType):
                continue
            for name, function in new.items():
                if module.__dict__.get(name) is old[name]:
                    done.append((module, name))
                    setattr(module, name, function)
    except BaseException:
        for module, name in done:
            with contextlib.suppress(Exception):
                setattr(module, name, old[name])
        raise

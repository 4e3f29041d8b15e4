"""What is to be compiled: the built-in model, or the result of a user's factory."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import nn

from astgen.cli.demo import decoder
from astgen.cli.origin import Source, describe
from astgen.errors import CaptureError

__all__ = ["Model", "load_model"]

_FORMS = "write file.py:factory or package.module:factory"
_RESULT = "a factory returns (module, args) or (module, args, kwargs)"


@dataclass(frozen=True)
class Model:
    """A model and what to call it with.

    Attributes:
        name: A name for it, fit for a file name.
        title: A name for it, for people.
        module: The model itself.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
        source: The file that it comes from.
    """

    name: str
    title: str
    module: nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    source: Source | None = None


def load_model(target: str | None) -> Model:
    """Import a user's file or module and call its factory.

    Args:
        target: `file.py:factory` or `package.module:factory`; None for the
            built-in model.

    Returns:
        What the factory returned.

    Raises:
        CaptureError: There is no such factory, it failed, or it returned
            something else.
    """
    if target is None:
        module, args = decoder()
        return Model("decoder", "the built-in decoder", module, args)
    place, colon, name = target.rpartition(":")
    if not (colon and place and name):
        raise CaptureError(f"{target!r} does not name a factory; {_FORMS}")
    is_file = place.endswith(".py") or os.sep in place
    namespace, source = _load_file(place) if is_file else _load_module(place)
    factory = _factory(namespace, place, name)
    with _users_code(f"factory {name!r} failed", source):
        result = factory()
    return Model(_file_name(name), target, *_parts(name, result), source)


def _load_file(place: str) -> tuple[ModuleType, Source]:
    path = Path(place)
    if path.is_dir():
        raise CaptureError(f"{place!r} is a directory, not a Python file; {_FORMS}")
    if not path.is_file():
        siblings = (str(other) for other in path.parent.glob("*.py"))
        raise CaptureError(
            f"there is no file {place!r}; {_nearest(place, siblings)}{_FORMS}"
        )
    source = Source(place, str(path.resolve()))
    # As `python file.py` does it: what lies beside the file can be imported.
    sys.path.insert(0, os.path.dirname(source.path))
    name = f"astgen_target_{_file_name(path.stem)}"
    loader = SourceFileLoader(name, source.path)
    spec = importlib.util.spec_from_file_location(name, source.path, loader=loader)
    if spec is None:
        raise CaptureError(f"{place!r} is not a Python file; {_FORMS}")
    # Dynamo finds a model's globals through the module's entry here.
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    with _users_code(f"importing {place!r} failed", source):
        loader.exec_module(module)
    return module, source


def _load_module(place: str) -> tuple[ModuleType, Source]:
    # As `python -m package.module` does it.
    sys.path.insert(0, os.getcwd())
    source = Source(place, "")
    with _users_code(f"importing {place!r} failed", source):
        try:
            spec = importlib.util.find_spec(place)
        except ModuleNotFoundError as error:
            if not f"{place}.".startswith(f"{error.name}."):
                raise
            spec = None
    if spec is None:
        raise CaptureError(
            f"there is no module {place!r} in this directory or among the installed "
            f"packages; {_FORMS}"
        )
    source = Source(spec.origin or place, spec.origin or "")
    with _users_code(f"importing {place!r} failed", source):
        return importlib.import_module(place), source


def _factory(namespace: ModuleType, place: str, name: str) -> Callable[[], Any]:
    value: Any = getattr(namespace, name, None)
    if value is None:
        own = (n for n, v in vars(namespace).items() if callable(v) and n[0] != "_")
        raise CaptureError(f"{place!r} has no {name!r}; {_nearest(name, own)}{_FORMS}")
    if not callable(value) or isinstance(value, nn.Module):
        raise CaptureError(
            f"{name!r} in {place!r} is a {type(value).__name__}, not a factory; name "
            f"a function without arguments: {_RESULT}"
        )
    try:
        inspect.signature(value).bind()
    except TypeError as error:
        raise CaptureError(
            f"factory {name!r} cannot be called without arguments: {error}; give its "
            "parameters defaults, or name a function without any"
        ) from error
    except ValueError:
        pass  # Builtins may have no signature; calling will tell.
    factory: Callable[[], Any] = value
    return factory


def _parts(
    name: str, result: object
) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
    if not isinstance(result, tuple) or len(result) not in (2, 3):
        size = f" of {len(result)}" if isinstance(result, tuple) else ""
        raise CaptureError(
            f"factory {name!r} returned a {type(result).__name__}{size}; {_RESULT}"
        )
    module, args, kwargs = (*result, {})[:3]
    if not isinstance(module, nn.Module):
        raise CaptureError(
            f"factory {name!r} returned a {type(module).__name__} in the place of the "
            f"model; {_RESULT}, the module a torch.nn.Module"
        )
    if not isinstance(args, tuple):
        raise CaptureError(
            f"factory {name!r} returned a {type(args).__name__} in the place of the "
            "arguments; return a tuple, (x,) for a single one"
        )
    if not isinstance(kwargs, dict) or not all(isinstance(key, str) for key in kwargs):
        raise CaptureError(
            f"factory {name!r} returned {type(kwargs).__name__} keyword arguments; "
            "return a dict with names for keys"
        )
    return module, args, kwargs


@contextmanager
def _users_code(what: str, source: Source) -> Iterator[None]:
    try:
        yield
    except (Exception, SystemExit) as error:
        raise CaptureError(f"{what}: {describe(error, source)}") from error


def _nearest(name: str, names: Iterable[str]) -> str:
    nearest = difflib.get_close_matches(name, sorted(names), 3)
    return f"nearest: {', '.join(map(repr, nearest))}; " if nearest else ""


def _file_name(name: str) -> str:
    return re.sub(r"\W", "_", name)

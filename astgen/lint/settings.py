"""What a run of the linter goes by: the command line over the nearest configuration.

As in ruff, the nearest `pyproject.toml` above a file that has a `[tool.astgen.lint]`
table holds for it, alone; tables of folders further up are not mixed in. What the
command line says stands above it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatch
from functools import cache
from typing import Any, cast

from astgen.check.dialect import Dialect
from astgen.check.finding import PROFILES, SEVERITIES, Profile, Severity
from astgen.errors import AstgenError, SettingsError
from astgen.lint.rules import ALL_RULES
from astgen.lint.select import matches, validate

__all__ = ["Settings", "forget", "nearest", "read_settings", "size"]

_FILE = "pyproject.toml"
_MOST = 1 << 20
_SIZE = re.compile(r"(?P<number>[0-9]{1,18}) *(?P<unit>[kKMGT]?)(i?B)?")
_TABLE = "[tool.astgen.lint]"


@dataclass(frozen=True)
class Settings:
    """How files are judged.

    Attributes:
        select: Selectors of the rules that are on; None for the default rules.
        ignore: Selectors of rules that are off.
        extend_select: Selectors of rules that are on besides.
        per_file_ignores: Patterns of files, and selectors of rules that are off there.
        severity: The lowest severity that is reported; None for warnings, and for
            notes of rules that are selected.
        profile: Who generated the texts; None to look at each.
        namespaces: Operator namespaces that are allowed beside the usual ones.
        paths: Paths from `torch` and `operator` that may be called beside the listed.
        pickle_globals: Names that pickles may load beside the listed ones.
        exclude: Patterns of files and folders that are passed over in folders.
        force_exclude: Whether they are passed over even where they are named.
        max_file_size: The most bytes of a file that is read; None for the usual limit.
        root: The folder that patterns are relative to.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severity: Severity | None = None
    profile: Profile | None = None
    namespaces: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    pickle_globals: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    max_file_size: int | None = None
    root: str = ""

    def ignored_in(self, path: str) -> tuple[str, ...]:
        """Selectors of the rules that are off in one file."""
        if not self.per_file_ignores:
            return ()
        relative = os.path.relpath(path, self.root or os.curdir)
        return tuple(
            selector
            for pattern, selectors in self.per_file_ignores
            if fnmatch(relative, pattern) or fnmatch(os.path.basename(path), pattern)
            for selector in selectors
        )

    def reports(self, code: str) -> bool:
        """Whether findings of a rule that is on are severe enough to be reported."""
        severity = ALL_RULES[code].severity
        if self.severity is not None:
            return SEVERITIES.index(severity) >= SEVERITIES.index(self.severity)
        named = (*(self.select or ()), *self.extend_select)
        return severity != "note" or matches(code, named)

    def over(self, **given: Any) -> Settings:
        """These settings, with what the command line gives instead.

        Args:
            given: Fields; None for what is not given. `extend_select` adds.
        """
        changed = {name: value for name, value in given.items() if value is not None}
        extended = (*self.extend_select, *changed.pop("extend_select", ()))
        return replace(self, extend_select=extended, **changed)


def nearest(path: str) -> Settings:
    """The settings that hold for a file or folder.

    Args:
        path: The file or folder; it need not exist.

    Returns:
        Those of the nearest configuration above it, or the usual ones.

    Raises:
        SettingsError: The configuration cannot be read, or says what it may not.
    """
    absolute = os.path.abspath(path)
    folder = absolute if os.path.isdir(absolute) else os.path.dirname(absolute)
    return _of_folder(folder)


@cache
def _of_folder(folder: str) -> Settings:
    # Folders can be nested deeply, so this is a loop.
    while True:
        file = os.path.join(folder, _FILE)
        if os.path.isfile(file):
            found = read_settings(file, required=False)
            if found is not None:
                return found
        above = os.path.dirname(folder)
        if above == folder:
            return Settings()
        folder = above


def forget() -> None:
    """Read configuration anew from now on; files change while somebody watches."""
    _of_folder.cache_clear()
    read_settings.cache_clear()


@cache
def read_settings(file: str, required: bool = True) -> Settings | None:
    """Read the table of one file.

    Args:
        file: A `pyproject.toml`, or any TOML file with such a table.
        required: Whether a file without the table is an error.

    Returns:
        The settings; None if there is no table and none is required.

    Raises:
        SettingsError: It cannot be read, is no TOML, or says what it may not.
    """
    # Most runs have no configuration, and the reader takes long to import.
    from astgen.lint.toml import TOMLDecodeError, loads

    try:
        with open(file, "rb") as stream:
            data = stream.read(_MOST + 1)
        if len(data) > _MOST:
            raise SettingsError(f"{file}: more than {_MOST} bytes; name another file")
        content = loads(data.decode())
    except OSError as error:
        reason = error.strerror or error
        raise SettingsError(f"{file}: {reason}; name a readable file") from error
    except (TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: not TOML: {error}; mend the file") from error
    except RecursionError as error:
        raise SettingsError(f"{file}: nested too deeply; mend the file") from error
    table: Any = content
    for key in ("tool", "astgen", "lint"):
        table = table.get(key) if isinstance(table, dict) else None
    if table is None:
        if required:
            raise SettingsError(f"{file}: no {_TABLE} table; write one")
        return None
    if not isinstance(table, dict):
        raise SettingsError(f"{file}: {_TABLE} is no table; write one")
    values = {_field(key, file): _parsed(key, table[key], file) for key in table}
    return Settings(**values, root=os.path.dirname(os.path.abspath(file)))


def _field(key: str, file: str) -> str:
    if key not in _PARSERS:
        close = get_close_matches(key, _PARSERS, n=1)
        meant = f"did you mean {close[0]!r}" if close else f"known: {_KNOWN}"
        raise SettingsError(f"{file}: {_TABLE} has no setting {key!r}; {meant}")
    return key.replace("-", "_")


def _parsed(key: str, value: Any, file: str) -> Any:
    where = f"{file}: {key}"
    try:
        return _PARSERS[key](value, where)
    except SettingsError:
        raise
    except AstgenError as error:
        raise SettingsError(f"{where}: {error}") from error


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise SettingsError(f"{where}: not a list of strings; write ['...', '...']")
    return tuple(value)


def _selectors(value: Any, where: str) -> tuple[str, ...]:
    return validate(_texts(value, where), where)


def _by_file(value: Any, where: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        raise SettingsError(f"{where}: no table; write {{'*.py' = ['AG203']}}")
    return tuple((pattern, _selectors(value[pattern], where)) for pattern in value)


def _paths(value: Any, where: str) -> tuple[str, ...]:
    found = _texts(value, where)
    # What may not be a path is known where paths are judged.
    Dialect(paths=frozenset(found))
    return found


def size(value: Any, where: str) -> int:
    """A number of bytes, as a number or with a unit.

    Args:
        value: 1000, `"1000"`, `"512 MiB"`, `"2G"`.
        where: Where it stands, for the message.

    Raises:
        SettingsError: It is something else.
    """
    found = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if found is not None and int(found["number"]):
        # No unit is found at 0, behind which the others are in order.
        power = " KMGT".find(found["unit"].upper() or " ")
        return int(found["number"]) << 10 * power
    if type(value) is not int or value < 1:
        raise SettingsError(f"{where}: {value!r} is no size; write bytes, or '512 MiB'")
    return value


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise SettingsError(f"{where}: {value!r} is unknown; true or false")
    return value


def _one_of(choices: tuple[str, ...]) -> Callable[[Any, str], str]:
    def parse(value: Any, where: str) -> str:
        if value not in choices:
            listed = ", ".join(choices)
            raise SettingsError(f"{where}: {value!r} is unknown; one of {listed}")
        return cast(str, value)

    return parse


_PARSERS: dict[str, Callable[[Any, str], Any]] = {
    "select": _selectors,
    "ignore": _selectors,
    "extend-select": _selectors,
    "per-file-ignores": _by_file,
    "severity": _one_of(SEVERITIES),
    "profile": _one_of(PROFILES),
    "namespaces": _texts,
    "paths": _paths,
    "pickle-globals": _texts,
    "exclude": _texts,
    "force-exclude": _flag,
    "max-file-size": size,
}
_KNOWN = ", ".join(sorted(_PARSERS))

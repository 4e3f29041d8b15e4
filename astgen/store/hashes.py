"""What a program is, as digests that do not depend on where it was written.

`content` is the program as it is stored. `code` is its text up to the names of
locals and of parameters that are found by position. `interface` is what others must
know to call it: its parameters, the pieces and how they are called, the operators.
`structure`, by which programs are compared, is `astgen.structure`'s.
Nothing here imports torch.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from astgen.check import Dialect
from astgen.store.manifest import Member
from astgen.store.members import PROVENANCE
from astgen.store.notation import write_json

__all__ = ["bound_names", "code_hash", "content_hash", "interface", "interface_hash"]

_LEAVES = (ast.Name, ast.Constant, ast.arg, str, int, type(None))

# Not there in every version of Python, or without meaning here.
_SKIPPED = frozenset({"ctx", "kind", "type_comment", "type_ignores", "type_params"})


def content_hash(
    members: Mapping[str, Member], entry: str, names: Sequence[str | None] | None
) -> str:
    """The hash of a program as it is stored, wherever it comes from.

    Args:
        members: Its members, without the manifest.
        entry: The name of the function that is called.
        names: The names of the pieces in slot order.
    """
    digests = {
        name: said.sha256 for name, said in members.items() if name != PROVENANCE
    }
    return _hash([digests, entry, None if names is None else list(names)])


def code_hash(tree: ast.Module) -> str:
    """The hash of a text up to the names of locals and positional parameters.

    Args:
        tree: The text, parsed and checked.
    """
    digest = hashlib.sha256()
    for statement in tree.body:
        names = _renamed(statement) if isinstance(statement, ast.FunctionDef) else {}
        tokens: list[str] = []
        _write(statement, names, tokens)
        digest.update("".join(tokens).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def bound_names(function: ast.FunctionDef) -> list[str]:
    """The names that a function binds, each once, but those of keywords.

    Args:
        function: A function of a text that was checked.
    """
    args = function.args
    order = [one.arg for one in (*args.posonlyargs, *args.args)]
    order += [one.arg for one in (args.vararg, args.kwarg) if one is not None]
    order += [
        node.id
        for statement in function.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    ]
    return list(dict.fromkeys(order))


def interface(
    tree: ast.Module,
    paths: Collection[str],
    names: Sequence[str | None],
    dialect: Dialect,
    supplied: Sequence[Sequence[Any]] = (),
) -> dict[str, Any]:
    """What others must know to call a program.

    Args:
        tree: The text, parsed and checked.
        paths: The operators and functions that it names.
        names: The names of the pieces in slot order.
        dialect: The names of the text.
        supplied: Slot and type of each constant that whoever loads hands over.

    Returns:
        A value of JSON: `parameters`, each with its kind and whether it has a
        default; `pieces`, each with its name and the arities that it is called with,
        none if it is never called by slot; `operators`, sorted; `supplied`, if there
        are any.
    """
    arities: dict[int, set[tuple[int, tuple[str, ...]]]] = {}
    for node in _calls(tree):
        slot = _slot(node, dialect.submods)
        if slot is not None:
            keywords = tuple(sorted(one.arg or "**" for one in node.keywords))
            arities.setdefault(slot, set()).add((len(node.args), keywords))
    pieces = [
        [name, [[count, list(words)] for count, words in sorted(arities.get(slot, ()))]]
        for slot, name in enumerate(names)
    ]
    found = {
        "parameters": _parameters(tree, dialect),
        "pieces": pieces,
        "operators": sorted(paths),
    }
    # Most programs have none, and keep the hash that they had before there were any.
    return {**found, "supplied": list(supplied)} if supplied else found


def interface_hash(found: Mapping[str, Any]) -> str:
    """The hash of an interface."""
    return _hash(dict(found))


def _parameters(tree: ast.Module, dialect: Dialect) -> list[list[Any]]:
    for statement in reversed(tree.body):
        if isinstance(statement, ast.FunctionDef) and statement.name == dialect.entry:
            return list(_listed(statement.args, dialect.submods))
    return []


def _listed(args: ast.arguments, submods: str) -> Iterator[list[Any]]:
    positional = [*args.posonlyargs, *args.args]
    without = len(positional) - len(args.defaults)
    for index, one in enumerate(positional):
        yield ["positional", one.arg, index >= without]
    if args.vararg is not None:
        yield ["*", args.vararg.arg, False]
    for one, default in zip(args.kwonlyargs, args.kw_defaults):
        if one.arg != submods:
            yield ["keyword", one.arg, default is not None]
    if args.kwarg is not None:
        yield ["**", args.kwarg.arg, False]


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    """All calls of a text, in any order."""
    work: list[Any] = [tree]
    while work:
        node = work.pop()
        kind: Any = type(node)
        if kind in _LEAVES:
            continue
        if kind is list:
            work.extend(node)
        elif isinstance(node, ast.AST):
            if isinstance(node, ast.Call):
                yield node
            work.extend([getattr(node, name, None) for name, _ in _fields(kind)])


def _slot(call: ast.Call, submods: str) -> int | None:
    """The slot of a piece that a call calls."""
    match call.func:
        case ast.Subscript(
            value=ast.Name(id=name), slice=ast.Constant(value=int() as slot)
        ) if (name == submods):
            return slot
    return None


def _renamed(function: ast.FunctionDef) -> dict[str, str]:
    """A number for each name that a function binds and callers do not use."""
    kept = {one.arg for one in function.args.kwonlyargs}
    names = [name for name in bound_names(function) if name not in kept]
    # No name that Python can define begins with a digit.
    return {name: str(number) for number, name in enumerate(names)}


@functools.cache
def _fields(kind: type[ast.AST]) -> tuple[tuple[str, bool], ...]:
    """The fields of a node that mean something, and whether they hold a name."""
    return tuple(
        (name, name in ("id", "arg") and not issubclass(kind, ast.keyword))
        for name in kind._fields
        if name not in _SKIPPED
    )


def _write(value: Any, names: Mapping[str, str], tokens: list[str]) -> None:
    """Write a tree as text, each field in its order, with names replaced.

    It recurses: what is nested too deeply, the checker refuses before.
    """
    kind: Any = type(value)
    if isinstance(value, ast.AST):
        tokens.append(f"({kind.__name__}")
        for name, is_name in _fields(kind):
            part = getattr(value, name, None)
            if type(part) is str:
                tokens.append(f"str:{names.get(part, part) if is_name else part!r},")
            else:
                _write(part, names, tokens)
        tokens.append(")")
    elif kind is list:
        tokens.append(f"[{len(value)}")
        for part in value:
            _write(part, names, tokens)
    elif isinstance(value, int):
        # Python refuses to write long ones in decimal.
        tokens.append(f"{kind.__name__}:{value:x},")
    else:
        tokens.append(f"{kind.__name__}:{value!r},")


def _hash(value: Any) -> str:
    return hashlib.sha256(write_json(value)).hexdigest()

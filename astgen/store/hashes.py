"""What a program is, as digests that do not depend on where it was written.

`content` is the program as it is stored. `code` is its text up to the names of
locals and of parameters that are found by position. `interface` is what others must
know to call it: its parameters, the pieces and how they are called, the operators.
Nothing here imports torch.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from astgen.check import Dialect
from astgen.store.manifest import Member
from astgen.store.notation import write_json

__all__ = ["code_hash", "content_hash", "interface", "interface_hash"]

# Not there in every version of Python, or without meaning here.
_SKIPPED = frozenset({"ctx", "kind", "type_comment", "type_ignores", "type_params"})


def content_hash(
    members: Mapping[str, Member], entry: str, names: Sequence[str | None] | None
) -> str:
    """The hash of a program as it is stored.

    Args:
        members: Its members, without the manifest.
        entry: The name of the function that is called.
        names: The names of the pieces in slot order.
    """
    digests = {name: said.sha256 for name, said in members.items()}
    return _hash([digests, entry, None if names is None else list(names)])


def code_hash(tree: ast.Module) -> str:
    """The hash of a text up to the names of locals and positional parameters.

    Args:
        tree: The text, parsed and checked.
    """
    digest = hashlib.sha256()
    for statement in tree.body:
        names = _renamed(statement) if isinstance(statement, ast.FunctionDef) else {}
        for token in _tokens(statement, names):
            digest.update(token.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def interface(
    tree: ast.Module,
    paths: Collection[str],
    names: Sequence[str | None],
    dialect: Dialect,
) -> dict[str, Any]:
    """What others must know to call a program.

    Args:
        tree: The text, parsed and checked.
        paths: The operators and functions that it names.
        names: The names of the pieces in slot order.
        dialect: The names of the text.

    Returns:
        A value of JSON: `parameters`, each with its kind and whether it has a
        default; `pieces`, each with its name and the arities that it is called with,
        none if it is never called by slot; `operators`, sorted.
    """
    arities: dict[int, set[tuple[int, tuple[str, ...]]]] = {}
    for node in ast.walk(tree):
        slot = _slot(node, dialect.submods)
        if isinstance(node, ast.Call) and slot is not None:
            keywords = tuple(sorted(one.arg or "**" for one in node.keywords))
            arities.setdefault(slot, set()).add((len(node.args), keywords))
    pieces = [
        [name, [[count, list(words)] for count, words in sorted(arities.get(slot, ()))]]
        for slot, name in enumerate(names)
    ]
    return {
        "parameters": _parameters(tree, dialect),
        "pieces": pieces,
        "operators": sorted(paths),
    }


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


def _slot(node: ast.AST, submods: str) -> int | None:
    """The slot of a piece that a call calls."""
    match node:
        case ast.Call(
            func=ast.Subscript(
                value=ast.Name(id=name), slice=ast.Constant(value=int() as slot)
            )
        ) if (name == submods):
            return slot
    return None


def _renamed(function: ast.FunctionDef) -> dict[str, str]:
    """A number for each name that a function binds and callers do not use."""
    args = function.args
    order = [one.arg for one in (*args.posonlyargs, *args.args)]
    order += [one.arg for one in (args.vararg, args.kwarg) if one is not None]
    order += [
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    kept = {one.arg for one in args.kwonlyargs}
    unique = dict.fromkeys(name for name in order if name not in kept)
    # No name that Python can define begins with a digit.
    return {name: str(number) for number, name in enumerate(unique)}


def _tokens(node: Any, names: Mapping[str, str]) -> Iterator[str]:
    """A tree as text, each field in its order, with names replaced."""
    work: list[Any] = [node]
    while work:
        value = work.pop()
        if isinstance(value, ast.AST):
            yield f"({type(value).__name__}"
            work.append(_END)
            for name in reversed(value._fields):
                if name not in _SKIPPED:
                    part = getattr(value, name, None)
                    named = name in ("id", "arg") and not isinstance(value, ast.keyword)
                    if named and isinstance(part, str):
                        part = names.get(part, part)
                    work.append(part)
        elif isinstance(value, list):
            yield f"[{len(value)}"
            work.extend(reversed(value))
        elif value is _END:
            yield ")"
        elif isinstance(value, int):
            # Python refuses to write long ones in decimal.
            yield f"{type(value).__name__}:{value:x},"
        else:
            yield f"{type(value).__name__}:{value!r},"


_END = object()


def _hash(value: Any) -> str:
    return hashlib.sha256(write_json(value)).hexdigest()

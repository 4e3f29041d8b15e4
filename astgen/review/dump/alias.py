"""Short names for the long ones of a text.

Dynamo names a weight after its whole path, such as
`l_self_modules_layers_modules_79_modules_mlp_modules_down_proj_parameters_weight_`,
which becomes `layers_79_mlp_down_proj_weight`. Parameters are renamed as well, so the
text is called by position.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterator

from astgen.check import Dialect
from astgen.review.dump.splices import Offsets, Splice, spliced

__all__ = ["aliased"]

_WEIGHT = re.compile(r"[lL]_self_+(modules|parameters|buffers)_")
_CLOSURE = re.compile(r"_closure_[0-9]+_cell_contents(?:_handler_tensor)?")
_INNER = frozenset({"modules", "parameters", "buffers", ""})
_LONG = 32
_LONGEST = 72
_NEVER = frozenset({*keyword.kwlist, *keyword.softkwlist, *dir(builtins)})


def aliased(
    text: str, tree: ast.Module, dialect: Dialect
) -> tuple[str, dict[str, str]]:
    """Give long names of parameters and locals short ones.

    Args:
        text: A text that the grammar lets through.
        tree: Its tree.
        dialect: The names that have a meaning of their own.

    Returns:
        The text with the short names, of which none stood in it before, and for each
        of them the name that it stands for, in the order of the text.
    """
    names = _Names(tree, dialect)
    taken = {*names.all, *_NEVER, *dialect.reserved}
    numbers: dict[str, int] = {}
    short: dict[str, str] = {}
    for name in names.bound:
        if name not in names.kept and _is_long(name):
            alias = _unused(_short(name), taken, numbers)
            if len(alias) < len(name) or not name.isascii():
                taken.add(alias)
                short[name] = alias
    text = spliced(text, names.splices(text, short))
    return text, {alias: name for name, alias in short.items()}


def _is_long(name: str) -> bool:
    return len(name) > _LONG or not name.isascii() or _WEIGHT.match(name) is not None


def _short(name: str) -> str:
    """A short name after a long one; several may get the same."""
    name = name.encode("ascii", "ignore").decode()
    weight = _WEIGHT.match(name)
    words = [name]
    if weight is not None:
        path = _CLOSURE.sub("", name[weight.start(1) :])
        words = [word for word in path.split("_") if word not in _INNER]
    short = "_".join(words).strip("_")
    if not short or len(short) > _LONGEST or not short[0].isalpha():
        short = f"m_{short}" if short and len(short) <= _LONGEST else "name"
    return short


def _unused(name: str, taken: set[str], numbers: dict[str, int]) -> str:
    """The name, with a number behind it if it is taken."""
    found = name
    while found in taken:
        numbers[name] = numbers.get(name, 1) + 1
        found = f"{name}_{numbers[name]}"
    return found


class _Names:
    """The names of a text.

    Attributes:
        all: Every name that stands in it, as whatever.
        bound: The parameters and locals, in the order of the text.
        kept: Those that cannot be renamed.
    """

    def __init__(self, tree: ast.Module, dialect: Dialect) -> None:
        self.all: set[str] = set()
        self.bound: dict[str, None] = {}
        self.kept = set(dialect.reserved)
        self._renamed: list[ast.Name | ast.arg] = []
        for function in tree.body:
            if not isinstance(function, ast.FunctionDef):
                continue
            self.all.add(function.name)
            self.kept |= {function.name, *(a.arg for a in function.args.kwonlyargs)}
            self._read(function)

    def _read(self, function: ast.FunctionDef) -> None:
        todo: list[ast.AST] = [function]
        while todo:
            node = todo.pop()
            todo += reversed(list(ast.iter_child_nodes(node)))
            if isinstance(node, ast.Name):
                self.all.add(node.id)
                self._renamed.append(node)
                if isinstance(node.ctx, ast.Store):
                    self.bound.setdefault(node.id)
            elif isinstance(node, ast.arg):
                self.all.add(node.arg)
                self._renamed.append(node)
                self.bound.setdefault(node.arg)
            elif isinstance(node, ast.Attribute):
                self.all.add(node.attr)
            elif isinstance(node, ast.keyword) and node.arg is not None:
                # Functions of the text are called by position, others keep names.
                self.all.add(node.arg)

    def splices(self, text: str, short: dict[str, str]) -> Iterator[Splice]:
        """What puts other names in the places of these."""
        offsets = Offsets(text)
        for node in self._renamed:
            name = node.id if isinstance(node, ast.Name) else node.arg
            if name in short:
                start = offsets.span(node)[0]
                yield start, start + len(name.encode()), short[name]

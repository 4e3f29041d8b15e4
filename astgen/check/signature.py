"""How an inlined function is called: its parameters against one call."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from astgen.check.report import shown

__all__ = ["Signature", "keyword_names", "signature_of"]


@dataclass(frozen=True)
class Signature:
    """The parameters of an inlined function, as its callers see them.

    Attributes:
        names: Positional parameters in order, the list of pieces included.
        least: How many of them have no default.
        starred: Whether any number of further arguments is taken.
        required: Keyword-only parameters without a default.
        known: All keyword-only parameters.
        positional: The positional parameters, to look them up.
        keywords: Whether any other keyword is taken.
        takes_submods: Whether the last positional parameter is the list of pieces.
    """

    names: tuple[str, ...]
    least: int
    starred: bool
    required: tuple[str, ...]
    known: frozenset[str]
    positional: frozenset[str]
    keywords: bool
    takes_submods: bool

    def misfit(self, call: ast.Call) -> str | None:
        """What is wrong with a call, None if the arguments fit."""
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return "arguments are unpacked"
        count, most = len(call.args), len(self.names)
        if count < self.least or count > most and not self.starred:
            return f"it takes {self._wanted()} positional arguments, {count} given"
        given = {name for keyword in call.keywords for name in keyword_names(keyword)}
        # No set of all parameters is made here: a text may hold many calls.
        lacking = next((name for name in self.required if name not in given), None)
        if lacking is not None:
            return f"the keyword {shown(lacking)} is missing"
        for name in sorted(given):
            if name not in self.known and (
                not self.keywords or name in self.positional
            ):
                return f"{shown(name)} is not given by keyword"
        return None

    def _wanted(self) -> str:
        most = len(self.names)
        if self.starred:
            return f"{self.least} or more"
        return str(most) if self.least == most else f"{self.least} to {most}"


def signature_of(spec: ast.arguments, takes_submods: bool) -> Signature:
    """The signature of a function definition.

    Args:
        spec: The parameters of the definition.
        takes_submods: Whether the last positional one is the list of pieces.

    Returns:
        What its callers have to know.
    """
    names = tuple(arg.arg for arg in (*spec.posonlyargs, *spec.args))
    keyword_only = list(zip(spec.kwonlyargs, spec.kw_defaults))
    return Signature(
        names=names,
        least=len(names) - len(spec.defaults),
        starred=spec.vararg is not None,
        required=tuple(arg.arg for arg, value in keyword_only if value is None),
        known=frozenset(arg.arg for arg, _ in keyword_only),
        positional=frozenset(names),
        keywords=spec.kwarg is not None,
        takes_submods=takes_submods,
    )


def keyword_names(keyword: ast.keyword) -> list[str]:
    """The names that one `name=` or `**{'name': …}` of a call gives."""
    if keyword.arg is not None:
        return [keyword.arg]
    if not isinstance(keyword.value, ast.Dict):
        return []
    return [
        key.value
        for key in keyword.value.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    ]

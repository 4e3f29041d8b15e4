"""What the grammar has no place for, in words and under a rule."""

from __future__ import annotations

import ast

from astgen.check.dialect import MAX_TREE_DEPTH, MODULES
from astgen.check.finding import Rule
from astgen.check.grammar import Mismatch
from astgen.check.report import Problem, shown
from astgen.check.rules.namespace import FORBIDDEN_IMPORT
from astgen.check.rules.syntax import (
    CALL_TARGET,
    EXPRESSION_KIND,
    NESTING,
    STATEMENT_KIND,
)

__all__ = ["misfit"]

_PLACES: dict[str, tuple[Rule, str]] = {
    "module": (STATEMENT_KIND, "a program is imports, then functions"),
    "toplevel": (STATEMENT_KIND, "a program is imports, then functions"),
    "alias": (FORBIDDEN_IMPORT, f"only {' and '.join(MODULES)} are imported"),
    "parameters": (STATEMENT_KIND, "parameters are names with defaults and stars"),
    "parameter": (STATEMENT_KIND, "parameters are names with defaults and stars"),
    "statement": (STATEMENT_KIND, "a body is assignments, calls, del and return"),
    "local": (STATEMENT_KIND, "one plain name is assigned, or deleted"),
    "deleted": (STATEMENT_KIND, "plain names are deleted"),
    "call": (STATEMENT_KIND, "only calls stand alone"),
    "callee": (
        CALL_TARGET,
        "callees are listed paths and methods, slots and functions",
    ),
    "default": (
        EXPRESSION_KIND,
        "defaults are literals, slots, paths and containers of these",
    ),
    "depth": (NESTING, "deep arguments go through temporaries"),
}
_FIELDS: dict[str, tuple[Rule, str]] = {
    "FunctionDef.decorator_list": (STATEMENT_KIND, "remove it; it would run"),
    "FunctionDef.returns": (STATEMENT_KIND, "remove it; it would run"),
    "FunctionDef.type_params": (STATEMENT_KIND, "remove it"),
    "arguments.posonlyargs": (STATEMENT_KIND, "every parameter has a reachable name"),
    "arg.annotation": (STATEMENT_KIND, "remove it; it would run"),
    "alias.asname": (FORBIDDEN_IMPORT, "modules are imported as they are"),
    "Call.keywords": (EXPRESSION_KIND, "defaults give their items by position"),
}
_ELSEWHERE = (
    EXPRESSION_KIND,
    "expressions are names, literals, containers, slices and calls",
)
_WORDS = {
    "And": "'and'",
    "AnnAssign": "an annotated assignment",
    "Assign": "an assignment",
    "Assert": "an assert",
    "Assign.targets": "an assignment to several targets",
    "AsyncFor": "an async loop",
    "AsyncFunctionDef": "an async function",
    "AsyncWith": "an async with",
    "Attribute": "an attribute",
    "AugAssign": "an augmented assignment",
    "Await": "an await",
    "BinOp": "arithmetic",
    "BoolOp": "'and' or 'or'",
    "Break": "a break",
    "Call": "a call",
    "Call.keywords": "a keyword in a default",
    "ClassDef": "a class definition",
    "Compare": "a comparison",
    "Compare.ops": "a chained comparison",
    "Constant": "a literal",
    "Constant.kind": "the prefix of a string",
    "Constant.value": "a number that is complex, not finite or too long",
    "Continue": "a continue",
    "Delete": "a del",
    "Dict": "a dict",
    "Dict.keys": "an unpacking in a dict",
    "DictComp": "a dict comprehension",
    "Expr": "an expression",
    "For": "a loop",
    "FunctionDef": "a function inside a function",
    "FunctionDef.decorator_list": "a decorator",
    "FunctionDef.returns": "an annotation",
    "FunctionDef.type_params": "a type parameter",
    "GeneratorExp": "a generator expression",
    "Global": "a global statement",
    "If": "an if",
    "IfExp": "a conditional expression",
    "In": "'in'",
    "Is": "'is'",
    "IsNot": "'is not'",
    "JoinedStr": "an f-string",
    "Lambda": "a lambda",
    "List": "a list",
    "ListComp": "a list comprehension",
    "Match": "a match",
    "Name": "a name",
    "NamedExpr": "an assignment inside an expression",
    "Nonlocal": "a nonlocal statement",
    "Not": "'not'",
    "NotIn": "'not in'",
    "Pass": "a pass",
    "Raise": "a raise",
    "Return": "a return",
    "Set": "a set",
    "SetComp": "a set comprehension",
    "Slice": "a slice",
    "Starred": "an unpacking",
    "Subscript": "an item",
    "TemplateStr": "a t-string",
    "Try": "a try",
    "TryStar": "a try",
    "Tuple": "a tuple",
    "TypeAlias": "a type alias",
    "UnaryOp": "an operator",
    "While": "a loop",
    "With": "a with",
    "Yield": "a yield",
    "YieldFrom": "a yield",
    "alias.asname": "an import under another name",
    "arg.annotation": "an annotation",
    "arguments.posonlyargs": "a positional-only parameter",
}

_TARGETS = {"List": "an unpacking", "Tuple": "an unpacking"}
"""What is another thing where it is assigned to; targets of a del are none."""


def misfit(mismatch: Mismatch) -> Problem:
    """Say what is wrong with a mismatch, and under which rule."""
    if mismatch.found in ("Import", "ImportFrom"):
        hint = f"only {' and '.join(MODULES)} are imported, at the top"
        rule, what = FORBIDDEN_IMPORT, _import(mismatch.node)
    elif mismatch.place == "depth":
        rule, hint = _PLACES["depth"]
        what = f"nesting deeper than {MAX_TREE_DEPTH} levels"
    else:
        place = _PLACES.get(mismatch.place, _ELSEWHERE)
        rule, hint = _FIELDS.get(mismatch.found, place)
        what = _words(mismatch)
    return Problem(rule, mismatch.node, f"{what} is not allowed here", hint)


def _words(mismatch: Mismatch) -> str:
    found = mismatch.found
    what = _WORDS.get(found) or f"syntax of kind {found}"
    if isinstance(getattr(mismatch.node, "ctx", None), ast.Store):
        what = _TARGETS.get(found, what)
    name = _name(mismatch.node)
    return f"{what}, {shown(name)}," if name else what


def _name(node: ast.AST) -> str | None:
    """What a node is about, if that is a name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return ", ".join(node.names)
    name = getattr(node, "name", None)
    return name if isinstance(name, str) else None


def _import(node: ast.AST) -> str:
    names = [alias.name for alias in getattr(node, "names", [])]
    module = "." * getattr(node, "level", 0) + (getattr(node, "module", "") or "")
    return f"the import of {shown(module or ', '.join(names))}"

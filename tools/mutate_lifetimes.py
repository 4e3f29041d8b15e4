"""Missing dels: what the oracle says of a mutant that lost one, and what lint says.

A program without one of its dels still runs and gives the same results, so that the
checker lets it through; `astgen lint` does not.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import lru_cache

from astgen.lint.profile import detect
from astgen.lint.program import judge
from astgen.lint.settings import Settings
from astgen.lint.subject import Constant, Subject
from mutate_program import Program, bound, loads

__all__ = ["OPERATORS", "forgotten", "noted"]

OPERATORS = frozenset({"del_dropped", "one_name_of_del_dropped"})
"""What makes mutants that lost a del."""

_RULES = frozenset({"AG203", "AG205", "AG207"})
_MOST = 1_000


def forgotten(program: Program, text: str) -> str | None:
    """Why a mutant holds something for too long; None if it does not.

    Args:
        program: The program, which has all its dels.
        text: The mutant; it has the same functions.

    Returns:
        The reason in a few words. None as well for parameters of astgen's own text:
        it deletes those that hold memory, which is not to be seen in the text.
    """
    is_own = detect(program.text) == "astgen-1"
    for old, new in zip(_functions(program.text), _functions(text), strict=True):
        gone = _deleted(old) - _deleted(new)
        spec = new.args
        if is_own:
            stars = [arg for arg in (spec.vararg, spec.kwarg) if arg]
            parameters = [*spec.args, *spec.kwonlyargs, *stars]
            gone -= {arg.arg for arg in parameters}
        for name in sorted(gone):
            for line in new.body[_last(new, name, program) + 1 :]:
                if _runs(line, program):
                    return f"line {line.lineno} runs while {name} is held"
    return None


def noted(program: Program, text: str) -> tuple[str, ...]:
    """The codes of what lint says of lifetimes in a mutant and not in its program."""
    new = Counter(_lint(program, text)) - _usual(program)
    return tuple(rule for rule, _ in new.elements())


@lru_cache(maxsize=1)
def _usual(program: Program) -> Counter[tuple[str, str]]:
    """What lint says of the program itself: vLLM's text holds what nobody reads."""
    return Counter(_lint(program, program.text))


def _lint(program: Program, text: str) -> list[tuple[str, str]]:
    subject = Subject(
        text,
        submod_names=tuple(f"piece_{slot}" for slot in range(program.submods)),
        consts=(Constant("builtins.int", "1", "1"),) * program.consts,
    )
    settings = Settings(
        # The program's habits: a mutant may have lost some.
        profile=detect(program.text),
        namespaces=tuple(program.dialect.namespaces),
        paths=tuple(program.dialect.paths),
    )
    found = judge(subject, settings, _RULES, most=_MOST)
    return [(finding.rule, finding.message) for finding in found]


def _functions(text: str) -> list[ast.FunctionDef]:
    body = ast.parse(text).body
    return [node for node in body if isinstance(node, ast.FunctionDef)]


def _deleted(function: ast.FunctionDef) -> set[str]:
    return {
        node.id
        for line in function.body
        if isinstance(line, ast.Delete)
        for node in ast.walk(line)
        if isinstance(node, ast.Name)
    }


def _last(function: ast.FunctionDef, name: str, program: Program) -> int:
    """The last line that needs a value, by its name or in something that holds it."""
    last, holders = -1, {name}
    for index, line in enumerate(function.body):
        if name in bound(line):
            last = index
        if holders.isdisjoint(use.id for use in loads(line)):
            continue
        last = index
        if isinstance(line, ast.Assign) and not _runs(line, program):
            holders.update(bound(line))
    return last


def _runs(line: ast.stmt, program: Program) -> bool:
    """Whether a line computes something, or only puts together what there is."""
    if isinstance(line, ast.Delete):
        return False
    for node in ast.walk(line):
        if isinstance(node, ast.Call) and not _is_maker(node, program):
            return True
        if isinstance(node, ast.Subscript) and not _is_constant(node, program):
            return True
        if isinstance(node, (ast.BinOp, ast.Compare)):
            return True
        if isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
            return True
    return False


def _is_maker(call: ast.Call, program: Program) -> bool:
    """Whether a call makes a slice, a range, a size, or a record of one tuple."""
    if _is_constant(call.func, program):
        return len(call.args) == 1 and isinstance(call.args[0], ast.Tuple)
    return ast.unparse(call.func) in ("slice", "range", "torch.Size")


def _is_constant(node: ast.AST, program: Program) -> bool:
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return False
    return node.value.id == program.dialect.consts

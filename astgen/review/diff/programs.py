"""Two programs compared, and many told apart, up to names and numbers."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from astgen import structure
from astgen.check import scan
from astgen.errors import InvalidProgramError
from astgen.garbage import paused
from astgen.review.diff.compare import Pairs, compare_functions
from astgen.review.diff.difference import Difference, Place
from astgen.review.diff.inside import inside
from astgen.review.diff.matching import Side
from astgen.review.programs import ReadProgram
from astgen.structure.lines import Function, functions_of
from astgen.structure.meanings import Meanings, digest

__all__ = ["Comparison", "compare_programs", "contents_of", "structure_hash"]

_SHOWN = 8
"""Digits of a digest that people are told."""


@dataclass(frozen=True)
class Comparison:
    """What two programs differ in.

    Attributes:
        verdict: `identical` (the same bytes), `renamed only`, or `different`.
        differences: What differs, function by function, the entry last.
        pieces: How many pieces are called of which nobody knows, on one side or both,
            what they do: they may differ all the same.
        constants: How many slots are used of which nobody knows what is in them.
    """

    verdict: str
    differences: tuple[Difference, ...] = ()
    pieces: int = 0
    constants: int = 0


@paused()
def compare_programs(left: ReadProgram, right: ReadProgram) -> Comparison:
    """Compare two programs.

    Names of locals and of positional parameters, numbers of slots and of inlined
    functions do not count. Constants are compared by value where both sides have
    them; pieces by what their graphs do where both sides know it, and by name where
    both sides name the same ones.

    Args:
        left: One program.
        right: The other one.

    Returns:
        What they differ in.

    Raises:
        InvalidProgramError: One is no generated code.
    """
    sides = _parsed(left), _parsed(right)
    meanings = _meanings(left, right)
    found: list[Difference] = []
    pairs = Pairs()
    for one, other in _paired(sides, meanings):
        if one is None or other is None:
            found.append(_alone(one, other))
        else:
            both = Side(one, meanings[0]), Side(other, meanings[1])
            found += compare_functions(*both, pairs)
    found += _entries(sides[0][-1], sides[1][-1])
    unknown = _unknown(sides[0], meanings[0])
    if found:
        told = tuple(_explained(found, left, right))
        return Comparison("different", told, *unknown)
    same = (left.code, left.constants) == (right.code, right.constants)
    return Comparison("identical" if same else "renamed only", (), *unknown)


def _unknown(functions: Sequence[Function], known: Meanings) -> tuple[int, int]:
    """How many pieces and constants of a program are not compared by content."""
    used = {
        (hole.kind, int(hole.key))
        for function in functions
        for hole in function.holes()
        if hole.kind in ("piece", "constant")
    }
    return (
        sum(kind == "piece" and slot not in known.names for kind, slot in used),
        sum(kind == "constant" and slot not in known.stored for kind, slot in used),
    )


def _explained(
    found: Sequence[Difference], left: ReadProgram, right: ReadProgram
) -> Iterator[Difference]:
    """The same, with what differs in pieces."""
    for one in found:
        if one.pieces is not None:
            lines = inside(left, right, one.pieces, _differences)
            one = replace(one, inside=lines)
        yield one


def _differences(left: ReadProgram, right: ReadProgram) -> tuple[Difference, ...]:
    return compare_programs(left, right).differences


def contents_of(program: ReadProgram) -> dict[int, str]:
    """What the pieces that a program calls do, by slot.

    Args:
        program: The program.

    Returns:
        For each, in the order of its first call, a text that is equal for pieces whose
        graphs do the same; empty for those of which that is not known.

    Raises:
        InvalidProgramError: It is not generated code.
    """
    names = program.submod_names or ()
    known = {} if program.provenance is None else program.provenance.pieces
    found: dict[int, str] = {}
    for function in _parsed(program):
        for hole in function.holes():
            if hole.kind == "piece":
                slot = int(hole.key)
                piece = known.get(names[slot] or "") if slot < len(names) else None
                found[slot] = "" if piece is None else piece.structure
    return found


def structure_hash(program: ReadProgram) -> str:
    """Equal for texts between which `compare_programs` finds nothing.

    Args:
        program: The program.

    Raises:
        InvalidProgramError: It is not generated code.
    """
    tree = _tree(program)
    return structure.structure_hash(tree, program.dialect(), _values(program))


def _parsed(program: ReadProgram) -> list[Function]:
    return functions_of(_tree(program), program.dialect())


def _tree(program: ReadProgram) -> ast.Module:
    """The tree of a text in which there are functions, and nothing that may not be."""
    scanned = scan(program.code, dialect=program.dialect())
    tree = scanned.tree
    if tree is not None and scanned.in_grammar:
        if any(isinstance(node, ast.FunctionDef) for node in tree.body):
            return tree
    raise InvalidProgramError(scanned.findings)


def _values(program: ReadProgram) -> dict[int, str]:
    """For each slot what equal constants share, as far as they are in the file."""
    constants = program.constants or ()
    return {
        slot: f"a {one.kind} that is not in the file" if absent else one.key
        for slot, (one, absent) in enumerate(zip(constants, _absent(program)))
    }


def _absent(program: ReadProgram) -> list[bool]:
    """For each slot whether its constant is not in the file."""
    said = None if program.manifest is None else program.manifest.consts
    if said is None:
        return [False] * len(program.constants or ())
    return [one.supplied for one in said]


def _meanings(left: ReadProgram, right: ReadProgram) -> tuple[Meanings, Meanings]:
    """What slots mean, as far as both sides say it."""
    found = Meanings(), Meanings()
    # A pickle describes its constants in other words than an artifact.
    alike = (left.manifest is None) == (right.manifest is None)
    if alike and left.constants is not None and right.constants is not None:
        for one, program in zip(found, (left, right)):
            one.constants = _values(program)
            one.shown = {value.key: value.shown for value in program.constants or ()}
            stored = enumerate(_absent(program))
            one.stored = frozenset(slot for slot, absent in stored if not absent)
    contents = contents_of(left), contents_of(right)
    if _are_same(left.submod_names, right.submod_names):
        names = _named(left), _named(right)
        known = [
            {its[slot] for slot, content in one.items() if content}
            for its, one in zip(names, contents)
        ]
        # By name, and by content where both sides know it.
        both = known[0] & known[1]
        for one, program, its, content in zip(found, (left, right), names, contents):
            compared = {slot: its[slot] for slot in content if its[slot] in both}
            one.pieces = {**its, **{slot: content[slot] for slot in compared}}
            one.names = _told(program, compared, content)
    elif all([*contents[0].values(), *contents[1].values()]):
        for one, program, content in zip(found, (left, right), contents):
            one.pieces = content
            one.names = _told(program, _named(program), content)
    return found


def _told(
    program: ReadProgram, names: Mapping[int, str], contents: Mapping[int, str]
) -> dict[int, str]:
    """What people are told of pieces: where they are, and which graphs they have."""
    known = {} if program.provenance is None else program.provenance.pieces
    found = {}
    for slot in contents.keys() & names.keys():
        graph = f"graph {contents[slot][:_SHOWN]}"
        span = known[names[slot]].span if names[slot] in known else ""
        found[slot] = f"{names[slot]} ({', '.join(filter(None, (span, graph)))})"
    return found


def _are_same(
    left: Sequence[str | None] | None, right: Sequence[str | None] | None
) -> bool:
    """Whether both sides name the same pieces, each once."""
    if left is None or right is None or None in left or None in right:
        return False
    return Counter(left) == Counter(right) and len({*left}) == len(left)


def _named(program: ReadProgram) -> dict[int, str]:
    return {slot: str(name) for slot, name in enumerate(program.submod_names or ())}


def _paired(
    sides: tuple[list[Function], list[Function]], meanings: tuple[Meanings, Meanings]
) -> Iterable[tuple[Function | None, Function | None]]:
    """Functions that stand for each other: those that do the same, then in order.

    What calls of them mean is noted on the way, so that callers agree.
    """
    digests = [
        [_digested(function, meaning) for function in side]
        for side, meaning in zip(sides, meanings)
    ]
    pairs: list[tuple[Function | None, Function | None]] = []
    lefts, rights = list(zip(sides[0], digests[0])), list(zip(sides[1], digests[1]))
    free: dict[str, list[Function]] = {}
    for function, key in reversed(rights[:-1]):
        free.setdefault(key, []).append(function)
    alone: list[Function] = []
    for function, key in lefts[:-1]:
        if free.get(key):
            pairs.append((function, free[key].pop()))
        else:
            alone.append(function)
    left_over = {id(one) for rest in free.values() for one in rest}
    others = [function for function, _ in rights[:-1] if id(function) in left_over]
    pairs += zip(alone, others)
    for number, pair in enumerate(pairs):
        for half, meaning in zip(pair, meanings):
            if half is not None:
                meaning.functions[half.name] = f"function {number}"
    pairs += [(one, None) for one in alone[len(others) :]]
    pairs += [(None, other) for other in others[len(alone) :]]
    pairs.append((sides[0][-1], sides[1][-1]))
    return pairs


def _digested(function: Function, meanings: Meanings) -> str:
    key = digest(function, meanings)
    meanings.functions[function.name] = key
    return key


def _alone(left: Function | None, right: Function | None) -> Difference:
    category = "call added" if left is None else "call removed"
    return Difference(category, _head(left), _head(right), "a whole function")


def _entries(left: Function, right: Function) -> list[Difference]:
    if left.name == right.name:
        return []
    detail = f"the entry is called {right.name}, was called {left.name}"
    return [Difference("signature changed", _head(left), _head(right), detail)]


def _head(function: Function | None) -> Place | None:
    if function is None:
        return None
    return Place(function.name, function.number, f"def {function.name}(...)")

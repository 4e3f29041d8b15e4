"""Mutants of calls, slots, and items of results."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mutate_program import Change, Source

__all__ = ["OPERATORS", "call_with", "given_to"]


def _slots(source: Source) -> Iterator[tuple[ast.Subscript, int]]:
    """Each slot that is taken, and how many there are."""
    have = {
        source.dialect.consts: source.program.consts,
        source.dialect.submods: source.program.submods,
    }
    for node in source.nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            if node.value.id in have:
                yield node, have[node.value.id]


def _items(source: Source) -> Iterator[tuple[ast.expr, int]]:
    """The index of each item that is taken of a result, and how many items it has."""
    results: dict[str, int | None] = {}
    for function in source.functions:
        sizes: dict[str, int] = {}
        for line in function.body:
            for node in ast.walk(line):
                owner, index = _taken(source, node)
                if owner in sizes and index is not None:
                    yield index, sizes[owner]
            value = getattr(line, "value", None)
            size = _size(value, results, sizes)
            if isinstance(line, ast.Return):
                results[function.name] = size
            elif isinstance(line, ast.Assign) and size is not None:
                sizes[source.text(line.targets[0])] = size


def _taken(source: Source, node: ast.AST) -> tuple[str, ast.expr | None]:
    """Of what an item is taken, and its index."""
    if isinstance(node, ast.Subscript):
        return source.text(node.value), node.slice
    if isinstance(node, ast.Call) and len(node.args) == 2:
        if source.text(node.func) == "operator.getitem":
            return source.text(node.args[0]), node.args[1]
    return "", None


def _size(
    value: ast.expr | None, results: dict[str, int | None], sizes: dict[str, int]
) -> int | None:
    if isinstance(value, ast.Tuple):
        return len(value.elts)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return results.get(value.func.id)
    return sizes.get(value.id) if isinstance(value, ast.Name) else None


def call_with(source: Source, call: ast.Call, args: list[str]) -> Change:
    """A call with other arguments."""
    return source.put(call, f"{source.text(call.func)}({', '.join(args)})")


def given_to(source: Source, call: ast.Call) -> list[str]:
    """The arguments of a call as they are written."""
    named = [
        (
            f"{word.arg}={source.text(word.value)}"
            if word.arg
            else f"**{source.text(word.value)}"
        )
        for word in call.keywords
    ]
    return [*map(source.text, call.args), *named]


def argument_of_a_function_dropped(source: Source) -> Iterator[Change]:
    for call, _ in source.inlined_calls():
        given = given_to(source, call)
        for number in range(len(given)):
            yield call_with(source, call, given[:number] + given[number + 1 :])


def argument_of_a_function_added(source: Source) -> Iterator[Change]:
    for call, _ in source.inlined_calls():
        yield call_with(source, call, ["1", *given_to(source, call)])
        yield call_with(source, call, [*given_to(source, call), "nowhere=1"])


def argument_of_a_function_unpacked(source: Source) -> Iterator[Change]:
    for call, _ in source.inlined_calls():
        for arg in call.args:
            yield source.put(arg, f"*{source.text(arg)}")


def argument_of_a_function_named(source: Source) -> Iterator[Change]:
    for call, function in source.inlined_calls():
        *given, last = given_to(source, call) or [""]
        if call.args and not call.keywords and len(function.args.args) > len(given):
            name = function.args.args[len(given)].arg
            yield call_with(source, call, [*given, f"{name}={last}"])


def arguments_swapped(source: Source) -> Iterator[Change]:
    for call in source.calls():
        for one, other in zip(call.args, call.args[1:]):
            yield (
                *source.put(one, source.text(other)),
                *source.put(other, source.text(one)),
            )


def keyword_dropped(source: Source) -> Iterator[Change]:
    for call in source.calls():
        given = given_to(source, call)
        for number in range(len(call.args), len(given)):
            yield call_with(source, call, given[:number] + given[number + 1 :])


def keyword_doubled(source: Source) -> Iterator[Change]:
    for call in source.calls():
        given = given_to(source, call)
        for word in call.keywords:
            if word.arg is not None:
                value = source.text(word.value)
                yield call_with(source, call, [*given, f"{word.arg}={value}"])
                yield call_with(source, call, [*given, f"**{{{word.arg!r}: {value}}}"])


def slot_past_the_end(source: Source) -> Iterator[Change]:
    for node, have in _slots(source):
        for index in (have, have + 7, 10**30):
            yield source.put(node.slice, str(index))


def slot_not_literal(source: Source) -> Iterator[Change]:
    names = [source.locals(function)[:1] for function in source.functions]
    name = next((name for found in names for name in found), "None")
    for node, _ in _slots(source):
        index = source.text(node.slice)
        for new in ("-1", name, f"{index} + 0", f"{index}:", f"'{index}'", "True"):
            yield source.put(node.slice, new)


def slots_taken_whole(source: Source) -> Iterator[Change]:
    for node, _ in _slots(source):
        yield source.put(node, source.text(node.value))


def another_slot(source: Source) -> Iterator[Change]:
    for node, have in _slots(source):
        index = getattr(node.slice, "value", None)
        if have > 1 and isinstance(index, int):
            yield source.put(node.slice, str((index + 1) % have))


def piece_as_value(source: Source) -> Iterator[Change]:
    for call in source.calls():
        owner = call.func.value if isinstance(call.func, ast.Subscript) else None
        if isinstance(owner, ast.Name) and owner.id == source.dialect.submods:
            yield source.put(call, source.text(call.func))


def item_past_the_end(source: Source) -> Iterator[Change]:
    for node, have in _items(source):
        for index in (have, have + 7, -have - 1):
            yield source.put(node, str(index))


def another_item(source: Source) -> Iterator[Change]:
    for node, have in _items(source):
        index = getattr(node, "value", None)
        if have > 1 and isinstance(index, int):
            yield source.put(node, str((index + 1) % have))


def result_shortened(source: Source) -> Iterator[Change]:
    for function in source.functions:
        value = getattr(function.body[-1], "value", None)
        if isinstance(value, ast.Tuple) and value.elts:
            kept = [source.text(item) for item in value.elts[:-1]]
            yield source.put(value, f"({''.join(f'{item}, ' for item in kept)})")


OPERATORS: dict[str, Callable[[Source], Iterator[Change]]] = {
    make.__name__: make
    for make in (
        argument_of_a_function_dropped,
        argument_of_a_function_added,
        argument_of_a_function_unpacked,
        argument_of_a_function_named,
        arguments_swapped,
        keyword_dropped,
        keyword_doubled,
        slot_past_the_end,
        slot_not_literal,
        slots_taken_whole,
        another_slot,
        piece_as_value,
        item_past_the_end,
        another_item,
        result_shortened,
    )
}

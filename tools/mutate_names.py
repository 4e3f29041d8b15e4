"""Mutants of names and of the order of lines."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mutate_program import Change, Source, bound, loads

__all__ = ["OPERATORS"]

_TRIED = 50
"""Names that are looked at for another one."""


def _used(source: Source) -> Iterator[tuple[ast.FunctionDef, ast.stmt, ast.Name]]:
    for function, line in source.bodies():
        for name in source.uses(function, line):
            yield function, line, name


def _pairs(source: Source) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Neighbours."""
    for function in source.functions:
        yield from zip(function.body, function.body[1:])


def _defined(source: Source) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Each line that uses what another assigns, after that other."""
    for function in source.functions:
        where: dict[str, ast.stmt] = {}
        for line in function.body:
            above = [where[name.id] for name in loads(line) if name.id in where]
            for definition in dict.fromkeys(above):
                yield definition, line
            where.update(dict.fromkeys(bound(line), line))


def _dels(source: Source) -> Iterator[tuple[ast.FunctionDef, ast.Delete]]:
    for function, line in source.bodies():
        if isinstance(line, ast.Delete):
            yield function, line


def _deleted(line: ast.Delete) -> list[ast.expr]:
    return [
        name
        for target in line.targets
        for name in (target.elts if isinstance(target, ast.Tuple) else [target])
    ]


def _other(names: list[str], number: int, without: set[str]) -> str | None:
    """One of some names, a different one for each number."""
    start = number * 7 % max(len(names), 1)
    found = (*names[start : start + _TRIED], *names[:_TRIED])
    return next((name for name in found if name not in without), None)


def undefined_name_used(source: Source) -> Iterator[Change]:
    for _, _, name in _used(source):
        yield source.put(name, "nowhere")


def use_misspelt(source: Source) -> Iterator[Change]:
    for _, _, name in _used(source):
        yield source.put(name, name.id + "_")


def use_of_another_local(source: Source) -> Iterator[Change]:
    names = {node.name: source.locals(node) for node in source.functions}
    for number, (function, _, name) in enumerate(_used(source)):
        other = _other(names[function.name], number, {name.id})
        if other is not None:
            yield source.put(name, other)


def use_of_a_local_of_another_function(source: Source) -> Iterator[Change]:
    names = {node.name: source.locals(node) for node in source.functions}
    everywhere = [name for found in names.values() for name in found]
    own = {name: set(found) for name, found in names.items()}
    for number, (function, _, name) in enumerate(_used(source)):
        other = _other(everywhere, number, own[function.name])
        if other is not None:
            yield source.put(name, other)


def result_used_in_its_own_line(source: Source) -> Iterator[Change]:
    for _, line, name in _used(source):
        for target in bound(line):
            yield source.put(name, target)


def assigned_name_changed(source: Source) -> Iterator[Change]:
    for _, line in source.bodies():
        if isinstance(line, ast.Assign):
            yield source.put(line.targets[0], "nowhere")


def parameter_renamed(source: Source) -> Iterator[Change]:
    for function in source.functions:
        for arg in source.parameters(function):
            yield source.put(arg, "nowhere")


def parameter_and_local_collide(source: Source) -> Iterator[Change]:
    for function in source.functions:
        for one, other in zip(
            source.parameters(function), source.parameters(function)[1:]
        ):
            yield source.put(one, other.arg)


def definition_dropped(source: Source) -> Iterator[Change]:
    for _, line in source.bodies():
        if isinstance(line, ast.Assign):
            yield source.drop(line)


def expression_statement_dropped(source: Source) -> Iterator[Change]:
    for _, line in source.bodies():
        if isinstance(line, ast.Expr):
            yield source.drop(line)


def use_moved_before_definition(source: Source) -> Iterator[Change]:
    for definition, line in _defined(source):
        yield source.move(line, definition)


def definition_moved_behind_use(source: Source) -> Iterator[Change]:
    for definition, line in _defined(source):
        if not isinstance(line, ast.Return):
            yield (
                *source.drop(definition),
                *source.after(line, source.block(definition)),
            )


def definition_and_use_swapped(source: Source) -> Iterator[Change]:
    for definition, line in _defined(source):
        yield source.swap(definition, line)


def neighbours_swapped(source: Source) -> Iterator[Change]:
    for one, other in _pairs(source):
        yield source.swap(one, other)


def del_moved_up(source: Source) -> Iterator[Change]:
    for one, other in _pairs(source):
        if isinstance(other, ast.Delete):
            yield source.swap(one, other)


def del_moved_to_the_top(source: Source) -> Iterator[Change]:
    for function, line in _dels(source):
        if line is not function.body[0]:
            yield source.move(line, function.body[0])


def del_moved_down(source: Source) -> Iterator[Change]:
    for one, other in _pairs(source):
        if isinstance(one, ast.Delete):
            yield source.swap(one, other)


def del_before_definition(source: Source) -> Iterator[Change]:
    for function, line in source.bodies():
        for name in bound(line):
            yield source.before(line, f"    del {name}\n")


def del_doubled(source: Source) -> Iterator[Change]:
    for _, line in _dels(source):
        yield source.after(line, source.block(line))


def del_names_one_twice(source: Source) -> Iterator[Change]:
    for _, line in _dels(source):
        name = _deleted(line)[0]
        yield source.put(name, f"{source.text(name)}, {source.text(name)}")


def del_misspelt(source: Source) -> Iterator[Change]:
    for _, line in _dels(source):
        for name in _deleted(line):
            yield source.put(name, "nowhere")


def del_of_another_local(source: Source) -> Iterator[Change]:
    names = {node.name: source.locals(node) for node in source.functions}
    for number, (function, line) in enumerate(_dels(source)):
        gone = {source.text(name) for name in _deleted(line)}
        other = _other(names[function.name], number, gone)
        if other is not None:
            yield source.put(_deleted(line)[0], other)


def del_of_what_is_used_next(source: Source) -> Iterator[Change]:
    for _, line, name in _used(source):
        yield source.before(line, f"    del {name.id}\n")


def use_behind_del(source: Source) -> Iterator[Change]:
    for _, line in _dels(source):
        for name in _deleted(line):
            yield source.after(line, f"    nowhere = {source.text(name)}\n")


def del_dropped(source: Source) -> Iterator[Change]:
    for _, line in _dels(source):
        yield source.drop(line)


def one_name_of_del_dropped(source: Source) -> Iterator[Change]:
    for _, line in _dels(source):
        names = [source.text(name) for name in _deleted(line)]
        for number in range(len(names) if len(names) > 1 else 0):
            kept = names[:number] + names[number + 1 :]
            yield source.put(line, f"del {', '.join(kept)}")


def return_dropped(source: Source) -> Iterator[Change]:
    for function in source.functions:
        if len(function.body) > 1:
            yield source.drop(function.body[-1])


def return_replaced_by_a_call(source: Source) -> Iterator[Change]:
    for function in source.functions:
        yield source.put(function.body[-1], "range(1)")


def return_moved_up(source: Source) -> Iterator[Change]:
    for function in source.functions:
        for line in function.body[:-1]:
            yield source.move(function.body[-1], line)


def return_doubled(source: Source) -> Iterator[Change]:
    for function in source.functions:
        for line in function.body[-3:]:
            yield source.before(line, source.block(function.body[-1]))


OPERATORS: dict[str, Callable[[Source], Iterator[Change]]] = {
    make.__name__: make
    for make in (
        undefined_name_used,
        use_misspelt,
        use_of_another_local,
        use_of_a_local_of_another_function,
        result_used_in_its_own_line,
        assigned_name_changed,
        parameter_renamed,
        parameter_and_local_collide,
        definition_dropped,
        expression_statement_dropped,
        use_moved_before_definition,
        definition_moved_behind_use,
        definition_and_use_swapped,
        neighbours_swapped,
        del_moved_up,
        del_moved_to_the_top,
        del_moved_down,
        del_before_definition,
        del_doubled,
        del_names_one_twice,
        del_misspelt,
        del_of_another_local,
        del_of_what_is_used_next,
        use_behind_del,
        del_dropped,
        one_name_of_del_dropped,
        return_dropped,
        return_replaced_by_a_call,
        return_moved_up,
        return_doubled,
    )
}

"""Mutants of parameters, of whole functions and of the entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mutate_calls import call_with, given_to
from mutate_program import Change, Source

__all__ = ["OPERATORS"]


def parameter_dropped(source: Source) -> Iterator[Change]:
    for function in source.functions:
        for arg in source.parameters(function):
            start, end = source.span(arg)
            comma = source.data.find(b",", end) + 1
            if 0 < comma <= source.lines(function.body[0])[0]:
                yield ((start, comma, ""),)


def parameter_added(source: Source) -> Iterator[Change]:
    for function in source.inlined.values():
        for arg in source.parameters(function):
            yield source.put(arg, f"nowhere, {arg.arg}")


def entry_renamed(source: Source) -> Iterator[Change]:
    head = source.entry
    start, _ = source.lines(head)
    for name in ("forward", "torch", head.name + "_", source.dialect.inlined + "99999"):
        length = len(f"def {head.name}")
        yield ((start, start + length, f"def {name}"),)


def entry_doubled(source: Source) -> Iterator[Change]:
    yield source.after(source.entry, "\n\n" + source.block(source.entry))


def entry_dropped(source: Source) -> Iterator[Change]:
    yield source.drop(source.entry)


def pieces_of_entry_changed(source: Source) -> Iterator[Change]:
    pieces = [*source.entry.args.args, *source.entry.args.kwonlyargs][-1]
    for new in (
        "nowhere",
        f"{pieces.arg}=None",
        f"{pieces.arg}, nowhere",
        f"**{pieces.arg}",
    ):
        yield source.put(pieces, new)
    head = source.at(source.entry.lineno)
    star = source.data.rfind(b"*,", head, source.span(pieces)[0])
    if star >= 0:
        yield ((star, star + 2, ""),)


def pieces_not_passed_on(source: Source) -> Iterator[Change]:
    for call, function in source.inlined_calls():
        names = [arg.arg for arg in function.args.args]
        if names[-1:] == [source.dialect.submods]:
            yield source.put(call.args[-1], "None")
            yield call_with(source, call, given_to(source, call)[:-1])
            yield source.put(function.args.args[-1], "nowhere")


def pieces_passed_on_in_vain(source: Source) -> Iterator[Change]:
    for call, function in source.inlined_calls():
        names = [arg.arg for arg in function.args.args]
        if call.args and names[-1:] != [source.dialect.submods]:
            yield source.put(call.args[-1], source.dialect.submods)


def function_dropped(source: Source) -> Iterator[Change]:
    for function in source.inlined.values():
        yield source.drop(function)


def function_renamed(source: Source) -> Iterator[Change]:
    for function in source.inlined.values():
        start, _ = source.lines(function)
        end = start + len(f"def {function.name}")
        for name in (
            source.dialect.inlined + "99999",
            "helper",
            source.dialect.inlined,
        ):
            yield ((start, end, f"def {name}"),)


def function_moved_down(source: Source) -> Iterator[Change]:
    for one, other in zip(source.functions, source.functions[1:]):
        yield source.swap(one, other)


def function_doubled(source: Source) -> Iterator[Change]:
    for function in source.inlined.values():
        copy = source.block(function)
        yield source.after(function, "\n\n" + copy)
        changed = copy.replace("return ", "return None  # ", 1)
        yield source.after(function, "\n\n" + changed)


def function_calls_itself(source: Source) -> Iterator[Change]:
    for function in source.inlined.values():
        args = ", ".join(arg.arg for arg in function.args.args)
        line = f"    {function.name}({args})\n"
        yield source.before(function.body[0], line)


def call_of_another_function(source: Source) -> Iterator[Change]:
    names = list(source.inlined)
    for number, (call, function) in enumerate(source.inlined_calls()):
        others = [name for name in names if name != function.name]
        if others:
            yield source.put(call.func, others[number * 7 % len(others)])


OPERATORS: dict[str, Callable[[Source], Iterator[Change]]] = {
    make.__name__: make
    for make in (
        parameter_dropped,
        parameter_added,
        entry_renamed,
        entry_doubled,
        entry_dropped,
        pieces_of_entry_changed,
        pieces_not_passed_on,
        pieces_passed_on_in_vain,
        function_dropped,
        function_renamed,
        function_moved_down,
        function_doubled,
        function_calls_itself,
        call_of_another_function,
    )
}

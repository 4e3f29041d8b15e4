"""Mutants of paths, methods, imports and literals."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from astgen.check.dialect import MODULES
from mutate_program import Change, Source

__all__ = ["OPERATORS"]


def _paths(source: Source) -> Iterator[tuple[ast.Attribute, list[str]]]:
    """Each dotted path from a module that stands on its own, and its names."""
    inner: set[int] = set()
    for node in source.nodes:
        if isinstance(node, ast.Attribute):
            text = source.text(node).split(".")
            if text[0] in MODULES and all(name.isidentifier() for name in text):
                inner.add(id(node.value))
                if id(node) not in inner:
                    yield node, text


def _methods(source: Source) -> Iterator[tuple[ast.Attribute, str]]:
    for call in source.calls():
        callee = call.func
        if isinstance(callee, ast.Attribute):
            if source.text(callee).split(".")[0] not in MODULES:
                yield callee, source.text(callee.value)


def part_of_a_path_replaced(source: Source) -> Iterator[Change]:
    for node, names in _paths(source):
        for number in range(len(names)):
            for new in ("nowhere", "os", "__dict__", "load"):
                changed = [*names[:number], new, *names[number + 1 :]]
                yield source.put(node, ".".join(changed))


def part_of_a_path_misspelt(source: Source) -> Iterator[Change]:
    for node, names in _paths(source):
        for number, name in enumerate(names):
            for new in (name[:-1], name + "_", name[1:], name.swapcase()):
                if new.isidentifier():
                    changed = [*names[:number], new, *names[number + 1 :]]
                    yield source.put(node, ".".join(changed))


def part_of_a_path_dropped(source: Source) -> Iterator[Change]:
    for node, names in _paths(source):
        for number in range(len(names)):
            yield source.put(node, ".".join(names[:number] + names[number + 1 :]))


def path_shortened(source: Source) -> Iterator[Change]:
    for node, names in _paths(source):
        for length in range(1, len(names)):
            yield source.put(node, ".".join(names[:length]))


def path_extended(source: Source) -> Iterator[Change]:
    for node, names in _paths(source):
        for new in ("nowhere", "__globals__", "op", "name", "default", "__call__"):
            yield source.put(node, ".".join([*names, new]))


def namespace_replaced(source: Source) -> Iterator[Change]:
    others = ("nowhere", "prims", "vllm", "debugprims", "_C", "inductor", "quantized")
    for node, names in _paths(source):
        for new in others if names[:2] == ["torch", "ops"] else ():
            yield source.put(node, ".".join(["torch.ops", new, *names[3:]]))


def another_path(source: Source) -> Iterator[Change]:
    found = list(_paths(source))
    for number, (node, _) in enumerate(found):
        other = ".".join(found[number * 7 % len(found)][1])
        if other != source.text(node):
            yield source.put(node, other)


def path_as_value(source: Source) -> Iterator[Change]:
    for call in source.calls():
        if source.text(call.func).split(".")[0] in MODULES:
            yield source.put(call, source.text(call.func))


def method_replaced(source: Source) -> Iterator[Change]:
    names = (
        "nowhere",
        "numpy",
        "tofile",
        "__reduce__",
        "__class__",
        "data_ptr",
        "view",
    )
    for node, owner in _methods(source):
        for new in (*names, node.attr + "_", node.attr[:-1]):
            if new.isidentifier():
                yield source.put(node, f"{owner}.{new}")


def import_dropped(source: Source) -> Iterator[Change]:
    for line in source.tree.body:
        if isinstance(line, ast.Import):
            yield source.drop(line)


def import_replaced(source: Source) -> Iterator[Change]:
    words = ("import os", "import torch.ops", "import {0} as i", "from {0} import *")
    more = (
        "import os as {0}",
        "from os import path as {0}",
        "import {0}, sys",
        "from . import {0}",
    )
    for line in source.tree.body:
        if isinstance(line, ast.Import):
            for template in (*words, *more):
                yield source.put(line, template.format(line.names[0].name))


def import_moved_down(source: Source) -> Iterator[Change]:
    for line in source.tree.body:
        if isinstance(line, ast.Import):
            for function in source.functions[1:]:
                yield source.move(line, function)
            yield (*source.drop(line), *source.after(source.entry, source.block(line)))


def literal_changed(source: Source) -> Iterator[Change]:
    for node in source.nodes:
        if isinstance(node, ast.Constant):
            for new in ("7", "None", "'text'", "True", "0.5", "b''", "..."):
                yield source.put(node, new)


OPERATORS: dict[str, Callable[[Source], Iterator[Change]]] = {
    make.__name__: make
    for make in (
        part_of_a_path_replaced,
        part_of_a_path_misspelt,
        part_of_a_path_dropped,
        path_shortened,
        path_extended,
        namespace_replaced,
        another_path,
        path_as_value,
        method_replaced,
        import_dropped,
        import_replaced,
        import_moved_down,
        literal_changed,
    )
}

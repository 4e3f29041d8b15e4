"""The layer tree after the paths of modules that provenance has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from astgen.review.report.alike import key_of
from astgen.review.report.node import Node, joined, numbered, spans
from astgen.review.shapes import Shaped

__all__ = ["module_nodes"]

_DEEPEST = 40
_SOME = 3
"""Modules that are alike, so that one that is not is odd."""


@dataclass
class _Module:
    """A module, with the statements that are in it and in no part of it."""

    own: list[int] = field(default_factory=list)
    parts: dict[str, _Module] = field(default_factory=dict)

    def all(self) -> list[int]:
        found = list(self.own)
        for part in self.parts.values():
            found += part.all()
        return sorted(found)


def module_nodes(
    paths: Sequence[str], statements: Sequence[Shaped], first: int
) -> list[Node]:
    """Make a tree of the paths of a function's statements.

    Args:
        paths: For each statement the path of its module, empty if it is in none.
        statements: The statements.
        first: The block of the first one.

    Returns:
        The nodes below the root, in the order of the text. Modules that are told by
        number and do the same are in a group; one that does not is odd.
    """
    root = _Module()
    for place, path in enumerate(paths):
        module = root
        for part in path.split(".")[:_DEEPEST] if path else ():
            module = module.parts.setdefault(part, _Module())
        module.own.append(place)
    return _Maker(statements, first).below(root, "")


@dataclass
class _Maker:
    statements: Sequence[Shaped]
    first: int

    def below(self, module: _Module, path: str) -> list[Node]:
        """The nodes of a module's parts, and of what is in none of them."""
        nodes: list[tuple[int, Node]] = []
        numbers = {name: one for name, one in module.parts.items() if name.isdigit()}
        for name, part in module.parts.items():
            if name not in numbers or len(numbers) < 2:
                nodes.append((part.all()[0], self.node(name, part, path)))
        if len(numbers) > 1:
            nodes += self.layers(numbers, path)
        if module.own and (nodes or not path):
            note = f"in {path}, and in no part of it" if path else "in no module"
            label = "itself" if path else "no module"
            rest = Node(label, self.spans(module.own), note, "rest")
            nodes.append((module.own[0], rest))
        return [node for _, node in sorted(nodes, key=lambda one: one[0])]

    def node(self, name: str, module: _Module, path: str) -> Node:
        below = f"{path}.{name}" if path else name
        label = name
        # A chain of modules with nothing beside them is one line.
        while len(module.parts) == 1 and not module.own:
            ((part, module),) = module.parts.items()
            label, below = f"{label}.{part}", f"{below}.{part}"
        nodes = self.below(module, below)
        return Node(label, self.spans(module.all()), below, nodes=nodes)

    def layers(self, numbers: dict[str, _Module], path: str) -> list[tuple[int, Node]]:
        """Numbered modules: groups of those that are alike, and single ones."""
        keys = {
            name: key_of(self.statements, one.all()) for name, one in numbers.items()
        }
        sizes: Counter[Hashable] = Counter(keys.values())
        most = max(sizes.values())
        found: list[tuple[int, Node]] = []
        for key, size in sizes.items():
            names = [name for name in numbers if keys[name] == key]
            nodes = [self.node(name, numbers[name], path) for name in names]
            at = numbers[names[0]].all()[0]
            if size == 1:
                if most >= _SOME:
                    nodes[0].is_odd = True
                    nodes[0].note += ": unlike the others"
                found.append((at, nodes[0]))
                continue
            note = f"{path}: {numbered(names)} equal up to names"
            group = Node(f"{size} \u00d7 {names[0]}", joined(nodes), note, "group")
            group.label = f"{size} \u00d7 equal: {numbered(names)}"
            group.nodes = nodes
            found.append((at, group))
        return found

    def spans(self, places: list[int]) -> list[tuple[int, int]]:
        return spans([self.first + place for place in places])

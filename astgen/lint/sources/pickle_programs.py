"""The programs in a pickle: dictionaries that have a generated text as an entry.

vLLM keeps the text under `execution_code`, the names of the pieces under
`submod_names` and, since 0.32, the constants under `consts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from astgen.check.finding import Profile
from astgen.lint.profile import detect
from astgen.lint.sources.pickle_calls import resolve
from astgen.lint.sources.pickle_constants import describe
from astgen.lint.sources.pickle_values import MAKERS, Made, Node, Value
from astgen.lint.subject import Constant

__all__ = ["CODE", "CONSTS", "Found", "Programs", "entry", "states"]

CODE = "execution_code"
"""The key of a program's text."""

CONSTS = "consts"
"""The key of its constants."""

_MOST_CONSTANTS = 100_000
_MOST_CODES = 100
"""A dictionary has one; of more, the last ones are looked at."""

_NAMES = "submod_names"
_OWNER = "vllm.compilation.caching.VllmSerializableFunction"
_READER = f"{_OWNER}.deserialize_compile_artifacts"


@dataclass(frozen=True)
class Found:
    """A program as a dictionary describes it.

    Attributes:
        holder: The dictionary.
        code: The text; None if the entry is no text.
        names: The names of the pieces, None if there is no list of names.
        consts: The constants, None if there is no list of constants, or one longer
            than any program has.
        legacy: Whether the dictionary has no constants at all.
        profile: Who generated the text.
    """

    holder: Node
    code: str | None
    names: tuple[str | None, ...] | None
    consts: tuple[Constant, ...] | None
    legacy: bool
    profile: Profile


class Programs:
    """Programs of one pickle. What their dictionaries share is described once."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._profiles: dict[int, Profile] = {}
        self._names: dict[int, tuple[str | None, ...] | None] = {}
        self._consts: dict[int, tuple[Constant, ...]] = {}

    def find(self, nodes: list[Node]) -> Iterator[Found]:
        """Find programs.

        Args:
            nodes: Everything that the pickle makes.

        Yields:
            A description of each dictionary with the entry `execution_code`, once for
            each such entry, and for each text whose key is computed: it may replace it.
        """
        for node in nodes:
            codes = _entries(node, CODE)
            if codes:
                codes += _behind_computed(node)
                yield from self._found(node, codes[-_MOST_CODES:])

    def _found(self, node: Node, codes: list[Value]) -> Iterator[Found]:
        has_consts, consts = entry(node, CONSTS)
        names = entry(node, _NAMES)[1]
        legacy = not has_consts or consts is None
        if id(names) not in self._names:
            self._names[id(names)] = _piece_names(names)
        described = self._described(consts)
        for code in codes:
            text = code if isinstance(code, str) else None
            yield Found(
                holder=node,
                code=text,
                names=self._names[id(names)],
                consts=described,
                legacy=legacy,
                profile="legacy" if legacy else self._profile(text or ""),
            )

    def _described(self, consts: Value) -> tuple[Constant, ...] | None:
        values = _sequence(consts)
        if values is None or len(values) > _MOST_CONSTANTS:
            return None
        if id(consts) not in self._consts:
            self._consts[id(consts)] = describe(values)
        return self._consts[id(consts)]

    def _profile(self, text: str) -> Profile:
        # A cache that astgen filled is vLLM's own in everything but the text.
        if id(text) not in self._profiles:
            ours = detect(text) == "astgen-1"
            self._profiles[id(text)] = "astgen-1" if ours else "vllm-0.32"
        return self._profiles[id(text)]


def _piece_names(value: Value) -> tuple[str | None, ...] | None:
    names: list[str | None] = []
    items = _sequence(value)
    for name in items or ():
        if name is not None and not isinstance(name, str):
            return None
        names.append(name)
    return None if items is None else tuple(names)


def _sequence(value: Value) -> list[Value] | None:
    if isinstance(value, Node) and value.kind in ("list", "tuple"):
        return value.parts or []
    return None


def entry(node: Value, key: str) -> tuple[bool, Value]:
    """Look into a mapping.

    Args:
        node: A value, not necessarily a mapping.
        key: The key.

    Returns:
        Whether the key is there, and its value; the last one counts.
    """
    values = _entries(node, key)
    return bool(values), values[-1] if values else None


def _entries(node: Value, key: str) -> list[Value]:
    pairs = node.pairs if isinstance(node, Node) and node.pairs else []
    return [
        pairs[place + 1]
        for place in range(0, len(pairs) - 1, 2)
        if isinstance(pairs[place], str) and pairs[place] == key
    ]


def _behind_computed(node: Node) -> list[Value]:
    pairs = node.pairs or []
    return [
        pairs[place + 1]
        for place in range(0, len(pairs) - 1, 2)
        if isinstance(pairs[place], Node) and isinstance(pairs[place + 1], str)
    ]


def states(nodes: list[Node]) -> tuple[set[int], list[Node]]:
    """Find where a pickle has the state of vLLM's compiled function.

    Args:
        nodes: Everything that the pickle makes.

    Returns:
        The identities of values that vLLM will read as a state, if they are byte
        strings, and objects of its class which have a state that is no program.
    """
    inside: set[int] = set()
    without: list[Node] = []
    complete: dict[int, bool] = {}
    for node in nodes:
        parts = node.parts or ()
        if node.kind in MAKERS and node.states and resolve(node.callee) == _OWNER:
            last = node.states[-1]
            if id(last) not in complete:
                complete[id(last)] = entry(last, CODE)[0]
            if not complete[id(last)]:
                without.append(node)
        elif any(_is_reader(part) for part in parts):
            inside |= {id(part) for part in parts if isinstance(part, (bytes, Node))}
    return inside, without


def _is_reader(value: Value) -> bool:
    return type(value) is Made and resolve(value) == _READER

"""What lies in memory while a generated function runs, seen from outside.

A trace function looks at the locals of the frames of a text each time that another
statement begins, and counts the bytes of the distinct storages that they lead to.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch import fx

from astgen.review.timeline import Timeline

__all__ = ["Run", "Weighed", "measured", "reachable"]


@dataclass
class Run:
    """One call of a function.

    Attributes:
        name: The function.
        caller: The function that called it, and the statement; empty for the entry.
        samples: After each statement the storages that are reachable and not the
            model's, with their bytes.
        given: The storages of its parameters.
    """

    name: str
    caller: tuple[str, int]
    samples: list[dict[int, int]] = field(default_factory=list)
    given: set[int] = field(default_factory=set)

    def sums(self) -> list[int]:
        """The bytes after each statement."""
        return [sum(sample.values()) for sample in self.samples]

    @property
    def own(self) -> int:
        """The most bytes at a time that no parameter brings in."""
        return max(
            sum(size for key, size in sample.items() if key not in self.given)
            for sample in self.samples
        )


def measured(
    function: Callable[..., Any],
    args: Iterable[Any],
    functions: Mapping[str, Timeline],
    owned: Iterable[torch.Tensor],
) -> list[Run]:
    """Call a function, and look at what is in memory after each statement.

    Args:
        function: The entry of a program that was compiled.
        args: Its arguments.
        functions: The timelines of the text: they say which lines are a statement.
        owned: What the model owns.

    Returns:
        The calls of functions of the text, in the order in which they began.
    """
    watcher = _Watcher(function, functions, {*reachable([*owned])})
    before = sys.gettrace()
    sys.settrace(watcher.frame)
    try:
        function(*args)
    finally:
        sys.settrace(before)
    return watcher.runs


def reachable(value: Any) -> dict[int, int]:
    """The storages that a value leads to, with their bytes."""
    if isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        return {storage._cdata: storage.nbytes()}
    parts: Iterable[Any] = ()
    if isinstance(value, (tuple, list)):
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    found: dict[int, int] = {}
    for part in parts:
        found.update(reachable(part))
    return found


class Weighed(fx.Interpreter):
    """Runs a graph, and notes the most bytes of its own that it has at a time.

    Attributes:
        peak: They, in the last run: while a node runs, its arguments are there.
    """

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph."""
        self.given = {*reachable(args)}
        self.peak = 0
        return super().run(*args, **kwargs)

    def run_node(self, n: fx.Node) -> Any:
        """Run a node, and weigh what is there before anything is freed."""
        result = super().run_node(n)
        # The interpreter keeps what nobody reads.
        read = [value for node, value in self.env.items() if node.users]
        found = reachable([result, *read])
        own = (size for key, size in found.items() if key not in self.given)
        self.peak = max(self.peak, sum(own))
        return result


class _Watcher:
    def __init__(
        self,
        function: Callable[..., Any],
        functions: Mapping[str, Timeline],
        owned: set[int],
    ) -> None:
        self.file = function.__code__.co_filename
        self.functions = functions
        self.owned = owned
        self.runs: list[Run] = []
        self.now: list[tuple[str, int]] = []

    def frame(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if code.co_filename != self.file or code.co_name not in self.functions:
            return None
        caller = self.now[-1] if self.now else ("", -1)
        run = Run(code.co_name, caller, given={*self.storages(frame)})
        self.runs.append(run)
        self.now.append((code.co_name, -1))
        starts = [first for first, _ in self.functions[code.co_name].lines]

        def trace(frame: FrameType, event: str, arg: Any) -> Any:
            if event == "return":
                run.samples.append(self.storages(frame))
                self.now.pop()
            elif event == "line":
                statement = bisect_right(starts, frame.f_lineno) - 1
                last = self.now[-1][1]
                if statement != last:
                    assert statement == last + 1, (code.co_name, frame.f_lineno)
                    self.now[-1] = code.co_name, statement
                    if last >= 0:
                        run.samples.append(self.storages(frame))
            return trace

        return trace

    def storages(self, frame: FrameType) -> dict[int, int]:
        # Hoisted constants are free variables; they are no values of the text.
        names = frame.f_code.co_varnames
        found = reachable({k: v for k, v in frame.f_locals.items() if k in names})
        return {key: size for key, size in found.items() if key not in self.owned}

"""What hostile programs are made of."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CANARY", "ENTRY", "HEAD", "TOUCH", "Hostile", "body", "param", "text"]

CANARY = "canary"
"""The file, in the working directory of a test, that shows that something ran."""

TOUCH = f"touch {CANARY}"
HEAD = "import torch\nimport operator\n"
ENTRY = "def execution_fn(x, *, __vllm_submods__):\n    return x\n"


@dataclass(frozen=True)
class Hostile:
    """A program and the rules that refuse it, one for each finding."""

    name: str
    rules: str
    text: str


def body(name: str, rules: str, *lines: str) -> Hostile:
    """A program whose entry has these lines; a single one is returned."""
    if len(lines) == 1 and not lines[0].startswith(("return", "yield", "await")):
        lines = (f"return {lines[0]}",)
    inside = "".join(f"    {line}\n" for line in lines)
    head = f"{HEAD}def execution_fn(x, y, *, __vllm_submods__):\n"
    return Hostile(name, rules, head + inside)


def param(name: str, rules: str, parameters: str, result: str = "1") -> Hostile:
    """A program whose entry has these parameters."""
    head = f"{HEAD}def execution_fn({parameters}, *, __vllm_submods__):\n"
    return Hostile(name, rules, f"{head}    return {result}\n")


def text(name: str, rules: str, program: str) -> Hostile:
    """A program as it is."""
    return Hostile(name, rules, program)

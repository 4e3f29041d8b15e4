"""Random programs of numbers that run without torch, with what a linter complains of."""

from __future__ import annotations

import operator
from collections import Counter
from random import Random
from typing import Any

from astgen.check import scan

__all__ = ["computed", "program"]


class Writer:
    """Writes one function of numbers, with what a linter complains of here and there."""

    def __init__(self, random: Random, parameters: list[str], prefix: str) -> None:
        self.random = random
        self.numbers = list(parameters)
        self.prefix = prefix
        self.names = 0
        self.bound: list[str] = []
        self.lines: list[tuple[str, str, list[str]]] = []

    def maybe(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def name(self, percent: int) -> str:
        # A name may be bound again, to a number as before.
        if percent and self.bound and self.maybe(3):
            return self.random.choice(self.bound)
        self.names += 1
        return f"{self.prefix}{self.names}"

    def some(self, least: int = 1, most: int = 3) -> list[str]:
        return self.random.choices(self.numbers, k=self.random.randint(least, most))

    def line(self, value: str, used: list[str], percent: int = 80) -> str | None:
        """One statement; sometimes nobody will read its result."""
        if value.endswith(")") and self.maybe(10):
            self.lines.append(("", value, used))
            return None
        name = self.name(percent)
        self.lines.append((name, value, used))
        if self.maybe(percent):
            self.numbers.append(name)
            self.bound.append(name)
        return name

    def arithmetic(self) -> None:
        used = self.some(2, 2)
        function = self.random.choice(["add", "sub", "mul", "max"])
        if function == "max":
            self.line(f"{used[0]} + {used[1]} * {self.random.randrange(3)}", used)
        else:
            self.line(f"operator.{function}({', '.join(used)})", used)

    def taken_apart(self, call: str, used: list[str]) -> None:
        name = self.line(call, used, percent=0)
        if name is None:
            return
        for index in self.random.sample([0, 1, 2], self.random.randint(0, 3)):
            self.line(f"{name}[{index}]", [name])

    def body(self, result: str, used: list[str]) -> list[str]:
        """The statements, with dels that are right, missing or useless."""
        last: dict[str, int] = {}
        for index, (name, _, names) in enumerate(self.lines):
            last.update(dict.fromkeys([*names, *filter(None, [name])], index))
        again = {n for n, c in Counter(n for n, _, _ in self.lines).items() if c > 1}
        kept = {*used, *again}
        found: list[str] = []
        for index, (name, value, _) in enumerate(self.lines):
            found.append(f"{name} = {value}" if name else value)
            dying = [one for one, at in last.items() if at == index and one not in kept]
            dying = [one for one in dying if self.maybe(60)]
            if dying and self.maybe(80):
                found.append(f"del {', '.join(dying)}")
            elif dying:
                found.append(f"del ({', '.join(dying)},)")
        return [*found, f"return {result}"]


def program(random: Random) -> str:
    """The text of a program that runs."""
    templates = [random.choice(["a + b", "a * b"]) for _ in range(2)]
    functions: dict[int, str] = {}
    writer = Writer(random, ["x", "l_self_modules_a_parameters_weight_"], "v")
    slot = 0
    for _ in range(random.randint(1, 12)):
        kind = random.randrange(5)
        used = writer.some()
        if kind == 0:
            writer.arithmetic()
        elif kind == 1 and functions and writer.maybe(50):
            number = random.choice([*functions])
            writer.taken_apart(inlined_call(number, used), used)
        elif kind == 2:
            functions[slot] = inlined(random, slot, random.choice(templates))
            writer.taken_apart(inlined_call(slot, used), used)
            slot += 1
        elif kind == 3:
            constant = f"__vllm_consts__[{random.randrange(2)}]"
            call = f"__vllm_submods__[{slot}]({', '.join([*used, constant])})"
            writer.taken_apart(call, used)
            slot += 1
        else:
            call = f"operator.add(__vllm_submods__[{slot}]({used[0]})[1], 1)"
            writer.line(call, used[:1])
            slot += 1
    used = writer.some(0, 3)
    result = random.choice([f"[{', '.join(used)}]", f"operator.pos({[*used, 'x'][0]})"])
    lines = writer.body(result, [*used, "x"])
    return laid_out(random, list(functions.values()), lines)


def inlined_call(number: int, used: list[str]) -> str:
    first, second = [*used, *used][:2]
    return f"__vllm_inlined_submods__{number}({first}, {second})"


def inlined(random: Random, number: int, template: str) -> str:
    one, two = random.sample(["k", "v", "q", "out"], 2)
    value = template.replace("a", one).replace("b", two)
    lines = [f"t = operator.add({one}, {two})", f"u = {value}"]
    lines += random.choice([["del t"], [], [f"w = operator.neg({one})"]])
    body = "".join(f"    {line}\n" for line in lines)
    head = f"def __vllm_inlined_submods__{number}({one}, {two}):\n"
    return f"{head}{body}    return (u, 1, {two})\n"


def laid_out(random: Random, functions: list[str], lines: list[str]) -> str:
    """The text, in a layout that is odd here and there."""
    gap = "\n" * random.randint(0, 2)
    imports = random.choice(
        ["import torch\nimport operator\n", "import operator, torch\n"]
    )
    if random.randrange(5) == 0:
        imports += "import operator\n"
    text = ""
    for line in lines:
        joined = text and random.randrange(12) == 0 and "#" not in text.split("\n")[-2]
        if joined:
            text = f"{text[:-1]}; {line}\n"
        else:
            text += f"    {line}\n"
        if random.randrange(10) == 0:
            text = text[:-1] + "  # a note\n"
    parameters = "x, l_self_modules_a_parameters_weight_, *, __vllm_submods__"
    entry = f"def execution_fn({parameters}):\n{text}"
    found = gap.join([imports, *functions, entry])
    if random.randrange(5) == 0:
        found = found.rstrip("\n")
    return found.replace("\n", random.choice(["\n", "\n", "\n", "\r\n"]))


def computed(text: str) -> tuple[Any, list[Any]]:
    """The result of a program, and the calls of pieces in order."""
    calls: list[Any] = []

    def piece(slot: int) -> Any:
        def run(*args: int) -> tuple[int, ...]:
            calls.append((slot, args))
            return sum(args) + slot, slot * 2 + 1, -sum(args)

        return run

    namespace: dict[str, Any] = {"__vllm_consts__": [3, 5]}
    tree = scan(text).tree
    assert tree is not None
    tree.body = [node for node in tree.body if "Import" not in type(node).__name__]
    namespace["operator"] = operator
    exec(compile(tree, "<program>", "exec"), namespace)
    pieces = [piece(slot) for slot in range(20)]
    return namespace["execution_fn"](2, 7, __vllm_submods__=pieces), calls

"""Random programs whose values lie in known storages, and what happens in them.

`simulate` goes through a text statement by statement, with the names that are bound at
the time: what is alive after each is looked up there, and nothing is counted ahead.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

from astgen.provenance.model import (
    FunctionOrigins,
    Origin,
    Provenance,
    Storage,
    Symbol,
    Value,
)
from astgen.provenance.sizes import evaluate
from astgen.review.programs import ReadProgram

__all__ = ["SYMBOLS", "alive", "program", "simulate"]

SYMBOLS = {"s0": 3, "s1": 7}
_SIZES = (1, 10, 100, "s0", ("*", "s0", "s1"), ("+", ("*", 1000, "s1"), 5))


def program(seed: int) -> ReadProgram:
    """A random program: views, dels that are late or missing, names bound again."""
    rng = random.Random(seed)
    storages = tuple(
        Storage(rng.choice(_SIZES), rng.choice(["", "", "", "weight"]))
        for _ in range(rng.randint(1, 8))
    )
    maker = _Maker(rng, len(storages))
    code, origins = maker.function()
    symbols = {name: Symbol(name) for name in SYMBOLS}
    said = Provenance(symbols, storages, {"execution_fn": origins})
    return ReadProgram(code, provenance=said)


class _Maker:
    def __init__(self, rng: random.Random, storages: int) -> None:
        self.rng = rng
        self.storages = storages
        self.known: list[str] = []
        self.lines: list[str] = []
        self.origins: list[Origin | None] = []

    def function(self) -> tuple[str, FunctionOrigins]:
        rng = self.rng
        given = [f"x{number}" for number in range(rng.randint(1, 4))]
        parameters = {name: self.value() for name in given}
        self.known = [*given]
        for number in range(rng.randint(1, 14)):
            if self.known and rng.random() < 0.45:
                gone = rng.sample(self.known, rng.randint(1, min(2, len(self.known))))
                self.known = [name for name in self.known if name not in gone]
                self.add(f"del {', '.join(gone)}", None)
            self.statement(number)
        result = rng.choice(["()", "torch.add(1, 2)", *map("({},)".format, self.known)])
        self.add(f"return {result}", Origin("output"))
        body = "\n".join(f"    {line}" for line in self.lines)
        header = f"def execution_fn({', '.join(given)}, *, __vllm_submods__):"
        code = f"import torch\nimport operator\n\n\n{header}\n{body}\n"
        return code, FunctionOrigins("", parameters, tuple(self.origins))

    def statement(self, number: int) -> None:
        rng = self.rng
        read = rng.choices(self.known, k=rng.randint(0, 2)) if self.known else []
        again = self.known and rng.random() < 0.2
        name = rng.choice(self.known) if again else f"v{number}"
        call = f"torch.add({', '.join(read) or '0, 0'})"
        if read and rng.random() < 0.3:
            call = f"{read[0]}[0]"
        elif rng.random() < 0.2:
            self.add(call, Origin("effect", self.value()))
            return
        self.add(f"{name} = {call}", Origin("node", self.value()))
        self.known = sorted({*self.known, name})

    def add(self, line: str, origin: Origin | None) -> None:
        self.lines.append(line)
        self.origins.append(origin)

    def value(self) -> Value:
        number = self.rng.choice([0, 1, 1, 2])
        places = self.rng.sample(range(self.storages), min(number, self.storages))
        return Value("f32[s0]", tuple(places))


def simulate(
    made: ReadProgram,
) -> Iterator[tuple[ast.stmt, dict[str, tuple[int, str]]]]:
    """Go through the entry of a program.

    Yields:
        Each statement, and after it the names that are bound: each with the statement
        that bound it, -1 for parameters.
    """
    function = ast.parse(made.code).body[-1]
    assert isinstance(function, ast.FunctionDef)
    bound = {arg.arg: (-1, arg.arg) for arg in function.args.args}
    for place, node in enumerate(function.body):
        if isinstance(node, ast.Delete):
            for target in node.targets:
                del bound[ast.unparse(target)]
        elif isinstance(node, ast.Assign):
            name = ast.unparse(node.targets[0])
            bound[name] = place, name
        yield node, dict(bound)


def alive(made: ReadProgram, bound: dict[str, tuple[int, str]]) -> dict[int, int]:
    """The storages of what is bound that the model does not own, with their bytes."""
    assert made.provenance is not None
    origins = made.provenance.functions["execution_fn"]
    found = {}
    for place, name in bound.values():
        if place < 0:
            value = origins.parameters[name]
        else:
            origin = origins.statements[place]
            assert origin is not None and origin.value is not None
            value = origin.value
        for one in value.storages:
            storage = made.provenance.storages[one]
            size = evaluate(storage.size, SYMBOLS)
            assert size is not None
            if not storage.owner:
                found[one] = size
    return found

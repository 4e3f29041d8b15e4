"""Random syntax trees of every kind that the emitter builds, flat as it builds them."""

from __future__ import annotations

from random import Random

import libcst as cst

from astgen.emit import nodes
from astgen.emit.literals import literal

__all__ = ["Shapes"]

PATHS = [
    "slice",
    "torch.Size",
    "torch.relu",
    "torch.ops.aten.add.Tensor",
    "torch.ops.vllm." + "unified_attention_with_output_" * 3 + "x",
    "torch.ops.name_space." + "o" * 150,
]
METHODS = ["t", "add_", "scaled_dot_product_attention_of_many_heads"]
WIDE = ["é", "x\u0323", "ü" * 30, "日本", "名" * 40]
ODD = ["'", '"', "\\", "\n", "{", "é", "😀", "\x00", "\ud800", "a", "b", " "]
NUMBERS = [0, 1, 255, 10**9, 1.5, 1e-7, 1e22, 1e300, 5e-324, 0.1, 2.0**70, 1 / 3]


class Shapes:
    """Draws trees from a random source; `size` bounds how much is nested."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def name(self) -> str:
        """An identifier of 1 to 200 characters."""
        longest = self.random.choice([8, 8, 40, 80, 90, 200])
        return self.random.choice("abxyz") + "n" * self.random.randrange(longest)

    def literal(self) -> cst.BaseExpression:
        kind = self.random.randrange(6)
        if kind == 0:
            return literal(self.random.choice([None, True, False, ...]))
        if kind == 1:
            sign = self.random.choice([1, -1])
            return literal(sign * self.random.choice(NUMBERS))
        if kind == 2:
            digits = self.random.choice([3, 20, 100, 639, 640, 700, 5000])
            return literal(self.random.choice([1, -1]) * 10**digits)
        text = "".join(self.random.choices(ODD, k=self.random.choice([0, 3, 9, 90])))
        if kind == 3:
            return literal(text.encode("utf-8", "surrogatepass"))
        return literal(text)

    def slot(self) -> cst.BaseExpression:
        lists = ["__vllm_consts__", "__vllm_submods__"]
        return nodes.slot_of(self.random.choice(lists), self.random.randrange(10**6))

    def local(self) -> cst.Name:
        return cst.Name(self.name())

    def callee(self) -> cst.BaseExpression:
        kind = self.random.randrange(4)
        if kind == 0:
            return self.slot()
        if kind == 1:
            return cst.Name(f"__vllm_inlined_submods__{self.random.randrange(999)}")
        if kind == 2:
            receiver = self.random.choice([self.local, self.slot])()
            name = cst.Name(self.random.choice(METHODS))
            return cst.Attribute(value=receiver, attr=name)
        return nodes.dotted(self.random.choice(PATHS))

    def call(self, size: int) -> cst.Call:
        arguments: list = self.values(size, 6)
        for _ in range(self.random.choice([0, 0, 1, 3])):
            arguments.append(nodes.argument(self.value(size - 1), self.name()))
        if self.random.random() < 0.1:
            arguments.append(nodes.argument(self.dictionary(size), star="**"))
        return nodes.call_of(self.callee(), arguments)

    def values(self, size: int, most: int) -> list[cst.BaseExpression]:
        return [self.value(size - 1) for _ in range(self.random.randrange(most + 1))]

    def dictionary(self, size: int) -> cst.Dict:
        elements = []
        for value in self.values(size, 4):
            key = self.literal()
            if self.random.random() < 0.2:
                key = nodes.tuple_of(self.values(0, 4))
            elements.append(cst.DictElement(key=key, value=value))
        return cst.Dict(elements=elements)

    def value(self, size: int) -> cst.BaseExpression:
        if size <= 0 or self.random.random() < 0.5:
            kind = self.random.randrange(5)
            if kind == 0:
                return self.slot()
            if kind == 1:
                return self.literal()
            if kind == 2:
                return nodes.dotted(self.random.choice(PATHS[1:]))
            return self.local()
        kind = self.random.randrange(5)
        if kind == 0:
            return nodes.tuple_of(self.values(size, 5))
        if kind == 1:
            return nodes.container(list, self.values(size, 5))
        if kind == 2:
            return self.dictionary(size)
        if kind == 3:
            return nodes.call_of(
                nodes.dotted(self.random.choice(PATHS[:2])), self.values(size, 3)
            )
        return nodes.call_of(self.slot(), [nodes.tuple_of(self.values(size, 4))])

    def item(self) -> cst.Subscript:
        """`source[index]`, with slices and tuples."""
        index = [self.index() for _ in range(self.random.choice([1, 1, 1, 2, 4]))]
        return nodes.item_of(self.local(), index)

    def index(self) -> cst.BaseSlice:
        if self.random.random() < 0.6:
            return cst.Index(self.bound())
        lower, upper, step = (
            self.bound() if self.random.random() < 0.6 else None for _ in range(3)
        )
        if step is None:
            return cst.Slice(lower=lower, upper=upper)
        return cst.Slice(lower=lower, upper=upper, step=step, second_colon=cst.Colon())

    def bound(self) -> cst.BaseExpression:
        return self.random.choice([self.local, self.literal])()

    def statement(self) -> cst.SimpleStatementLine:
        kind = self.random.randrange(8)
        size = self.random.choice([1, 2, 4])
        if kind == 0:
            return nodes.delete(
                [self.name() for _ in range(self.random.choice([1, 1, 2, 8]))]
            )
        if kind == 1:
            return nodes.statement(cst.Expr(value=self.call(size)))
        value = self.random.choice(
            [lambda: self.call(size), self.item, lambda: self.value(size)]
        )()
        if kind == 2:
            return nodes.statement(cst.Return(value=value))
        return nodes.assign(self.name(), value)

    def param(self, name: str, default: cst.BaseExpression | None = None) -> cst.Param:
        if default is None:
            return cst.Param(name=cst.Name(name))
        tight = cst.SimpleWhitespace("")
        equal = cst.AssignEqual(whitespace_before=tight, whitespace_after=tight)
        return cst.Param(name=cst.Name(name), default=default, equal=equal)

    def function(self) -> cst.FunctionDef:
        count = self.random.choice([0, 1, 3, 8])
        plain = [self.param(self.name()) for _ in range(count)]
        if self.random.random() < 0.3:
            plain.append(self.param(self.random.choice(WIDE)))
        for _ in range(self.random.choice([0, 0, 2])):
            default = self.random.choice([self.literal, self.slot])()
            plain.append(self.param(self.name(), default))
        keyword = [self.param("__vllm_submods__")] if self.random.random() < 0.7 else []
        star: object = cst.ParamStar() if keyword else cst.MaybeSentinel.DEFAULT
        double = None
        if self.random.random() < 0.1:
            star = self.param("args").with_changes(star="*")
            double = self.param("kwargs").with_changes(star="**")
        body = [self.statement() for _ in range(self.random.choice([1, 4]))]
        return cst.FunctionDef(
            name=self.local(),
            params=cst.Parameters(
                params=plain, star_arg=star, kwonly_params=keyword, star_kwarg=double
            ),
            body=cst.IndentedBlock(body=body),
        )

    def module(self) -> cst.Module:
        """Imports, then functions."""
        imports = [
            nodes.statement(cst.Import(names=[cst.ImportAlias(name=cst.Name(name))]))
            for name in self.random.choice([[], ["torch"], ["torch", "operator"]])
        ]
        found = [self.function() for _ in range(self.random.choice([1, 2]))]
        return cst.Module(body=[*imports, *found])

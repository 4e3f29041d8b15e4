"""AG5xx: the statements, expressions, paths and methods that a program may contain."""

from __future__ import annotations

from astgen.check.finding import Rule

__all__ = [
    "ATTRIBUTE_PATH",
    "CALL_TARGET",
    "EXPRESSION_KIND",
    "METHOD",
    "NESTING",
    "OP_NAMESPACE",
    "RETURN_PLACE",
    "RULES",
    "STATEMENT_KIND",
]


def _body(*lines: str) -> str:
    """A program whose entry has this body, for the examples."""
    body = "".join(f"    {line}\n" for line in lines)
    head = "import torch\nimport operator\n"
    return f"{head}def execution_fn(x, y, *, __vllm_submods__):\n{body}"


STATEMENT_KIND = Rule(
    code="AG501",
    name="statement-kind",
    summary="a statement that generators do not write",
    reason=(
        "A graph is a straight line, and so is its function: assignments to one "
        "name, calls, del and return, after two imports. Everything else is either "
        "damage or somebody's own code in the place of generated code, and the "
        "checks for undefined and deleted names are exact only on a straight line. "
        "What is not listed is refused, so new syntax of Python is refused too."
    ),
    good=(
        _body("z = torch.add(x, y)", "torch.neg(z)", "del x, y", "return z"),
        _body("return x"),
    ),
    bad=(
        _body("if x:", "    return y", "return x"),
        _body("for z in x:", "    y = z", "return y"),
        _body("class Z:", "    pass", "return x"),
        _body("global z", "return x"),
        _body("x += y", "return x"),
        _body("z: int = y", "return z"),
        _body("z, w = x", "return (z, w)"),
        _body("z = w = x", "return z"),
        _body("x[0] = y", "return x"),
        _body("del x[0]", "return x"),
        _body('"""A docstring."""', "return x"),
        _body("pass", "return x"),
        "@print\n" + _body("return x").partition("import operator\n")[2],
        """\
def execution_fn(x: print("!"), *, __vllm_submods__):
    return x
""",
        """\
async def execution_fn(x, *, __vllm_submods__):
    return x
""",
        "LIMIT = 3\n" + _body("return x"),
    ),
)

ATTRIBUTE_PATH = Rule(
    code="AG502",
    name="attribute-path",
    summary="a dotted path that is not on the list of exact paths",
    reason=(
        "From torch one can walk to os, to pickle and to the compiler; lists of what "
        "is forbidden are bypassed again and again (mmaitre314/picklescan#66, "
        "protectai/modelscan#338, trailofbits/fickling#190). So the functions and "
        "operators that graphs use are listed one by one, and nothing else can be "
        "named. Attributes of values are not read at all: a dunder chain leads "
        "anywhere from any object. An object that is not listed belongs into a slot "
        "of the constants."
    ),
    good=(
        _body("return torch._C._nn.gelu(x)"),
        _body("return torch.ops.aten.add.Tensor(x, y)"),
        _body("return operator.add(x, y)"),
    ),
    bad=(
        _body('return torch.os.system("true")'),
        _body('return torch.serialization.load("x")'),
        _body('return torch.ops.load_library("x")'),
        _body('return operator.attrgetter("x")'),
        _body("return torch.ops.aten.no_such_operator.default(x)"),
        _body("return x.shape"),
        _body("return x.__class__"),
        _body("return __vllm_submods__[0](torch)"),
    ),
)

CALL_TARGET = Rule(
    code="AG503",
    name="call-target",
    summary="something is called that is no path, slot, function or method",
    reason=(
        "What a local or an item of a value is, only shows when the program runs, "
        "so a call of one may be a call of anything. Generated code calls listed "
        "paths, listed methods, slots and inlined functions. In the default of a "
        "parameter even these are refused, because defaults run when the program "
        "is loaded, before anybody calls it."
    ),
    good=(
        _body("z = __vllm_consts__[0](x)", "return z.add(y)"),
        """\
import torch
def execution_fn(x=(0, 1), y=__vllm_consts__[0], *, __vllm_submods__):
    return x
""",
    ),
    bad=(
        _body("return x(y)"),
        _body("return x[0](y)"),
        _body("return torch.neg(x)(y)"),
        _body("return (lambda: x)()"),
        _body("return execution_fn(x, y)"),
        """\
import torch
def execution_fn(x=torch.manual_seed(0), *, __vllm_submods__):
    return x
""",
        """\
def execution_fn(x=__vllm_consts__[0](), *, __vllm_submods__):
    return x
""",
    ),
)

OP_NAMESPACE = Rule(
    code="AG506",
    name="op-namespace",
    summary="an operator of a namespace that was not allowed",
    reason=(
        "The operators of other packages cannot be listed one by one, so whole "
        "namespaces are allowed by name. An operator may do anything that C++ or "
        "Python can do; a namespace that nobody allowed means that the text was "
        "made for another installation, or that it tries to reach one that happens "
        "to be loaded."
    ),
    good=(
        _body("return torch.ops.vllm.all_reduce(x, group_name=y)"),
        _body("return torch.ops._C.silu_and_mul.default(x, y)"),
    ),
    bad=(
        _body("return torch.ops.elsewhere.run(x)"),
        _body("return torch.ops.elsewhere.run.default(x)"),
    ),
)

METHOD = Rule(
    code="AG507",
    name="method",
    summary="a method that is not on the list",
    reason=(
        "A method is called on a value whose type the text does not show. The listed "
        "ones are harmless whatever the value is; tofile and numpy write and expose "
        "memory, register_hook and map_ run what they are given, format reads "
        "attributes. A method that is not listed goes through a callable in a slot "
        "of the constants."
    ),
    good=(
        _body("return x.view(1, -1).add(y)"),
        _body("return x.__rsub__(1)"),
    ),
    bad=(
        _body('x.tofile("x")', "return y"),
        _body("return x.numpy()"),
        _body('return "{0.__class__}".format(x)'),
        _body("return x.__reduce__()"),
        _body("return __vllm_consts__[0].register_hook(y)"),
    ),
)

EXPRESSION_KIND = Rule(
    code="AG508",
    name="expression-kind",
    summary="an expression that generators do not write",
    reason=(
        "Arguments are names, literals, slots, containers of these, slices and "
        "calls; arithmetic on values occurs in older texts. A lambda or a "
        "comprehension is a body that runs elsewhere, a walrus binds a name in the "
        "middle of an expression, an f-string calls __format__: none of them is "
        "needed, and each would be a way around the other rules. Keywords that "
        "stand twice do not compile."
    ),
    good=(
        _body("return (x[0, 1:2, ..., None], [-1, 2.5], {'k': y})"),
        _body("return x + 1 < y"),
        _body("return __vllm_submods__[0](*x, k=y, **{'from': 1})"),
    ),
    bad=(
        _body("return __vllm_submods__[0](lambda: x)"),
        _body("return [z for z in x]"),
        _body("return __vllm_submods__[0]((z := x))"),
        _body('return f"{x}"'),
        _body("return x if y else y"),
        _body("return x and y"),
        _body("return {x, y}"),
        _body("return {**x}"),
        _body("return [*x]"),
        _body("return 2j"),
        _body("return 1e999"),
        _body("return x < y < x"),
        _body("return __vllm_submods__[0](**x)"),
        _body("return __vllm_submods__[0](k=x, k=y)"),
        _body("return __vllm_submods__[0](k=x, **{'k': y})"),
        """\
def execution_fn(x=1 + 1, *, __vllm_submods__):
    return x
""",
    ),
)

NESTING = Rule(
    code="AG509",
    name="nesting",
    summary="an expression is nested too deeply",
    reason=(
        "Python's compiler and everything that walks over a tree work with limited "
        "depth, and a text that is made to exhaust it can take the process down. "
        "Generators split arguments that are nested deeply into temporaries, so "
        "real programs stay far below the limit."
    ),
    good=(_body(f"return {'(' * 20}x{',)' * 20}"),),
    bad=(
        _body(f"return {'[' * 150}x{']' * 150}"),
        _body(f"return {' + '.join(['x'] * 200)}"),
        _body(f"return x{'.abs()' * 100}"),
    ),
)

RETURN_PLACE = Rule(
    code="AG510",
    name="return-place",
    summary="a function does not end with its only return",
    reason=(
        "A function whose return was lost gives None, and the caller fails far away "
        "from here, or goes on with it. What stands behind a return never runs. "
        "Both are what a lost, repeated or moved line looks like."
    ),
    good=(_body("z = torch.add(x, y)", "return z"), _body("return")),
    bad=(
        _body("z = torch.add(x, y)"),
        _body("return x", "return y"),
        _body("z = torch.add(x, y)", "return z", "del x"),
    ),
)

RULES = (
    STATEMENT_KIND,
    ATTRIBUTE_PATH,
    CALL_TARGET,
    OP_NAMESPACE,
    METHOD,
    EXPRESSION_KIND,
    NESTING,
    RETURN_PLACE,
)

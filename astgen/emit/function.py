"""One graph becomes one function: nodes to statements, in the order of the graph."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst
from torch import fx
from torch.fx import _pytree as fx_pytree
from torch.utils import _pytree as torch_pytree

from astgen.emit.arguments import Arguments
from astgen.emit.calls import Calls
from astgen.emit.children import Inlined, fetch, is_inlinable, is_operand
from astgen.emit.liveness import last_uses
from astgen.emit.names import CanonicalNames, Names, wanted_name
from astgen.emit.nodes import assign, call_of, delete, item_of, statement
from astgen.emit.state import ProgramState
from astgen.errors import UnsupportedGraphError
from astgen.emit.pytree import nested_inputs, pytree_of
from astgen.emit.signature import Parameter, parameters, writable

__all__ = ["Request", "build_function"]


@dataclass(frozen=True)
class Request:
    """Which function to build.

    Attributes:
        module: Its graph becomes the body.
        path: Where the module lies below the root, with a dot behind it.
        name: The function's name.
        canonical: Number the names, to compare structures.
        entry: Take the pieces as a keyword-only parameter.
        with_pieces: Whether pieces may be called.
    """

    module: fx.GraphModule
    path: str
    name: str
    canonical: bool = False
    entry: bool = False
    with_pieces: bool = True


def build_function(state: ProgramState, request: Request) -> Inlined:
    """Build the function of one graph, and first those of its children.

    Args:
        state: What the functions of the program share; slots are added.
        request: The graph and how to present it.

    Returns:
        The definition and how to call it.

    Raises:
        UnsupportedGraphError: The graph cannot be expressed.
    """
    return _Builder(state, request).build()


@dataclass
class _Builder:
    state: ProgramState
    request: Request
    body: list[cst.SimpleStatementLine] = field(default_factory=list)
    temporaries: list[str] = field(default_factory=list)
    defined: dict[fx.Node, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kind = CanonicalNames if self.request.canonical else Names
        self.names = kind(self.state.dialect)
        self.graph = self.request.module.graph
        self.info = pytree_of(self.graph)
        self.arguments = Arguments(
            self.state.constants,
            self.state.targets,
            temporary=self.temporary,
            consts_name=self.state.dialect.consts,
        )
        self.calls = Calls(
            self.state,
            self.request.module,
            self.request.path,
            self.arguments,
            self.temporary,
            self.child,
            self.request.with_pieces,
        )

    def build(self) -> Inlined:
        signature = parameters(self.graph)
        params = [self.parameter(parameter) for parameter in writable(signature)]
        self.dying = last_uses(self.graph, are_inputs_bound=self.info is not None)
        if self.info is not None:
            self.flatten([param.name.value for param in params])
        self.free_unread()
        for node in self.graph.nodes:
            self.node(node)
            if node.op == "output":
                break
        else:
            self.body.append(statement(cst.Return(value=cst.Name("None"))))
        function = cst.FunctionDef(
            name=cst.Name(self.request.name),
            params=self.signature(signature, params),
            body=cst.IndentedBlock(body=self.body),
        )
        written = [param.name.value for param in params]
        return Inlined(function, signature, written, self.calls.used_pieces)

    def child(
        self, module: fx.GraphModule, path: str, name: str, canonical: bool
    ) -> Inlined:
        request = Request(
            module,
            path=f"{path}.",
            name=name,
            canonical=canonical,
            with_pieces=self.request.with_pieces,
        )
        return build_function(self.state, request)

    # Parameters

    def parameter(self, parameter: Parameter) -> cst.Param:
        fallback = parameter.node.name if parameter.node else parameter.target
        name = self.names.parameter(parameter.target, fallback)
        if parameter.node is not None:
            self.define(parameter.node, name)
        if not parameter.default:
            return cst.Param(name=cst.Name(name))
        value = parameter.default[0]
        return cst.Param(
            name=cst.Name(name),
            default=self.arguments.constant(value, parameter.node),
            equal=cst.AssignEqual(
                whitespace_before=cst.SimpleWhitespace(""),
                whitespace_after=cst.SimpleWhitespace(""),
            ),
        )

    def signature(
        self, signature: list[Parameter], params: list[cst.Param]
    ) -> cst.Parameters:
        by_kind: dict[str, list[cst.Param]] = {}
        for parameter, param in zip(signature, params):
            by_kind.setdefault(parameter.kind, []).append(param)
        plain, keyword = by_kind.get("plain", []), by_kind.get("keyword", [])
        submods = cst.Param(name=cst.Name(self.state.dialect.submods))
        if self.request.entry:
            keyword = [*keyword, submods]
        elif self.calls.used_pieces:
            # Nothing may follow a default; callers give all arguments.
            plain = [*(cst.Param(name=param.name) for param in plain), submods]
        stars, double = by_kind.get("args", []), by_kind.get("kwargs", [])
        star: cst.Param | cst.ParamStar | cst.MaybeSentinel = cst.MaybeSentinel.DEFAULT
        if stars:
            star = stars[0].with_changes(star="*")
        elif keyword:
            star = cst.ParamStar()
        return cst.Parameters(
            params=plain,
            star_arg=star,
            kwonly_params=keyword,
            star_kwarg=double[0].with_changes(star="**") if double else None,
        )

    def flatten(self, names: list[str]) -> None:
        """Take the public inputs apart, as `torch.fx` does for pytrees."""
        placeholders = [node for node in self.graph.nodes if node.op == "placeholder"]
        if not placeholders:
            return
        flatten = self.state.targets.spell(fx_pytree.tree_flatten_spec)
        nested = nested_inputs(self.info, names, self.arguments)
        spec = self.arguments.slot(self.info.in_spec)
        flat = self.names.local("flat")
        self.body.append(assign(flat, call_of(flatten, [nested, spec])))
        for index, node in enumerate(placeholders):
            if node.users:
                name = self.names.local(wanted_name(node))
                item = item_of(cst.Name(flat), [cst.Integer(str(index))])
                self.body.append(assign(name, item))
                self.define(node, name)
        self.body.append(delete([flat, *names]))

    # Nodes

    def node(self, node: fx.Node) -> None:
        if node.op == "placeholder":
            return
        if node.op == "get_attr":
            if node.users:
                self.arguments.names[node] = self.attribute(node)
        elif node.op == "output":
            self.output(node)
        else:
            self.compute(node)
            self.free(node)

    def attribute(self, node: fx.Node) -> cst.BaseExpression:
        value = fetch(self.request.module, node)
        if is_inlinable(value) and is_operand(node):
            name, inlined = self.calls.inlined(value, node)
            if not inlined.takes_submods:
                return cst.Name(name)
        return self.arguments.slot(value)

    def compute(self, node: fx.Node) -> None:
        expression = self.calls.expression(node)
        if node.users:
            name = self.names.local(wanted_name(node))
            self.body.append(assign(name, expression))
            self.define(node, name)
        else:
            self.body.append(statement(cst.Expr(value=expression)))

    def output(self, node: fx.Node) -> None:
        if len(node.args) != 1:
            raise UnsupportedGraphError(
                f"the output node has {len(node.args)} arguments; it takes one", node
            )
        value = node.args[0]
        if self.info is not None and self.info.out_spec is not None:
            if not isinstance(value, (list, tuple)):
                value = [value]
            unflatten = self.state.targets.spell(torch_pytree.tree_unflatten)
            spec = self.arguments.slot(self.info.out_spec)
            result: cst.BaseExpression = call_of(
                unflatten, [self.arguments.spell(value, node), spec]
            )
        else:
            result = self.arguments.spell(value, node)
        self.body.append(statement(cst.Return(value=result)))

    def define(self, node: fx.Node, name: str) -> None:
        self.defined[node] = name
        self.arguments.names[node] = cst.Name(name)

    def temporary(self, value: cst.BaseExpression) -> cst.BaseExpression:
        name = self.names.local("part")
        self.temporaries.append(name)
        self.body.append(assign(name, value))
        return cst.Name(name)

    # Liveness

    def free_unread(self) -> None:
        """Inputs that nobody reads are not held while the graph runs."""
        unread = [
            self.defined[node]
            for node in self.graph.nodes
            if node.op == "placeholder"
            and node in self.defined
            and node in self.dying.get(node, ())
        ]
        if unread:
            self.body.append(delete(unread))

    def free(self, node: fx.Node) -> None:
        names = [self.defined[dead] for dead in self.dying.get(node, ())]
        names += self.temporaries
        self.temporaries = []
        if names and not self.returns_next(node):
            self.body.append(delete(names))

    def returns_next(self, node: fx.Node) -> bool:
        """Whether nothing runs between this node and the end of the frame."""
        following = node.next
        while following.op in ("get_attr", "placeholder"):
            following = following.next
        return following.op in ("output", "root") and self.info is None

"""One graph becomes one function: nodes to statements, in the order of the graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import libcst as cst
from torch import fx
from torch.fx import _pytree as fx_pytree
from torch.utils import _pytree as torch_pytree

import astgen.emit.construct as construct
from astgen.emit.arguments import Arguments
from astgen.emit.calls import Calls
from astgen.emit.children import Inlined
from astgen.emit.inlinable import fetch, is_inlinable, is_operand
from astgen.emit.liveness import last_uses
from astgen.emit.names import CanonicalNames, Names
from astgen.emit.nodes import assign, call_of, delete, numbered, statement
from astgen.emit.pytree import nested_inputs, pytree_of
from astgen.emit.signature import Parameter, parameters, writable
from astgen.emit.state import ProgramState
from astgen.errors import UnsupportedGraphError

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


class _Body:
    """The lines of a function so far, and the temporaries that are to be deleted.

    What spells expressions adds lines, too; it knows this and not the builder, so
    that everything is freed as soon as the function is done.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self.lines: list[cst.SimpleStatementLine] = []
        self.temporaries: list[cst.Name] = []

    def temporary(self, value: cst.BaseExpression) -> cst.BaseExpression:
        name = construct.name(self.names.local("part"))
        self.temporaries.append(name)
        self.lines.append(assign(name, value))
        return name


class _Builder:
    def __init__(self, state: ProgramState, request: Request) -> None:
        self.state = state
        self.request = request
        self.graph = request.module.graph
        self.names = (CanonicalNames if request.canonical else Names)(state.dialect)
        self.body = _Body(self.names)
        self.lines = self.body.lines
        self.defined: dict[fx.Node, cst.Name] = {}
        self.info = pytree_of(self.graph)
        self.arguments = Arguments(
            self.state.constants,
            self.state.targets,
            temporary=self.body.temporary,
            consts_name=self.state.dialect.consts,
        )
        self.calls = Calls(
            self.state,
            request.module,
            request.path,
            self.arguments,
            self.body.temporary,
            partial(_child, state, request.with_pieces),
            request.with_pieces,
        )

    def build(self) -> Inlined:
        signature = parameters(self.graph)
        params = [self.parameter(parameter) for parameter in writable(signature)]
        self.dying = last_uses(self.graph, are_inputs_bound=self.info is not None)
        if self.info is not None:
            self.flatten([param.name.value for param in params])
        self.free_unread()
        trace = None if self.request.canonical else self.state.trace
        traced = trace and trace.function(
            self.request.name, self.request.module, self.request.path
        )
        nodes = self.graph.nodes
        for node in traced.following(nodes, self.lines) if traced else nodes:
            self.node(node)
            if node.op == "output":
                break
        else:
            self.lines.append(statement(cst.Return(value=construct.name("None"))))
        function = cst.FunctionDef(
            name=cst.Name(self.request.name),
            params=self.signature(signature, params),
            body=cst.IndentedBlock(body=self.lines),
        )
        written = [param.name.value for param in params]
        if traced:
            traced.finish(self.lines, self.defined, written)
        return Inlined(function, signature, written, self.calls.used_pieces)

    # Parameters

    def parameter(self, parameter: Parameter) -> cst.Param:
        fallback = parameter.node.name if parameter.node else parameter.target
        name = construct.name(self.names.parameter(parameter.target, fallback))
        node = parameter.node
        if node is not None:
            self.defined[node] = self.arguments.names[node] = name
        if not parameter.default:
            return construct.parameter(name)
        value = parameter.default[0]
        return cst.Param(
            name=name,
            default=self.arguments.constant(value, node),
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
        submods = construct.parameter(construct.name(self.state.dialect.submods))
        if self.request.entry:
            keyword = [*keyword, submods]
        elif self.calls.used_pieces:
            # Nothing may follow a default; callers give all arguments.
            plain = [*(construct.parameter(param.name) for param in plain), submods]
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
        flat = construct.name(self.names.local("flat"))
        self.lines.append(assign(flat, call_of(flatten, [nested, spec])))
        for index, node in enumerate(placeholders):
            if node.users:
                name = construct.name(self.names.of(node))
                self.lines.append(assign(name, numbered(flat, index)))
                self.defined[node] = self.arguments.names[node] = name
        self.lines.append(delete([flat, *names]))

    # Nodes

    def node(self, node: fx.Node) -> None:
        op = node.op
        if op == "placeholder":
            return
        if op == "get_attr":
            if node.users:
                self.arguments.names[node] = self.attribute(node)
        elif op == "output":
            self.output(node)
        else:
            self.compute(node)
            if node in self.dying or self.body.temporaries:
                self.free(node)

    def attribute(self, node: fx.Node) -> cst.BaseExpression:
        value = fetch(self.request.module, node)
        if is_inlinable(value) and is_operand(node):
            name, inlined = self.calls.inlined(value, node)
            if not inlined.takes_submods:
                return construct.name(name)
        return self.arguments.slot(value)

    def compute(self, node: fx.Node) -> None:
        expression = self.calls.expression(node)
        if node.users:
            name = construct.name(self.names.of(node))
            self.lines.append(assign(name, expression))
            self.defined[node] = self.arguments.names[node] = name
        else:
            self.lines.append(statement(construct.expression(expression)))

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
        self.lines.append(statement(cst.Return(value=result)))

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
            self.lines.append(delete(unread))

    def free(self, node: fx.Node) -> None:
        temporaries = self.body.temporaries
        dead = self.dying.get(node, ())
        names = [self.defined[one] for one in dead] + temporaries
        temporaries.clear()
        if not self.returns_next(node):
            self.lines.append(delete(names))

    def returns_next(self, node: fx.Node) -> bool:
        """Whether nothing runs between this node and the end of the frame."""
        following = node.next
        while following.op in ("get_attr", "placeholder"):
            following = following.next
        return following.op in ("output", "root") and self.info is None


def _child(
    state: ProgramState,
    with_pieces: bool,
    module: fx.GraphModule,
    path: str,
    name: str,
    canonical: bool,
) -> Inlined:
    """The function of a child; the last four are what `Build` takes."""
    request = Request(
        module, f"{path}.", name, canonical=canonical, with_pieces=with_pieces
    )
    return build_function(state, request)

"""What the code base promises about itself, held by looking at its syntax."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import astgen

PACKAGE = Path(astgen.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
IDS = [str(path.relative_to(PACKAGE)) for path in FILES]
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
MODULES = sorted(
    module.name for module in pkgutil.walk_packages([str(PACKAGE)], "astgen.")
)


def calls(tree: ast.AST) -> set[str]:
    """Names of the functions that a module calls by a bare name."""
    return {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def imports(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_only_the_command_prints(path: Path) -> None:
    if path.parent.name != "cli":
        assert not calls(TREES[path]) & {"print", "input"}


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_only_the_builder_executes(path: Path) -> None:
    if path != PACKAGE / "run" / "build.py":
        assert not calls(TREES[path]) & {"exec", "eval", "compile", "__import__"}


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_nothing_unpickles(path: Path) -> None:
    assert not imports(TREES[path]) & {"pickle", "dill", "marshal", "shelve"}


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_input_is_checked_with_errors_not_asserts(path: Path) -> None:
    assert not any(isinstance(node, ast.Assert) for node in ast.walk(TREES[path]))


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_the_checker_stands_alone(path: Path) -> None:
    if "check" in path.relative_to(PACKAGE).parts:
        roots = {name.partition(".")[0] for name in imports(TREES[path])}
        assert not roots & {"torch", "libcst", "black", "click"}


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_files_and_functions_stay_small(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 300
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            size = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            assert size <= 50, f"{node.name} has {size} lines"


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_what_it_offers(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__, "no docstring"
    offered = module.__all__
    assert len(set(offered)) == len(offered)
    for public in offered:
        value = getattr(module, public)
        if inspect.isfunction(value) or inspect.isclass(value):
            assert value.__doc__, f"{public} has no docstring"
        if inspect.isfunction(value):
            signature = inspect.signature(value)
            unknown = inspect.Parameter.empty
            assert signature.return_annotation is not unknown, public
            for parameter in signature.parameters.values():
                assert parameter.annotation is not unknown, (public, parameter.name)


def test_there_are_no_import_cycles() -> None:
    graph = {
        name: {
            other
            for other in imports(TREES[_path(name)])
            if other in MODULES and other != name
        }
        for name in MODULES
    }
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, " -> ".join([*above, name])
        if name not in done:
            for other in sorted(graph[name]):
                visit(other, (*above, name))
            done.add(name)

    for name in MODULES:
        visit(name, ())


def _path(name: str) -> Path:
    base = PACKAGE.joinpath(*name.split(".")[1:])
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")

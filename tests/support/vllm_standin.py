"""Small packages that look to the plugin like a vLLM. Nothing in them is vLLM's.

Their generator knows one program, which may be given to it, and finds its own functions
by their names in its module, as vLLM's does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["KINDS", "LINES", "OWN_TEXT", "in_process", "write_standin"]

OWN_TEXT = """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    neg = torch.ops.aten.neg.default(x)
    return neg
"""
"""What a stand-in's own generator makes of any graph."""

_COMPILE = """
def compile_execution_fn(
    code: str, submod_callables: dict, submod_names: list{parameter}
) -> Callable[..., Any]:
    namespace = {{"__vllm_consts__": {argument}}}
    exec(code, namespace)
    pieces = [submod_callables.get(name) for name in submod_names]
    return partial(namespace["execution_fn"], __vllm_submods__=pieces)
"""
_HEAD = f"""\
from collections.abc import Callable
from functools import partial
from typing import Any

OWN_TEXT = {OWN_TEXT!r}
"""
_TWO = _HEAD + """
def generate_execution_code_with_name(
    split_gm: Any, fn_name: str, with_submod: bool
) -> tuple[str, list[str]]:
    return OWN_TEXT, []


def generate_execution_code(split_gm: Any) -> tuple[str, list[str]]:
    return generate_execution_code_with_name(split_gm, "execution_fn", True)


def _node_ref(arg: Any) -> str:
    return repr(arg)

""" + _COMPILE.format(parameter="", argument="[]")
_THREE = _HEAD + """
def generate_execution_code_with_name(
    split_gm: Any,
    fn_name: str,
    with_submod: bool,
    consts: list[Any] | None = None,
    const_index: dict[int, int] | None = None,
) -> tuple[str, list[str], list[Any]]:
    return OWN_TEXT, [], []


def generate_execution_code(split_gm: Any) -> tuple[str, list[str], list[Any]]:
    return generate_execution_code_with_name(split_gm, "execution_fn", True)


def _node_ref(arg: Any, consts: list[Any], const_index: dict[int, int]) -> str:
    return repr(arg)

""" + _COMPILE.format(parameter=", consts: list[Any] | None = None", argument="consts")
_FOUR = _THREE.replace(
    "tuple[str, list[str], list[Any]]", "tuple[str, list, list, dict]"
)

KINDS = {
    "two": _TWO,
    "three": _THREE,
    "text annotations": "from __future__ import annotations\n" + _THREE,
    "four values": _FOUR,
    "no annotation": _THREE.replace(" -> tuple[str, list[str], list[Any]]", ""),
    "another parameter": _THREE.replace(
        "code(split_gm: Any)", "code(split_gm: Any, mode: str = '')"
    ),
    "star arguments": _THREE.replace("code(split_gm: Any)", "code(*split_gm: Any)"),
    "another helper": _THREE.replace("arg: Any, consts: list[Any]", "arg: Any"),
    "two and constants": _TWO.replace(
        "submod_names: list\n", "submod_names: list, consts: Any = None\n"
    ),
    "no compile": _THREE.replace("def compile_execution_fn", "def compile_function"),
    "broken": "raise RuntimeError('one thing,\\nand another')\n",
}
"""The text of a generator, by what it is like."""

_BACKENDS = """\
from vllm.compilation.codegen import compile_execution_fn, generate_execution_code


class VllmBackend:
    def __init__(self, vllm_config, prefix):
        self.vllm_config = vllm_config
        self.prefix = prefix

    def __call__(self, split_gm):
        code, names, *consts = generate_execution_code(split_gm)
        pieces = dict(split_gm.named_children())
        return compile_execution_fn(code, pieces, names, *consts)
"""
_CACHING = """\
from vllm.compilation.codegen import compile_execution_fn


def rebuild(state, prefix, vllm_config):
    return compile_execution_fn(state["code"], {}, state["names"], state["consts"])
"""

LINES = """
import json, logging, sys

class Lines(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(f"{record.levelname} {record.getMessage()}")

lines = Lines()
logging.getLogger("vllm").addHandler(lines)
logging.getLogger("vllm").setLevel("INFO")
"""
"""Python that gathers what is logged, for the scripts of `in_process`."""


def write_standin(
    folder: Path, kind: str, *, version: str = "0.32.0", moved: bool = False
) -> Path:
    """Write a package `vllm`.

    Args:
        folder: The folder to write it to; it has to be on the path.
        kind: What its generator is like, of `KINDS`; empty for none.
        version: What it says its version is.
        moved: Whether the generator lives where vLLM moves it to.

    Returns:
        The folder.
    """
    files = {
        "__init__": f"__version__ = {version!r}\n",
        "compilation/__init__": "",
    }
    if kind:
        files["compilation/backends"] = _BACKENDS
        files["compilation/caching"] = _CACHING
        files["compilation/codegen"] = KINDS[kind]
    if moved:
        home = "vllm.backends.compiler.codegen"
        files["backends/compiler/codegen"] = files["compilation/codegen"]
        files["compilation/codegen"] = (
            "import importlib, sys\n"
            f"sys.modules[__name__] = importlib.import_module({home!r})\n"
        )
    for name, text in files.items():
        path = folder / "vllm" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def in_process(folder: Path, script: str, **variables: str) -> Any:
    """Run a script in a process of its own.

    Args:
        folder: What is in front of its path.
        script: Python that prints one line of JSON.
        variables: Its environment, beside that of this process.

    Returns:
        What it printed.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ASTGEN_VLLM")
    }
    package = Path(__file__).parents[2]
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), str(package)])
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)

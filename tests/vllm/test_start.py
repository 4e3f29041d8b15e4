"""When the plugin works, when it stays out, and what it says."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

import astgen.vllm
from support.vllm_standin import KINDS, LINES, in_process, write_standin

GENERATOR = [
    "generate_execution_code",
    "compile_execution_fn",
    "generate_execution_code_with_name",
    "_node_ref",
]
KNOWN = ("two", "three", "text annotations")
STAYS_OUT = "astgen stays out, vLLM's own generator is used: "


def test_vllm_finds_the_plugin() -> None:
    settings = Path(astgen.__file__).parents[1] / "pyproject.toml"
    text = settings.read_text(encoding="utf-8")
    group = text.partition('[project.entry-points."vllm.general_plugins"]\n')[2]
    assert group.splitlines()[0] == 'astgen = "astgen.vllm:register"'
    assert callable(astgen.vllm.register)


@pytest.mark.parametrize("variables", [{}, {"ASTGEN_VLLM": ""}, {"ASTGEN_VLLM": "0"}])
def test_without_the_variable_nothing_is_imported(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    script = """
import json, sys
import vllm.compilation.backends as backends
before, names = set(sys.modules), dict(vars(backends))
import astgen.vllm
astgen.vllm.register()
same = all(vars(backends)[name] is names[name] for name in names)
print(json.dumps([sorted(set(sys.modules) - before), same, "torch" in sys.modules]))
"""
    new, same, torch = in_process(
        write_standin(tmp_path, "three"), script, **variables, ASTGEN_VLLM_DUMP="there"
    )
    assert new == ["astgen", "astgen.lazy", "astgen.vllm"]
    assert same and not torch
    assert not (tmp_path / "there").exists()


def test_a_value_that_is_no_switch_is_told_and_nothing_more(tmp_path: Path) -> None:
    script = f"""{LINES}
import astgen.vllm
astgen.vllm.register()
astgen.vllm.register()
print(json.dumps([lines.lines, sorted({{"torch", "vllm", "libcst"}} & set(sys.modules))]))
"""
    folder = write_standin(tmp_path, "three")
    told, imported = in_process(folder, script, ASTGEN_VLLM="yes")
    assert told == [
        "WARNING ASTGEN_VLLM is 'yes', which is neither 1 nor 0: taken for 0"
    ]
    assert not imported


def test_functions_are_replaced_whoever_imports_them_when(tmp_path: Path) -> None:
    script = f"""{LINES}
import vllm.compilation.backends as backends
import astgen.vllm
astgen.vllm.register()
once = vars(backends)["generate_execution_code"]
astgen.vllm.register()
import vllm.compilation.caching as caching
import vllm.compilation.codegen as codegen
homes = {{
    f"{{module.__name__}}.{{name}}": vars(module)[name].__module__
    for module in (backends, caching, codegen)
    for name in {GENERATOR}
    if name in vars(module)
}}
print(json.dumps([homes, lines.lines, once is backends.generate_execution_code]))
"""
    homes, told, once = in_process(
        write_standin(tmp_path, "three"), script, ASTGEN_VLLM="1"
    )
    assert sorted(homes) == sorted(
        [f"vllm.compilation.codegen.{name}" for name in GENERATOR]
        + [f"vllm.compilation.backends.{name}" for name in GENERATOR[:2]]
        + ["vllm.compilation.caching.compile_execution_fn"]
    )
    assert {home.partition(".")[0] for home in homes.values()} == {"astgen"}
    assert told == [
        "INFO astgen generates the code of vLLM 0.32.0 (vllm.compilation.codegen, "
        "three values)"
    ]
    assert once


def test_what_nobody_hears_is_said_when_vllm_has_a_log(tmp_path: Path) -> None:
    script = """
import json, logging
import astgen.vllm
astgen.vllm.register()
told = []
handler = logging.Handler()
handler.emit = lambda record: told.append(record.getMessage())
logging.getLogger("vllm").addHandler(handler)
logging.getLogger("vllm").setLevel("INFO")
from vllm.compilation.caching import rebuild
from vllm.compilation.codegen import OWN_TEXT
for start in range(2):
    rebuild({"code": OWN_TEXT, "names": [], "consts": []}, "part", None)
print(json.dumps(told))
"""
    told = in_process(write_standin(tmp_path, "three"), script, ASTGEN_VLLM="1")
    assert len(told) == 1 and "astgen generates" in told[0]


def test_a_process_that_generates_nothing_does_without_libcst(tmp_path: Path) -> None:
    script = f"""{LINES}
import astgen.vllm
astgen.vllm.register()
import torch
from vllm.compilation.caching import rebuild
from vllm.compilation.codegen import OWN_TEXT
run = rebuild({{"code": OWN_TEXT, "names": [], "consts": []}}, "part", None)
equal = torch.equal(run(torch.ones(2)), -torch.ones(2))
print(json.dumps([equal, sorted({{"libcst", "black", "click"}} & set(sys.modules))]))
"""
    folder = write_standin(tmp_path, "three")
    assert in_process(folder, script, ASTGEN_VLLM="1") == [True, []]


def test_without_libcst_the_plugin_stays_out(
    plugged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("astgen.vllm.install.find_spec", lambda name: None)
    vllm = plugged("three")
    assert vllm.said == [f"{STAYS_OUT}libcst is not installed; pip install libcst"]
    assert vllm.codegen.compile_execution_fn.__module__ == vllm.codegen.__name__


@pytest.mark.parametrize("kind", KNOWN)
def test_known_generators_are_replaced(plugged, kind: str) -> None:
    vllm = plugged(kind)
    for module, name in [
        (vllm.codegen, "generate_execution_code"),
        (vllm.backends, "generate_execution_code"),
        (vllm.backends, "compile_execution_fn"),
        (vllm.caching, "compile_execution_fn"),
    ]:
        assert vars(module)[name].__module__ == "astgen.vllm.generator"
    assert [line.partition(" (")[0] for line in vllm.said] == [
        "astgen generates the code of vLLM 0.32.0"
    ]


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {*KNOWN, "broken"}))
def test_an_unknown_generator_is_left_alone(plugged, kind: str) -> None:
    vllm = plugged(kind, version="0.99.0")
    for name, own in vllm.own.items():
        module = vars(getattr(vllm, name))
        assert all(module[key] is own[key] for key in own)
    (line,) = vllm.said
    assert line.startswith(STAYS_OUT) and "vLLM 0.99.0" in line


def test_a_vllm_without_a_generator_is_left_alone(plugged) -> None:
    vllm = plugged("", version="0.19.1")
    assert vllm.said == [
        f"{STAYS_OUT}vLLM 0.19.1 has no code generator (vllm.compilation.codegen)"
    ]


def test_what_breaks_while_starting_is_one_line(plugged) -> None:
    vllm = plugged("broken")
    assert vllm.said == [f"{STAYS_OUT}RuntimeError: one thing, and another"]


def test_what_the_generator_itself_lacks_is_not_taken_for_its_absence(
    plugged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KINDS, "broken", "import not_installed_here\n")
    (line,) = plugged("broken").said
    assert "not_installed_here" in line


def test_all_functions_are_replaced_or_none(
    plugged, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Frozen(type(sys)):
        def __setattr__(self, name: str, value: object) -> None:
            raise TypeError("nothing is set here")

    frozen = Frozen("a_platform")

    def put(name: str) -> object:
        module = import_module(name)
        if name == "vllm.compilation.codegen":
            # Behind all modules of vLLM.
            frozen.__dict__["compile_execution_fn"] = module.compile_execution_fn
            sys.modules["a_platform"] = frozen
        return module

    monkeypatch.setattr("astgen.vllm.shape.import_module", put)
    try:
        vllm = plugged("three")
    finally:
        sys.modules.pop("a_platform", None)
    for name, own in vllm.own.items():
        module = vars(getattr(vllm, name))
        assert all(module[key] is own[key] for key in own)
    assert vllm.said == [f"{STAYS_OUT}TypeError: nothing is set here"]


def test_the_generator_is_found_where_vllm_moves_it(plugged) -> None:
    vllm = plugged("three", moved=True)
    assert vllm.codegen.__name__ == "vllm.backends.compiler.codegen"
    assert vllm.codegen.compile_execution_fn.__module__ == "astgen.vllm.generator"
    assert vllm.backends.compile_execution_fn is vllm.codegen.compile_execution_fn
    assert "(vllm.backends.compiler.codegen, three values)" in vllm.said[0]

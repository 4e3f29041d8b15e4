"""What `astgen compile` cannot do: one line that says what, why and the way out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.mark.parametrize("target", ["model.py", "model", ":factory", "model.py:"])
def test_a_target_without_both_halves(refused, model_file, target):
    model_file()
    line = refused(target)
    assert line == (
        f"{target!r} does not name a factory; write file.py:factory or "
        "package.module:factory"
    )


def test_a_missing_file_with_the_nearest(refused, model_file):
    model_file()
    line = refused("modle.py:factory")
    assert line.startswith("there is no file 'modle.py'; nearest: 'model.py'; write")


def test_a_directory(refused, tmp_path):
    (tmp_path / "models.py").mkdir()
    assert refused("models.py:factory").startswith("'models.py' is a directory")


def test_a_missing_module(refused):
    line = refused("package.of.nobody:factory")
    assert line.startswith("there is no module 'package.of.nobody' in this directory")


def test_a_missing_factory_with_the_nearest(refused, model_file):
    line = refused(f"{model_file()}:factroy")
    assert line.startswith("'model.py' has no 'factroy'; nearest: 'factory'; write")


def test_a_factory_that_needs_arguments(refused, model_file):
    model = model_file("def sized(size): return Model(), (torch.ones(size, 4),)")
    assert refused(f"{model}:sized") == (
        "factory 'sized' cannot be called without arguments: missing a required "
        "argument: 'size'; give its parameters defaults, or name a function without "
        "any"
    )


@pytest.mark.parametrize(
    "name, body, kind",
    [("SIZE", "SIZE = 4", "int"), ("model", "model = Model()", "Model")],
)
def test_a_name_that_is_no_factory(refused, model_file, name, body, kind):
    line = refused(f"{model_file(body)}:{name}")
    assert line.startswith(f"{name!r} in 'model.py' is a {kind}, not a factory")


@pytest.mark.parametrize(
    "result, told",
    [
        ("Model()", "returned a Model; a factory returns (module, args) or"),
        ("None", "returned a NoneType; a factory"),
        ("(Model(),)", "returned a tuple of 1; a factory"),
        ("(Model(), (), {}, 4)", "returned a tuple of 4; a factory"),
        ("('Model', ())", "returned a str in the place of the model; a factory"),
        ("(F.relu, ())", "returned a builtin_function_or_method in the place" ""),
        (
            "(Model(), torch.ones(3, 4))",
            "returned a Tensor in the place of the arguments; return a tuple, (x,)",
        ),
        ("(Model(), [])", "returned a list in the place of the arguments"),
        ("(Model(), (), [])", "returned list keyword arguments; return a dict"),
        ("(Model(), (), {1: 2})", "returned dict keyword arguments; return a dict"),
    ],
)
def test_a_factory_that_returns_something_else(refused, model_file, result, told):
    result = result.replace("F.relu", "torch.relu")
    model = model_file(f"def wrong():\n    return {result}\n")
    assert refused(f"{model}:wrong").startswith(f"factory 'wrong' {told}")


@pytest.mark.parametrize(
    "text, told",
    [
        ("import torch\n\n1 / 0\n", "ZeroDivisionError: division by zero (bad.py:3)"),
        ("x = 1\ny = = 2\n", "SyntaxError: invalid syntax (bad.py:2)"),
        ("import sys\nsys.exit('no')\n", "SystemExit: no (bad.py:2)"),
        (
            "\nimport module_of_nobody\n",
            "ModuleNotFoundError: No module named 'module_of_nobody' (bad.py:2)",
        ),
        (
            "def f():\n    raise KeyError('a\\nb')\n\n\nf()\n",
            "KeyError: 'a\\nb' (bad.py:2)",
        ),
    ],
)
@pytest.mark.parametrize("as_module", [False, True])
def test_a_file_that_fails_on_import(refused, tmp_path, text, told, as_module):
    name = f"bad{abs(hash(text))}" if as_module else "bad"
    (tmp_path / f"{name}.py").write_text(text)
    target = name if as_module else "bad.py"
    told = told.replace("bad.py", str(tmp_path / f"{name}.py") if as_module else target)
    assert refused(f"{target}:factory") == f"importing {target!r} failed: {told}"


def test_a_factory_that_fails(refused, model_file):
    model = model_file(
        'def fails():\n    raise OSError("no\\n  such weights")\n', model=""
    )
    assert refused(f"{model}:fails") == (
        "factory 'fails' failed: OSError: no such weights (model.py:2)"
    )


def test_a_model_that_fails_without_astgen(refused, model_file):
    model = model_file("def mismatched():\n    return Model(), (torch.ones(3, 5),)\n")
    line = refused(f"{model}:mismatched")
    assert line.startswith("the model fails without astgen too: RuntimeError: mat1")
    assert line.endswith("(model.py:13)")


def test_a_model_that_does_not_capture(refused, model_file):
    model = model_file("""
        class Fixed(Model):
            def forward(self, x):
                return super().forward(x.view(3, 4))

        def fixed():
            x = torch.ones(3, 4)
            torch._dynamo.mark_dynamic(x, 0)
            return Fixed(), (x,)
        """)
    line = refused(f"{model}:fixed")
    assert line.startswith(
        "model.py:fixed runs in eager mode, but not under torch.compile: "
        "ConstraintViolationError: "
    )
    assert line.endswith('see whether torch.compile(model, backend="eager") takes it')


@pytest.mark.parametrize(
    "forward", ["return 1", "return torch.compiler.disable(torch.relu)(x)"]
)
def test_a_model_without_a_graph(refused, model_file, forward):
    model = model_file(f"""
        class Nothing(nn.Module):
            def forward(self, x):
                {forward}

        def nothing():
            return Nothing(), (torch.ones(3, 4),)
        """)
    line = refused(f"{model}:nothing")
    assert line.startswith("there is no graph of model.py:nothing: it does nothing")


def test_results_that_cannot_be_compared(refused, model_file):
    model = model_file("""
        class Odd:
            pass

        class Opaque(Model):
            def forward(self, x):
                super().forward(x)
                torch._dynamo.graph_break()
                return Odd()

        def opaque():
            return Opaque(), (torch.ones(3, 4),)
        """)
    line = refused(f"{model}:opaque")
    assert line.startswith("results of type Odd cannot be compared; return tensors")


def test_a_model_that_cannot_be_copied(refused, model_file):
    model = model_file("""
        def pinned():
            model, args = factory()
            model.generator = (i for i in range(3))
            return model, args
        """)
    line = refused(f"{model}:pinned")
    assert line.startswith("the model cannot be copied: TypeError: ")


def test_arguments_that_cannot_be_copied(refused, model_file):
    model = model_file("""
        def attached():
            model, (x,) = factory()
            return model, (x.requires_grad_() * 2,)
        """)
    line = refused(f"{model}:attached")
    assert line.startswith("the arguments cannot be copied: RuntimeError: Only Tensors")
    assert line.endswith("return tensors that are detached, in plain containers")


def test_an_unknown_operator_with_the_nearest(refused, model_file):
    line = refused(f"{model_file()}:factory", "--split", "softmaxx")
    assert "no operator is called 'softmaxx'; nearest: 'softmax'" in line


def test_an_operator_that_the_models_file_registers_is_known(astgen, model_file):
    model = model_file("""
        @torch.library.custom_op("astgen_cli_test::attend", mutates_args=())
        def attend(x: torch.Tensor) -> torch.Tensor:
            return x.softmax(-1)

        @attend.register_fake
        def _(x):
            return torch.empty_like(x)

        class Attends(Model):
            def forward(self, x):
                return attend(super().forward(x)) + 1

        def attends():
            return Attends(), (torch.ones(3, 4),)
        """)
    options = ["--split", "astgen_cli_test::attend"]
    assert astgen("compile", f"{model}:attends", *options).exit_code == 0
    text = Path("astgen-out/attends_0.py").read_text()
    assert "torch.ops.astgen_cli_test.attend" in text


def test_an_output_that_is_a_file(refused, tmp_path):
    (tmp_path / "out").write_text("mine")
    assert refused("-o", "out") == (
        "cannot write to 'out': File exists; make it writable, or name another place"
    )
    assert refused("-o", "out/deeper").startswith("cannot write to 'out/deeper': Not a")
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc here")
def test_an_output_that_cannot_be_made(refused):
    assert refused("-o", "/proc/astgen").startswith("cannot write to '/proc/astgen': ")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_an_output_without_permission(refused, tmp_path):
    (tmp_path / "out").mkdir(mode=0o500)
    assert refused("-o", "out").startswith("cannot write to 'out': no permission")


def test_an_output_file_that_cannot_be_replaced(refused, model_file, tmp_path):
    (tmp_path / "astgen-out" / "factory_0.py" / "inside").mkdir(parents=True)
    line = refused(f"{model_file()}:factory")
    assert "astgen-out/factory_0.py': Is a directory; make it writable" in line
    assert [p.name for p in (tmp_path / "astgen-out").iterdir()] == ["factory_0.py"]


def test_unknown_options_are_usage_errors(astgen):
    result = astgen("compile", "--pieces", "quick")
    assert result.exit_code == 2
    assert "'quick' is not one of 'eager', 'inductor'" in result.stderr
    assert astgen("compyle").exit_code == 2


def test_an_interrupt_exits_130(astgen, model_file):
    model = model_file("def stops():\n    raise KeyboardInterrupt\n")
    result = astgen("compile", f"{model}:stops", "-q")
    assert result.exit_code == 130
    assert result.stderr == "astgen: error: interrupted\n"

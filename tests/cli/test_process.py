"""The command as a process of its own: what it imports, signals, pipes, terminals."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import astgen
from astgen import cli

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(cli.__file__)))
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.path.dirname(ROOT)}

WITHOUT_TORCH = """
import sys
from astgen.cli import main
try:
    main(sys.argv[1:])
finally:
    heavy = {"torch", "libcst", "black", "numpy"} & set(sys.modules)
    print("heavy:", sorted(heavy))
"""


def process(*command, **kwargs):
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=120,
        **kwargs,
    )


@pytest.mark.parametrize(
    "args, told",
    [
        (["--version"], f"astgen, version {astgen.__version__}"),
        (["--help"], "Compile a model, compare it, write its source."),
        (["compile", "--help"], "--pieces [eager|inductor]"),
        (["lint", "--help"], "--output-format"),
        (["rule", "AG201"], "AG201 use-after-del"),
    ],
)
def test_help_and_version_import_nothing_heavy(args, told):
    result = process("-c", WITHOUT_TORCH, *args)
    assert result.returncode == 0, result.stderr
    assert told in result.stdout
    assert result.stdout.endswith("heavy: []\n")


def test_python_m_astgen_is_the_command():
    result = process("-m", "astgen", "--version")
    assert result.stdout == f"astgen, version {astgen.__version__}\n"


def test_ctrl_c_exits_130_without_a_traceback(model_file):
    model = model_file(
        "import os, signal, time\n"
        "def stops():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(60)\n",
        model="",
    )
    result = process("-m", "astgen", "compile", "-q", f"{model}:stops")
    assert result.returncode == 130
    assert result.stderr == "astgen: error: interrupted\n"


def test_a_reader_that_has_left_gets_no_traceback(model_file):
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "astgen", "compile", "-q"]
    with os.fdopen(write, "wb") as closed:
        result = subprocess.run(
            [*command, f"{model_file()}:factory"],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
            timeout=120,
        )
    assert result.returncode == 141
    assert result.stderr == ""


def test_a_terminal_shows_one_line_that_goes_away(model_file):
    pty = pytest.importorskip("pty")
    terminal, child = pty.openpty()
    with os.fdopen(child, "wb") as stderr:
        result = subprocess.run(
            [sys.executable, "-m", "astgen", "compile", f"{model_file()}:factory"],
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**ENVIRONMENT, "TERM": "xterm"},
            timeout=120,
        )
    shown = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert result.returncode == 0
    assert "\r\x1b[2Kastgen: importing torch ..." in shown
    assert "\n" not in shown
    assert shown.endswith("\r\x1b[2K")

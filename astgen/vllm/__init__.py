"""The plugin: vLLM's own backend runs on astgen.

vLLM loads this module in each of its processes, by the entry point `astgen` of the
group `vllm.general_plugins`. All of vLLM that astgen reads or changes is named in
this package; nothing here imports vLLM, torch or libcst before it was asked to work.
"""

from __future__ import annotations

import os
from importlib import import_module

__all__ = ["register"]


def register() -> None:
    """Put astgen in the place of vLLM's code generator, if `ASTGEN_VLLM` is 1.

    If it is not set, nothing else is done. It may be called any number of times, and
    raises nothing: what goes wrong is a line in vLLM's log, and vLLM is as it was.
    """
    if os.environ.get("ASTGEN_VLLM", "") not in ("", "0"):
        import_module("astgen.vllm.start").start()

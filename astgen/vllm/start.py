"""The start of the plugin in a process: it works, or says in one line why not."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

from astgen.errors import AstgenError
from astgen.vllm.settings import LOG, read_settings

__all__ = ["start"]


@cache
def start() -> None:
    """Read the settings, replace vLLM's generator, or say why not.

    Once in a process: vLLM may load its plugins more than once.
    """
    settings = read_settings(os.environ)
    if not settings.active:
        return
    try:
        # What is missing in an environment, libcst say, must not stop vLLM.
        import_module("astgen.vllm.install").install(settings)
    except Exception as error:
        reason = " ".join(str(error).split())
        if not isinstance(error, AstgenError):
            reason = f"{type(error).__name__}: {reason}"
        LOG.warning("astgen stays out, vLLM's own generator is used: %s", reason)

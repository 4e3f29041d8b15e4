"""What the environment says about the plugin."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["LOG", "Settings", "read_settings"]

LOG = logging.getLogger("vllm.astgen")
"""A child of vLLM's own logger: its lines look like vLLM's and stand among them."""


@dataclass(frozen=True)
class Settings:
    """The plugin's settings.

    Attributes:
        active: Whether astgen is to generate (`ASTGEN_VLLM`).
        fallback: Whether vLLM's generator takes the graphs that astgen cannot
            express (`ASTGEN_VLLM_FALLBACK`).
        dump: The folder for generated functions, or nothing (`ASTGEN_VLLM_DUMP`).
        namespaces: Operator namespaces, beside vLLM's own, that text from a cache
            may use (`ASTGEN_VLLM_NAMESPACES`, with commas between).
    """

    active: bool = False
    fallback: bool = False
    dump: str = ""
    namespaces: frozenset[str] = frozenset()


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings; a switch that is neither 1 nor 0 is off, with a warning.

    Args:
        environment: The variables of the process.

    Returns:
        What they say.
    """
    names = environment.get("ASTGEN_VLLM_NAMESPACES", "").split(",")
    return Settings(
        active=_switch(environment, "ASTGEN_VLLM"),
        fallback=_switch(environment, "ASTGEN_VLLM_FALLBACK"),
        dump=environment.get("ASTGEN_VLLM_DUMP", ""),
        namespaces=frozenset(name.strip() for name in names if name.strip()),
    )


def _switch(environment: Mapping[str, str], name: str) -> bool:
    value = environment.get(name, "")
    if value not in ("", "0", "1"):
        LOG.warning("%s is %r, which is neither 1 nor 0: taken for 0", name, value)
    return value == "1"

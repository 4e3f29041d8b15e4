"""Where an artifact was written, and whether it may be loaded somewhere else.

The text of a program is the same anywhere, and its constants say what they need
themselves. What a backend compiled is not: it is made for one version of PyTorch and
one kind of device.
"""

from __future__ import annotations

import platform
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

import torch

from astgen.errors import ArtifactError

__all__ = [
    "EnvironmentPolicy",
    "EnvironmentWarning",
    "STRICT",
    "Verdict",
    "current_environment",
    "judge_environment",
]

Verdict = Literal["accept", "warn", "refuse"]


class EnvironmentWarning(UserWarning):
    """An artifact was written in another environment than it is loaded in."""


@dataclass(frozen=True)
class EnvironmentPolicy:
    """What happens where an artifact comes from another environment, by field.

    Attributes:
        python: Another implementation or minor version of Python.
        torch: Another version of PyTorch.
        platform: Another operating system or kind of processor.
        device: Another architecture of the accelerator.

    Raises:
        ValueError: A verdict is none of "accept", "warn" and "refuse".
    """

    python: Verdict = "accept"
    torch: Verdict = "warn"
    platform: Verdict = "accept"
    device: Verdict = "accept"

    def __post_init__(self) -> None:
        for one in fields(self):
            verdict = getattr(self, one.name)
            if verdict not in ("accept", "warn", "refuse"):
                raise ValueError(
                    f"{one.name} is {verdict!r}; choose 'accept', 'warn' or 'refuse'"
                )


STRICT = EnvironmentPolicy("refuse", "refuse", "refuse", "refuse")
"""For blobs of a backend: what is made for another environment is not loaded."""


def current_environment() -> dict[str, str]:
    """This process's environment, by field.

    The device is that of the accelerator in use; a process that has not touched one
    gets `none`, and is not made to.
    """
    python = f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"
    return {
        "python": python,
        "torch": str(torch.__version__),
        "platform": f"{sys.platform} {platform.machine()}",
        "device": _device() if _in_use() else "none",
    }


def judge_environment(written: Mapping[str, str], policy: EnvironmentPolicy) -> None:
    """Compare the environment of an artifact with this one.

    Args:
        written: What its manifest says. A field that it does not say is another one.
        policy: What happens where they differ.

    Raises:
        ArtifactError: They differ where the policy refuses that.
    """
    here = current_environment()
    for one in fields(policy):
        name, verdict = one.name, getattr(policy, one.name)
        if verdict == "accept":
            continue
        there = written.get(name, "unknown")
        if name == "device" and there == "none":
            continue
        found = _device() if name == "device" else here[name]
        if there == found:
            continue
        reason = f"it was written with {name} {there!r}, and this is {found!r}"
        if verdict == "refuse":
            raise ArtifactError(
                reason,
                field=f"environment.{name}",
                rule="AG604",
                hint=f"make it here, or pass policy=EnvironmentPolicy({name}='accept') "
                "if that does not matter",
            )
        # The caller of `Program.load`, or of `load_artifact`.
        warnings.warn(reason, EnvironmentWarning, stacklevel=4)


def _in_use() -> bool:
    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]


def _device() -> str:
    """The architecture of the accelerator; asking for it starts the accelerator."""
    if not torch.cuda.is_available():
        return "none"
    if torch.version.hip is not None:
        return f"hip {torch.cuda.get_device_properties().gcnArchName}"
    major, minor = torch.cuda.get_device_capability()
    return f"cuda sm_{major}{minor}"

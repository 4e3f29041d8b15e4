"""An exception of the user's own code, told in one line."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass

__all__ = ["Source", "describe"]

_LONGEST = 400
# What Dynamo adds to a message is advice on how to debug Dynamo.
_ADVICE = re.compile(r"\n\s*Set TORCHDYNAMO_VERBOSE=1.*|\n\s*from user code:.*", re.S)


@dataclass(frozen=True)
class Source:
    """A file of the user's.

    Attributes:
        title: The file as the user named it.
        path: The file as tracebacks name it; empty if it is not known.
    """

    title: str
    path: str


def describe(error: BaseException, source: Source | None = None) -> str:
    """The type and message of an exception, and the user's line that led to it.

    Args:
        error: The exception.
        source: The user's file.

    Returns:
        One line.
    """
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    message = " ".join(_ADVICE.sub("", text).split())
    if len(message) > _LONGEST:
        message = f"{message[:_LONGEST]}..."
    name = type(error).__name__
    told = f"{name}: {message}" if message else name
    line = _line(error, source.path) if source and source.path else None
    return f"{told} ({source.title}:{line})" if source and line else told


def _line(error: BaseException, path: str) -> int | None:
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == path]
    # While Dynamo traces, the model's frames are in the message only.
    traced = re.findall(rf'File "{re.escape(path)}", line (\d+)', str(error))
    return int(traced[-1]) if traced else lines[-1] if lines else None

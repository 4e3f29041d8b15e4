"""Two texts -> what `--diff` shows of them."""

from __future__ import annotations

from difflib import unified_diff

__all__ = ["diff"]

_NO_NEWLINE = "\\ No newline at end of file"


def diff(before: str, after: str, path: str) -> str:
    """Show what mending changes.

    Args:
        before: The text of the file.
        after: The mended text.
        path: The file.

    Returns:
        A unified diff that `patch` can read; empty if there is no change.
    """
    lines = unified_diff(
        _lines(before), _lines(after), fromfile=path, tofile=path, lineterm="\n"
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}\n" for line in lines
    )


def _lines(text: str) -> list[str]:
    """Lines with their ends; only a newline ends one, for `patch` as for `diff`."""
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]

"""Where the commands put files: whole or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from astgen.errors import CaptureError
from astgen.store.atomic import put

__all__ = [
    "demand_other",
    "left_from_before",
    "prepare_directory",
    "write_chunks",
    "write_text",
]

_BLOCK = 1 << 16


def prepare_directory(path: Path) -> None:
    """Make a directory ready to be written to.

    Commands call this before they work for minutes.

    Args:
        path: The directory; it is made if it is not there.

    Raises:
        CaptureError: It cannot be made or not be written to.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(path, error) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise _refused(path, PermissionError("no permission to write there"))


def write_text(path: Path, text: str) -> None:
    """Write a file, so that nobody ever sees half of it; see `write_chunks`."""
    write_chunks(path, [text])


def write_chunks(path: Path, chunks: Iterable[str]) -> None:
    """Write a file part by part, so that nobody ever sees half of it.

    Args:
        path: The file; replaced if it is there, with its permissions kept. What is
            no regular file, such as a terminal, or has other names as well, is
            written to as it is.
        chunks: Its content, written as UTF-8 to the byte.

    Raises:
        CaptureError: It cannot be written.
    """
    try:
        target = path.resolve()
        status = target.stat() if target.exists() else None
        if status is not None and not os.access(target, os.W_OK):
            raise PermissionError("it is read-only")
        if status is not None and (not target.is_file() or status.st_nlink > 1):
            with open(target, "wb") as file:
                file.writelines(_encoded(chunks))
            return
        mode = None if status is None else status.st_mode & 0o777
        put(target, _encoded(chunks), mode)
    except OSError as error:
        raise _refused(path, error) from error
    except RuntimeError as error:
        # Up to Python 3.12, a link that leads to itself is no OSError.
        raise _refused(path, OSError(str(error))) from error


def demand_other(output: Path, *sources: str) -> None:
    """Refuse to write over what is read.

    Args:
        output: The file that is to be written.
        sources: What is read, `-` for standard input.

    Raises:
        CaptureError: It is one of them.
    """
    for source in sources:
        try:
            is_same = source != "-" and os.path.samefile(source, output)
        except OSError:
            # One of them is not there, and then they are two.
            continue
        if is_same:
            raise CaptureError(
                f"{str(output)!r} is what is read; name another file with -o"
            )


def _encoded(chunks: Iterable[str]) -> Iterator[bytes]:
    """The bytes of text in blocks: reports come in very many small parts."""
    block = bytearray()
    for chunk in chunks:
        # Names of files that are no UTF-8 are in reports as they came.
        block += chunk.encode("utf-8", "surrogateescape")
        if len(block) >= _BLOCK:
            yield bytes(block)
            block.clear()
    yield bytes(block)


def left_from_before(path: Path, stem: str, written: Sequence[str]) -> list[str]:
    """Files that an earlier run wrote and this one did not.

    Args:
        path: The directory.
        stem: What the names of the files begin with, before `_0.py`.
        written: Names of the files of this run.

    Returns:
        Names of the others, in order. They are not touched: somebody may have edited them.
    """
    number = re.compile(re.escape(stem) + r"_[0-9]+\.(py|astgen)")
    found = sorted(other.name for other in path.iterdir())
    return [name for name in found if number.fullmatch(name) and name not in written]


def _refused(path: Path, error: OSError) -> CaptureError:
    reason = error.strerror or str(error)
    return CaptureError(
        f"cannot write to {str(path)!r}: {reason}; make it writable, or name another "
        "place"
    )

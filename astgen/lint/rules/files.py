"""AG003 to AG006: the file that should hold generated code."""

from __future__ import annotations

from astgen.check.finding import Rule, Sample
from astgen.lint.rules.samples import PROGRAM, zipped

__all__ = ["ENCODING", "NO_CODE", "RULES", "TOO_LARGE", "UNREADABLE"]

_CODE = PROGRAM.encode()
_LZMA = 14
"""The number of that method in zip archives."""


def _nested(depth: int) -> bytes:
    data = _CODE
    for level in range(depth):
        data = zipped({"inner.zip" if level else "execution.py": data})
    return data


def _declared(size: int) -> bytes:
    """An archive that says its only member had another size."""
    data = bytearray(zipped({"execution.py": _CODE}))
    for magic, offset in ((b"PK\1\2", 24), (b"PK\3\4", 22)):
        start = data.index(magic) + offset
        data[start : start + 4] = size.to_bytes(4, "little")
    return bytes(data)


def _encrypted() -> bytes:
    data = bytearray(zipped({"execution.py": _CODE}))
    for magic, offset in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
        data[data.index(magic) + offset] |= 1
    return bytes(data)


ENCODING = Rule(
    code="AG003",
    name="encoding",
    summary="the text is not plain UTF-8",
    reason=(
        "The linter checks characters, and whoever imports the file must see the same "
        "ones. Python decodes a module as the first two lines of it say (PEP 263), so "
        "a coding cookie can make other code of the bytes than any reader sees: in "
        "UTF-7, +AAo- is a line break. Where an encoding can hide even the names of "
        "generated code, the cookie alone is enough, in a folder, too. A byte order "
        "mark, UTF-16, or bytes that are no UTF-8 are refused for the same reason, "
        "with their position. Nothing of such a text is looked at further."
    ),
    good=(
        Sample("execution.py", _CODE, PROGRAM),
        Sample(
            "execution.py",
            b"# -*- coding: utf-8 -*-\n" + _CODE,
            "# -*- coding: utf-8 -*-\n" + PROGRAM,
        ),
    ),
    bad=(
        Sample(
            "execution.py",
            b"# -*- coding: utf-7 -*-\n" + _CODE,
            "# -*- coding: utf-7 -*-\n" + PROGRAM,
        ),
        Sample(
            "execution.py",
            b"\xef\xbb\xbf" + _CODE,
            "a byte order mark (the bytes EF BB BF), then\n" + PROGRAM,
        ),
        Sample(
            "execution.py",
            _CODE.replace(b"1)", b"'\xff')"),
            PROGRAM.replace("1)", "'<byte FF>')"),
        ),
        Sample(
            "execution.py",
            PROGRAM.encode("utf-16"),
            "in UTF-16, this text:\n" + PROGRAM,
        ),
    ),
)

UNREADABLE = Rule(
    code="AG004",
    name="unreadable",
    summary="the file, or a part of it, cannot be looked at",
    reason=(
        "A file that was named and not looked at must not pass as clean. It is "
        "missing, may not be read, vanished during the run, or is no regular file: "
        "pipes, sockets and devices are never opened, since opening one can wait "
        "for ever. In archives, members that are encrypted cannot be looked at, nor "
        "those in a method other than stored and deflated: of the others, Python's "
        "zipfile inflates without a limit, and 45 bytes of bzip2 become 900 kB."
    ),
    good=(
        Sample(
            "dumps.zip",
            lambda: zipped({"execution.py": _CODE}),
            "a zip archive of execution.py, stored",
        ),
    ),
    bad=(
        Sample("dumps.zip", _encrypted, "a zip archive with an encrypted member"),
        Sample(
            "dumps.zip",
            lambda: zipped({"execution.py": _CODE}, _LZMA),
            "a zip archive with a member that is compressed with LZMA",
        ),
    ),
    always=True,
)

TOO_LARGE = Rule(
    code="AG005",
    name="too-large",
    summary="the file, or a part of it, is beyond a limit",
    reason=(
        "Whoever checks files that nobody vouches for can be attacked with size: ten "
        "gigabytes in one file, an archive that inflates a thousandfold or holds "
        "itself, a pickle of a billion values, a program of a million semicolons "
        "(Python's parser takes a kilobyte for each). What is beyond a limit is not "
        "looked at, and must not pass as clean. Text of a real model with 80 layers "
        "has 170 kB; the limits are more than ten times that, and --max-file-size "
        "raises them."
    ),
    good=(
        Sample(
            "dumps.zip",
            lambda: _nested(2),
            "a zip archive in a zip archive, with execution.py in it",
        ),
    ),
    bad=(
        Sample(
            "dumps.zip", lambda: _nested(9), "zip archives, nine deep in each other"
        ),
        Sample(
            "dumps.zip",
            lambda: _declared(0xFFFF_FFF0),
            "a zip archive of 200 bytes that declares a member of 4 GiB",
        ),
    ),
    always=True,
)

NO_CODE = Rule(
    code="AG006",
    name="no-code",
    summary="a file that was named holds no generated code",
    reason=(
        "Who names a file expects it to be checked; a report without findings would "
        "say that it was. vLLM writes a readable dump of the graph beside its "
        "artifacts, computation_graph.py: it is never run, and the stitching code is "
        "elsewhere, in the file `model` of torch_aot_compile. Files that are found "
        "in folders are passed over in silence where nobody expects generated code."
    ),
    good=(Sample("dump.txt", _CODE, PROGRAM),),
    bad=(
        Sample("notes.txt", b"nothing to see\n", "nothing to see"),
        Sample(
            "computation_graph.py",
            b"import torch\nclass GraphModule(torch.nn.Module):\n    pass\n",
            "import torch\nclass GraphModule(torch.nn.Module):\n    pass\n",
        ),
        Sample("empty.zip", lambda: zipped({}), "a zip archive without members"),
    ),
    severity="warning",
    always=True,
)

RULES = (ENCODING, UNREADABLE, TOO_LARGE, NO_CODE)

"""AG60x: the file that should hold an artifact, a log or an archive."""

from __future__ import annotations

from astgen.check.finding import Rule, Sample
from astgen.lint.rules.samples import PROGRAM, artifact, manifest, trace, zipped

__all__ = [
    "BAD_MAGIC",
    "DIGEST_MISMATCH",
    "EMPTY_ARTIFACT",
    "FORMAT_VERSION",
    "INCOMPLETE",
    "NOT_HERE",
    "RULES",
]

_CODE = PROGRAM.encode()
_LOGGED = (
    "a record of a trace log that announces vllm_execution_code, and this payload:\n"
)
_ARTIFACT = Sample(
    "artifact.zip",
    artifact,
    "an artifact of astgen: manifest.json, and execution.py with its digest",
)

_READING = PROGRAM.replace("(x, 1)", "(x, __vllm_consts__[0])")
_SUPPLIED = {
    "kind": "function",
    "shown": "supplied by the caller",
    "key": "slot 0",
    "supplied": True,
}

BAD_MAGIC = Rule(
    code="AG601",
    name="bad-magic",
    summary="the file is damaged, or not what its name says",
    reason=(
        "A cache file of 0 bytes, or one that ends in the middle, is what a killed "
        "process or a full disk leaves (vllm-project/vllm#35174). It fails far away, "
        "when the model is loaded. In an archive, checksums that do not fit, members "
        "that overlap or share a name, and names that lead out of the folder are "
        "made on purpose or by damage: which bytes a reader gets depends on the "
        "reader."
    ),
    good=(_ARTIFACT,),
    bad=(
        Sample("model", b"", "an empty file"),
        Sample("model", b"\x7fELF\2\1\1", "a file that begins with 7F 45 4C 46"),
        Sample(
            "dumps.zip",
            lambda: zipped({"execution.py": _CODE})[:-30],
            "a zip archive without its last 30 bytes",
        ),
        Sample(
            "dumps.zip",
            lambda: zipped({"../execution.py": _CODE}),
            "a zip archive with the member ../execution.py",
        ),
    ),
)

DIGEST_MISMATCH = Rule(
    code="AG602",
    name="digest-mismatch",
    summary="the content is not what its digest says",
    reason=(
        "An artifact carries the size and the SHA-256 of each member, a record of a "
        "trace log the MD5 of its payload. Where they do not fit, something was "
        "changed or cut after it was written: an edit by hand, a bad disk, lines of "
        "two processes mixed in one log. A digest finds damage, not an attacker, who "
        "would change it too. A payload of a log that does not fit is not checked as "
        "a program."
    ),
    good=(_ARTIFACT, Sample("trace.log", trace, _LOGGED + PROGRAM)),
    bad=(
        Sample(
            "artifact.zip",
            lambda: zipped(
                {
                    "manifest.json": manifest({"execution.py": _CODE}),
                    "execution.py": _CODE.replace(b"1", b"2"),
                }
            ),
            "an artifact whose execution.py was edited",
        ),
        Sample(
            "trace.log",
            lambda: trace(digest="d41d8cd98f00b204e9800998ecf8427e"),
            "the same with the MD5 of something else in its record",
        ),
    ),
)

FORMAT_VERSION = Rule(
    code="AG603",
    name="format-version",
    summary="the artifact has a format that is not known",
    reason=(
        "The first number of an artifact's version says how it is to be read. This "
        "astgen knows version 1. A reader that guesses can take one thing for "
        "another, so loading refuses such a file, and the linter says why: a newer "
        "astgen wrote it, or nobody did. The second number only says what was added."
    ),
    good=(_ARTIFACT,),
    bad=(
        Sample(
            "artifact.zip",
            lambda: artifact(version=(2, 0)),
            'an artifact with "format_version": [2, 0]',
        ),
        Sample(
            "artifact.zip",
            lambda: artifact(version=(0, 1)),
            'an artifact with "format_version": [0, 1]',
        ),
    ),
)

NOT_HERE = Rule(
    code="AG604",
    name="not-here",
    summary="a constant takes something that is not in the file",
    reason=(
        "A closure or an object of any class is no data, so a program that holds one "
        "can only be saved if whoever loads it hands the object over "
        "(Program.save(path, supplied=[0])). Such a file is whole, and of no use to "
        "whoever does not have the object. Loading reports with this code what is "
        "not there in the process: such an object, a function that is found by its "
        "name, a module, a device, numpy."
    ),
    good=(_ARTIFACT,),
    bad=(
        Sample(
            "artifact.zip",
            lambda: artifact(_READING, consts=[_SUPPLIED]),
            "an artifact whose caller supplies constant 0, a function",
        ),
        Sample(
            "artifact.zip",
            lambda: artifact(_READING, consts=[{**_SUPPLIED, "kind": "m.Table"}]),
            "an artifact whose caller supplies constant 0, a m.Table",
        ),
    ),
    severity="warning",
)

EMPTY_ARTIFACT = Rule(
    code="AG606",
    name="empty-artifact",
    summary="the artifact holds no code",
    reason=(
        "An artifact without code is what a save leaves that went wrong half way: "
        "compilation ended without a single piece, and the result was stored as if "
        "it were whole (vllm-project/vllm#56879). It is found when the model is "
        "loaded, by a lookup that fails, or not at all: nothing runs, and nothing "
        "says so."
    ),
    good=(_ARTIFACT,),
    bad=(
        Sample(
            "artifact.zip",
            lambda: artifact(""),
            "an artifact whose execution.py is empty",
        ),
        Sample(
            "artifact.zip",
            lambda: artifact("\n\n"),
            "an artifact whose execution.py has blank lines only",
        ),
    ),
)

INCOMPLETE = Rule(
    code="AG607",
    name="incomplete",
    summary="a part that the file promises is not there",
    reason=(
        "The manifest of an artifact lists every member. One that is missing was "
        "lost, as when a copy was interrupted (vllm-project/vllm#25205 is such a "
        "cache); one that is not listed was put there by somebody else, and no "
        "digest covers it. A trace log can end before the payload that a record "
        "announces."
    ),
    good=(_ARTIFACT,),
    bad=(
        Sample(
            "artifact.zip",
            lambda: zipped({"manifest.json": manifest({"execution.py": _CODE})}),
            "an artifact that has lost execution.py",
        ),
        Sample(
            "artifact.zip",
            lambda: zipped({"manifest.json": manifest({})}),
            "an artifact whose manifest lists no execution.py",
        ),
        Sample(
            "artifact.zip",
            lambda: zipped(
                {
                    "manifest.json": manifest({"execution.py": _CODE}),
                    "execution.py": _CODE,
                    "notes.txt": b"by hand",
                }
            ),
            "an artifact with notes.txt, which its manifest does not list",
        ),
    ),
)

RULES = (
    BAD_MAGIC,
    DIGEST_MISMATCH,
    FORMAT_VERSION,
    NOT_HERE,
    EMPTY_ARTIFACT,
    INCOMPLETE,
)

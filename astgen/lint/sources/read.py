"""One file -> the programs in it: what is it, and who reads that kind?

Files that are found in folders are passed over where nobody expects generated code.
Pickles and archives never are: a hostile one in the place of an artifact must not
be. Whatever goes wrong is a finding about the file, and the rest of it is read.

The readers of single kinds are imported when a file of that kind turns up: most runs
look at a few texts, and importing what reads pickles takes longer than that.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from astgen.lint.rules.artifacts import BAD_MAGIC, INCOMPLETE
from astgen.lint.rules.files import NO_CODE, TOO_LARGE
from astgen.lint.sources.appended import ends_as_zip
from astgen.lint.sources.blob import HEAD, Blob, of_bytes, of_file
from astgen.lint.sources.kind import (
    ARTIFACT,
    GRAPH,
    Kind,
    kind_of,
    logged,
    opens_pickle,
)
from astgen.lint.sources.limits import Budget, Limits, Spent, within
from astgen.lint.sources.python import read_stitching
from astgen.lint.sources.refusal import Refused, display
from astgen.lint.subject import Contents, Subject
from astgen.store import CODE, MANIFEST

__all__ = ["read", "read_bytes"]

# What a log may begin with that is no record, whatever its name is.
_NOISE = 1 << 16
_MORE = 1 << 20
_RANK = re.compile(r"rank_\d+_\d+\Z")
_BEGINNINGS = {"empty": "is empty", "trace": "is a log", "zip": "is an archive"}
_HINT = "name the file that holds it, or the folder of the cache"
_RENEW = "remove it; vLLM compiles again"
_NOTES = frozenset({"AG608"})  # What is said of every pickle, once.


def read(
    path: str,
    limits: Limits,
    *,
    explicit: bool,
    names: Collection[str] = frozenset(),
) -> Contents:
    """Look at one file.

    Args:
        path: The file.
        limits: How much of it is read.
        explicit: Whether the command line names it, rather than a folder above it.
        names: Names that pickles may load beside the listed ones.

    Returns:
        The programs in it, and what is wrong with it. Nothing is raised, whatever
        the file is.
    """
    shown = display(path)
    reader = _Reader(Budget(limits), explicit, frozenset(names))
    reader.start(shown, lambda: _file(path, reader))
    return reader.finish(shown)


def read_bytes(
    data: bytes,
    path: str,
    limits: Limits,
    *,
    explicit: bool = True,
    names: Collection[str] = frozenset(),
) -> Contents:
    """Look at bytes that came from elsewhere, as from standard input.

    Args:
        data: The bytes.
        path: What they are called; see `read` for the others.
    """
    shown = display(path)
    reader = _Reader(Budget(limits), explicit, frozenset(names))
    blob = of_bytes(data, shown, name=os.path.basename(shown))
    reader.start(shown, lambda: reader.look(blob))
    return reader.finish(shown)


class _Reader:
    """Looks at one file, and at what is in it.

    Attributes:
        contents: What was found so far.
        reason: Why there is no generated code in the file, if there is none.
    """

    def __init__(self, budget: Budget, explicit: bool, names: frozenset[str]) -> None:
        self.budget = budget
        self.limits = budget.limits
        self.explicit = explicit
        self.names = names
        self.contents = Contents()
        self.reason = "it holds no generated code"

    def start(self, shown: str, look: Callable[[], None]) -> None:
        try:
            look()
        except Refused as refused:
            self.contents.findings.append(refused.finding(shown))
        except Spent as spent:
            self.contents.findings.append(spent.refused.finding(shown))

    def finish(self, shown: str) -> Contents:
        contents = within(self.contents, self.limits)
        told = {finding.rule for finding in contents.findings} - _NOTES
        if not contents.subjects and not told:
            contents.passed = not self.explicit and not contents.findings
            if self.explicit:
                refused = Refused(NO_CODE, self.reason, _HINT)
                contents.findings.append(refused.finding(shown))
        return contents

    def attempt(self, blob: Blob, look: Callable[[], None]) -> None:
        """Look at something, and go on if it is refused."""
        try:
            look()
        except Refused as refused:
            self.contents.findings.append(refused.finding(blob.path, blob.member))

    def look(self, blob: Blob, depth: int = 0) -> None:
        """Look at a file, or at a member of an archive."""
        blob = self.held(blob) if depth else blob
        kind = self.kind(blob, depth)
        if kind == "zip" or ends_as_zip(blob, to_the_end=kind == "pickle"):
            self.attempt(blob, lambda: self.archive(blob, depth))
            kind = "zip" if kind == "other" else kind
        if kind == "pickle":
            self.pickle(blob, self.artifact(blob, depth, kind))
        elif kind == "trace":
            from astgen.lint.sources.trace import read_trace

            read_trace(blob, self.budget, self.contents)
        elif kind == "python" or (kind == "other" and self.wanted(blob, depth)):
            self.text(blob)
        if kind != "pickle" and self.artifact(blob, depth, kind):
            what = _BEGINNINGS.get(kind, "begins with other bytes")
            message = f"{ARTIFACT} should be a pickle of vLLM, and it {what}"
            raise Refused(BAD_MAGIC, message, _RENEW)

    def held(self, blob: Blob) -> Blob:
        """A member in memory, if it is small.

        This compares it with its checksum, whatever it is: damage can make anything
        of what was a program.
        """
        # Half of what is left: the members behind it are to be read as well.
        left = self.limits.archive_bytes - self.budget.inflated
        if blob.size > min(self.limits.program_bytes, left // 2):
            return blob
        return of_bytes(blob.load(blob.size), blob.path, blob.member, blob.name)

    def kind(self, blob: Blob, depth: int) -> Kind:
        head = blob.head()
        kind = kind_of(blob.name, head)
        if kind in ("empty", "pickle", "zip"):
            return kind
        if opens_pickle(head) and self.headless(blob, head):
            return "pickle"
        return "trace" if kind == "other" and self.logs(blob, depth) else kind

    def headless(self, blob: Blob, head: bytes) -> bool:
        from astgen.lint.sources.headless import headless

        if not headless(head, len(head) < HEAD):
            return False
        # Logs can be far larger than pickles, and look like one for some lines.
        more = blob.head(_MORE)
        if not headless(more, len(more) < _MORE):
            return False
        return headless(blob.load(self.limits.file_bytes), True)

    def logs(self, blob: Blob, depth: int) -> bool:
        """Whether something that does not begin as a trace log is one."""
        if logged(blob.head(_NOISE)):
            return True
        named = (self.explicit and not depth) or blob.name.endswith(".log")
        if not named or blob.size > self.limits.trace_bytes:
            return False
        from astgen.lint.sources.trace import is_trace

        return is_trace(blob, self.limits)

    def wanted(self, blob: Blob, depth: int) -> bool:
        """Whether a text is looked at for what the command line says."""
        return self.explicit and not depth and blob.name != ARTIFACT

    def artifact(self, blob: Blob, depth: int, kind: Kind) -> bool:
        """Whether vLLM would load the file, by its name."""
        folder = (blob.member or os.path.abspath(blob.path)).split("/")[-2:-1]
        named = self.explicit and not depth and kind in ("empty", "other", "pickle")
        return blob.name == ARTIFACT and (named or bool(_RANK.match("".join(folder))))

    def pickle(self, blob: Blob, artifact: bool) -> None:
        from astgen.lint.sources.pickles import read_pickle

        data = blob.load(self.limits.file_bytes)
        limits = replace(self.limits, opcodes=self.budget.opcodes_left())
        found = read_pickle(data, blob.path, blob.member, limits, names=self.names)
        self.budget.opcodes += found.opcodes
        self.contents.findings += found.findings
        for subject in found.subjects:
            self.budget.program(len(subject.text))
            self.contents.subjects.append(subject)
        if artifact and not found.subjects and len(found.findings) == len(_NOTES):
            raise Refused(INCOMPLETE, f"{ARTIFACT} holds no generated code", _RENEW)

    def text(self, blob: Blob) -> None:
        text = read_stitching(blob, self.limits)
        if text is None:
            if blob.name == GRAPH:
                self.reason = "it is vLLM's readable dump of a graph, which is not run"
            return
        self.budget.program(len(text))
        self.contents.subjects.append(Subject(text, blob.path, blob.member))

    def archive(self, blob: Blob, depth: int) -> None:
        from astgen.lint.sources.archive import members

        if depth >= self.limits.archives:
            message = f"archives stand more than {self.limits.archives} deep in others"
            raise Refused(TOO_LARGE, message, "unpack the outer ones first")
        if depth:
            data = blob.load(self.limits.file_bytes)
            blob = of_bytes(data, blob.path, blob.member, blob.name)
        inside = members(blob, self.budget, self.contents)
        manifest = inside.get(MANIFEST)
        if manifest is not None:
            self.attempt(manifest, lambda: self.described(manifest, inside))
        for member in inside.values():
            self.attempt(member, partial(self.look, member, depth + 1))

    def described(self, manifest: Blob, inside: dict[str, Blob]) -> None:
        """Read an artifact of astgen in an archive, if it is one.

        What was read of it is taken out. The manifest can be something else, too.
        """
        from astgen.lint.sources.artifact import is_artifact, read_artifact

        del inside[MANIFEST]
        data = manifest.load(self.limits.manifest_bytes)
        inside[MANIFEST] = of_bytes(data, manifest.path, manifest.member, manifest.name)
        if is_artifact(data, CODE in inside):
            done = read_artifact(data, manifest, inside, self.budget, self.contents)
            for name in done:
                inside.pop(name, None)

    def in_folder(self, manifest: Blob, folder: str) -> None:
        """Read an artifact of astgen that is a folder, if it is one."""
        from astgen.lint.sources.artifact import beside, is_artifact, read_artifact

        # It can be something else, too.
        self.attempt(manifest, lambda: self.look(manifest))
        code = os.path.join(folder, CODE)
        there = os.path.lexists(code)
        if not is_artifact(manifest.head(self.limits.manifest_bytes), there):
            return
        try:
            data = manifest.load(self.limits.manifest_bytes)
            members = beside(folder, manifest.path, self.limits, self.contents)
        except Refused:
            # The program must not hide behind a manifest that is of no use.
            if there:
                program = of_file(code, CODE, manifest.path)
                self.attempt(program, lambda: self.text(program))
            raise
        read_artifact(data, manifest, members, self.budget, self.contents)


def _file(path: str, reader: _Reader) -> None:
    """Look at a file, or at the folder of an artifact that it stands for."""
    blob = of_file(path)
    folder = os.path.dirname(path) or os.curdir
    if blob.name == MANIFEST:
        reader.in_folder(blob, folder)
    else:
        reader.look(blob)

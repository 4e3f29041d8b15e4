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
from collections.abc import Callable, Collection, Mapping

from astgen.lint.rules.artifacts import BAD_MAGIC
from astgen.lint.rules.files import NO_CODE, TOO_LARGE
from astgen.lint.sources.blob import HEAD, Blob, of_bytes, of_file
from astgen.lint.sources.kind import ARTIFACT, GRAPH, Kind, kind_of
from astgen.lint.sources.limits import Budget, Limits, Spent, too_many, within
from astgen.lint.sources.python import read_stitching
from astgen.lint.sources.refusal import Refused, display
from astgen.lint.subject import Contents, Subject
from astgen.store import CODE, MANIFEST

__all__ = ["read", "read_bytes"]

_RANK = re.compile(r"rank_\d+_\d+\Z")
_HINT = "name the file that holds it, or the folder of the cache"


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
        if not contents.subjects and not contents.findings:
            contents.passed = not self.explicit
            if self.explicit:
                refused = Refused(NO_CODE, self.reason, _HINT)
                contents.findings.append(refused.finding(shown))
        return contents

    def look(self, blob: Blob, depth: int = 0) -> None:
        """Look at a file, or at a member of an archive."""
        kind = self.kind(blob)
        if kind == "zip":
            self.archive(blob, depth)
        elif kind == "pickle":
            self.pickle(blob)
        elif kind == "trace":
            from astgen.lint.sources.trace import read_trace

            read_trace(blob, self.budget, self.contents)
        elif kind != "python" and self.artifact(blob, depth):
            what = "is empty" if kind == "empty" else "begins with other bytes"
            message = f"{ARTIFACT} should be a pickle of vLLM, and it {what}"
            raise Refused(BAD_MAGIC, message, "remove it; vLLM compiles again")
        elif kind == "python" or (kind == "other" and self.explicit and not depth):
            self.text(blob)
        elif depth:
            self.verify(blob)

    def verify(self, blob: Blob) -> None:
        """Compare a member that nobody reads with its checksum, if it is small.

        Damage can make anything of what was a program.
        """
        # Half of what is left: the members behind it are to be read as well.
        left = self.limits.archive_bytes - self.budget.inflated
        if blob.size <= min(self.limits.program_bytes, left // 2):
            blob.load(blob.size)

    def kind(self, blob: Blob) -> Kind:
        head = blob.head()
        kind = kind_of(blob.name, head)
        if kind != "other":
            return kind
        from astgen.lint.sources.headless import headless

        if headless(head, len(head) < HEAD):
            if headless(blob.load(self.limits.file_bytes), True):
                return "pickle"
        return kind

    def artifact(self, blob: Blob, depth: int) -> bool:
        """Whether vLLM would load the file, by its name."""
        folder = (blob.member or blob.path).split("/")[-2:-1]
        named = self.explicit and not depth
        return blob.name == ARTIFACT and (named or bool(_RANK.match("".join(folder))))

    def pickle(self, blob: Blob) -> None:
        from astgen.lint.sources.pickles import read_pickle

        data = blob.load(self.limits.file_bytes)
        found = read_pickle(data, blob.path, blob.member, self.limits, names=self.names)
        self.contents.findings += found.findings
        for subject in found.subjects:
            self.budget.program(len(subject.text))
            self.contents.subjects.append(subject)

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
        if manifest is not None and self.described(manifest, inside):
            for name in (MANIFEST, CODE):
                inside.pop(name, None)
        for member in inside.values():
            try:
                self.look(member, depth + 1)
            except Refused as refused:
                finding = refused.finding(member.path, member.member)
                self.contents.findings.append(finding)

    def described(self, manifest: Blob, inside: Mapping[str, Blob]) -> bool:
        """Read an artifact of astgen in an archive; whether it is one."""
        from astgen.lint.sources.artifact import is_artifact, read_artifact

        data = manifest.load(self.limits.manifest_bytes)
        if not is_artifact(data, CODE in inside):
            return False
        read_artifact(data, manifest, inside, self.budget, self.contents)
        return True

    def in_folder(self, manifest: Blob, folder: str) -> None:
        """Read an artifact of astgen that is a folder, if it is one."""
        from astgen.lint.sources.artifact import is_artifact, read_artifact

        code = os.path.lexists(os.path.join(folder, CODE))
        head = manifest.head(self.limits.manifest_bytes)
        if not is_artifact(head, code):
            return
        data = manifest.load(self.limits.manifest_bytes)
        beside = self.beside(folder, manifest.path)
        read_artifact(data, manifest, beside, self.budget, self.contents)

    def beside(self, folder: str, shown: str) -> dict[str, Blob]:
        """The files of an artifact that is a folder, by name."""
        found: dict[str, Blob] = {}
        for path, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                file = os.path.join(path, name)
                member = os.path.relpath(file, folder).replace(os.sep, "/")
                try:
                    found[member] = of_file(file, display(member), shown)
                except Refused as refused:
                    finding = refused.finding(shown, display(member))
                    self.contents.findings.append(finding)
                if len(found) > self.limits.members:
                    raise too_many("files beside a manifest", self.limits.members)
        return found


def _file(path: str, reader: _Reader) -> None:
    """Look at a file, or at the folder of an artifact that it stands for."""
    blob = of_file(path)
    folder = os.path.dirname(path) or os.curdir
    if blob.name == MANIFEST:
        reader.in_folder(blob, folder)
    elif blob.name == CODE and not reader.explicit and _described(folder):
        # It is read with the manifest, which says more of it.
        return
    else:
        reader.look(blob)


def _described(folder: str) -> bool:
    try:
        of_file(os.path.join(folder, MANIFEST)).head()
    except Refused:
        return False
    return True

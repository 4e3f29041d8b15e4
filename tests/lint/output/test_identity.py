"""Paths and fingerprints as other tools get them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from urllib.parse import unquote_to_bytes

import pytest
from support.lint_reports import finding

from astgen.lint.output.identity import fingerprinted, relative, uri
from astgen.lint.report import Report, Result

POSIX = PurePosixPath("/repo")
WINDOWS = PureWindowsPath("C:\\repo")


@pytest.mark.parametrize(
    "path, root, expected",
    [
        ("a.py", POSIX, ("a.py", True)),
        ("./x/../a b.py", POSIX, ("a%20b.py", True)),
        ("/repo/x/a.py", POSIX, ("x/a.py", True)),
        ("../a.py", POSIX, ("file:///a.py", False)),
        ("/tmp/50%#?.py", POSIX, ("file:///tmp/50%25%23%3F.py", False)),
        ("a:b.py", POSIX, ("a%3Ab.py", True)),
        ("a\\b.py", POSIX, ("a%5Cb.py", True)),
        ("x\\a b.py", WINDOWS, ("x/a%20b.py", True)),
        ("C:\\repo\\x\\a.py", WINDOWS, ("x/a.py", True)),
        ("D:\\x\\a.py", WINDOWS, ("file:///D:/x/a.py", False)),
        ("\\\\host\\share\\a.py", WINDOWS, ("file://host/share/a.py", False)),
        ("量.py", POSIX, ("%E9%87%8F.py", True)),
        ("\udcff\udcfe.py", POSIX, ("%FF%FE.py", True)),
        ("/tmp/\udcff.py", POSIX, ("file:///tmp/%FF.py", False)),
        ("a\nb.py", POSIX, ("a%0Ab.py", True)),
    ],
)
def test_paths_become_uris(
    path: str, root: PurePath, expected: tuple[str, bool]
) -> None:
    assert uri(path, root) == expected


def test_names_that_are_not_utf_8_keep_their_bytes() -> None:
    name = b"caf\xe9 \x01.py"
    path = name.decode("utf-8", "surrogateescape")
    assert unquote_to_bytes(uri(path, POSIX)[0]) == name
    assert uri("\ud800", POSIX)[0] == "%ED%A0%80"


def test_a_path_is_relative_to_a_folder_above_it_only() -> None:
    assert relative("x/a.py", POSIX) == "x/a.py"
    assert relative("/repo2/a.py", POSIX) is None
    assert relative("x\\a.py", WINDOWS) == "x/a.py"


def prints(result: Result) -> list[str]:
    """The fingerprints of the findings of a file."""
    report = Report((result,), "1.2.3")
    return [fingerprint for _, _, fingerprint in fingerprinted(report, POSIX)]


FOUND = finding(3, 1, 2, path="a.py")
RESULT = Result("a.py", 1, (FOUND,), {("", 3): "  y = inf", ("", 4): "z = nan"})


def test_a_fingerprint_stays_when_lines_move_or_are_indented() -> None:
    moved = replace(
        RESULT, findings=(replace(FOUND, line=9),), lines={("", 9): "\ty = inf "}
    )
    assert prints(moved) == prints(RESULT)
    assert prints(replace(RESULT, path="/repo/a.py")) == prints(RESULT)


@pytest.mark.parametrize(
    "other",
    [
        replace(RESULT, findings=(replace(FOUND, line=4),)),
        replace(RESULT, findings=(replace(FOUND, rule="AG203"),)),
        replace(RESULT, findings=(replace(FOUND, message="other"),)),
        replace(RESULT, findings=(replace(FOUND, member="m"),)),
        replace(RESULT, path="b.py"),
    ],
)
def test_a_fingerprint_changes_with_what_the_finding_is(other: Result) -> None:
    assert prints(other) != prints(RESULT)


def test_equal_findings_have_fingerprints_of_their_own() -> None:
    first, second = prints(replace(RESULT, findings=(FOUND, FOUND)))
    assert first != second
    assert [first] == prints(RESULT)

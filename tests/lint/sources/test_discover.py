"""Paths of the command line to files."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from astgen.lint.sources.discover import discover


def names(root: Path, *paths: Path | str, exclude: tuple[str, ...] = ()) -> list[str]:
    found = discover([str(path) for path in paths], exclude)
    return [os.path.relpath(one.path, root) for one in found]


def make(root: Path, *files: str) -> None:
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(file)


def test_folders_are_walked_in_order(tmp_path: Path) -> None:
    make(tmp_path, "b/z.py", "b/a.py", "a.txt", "c", "b.py", "B/x")
    assert names(tmp_path, tmp_path) == [
        "B/x",
        "a.txt",
        "b/a.py",
        "b/z.py",
        "b.py",
        "c",
    ]
    assert [one.explicit for one in discover([str(tmp_path)])] == [False] * 6


def test_what_is_named_comes_first_and_once(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "d/b.py")
    os.symlink(tmp_path, tmp_path / "again")
    wanted = [tmp_path / "a.py", tmp_path, tmp_path / "again/d/../a.py", "-"]
    found = list(discover([str(path) for path in wanted]))
    assert [(os.path.basename(one.path), one.explicit) for one in found] == [
        ("a.py", True),
        ("b.py", False),
        ("-", True),
    ]


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_two_names_of_one_file_are_two_files(
    tmp_path: Path, link: Callable[[Path, Path], None]
) -> None:
    make(tmp_path, "b.py", "d/b.py")
    link(tmp_path / "b.py", tmp_path / "a.txt")
    link(tmp_path / "b.py", tmp_path / "d/a.txt")
    assert names(tmp_path, tmp_path) == ["a.txt", "b.py", "d/a.txt", "d/b.py"]


def test_the_program_of_an_artifact_is_left_to_its_manifest(tmp_path: Path) -> None:
    make(tmp_path, "a/execution.py", "a/manifest.json", "b/execution.py")
    assert names(tmp_path, tmp_path) == ["a/manifest.json", "b/execution.py"]
    named = tmp_path / "a/execution.py"
    assert names(tmp_path, named) == ["a/execution.py"]


def test_a_program_is_not_left_to_a_manifest_that_is_excluded(tmp_path: Path) -> None:
    make(tmp_path, "a/execution.py", "a/manifest.json")
    assert names(tmp_path, tmp_path, exclude=("*.json",)) == ["a/execution.py"]


@pytest.mark.parametrize(
    "make_it",
    [
        os.mkdir,
        os.mkfifo,
        partial(os.symlink, "gone"),
        partial(os.symlink, "."),
        partial(os.symlink, "manifest.json"),
    ],
)
def test_a_program_is_not_left_to_a_manifest_that_is_no_file(
    tmp_path: Path, make_it: Callable[[Path], None]
) -> None:
    make(tmp_path, "execution.py")
    make_it(tmp_path / "manifest.json")
    assert "execution.py" in names(tmp_path, tmp_path)


def test_some_folders_are_skipped_unless_they_are_named(tmp_path: Path) -> None:
    make(tmp_path, ".git/x", "__pycache__/y", "node_modules/z", ".gitx/w", ".venv/v")
    assert names(tmp_path, tmp_path) == [".gitx/w"]
    assert names(tmp_path, tmp_path / ".git") == [".git/x"]


def test_patterns_exclude_in_folders_only(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "d/b.py", "d/e/c.py", "f/d/g.py")
    assert names(tmp_path, tmp_path, exclude=("*.py",)) == []
    assert names(tmp_path, tmp_path, exclude=("d/",)) == ["a.py"]
    assert names(tmp_path, tmp_path, exclude=("d/e",)) == ["a.py", "d/b.py", "f/d/g.py"]
    assert names(tmp_path, tmp_path / "a.py", exclude=("*",)) == ["a.py"]


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    make(tmp_path, "a/x.py")
    os.symlink(tmp_path, tmp_path / "a/loop")
    assert names(tmp_path, tmp_path) == ["a/x.py"]
    assert names(tmp_path, tmp_path / "a/loop") == ["a/loop/a/x.py"]


def test_what_is_not_there_is_a_finding(tmp_path: Path) -> None:
    os.symlink(tmp_path / "gone", tmp_path / "dangling")
    os.symlink(tmp_path / "circle", tmp_path / "circle")
    wanted = [str(tmp_path / "missing"), str(tmp_path), "a\0b"]
    found = list(discover(wanted))
    assert [one.finding and one.finding.rule for one in found] == [
        "AG004",
        "AG004",
        "AG004",
        "AG601",
    ]
    assert [one.explicit for one in found] == [True, False, False, True]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_may_not_be_read_is_a_finding(tmp_path: Path) -> None:
    make(tmp_path, "closed/x.py", "open.py")
    (tmp_path / "closed").chmod(0)
    try:
        found = list(discover([str(tmp_path)]))
    finally:
        (tmp_path / "closed").chmod(0o700)
    assert found[0].finding is not None and found[0].finding.rule == "AG004"
    assert os.path.basename(found[1].path) == "open.py"


def test_names_that_are_no_utf8_are_found_and_shown(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff\n.py"
    os.symlink(b"gone", name)
    [found] = discover([str(tmp_path)])
    assert os.fsencode(found.path) == name
    assert found.finding is not None
    assert found.finding.path == f"{tmp_path}/\\udcff\\n.py"


def test_deep_folders_do_not_end_the_walk(tmp_path: Path) -> None:
    path = tmp_path
    for _ in range(150):
        path = path / "0123456789"
    path.mkdir(parents=True)
    (path / "x.py").write_text("x")
    assert len(names(tmp_path, tmp_path)) == 1

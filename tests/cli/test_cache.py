"""`astgen cache` over folders that the backend has written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from support.cache_runs import environment, graph_of

from astgen.backend import astgen_backend
from astgen.backend.cache.folder import entries


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three entries: two differ in a literal, one in more."""
    path = tmp_path / "cache"
    for value in (2.0, 3.0):
        gm = graph_of(lambda g, x: g.call_function(torch.mul, (x, value)))
        astgen_backend(gm, (), options={"cache_dir": path})
    gm = graph_of(lambda g, x: g.call_method("to", (x, torch.float64)))
    astgen_backend(gm, (), options={"cache_dir": path, "splitting_ops": ["to"]})
    now = time.time()
    for age, entry in enumerate(sorted(entries(str(path)), key=lambda one: one.key)):
        os.utime(entry.path, (now - age * 86400 * 10,) * 2)
    return path


def test_list_shows_each_entry_last_used_first(astgen, folder):
    found = entries(str(folder))
    lines = astgen("cache", "list", str(folder)).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == [one.key[:12] for one in found]
    assert lines[4] == f"3 entries, {sum(one.size for one in found)} bytes"
    records = json.loads(astgen("cache", "list", "--json", str(folder)).stdout)
    assert [record["key"] for record in records] == [one.key for one in found]
    assert {record["about"]["torch"] for record in records} == {torch.__version__}


def keys_of(folder: Path, text: str) -> str:
    (key,) = (
        one.key
        for one in entries(str(folder))
        if text.encode() in Path(one.path).read_bytes()
    )
    return key


def test_explain_miss_names_what_differs(astgen, folder):
    first, second = keys_of(folder, "2.0)"), keys_of(folder, "3.0)")
    result = astgen("cache", "explain-miss", str(folder), first[:10], second)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[1] == "graph[1]"
    assert "2.0" in lines[2] and "3.0" in lines[3]
    # The nearest one is the one that differs in the literal alone.
    assert astgen("cache", "explain-miss", str(folder), first).stdout == result.stdout
    same = astgen("cache", "explain-miss", str(folder), first, first)
    assert (same.exit_code, same.stdout.splitlines()[1]) == (0, "nothing")


@pytest.mark.parametrize("key", ["zz", ""])
def test_a_key_must_name_one_entry(astgen, folder, key):
    result = astgen("cache", "explain-miss", str(folder), key)
    assert result.exit_code == 2
    assert "`astgen cache list` shows the keys" in result.stderr


def test_prune_removes_what_is_old_or_too_much(astgen, folder):
    before = entries(str(folder))
    dry = astgen("cache", "prune", str(folder), "--days", "15", "--dry-run")
    assert dry.stdout.startswith("1 entry would be removed")
    assert entries(str(folder)) == before
    astgen("cache", "prune", str(folder), "--days", "15")
    assert entries(str(folder)) == before[:2]
    astgen("cache", "prune", str(folder), "--keep-bytes", str(before[0].size))
    assert entries(str(folder)) == before[:1]


@pytest.mark.parametrize("days", ["nan", "inf", "-1"])
def test_prune_refuses_days_that_are_no_number(astgen, folder, days):
    done = astgen("cache", "prune", str(folder), "--days", days)
    assert done.exit_code == 2 and "--days" in done.stderr
    assert len(entries(str(folder))) == 3


def test_prune_removes_damaged_entries_alone(astgen, folder):
    found = entries(str(folder))
    os.replace(found[0].path, found[0].path.replace(".astgen", ".damaged"))
    assert "damaged" in astgen("cache", "list", str(folder)).stdout
    assert astgen("cache", "prune", str(folder)).stdout.startswith("1 entry removed")
    assert entries(str(folder)) == found[1:]


def test_no_folder_is_an_error(astgen, tmp_path):
    result = astgen("cache", "list", str(tmp_path / "none"))
    assert result.exit_code == 2 and "cannot be read" in result.stderr


def test_a_damaged_file_is_listed_as_such(astgen, folder):
    Path(entries(str(folder))[0].path).write_bytes(b"no artifact")
    result = astgen("cache", "list", str(folder))
    assert result.exit_code == 0 and "damaged" in result.stdout


def test_the_command_does_without_torch(folder):
    code = (
        "import sys; sys.modules['torch'] = sys.modules['libcst'] = None\n"
        "from astgen.cli import main\n"
        f"main(['cache', 'list', {str(folder)!r}])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment("0"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "3 entries" in done.stdout

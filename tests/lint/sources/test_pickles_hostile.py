"""Hostile pickles are refused under the expected rules, and nothing of them runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile.making import CANARY
from hostile.pickle_making import HostilePickle
from hostile.pickles import HOSTILE_PICKLES
from hostile.watching import nothing_happens

from astgen.lint.sources.limits import Limits
from astgen.lint.sources.pickle_names import listed
from astgen.lint.sources.pickles import read_pickle


@pytest.fixture(scope="module", autouse=True)
def lists() -> None:
    # Read from a file, once.
    listed()


@pytest.mark.parametrize("hostile", HOSTILE_PICKLES, ids=lambda hostile: hostile.name)
def test_a_hostile_pickle_is_refused_and_nothing_runs(
    hostile: HostilePickle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with nothing_happens():
        contents = read_pickle(hostile.data, "model", "", Limits())
    found = sorted(f.rule for f in contents.findings if f.rule != "AG608")
    assert " ".join(found) == hostile.rules, contents.findings
    assert not (tmp_path / CANARY).exists()


def test_names_are_unique() -> None:
    names = [hostile.name for hostile in HOSTILE_PICKLES]
    assert len(set(names)) == len(names)

"""`astgen verify`: whole, damaged, or not there."""

from __future__ import annotations

from pathlib import Path

from support.artifacts import forged, packed


def test_whole_files_are_listed_with_what_they_hold(astgen) -> None:
    Path("a.astgen").write_bytes(packed())
    Path("b.astgen").write_bytes(packed("blobs"))
    result = astgen("verify", "a.astgen", "b.astgen")
    assert result.exit_code == 0
    first, second = result.stdout.splitlines()
    assert first.startswith("a.astgen: whole: 2 members, ")
    assert second.startswith("b.astgen: whole: 5 members, ")
    assert astgen("verify", "-q", "a.astgen").output == ""


def test_damage_is_told_a_line_a_file(astgen) -> None:
    data = packed()
    Path("whole").write_bytes(data)
    Path("short").write_bytes(data[:-1])
    Path("flipped").write_bytes(data.replace(b"operator.mul", b"operator.add"))
    Path("other").write_bytes(b"something else")
    result = astgen("verify", "short", "flipped", "whole", "other")
    assert result.exit_code == 1
    short, flipped, whole, other = result.stdout.splitlines()
    assert short.startswith("short: damaged: ")
    assert "damaged: members['execution.py']: its SHA-256 is" in flipped
    assert whole.startswith("whole: whole: ")
    assert "other: damaged: it does not begin as" in other


def test_what_cannot_be_looked_at_is_an_error(astgen) -> None:
    Path("whole").write_bytes(packed())
    Path("short").write_bytes(packed()[:-1])
    result = astgen("verify", "missing", ".", "short", "whole")
    assert result.exit_code == 2
    missing, folder = result.stderr.splitlines()
    assert missing.startswith("astgen: error: missing: it cannot be read: No such file")
    assert folder.startswith("astgen: error: .: it is a folder; name a file")
    assert len(result.stdout.splitlines()) == 2


def test_hashes_that_are_not_those_of_the_program_are_damage(astgen) -> None:
    text = b"def execution_fn(x, *, __vllm_submods__):\n    return x\n"
    for name in ("code", "interface", "content"):
        said = {"hashes": {name: "0" * 64}}
        Path("a").write_bytes(forged({"execution.py": text}, said))
        result = astgen("verify", "a")
        assert result.exit_code == 1
        assert f"a: damaged: hashes['{name}']: it is not that of" in result.stdout


def test_a_program_that_the_checker_refuses_can_be_whole(astgen) -> None:
    Path("a").write_bytes(forged({"execution.py": b"import os\n"}))
    assert astgen("verify", "a").exit_code == 0
    Path("a").write_bytes(forged({"execution.py": b"\xff" * 10}))
    assert astgen("verify", "a").exit_code == 0
    Path("a").write_bytes(forged({"execution.py": b"a;" * 1_000_000}))
    assert astgen("verify", "a").exit_code == 0


def test_one_file_has_to_be_named(astgen) -> None:
    assert astgen("verify").exit_code == 2

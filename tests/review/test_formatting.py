"""Files of generated code in black's layout, and an edited dump that runs again."""

from __future__ import annotations

import ast
from pathlib import Path

import black
import pytest
import torch
from support.review_texts import GATE, vllm_text

from astgen.errors import ArtifactError
from astgen.lint.engine import Job, lint_file
from astgen.program import Program
from astgen.review.dump import Options, dump
from astgen.review.formatting import format_bytes, format_file
from astgen.review.layout import lay_out
from astgen.review.programs import read_programs

FOREIGN = vllm_text(2)


def test_the_layout_is_blacks_and_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(FOREIGN)
    found = format_file(str(path), explicit=True)
    assert found is not None
    assert found.before == path.read_text() == FOREIGN
    assert found.after == black.format_str(FOREIGN, mode=black.Mode())
    again = format_bytes(found.after.encode(), "a.py")
    assert again.after == again.before


def test_line_ends_stay(tmp_path: Path) -> None:
    found = format_bytes(FOREIGN.replace("\n", "\r\n").encode(), "a.py")
    assert found.after.replace("\r\n", "\n") == format_bytes(FOREIGN.encode(), "").after
    assert found.after.count("\n") == found.after.count("\r\n")


@pytest.mark.parametrize(
    "text",
    [
        "print('execution_fn')\n",
        "from torch import execution_fn\n\n\ndef execution_fn(x):\n    return x\n",
        "def helper(x):\n    return '__vllm_submods__'\n",
        "class execution_fn:\n    pass\n",
    ],
)
def test_files_that_only_speak_of_generated_code_are_left_alone(
    text: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.py"
    path.write_text(text)
    assert format_file(str(path), explicit=False) is None
    with pytest.raises(ArtifactError, match="no generated code"):
        format_file(str(path), explicit=True)


def test_other_sources_are_no_texts(tmp_path: Path) -> None:
    program = Program(GATE, ("project",), [torch.bfloat16, 2.0])
    path = tmp_path / "gate.astgen"
    program.save(path)
    assert format_file(str(path), explicit=False) is None
    with pytest.raises(ArtifactError, match="it is no text; dump it"):
        format_file(str(path), explicit=True)


def test_the_text_of_an_artifact_keeps_its_digest(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    path = tmp_path / "execution.py"
    path.write_text(FOREIGN)
    with pytest.raises(ArtifactError, match="it belongs to an artifact"):
        format_file(str(path), explicit=True)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"def execution_fn(:\n", "not a Python program"),
        (b"def execution_fn(x):\n    return '\xff'\n", "no UTF-8"),
        (b"\x00execution_fn", "no generated code"),
        (b"", "no generated code"),
        (b"execution_fn = " + b"-" * 100_000 + b"1\n", "nested too deeply"),
    ],
)
def test_what_cannot_be_laid_out_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ArtifactError, match=reason):
        format_bytes(data, "a.py")


def test_a_layout_that_means_something_else_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = FOREIGN.replace("mul_0", "mul_1")
    monkeypatch.setattr(black, "format_str", lambda text, mode: wrong)
    assert lay_out(FOREIGN) is None
    with pytest.raises(ArtifactError, match="would change what it means"):
        format_bytes(FOREIGN.encode(), "a.py")


def test_an_edited_dump_is_laid_out_checked_and_run(tmp_path: Path) -> None:
    stored = Program(GATE, ("project",), [torch.bfloat16, 2.0])
    stored.save(tmp_path / "gate.astgen")
    (program,) = read_programs(tmp_path / "gate.astgen")
    dumped = dump(program, Options(legend=True)).text
    path = tmp_path / "gate.py"
    path.write_text(
        dumped.replace(
            "    return operator.mul(to, __vllm_consts__[1])",
            "    scaled=operator.mul(to ,__vllm_consts__[1])\n"
            "    del to\n    return torch.neg( scaled )",
        )
    )
    found = format_file(str(path), explicit=True)
    assert found is not None
    assert "    scaled = operator.mul(to, __vllm_consts__[1])\n" in found.after
    assert ast.dump(ast.parse(found.after)) == ast.dump(ast.parse(found.before))
    path.write_text(found.after)
    assert lint_file(str(path), True, Job(isolated=True)).findings == ()
    edited = Program(path.read_text(), stored.submod_names, stored.consts)
    x = torch.randn(3, generator=torch.Generator().manual_seed(0))
    expected = -((x + 1).to(torch.bfloat16) * 2.0)
    assert torch.equal(edited.compile({"project": lambda x: x + 1})(x), expected)

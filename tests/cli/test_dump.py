"""`astgen dump`: what is shown, where it goes, and what the command says of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import black
import pytest
import torch
from hostile.making import CANARY
from hostile.pickle_making import refused, touch
from support.artifacts import CODE
from support.review_texts import vllm_text

from astgen.program import Program

FOREIGN = vllm_text(3)
LAID_OUT = black.format_str(FOREIGN, mode=black.Mode())


def ranks() -> list[str]:
    """A folder with a text for each of two ranks; their places in it."""
    for rank in range(2):
        folder = Path("ranks", f"rank_{rank}_0")
        folder.mkdir(parents=True)
        (folder / "dump.py").write_text(vllm_text(rank + 1))
    return ["rank_0_0/dump.py", "rank_1_0/dump.py"]


def test_a_text_is_shown_and_nothing_else(astgen) -> None:
    Path("a.py").write_text(FOREIGN)
    result = astgen("dump", "a.py")
    assert (result.exit_code, result.stdout, result.stderr) == (0, LAID_OUT, "")


def test_an_artifact_is_shown_to_the_byte(astgen) -> None:
    Program(CODE, ("piece",), [torch.device("cpu")]).save("gate.astgen")
    assert astgen("dump", "gate.astgen").stdout == CODE
    with_legend = astgen("dump", "--legend", "gate.astgen").stdout
    assert with_legend.endswith(f"\n{CODE}")
    assert "# __vllm_submods__[0] = piece\n" in with_legend


def test_several_programs_stand_below_their_places(astgen) -> None:
    places = ranks()
    result = astgen("dump", "ranks")
    wanted = [
        f"# {place}\n" + black.format_str(vllm_text(i), mode=black.Mode())
        for i, place in enumerate(places, start=1)
    ]
    assert (result.exit_code, result.stdout) == (0, "\n\n".join(wanted))


def test_one_of_several_is_chosen(astgen) -> None:
    places = ranks()
    result = astgen("dump", "ranks", "--member", places[1])
    assert result.stdout == black.format_str(vllm_text(2), mode=black.Mode())
    result = astgen("dump", "ranks", "--member", "rank_2_0/dump.py")
    assert result.exit_code == 2
    assert "it has 'rank_0_0/dump.py', 'rank_1_0/dump.py'" in result.stderr


def test_each_goes_to_a_file_of_a_folder(astgen) -> None:
    ranks()
    result = astgen("dump", "ranks", "-o", "out/")
    assert (result.exit_code, result.stdout) == (0, "")
    names = ["rank_0_0_dump.py", "rank_1_0_dump.py"]
    assert sorted(path.name for path in Path("out").iterdir()) == names
    for layers, name in enumerate(names, start=1):
        text = black.format_str(vllm_text(layers), mode=black.Mode())
        assert Path("out", name).read_text() == text
        assert f"out/{name}: rank_{layers - 1}_0/dump.py\n" in result.stderr


def test_names_of_files_are_harmless_and_differ(astgen) -> None:
    with zipfile.ZipFile("a.zip", "w") as archive:
        for name in ("../x.py", "__x.py", "X.py", "..", "\u202e.py", "\x1b.py"):
            archive.writestr(name, FOREIGN)
    result = astgen("dump", "a.zip", "-o", "out/")
    names = {path.name for path in Path("out").iterdir()}
    assert len(names) == len({name.lower() for name in names}) >= 4
    assert all(name.isascii() and not name.startswith(".") for name in names)
    assert {path.name for path in Path().iterdir()} == {"a.zip", "out"}
    assert result.stdout == "" and "\x1b" not in result.stderr


def test_a_file_is_written_whole(astgen) -> None:
    Path("a.py").write_text(FOREIGN)
    assert astgen("dump", "a.py", "-o", "b.py").stdout == ""
    assert Path("b.py").read_text() == LAID_OUT
    result = astgen("dump", "a.py", "-o", "none/b.py")
    assert result.exit_code == 2 and "cannot write to 'none/b.py'" in result.stderr


def test_what_the_checker_refuses_is_shown_with_why(astgen) -> None:
    code = FOREIGN.replace("return (mul_2,)", "return (__import__,)")
    Path("a.py").write_text(code)
    result = astgen("dump", "a.py")
    assert result.exit_code == 1
    assert result.stdout == black.format_str(code, mode=black.Mode())
    assert "AG102" in result.stderr or "'__import__'" in result.stderr


def test_foreign_operators_are_allowed_by_namespace(astgen) -> None:
    Path("a.py").write_text(FOREIGN.replace("torch.ops.aten.", "torch.ops.mylib."))
    assert astgen("dump", "a.py").exit_code == 1
    assert astgen("dump", "a.py", "--namespace", "mylib").exit_code == 0


def test_folds_and_short_names(astgen) -> None:
    Path("a.py").write_text(FOREIGN)
    text = astgen("dump", "a.py", "--fold", "--alias").stdout
    assert text.startswith("folded, for reading: this text does not run\n")
    assert "# 13 statements, 3 times, equal up to names:" in text
    assert "layers_0_mlp_down_proj_weight" in text


@pytest.mark.parametrize("data", [b"", b"\x00" * 5000, b"print(1)\n", b"\x80\x04N."])
def test_what_holds_no_program_is_refused_in_a_line(astgen, data: bytes) -> None:
    Path("file").write_bytes(data)
    result = astgen("dump", "file")
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("astgen: error: file: ")


def test_a_file_that_is_not_there_is_refused(astgen) -> None:
    result = astgen("dump", "none.py")
    assert result.exit_code == 2 and "none.py: it cannot be read" in result.stderr


def test_a_part_that_cannot_be_read_is_told(astgen) -> None:
    Path("a").mkdir()
    Path("a", "good.py").write_text(FOREIGN)
    Path("a", "model").write_bytes(b"\x80\x04]")
    result = astgen("dump", "a")
    assert (result.exit_code, result.stdout) == (1, LAID_OUT)
    assert "a/model:1:1: AG601" in result.stderr


def test_a_hostile_pickle_is_shown_and_not_run(astgen) -> None:
    Path("model").write_bytes(refused("touch", touch()).data)
    result = astgen("dump", "model")
    assert "def execution_fn" in result.stdout
    assert not Path(CANARY).exists()


def test_standard_input_is_read_and_a_closed_pipe_is_quiet() -> None:
    text = vllm_text(400)
    process = subprocess.Popen(
        [sys.executable, "-m", "astgen", "dump", "-", "--fold"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stdin is not None
    process.stdin.write(text[:200].encode() + b"\n")
    process.stdin.close()
    assert b"Traceback" not in process.stderr.read()
    assert process.wait() in (1, 141)


@pytest.mark.parametrize("plain", [False, True])
def test_colour_is_for_terminals_that_want_it(plain: bool) -> None:
    pytest.importorskip("pygments")
    Path("a.py").write_text(FOREIGN)
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1" * plain}
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "astgen", "dump", "a.py"], stdout=theirs, env=environment
    ):
        os.close(theirs)
        parts = []
        # Linux says that nobody writes any more with an error.
        with suppress(OSError):
            while part := os.read(ours, 1 << 16):
                parts.append(part)
    os.close(ours)
    shown = b"".join(parts).decode().replace("\r\n", "\n")
    assert ("\x1b[" in shown) is not plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown) == LAID_OUT

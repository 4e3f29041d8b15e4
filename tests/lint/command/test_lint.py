"""`astgen lint`: what it looks at, what it says, how it exits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CLEAN = """\
import torch
import operator


def execution_fn(x, *, __vllm_submods__):
    y = torch.neg(x)
    del x
    z = torch.abs(y)
    return z
"""
BROKEN = CLEAN.replace("torch.abs(y)", "torch.add(y, inf)")
WARNED = CLEAN.replace("    del x\n", "    del x\n    w = torch.exp(y)\n")


def test_a_clean_file_is_0_and_says_so_on_stderr(lint, write) -> None:
    write("a.py", CLEAN)
    result = lint("a.py")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "All clean: 1 file, 1 program.\n"


def test_an_error_is_1_with_the_place_and_the_way_out(lint, write) -> None:
    write("a.py", BROKEN)
    result = lint("a.py", "--output-format", "concise")
    assert result.exit_code == 1
    assert result.stdout.startswith("a.py:8:22: AG101 ")
    full = lint("a.py").stdout
    assert "error[AG101] undefined-name: 'inf' is not defined" in full
    assert "8 |     z = torch.add(y, inf)\n  |                      ^^^\n" in full
    assert "help: objects that are no literals" in full


def test_warnings_are_findings_and_notes_are_not_unless_asked_for(lint, write) -> None:
    write("a.py", WARNED)
    assert "AG205" in lint("a.py").stdout
    assert lint("a.py").exit_code == 1
    assert lint("a.py", "--severity", "error").exit_code == 0
    write("b.py", CLEAN.replace("\n\n\n", "\n\n"))
    quiet = lint("b.py")
    assert quiet.exit_code == 0 and "1 note not shown" in quiet.stderr
    loud = lint("b.py", "--severity", "note")
    assert loud.exit_code == 1 and "AG106" in loud.stdout


def test_notes_of_rules_that_are_selected_are_reported(lint, write) -> None:
    write("b.py", CLEAN.replace("\n\n\n", "\n\n"))
    assert "AG106" in lint("b.py", "--select", "AG106").stdout
    assert "AG106" in lint("b.py", "--extend-select", "unused-import").stdout
    quiet = lint("b.py", "--select", "AG106", "--severity", "warning")
    assert quiet.exit_code == 0 and quiet.stdout == ""


def test_exit_zero_reports_and_exits_with_0(lint, write) -> None:
    write("a.py", BROKEN)
    result = lint("a.py", "--exit-zero")
    assert result.exit_code == 0 and "AG101" in result.stdout


def test_rules_are_selected_by_code_prefix_and_name(lint, write) -> None:
    write("a.py", BROKEN.replace("    del x\n", "    w = torch.exp(y)\n"))
    found = lint("a.py", "--output-format", "concise").stdout
    assert "AG101" in found and "AG205" in found
    assert "AG205" not in lint("a.py", "--select", "AG1").stdout
    assert "AG101" not in lint("a.py", "--ignore", "undefined-name,AG9").stdout
    refused = lint("a.py", "--select", "AG1O1")
    assert refused.exit_code == 2
    assert "--select: no rule is called 'AG1O1'" in refused.stderr


def test_a_missing_file_is_a_finding_and_the_others_are_looked_at(lint, write) -> None:
    write("a.py", BROKEN)
    result = lint("missing.py", "a.py", "--output-format", "concise")
    assert result.exit_code == 1
    assert [line.split(" ")[1] for line in result.stdout.splitlines()] == [
        "AG004",
        "AG101",
    ]


def test_a_folder_is_searched_and_other_code_in_it_passed_over(lint, write) -> None:
    write("dumps/one.py", BROKEN)
    write("dumps/deep/two.py", WARNED)
    write("dumps/tool.py", "import os\nprint(os.getcwd())\n")
    write("dumps/notes.txt", "execution_fn")
    result = lint("dumps", "--output-format", "jsonl")
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert {Path(one["path"]).name for one in found} == {"one.py", "two.py"}
    assert "Passed over 2 other files" in result.stderr


def test_the_current_folder_is_searched_without_a_path(lint, write) -> None:
    write("a.py", BROKEN)
    assert lint().exit_code == 1


def test_standard_input_is_read(lint) -> None:
    result = lint("-", "--output-format", "concise", stdin=BROKEN)
    assert result.exit_code == 1
    assert result.stdout.startswith("<stdin>:8:22: AG101")
    named = lint("-", "--stdin-filename", "x.py", stdin=BROKEN)
    assert " --> x.py:8:22" in named.stdout


def test_archives_are_looked_into(lint, tmp_path) -> None:
    with zipfile.ZipFile(tmp_path / "dumps.zip", "w") as archive:
        archive.writestr("inner/a.py", BROKEN)
    result = lint("dumps.zip", "--output-format", "concise")
    assert result.exit_code == 1
    assert "inner/a.py" in result.stdout and "AG101" in result.stdout


def test_a_report_goes_to_a_file_whole(lint, write, tmp_path) -> None:
    write("a.py", BROKEN)
    result = lint("a.py", "--output-format", "json", "-o", "report.json")
    assert result.exit_code == 1 and result.stdout == ""
    assert "AG101" in (tmp_path / "report.json").read_text()
    refused = lint("a.py", "-o", "missing/report.json")
    assert refused.exit_code == 2
    assert "cannot write to" in refused.stderr


def test_statistics_count_by_rule(lint, write) -> None:
    write("a.py", BROKEN)
    write("b.py", BROKEN)
    result = lint("--statistics")
    assert result.stdout.split()[:2] == ["2", "AG101"]
    assert result.exit_code == 1


def test_statistics_have_no_format_for_findings(lint, write) -> None:
    write("a.py", BROKEN)
    refused = lint("--statistics", "--output-format", "sarif")
    assert refused.exit_code == 2 and "no sarif format" in refused.stderr
    counted = lint("--statistics", "--output-format", "json")
    assert json.loads(counted.stdout)


def test_what_is_named_is_excluded_only_by_force(lint, write) -> None:
    write("a.py", BROKEN)
    exclude = ("--exclude", "a.*")
    assert lint(*exclude).exit_code == 0
    assert lint("a.py", *exclude).exit_code == 1
    assert lint("a.py", *exclude, "--force-exclude").exit_code == 0
    table = "exclude = ['a.py']\nforce-exclude = true\n"
    write("pyproject.toml", f"[tool.astgen.lint]\n{table}")
    assert lint("a.py").exit_code == 0


def test_modules_are_imported_only_to_resolve_operators(lint, write) -> None:
    write("a.py", CLEAN)
    assert lint("a.py", "--import", "this_is_no_module").exit_code == 2


@pytest.mark.parametrize("size", ["1", "1B", "1 KiB", "1k"])
def test_files_beyond_a_size_are_not_read(lint, write, size: str) -> None:
    write("a.py", CLEAN + "# " + "x" * 2000)
    result = lint("a.py", "--max-file-size", size)
    assert result.exit_code == 1 and "AG005" in result.stdout
    assert lint("a.py", "--max-file-size", "1 MiB").exit_code == 0
    refused = lint("a.py", "--max-file-size", "many")
    assert refused.exit_code == 2 and "'many' is no size" in refused.stderr


def test_quiet_leaves_the_findings_alone(lint, write) -> None:
    write("a.py", BROKEN)
    result = lint("a.py", "-q")
    assert "AG101" in result.stdout and result.stderr == ""


def test_a_comment_suppresses_in_files_and_not_if_isolated(lint, write) -> None:
    text = BROKEN.replace("inf)", "inf)  # astgen: ignore[AG101]")
    write("a.py", text)
    assert lint("a.py").exit_code == 0
    assert "1 suppressed by comments" in lint("a.py").stderr
    assert lint("a.py", "--isolated").exit_code == 1


def test_comments_in_archives_decide_nothing(lint, tmp_path) -> None:
    with zipfile.ZipFile(tmp_path / "dumps.zip", "w") as archive:
        text = BROKEN.replace("inf)", "inf)  # astgen: ignore[AG101]")
        archive.writestr("a.py", text)
    assert lint("dumps.zip").exit_code == 1


def test_the_nearest_configuration_holds(lint, write) -> None:
    write("pyproject.toml", "[tool.astgen.lint]\nignore = ['AG101']\n")
    write("a.py", BROKEN)
    write("inner/a.py", BROKEN)
    assert lint("a.py").exit_code == 0
    write("inner/pyproject.toml", "[tool.astgen.lint]\nignore = ['AG2']\n")
    assert "inner" in lint().stdout
    assert lint("a.py", "--isolated").exit_code == 1
    assert lint("a.py", "--config", "inner/pyproject.toml").exit_code == 1
    assert lint("a.py", "--isolated", "--config", "pyproject.toml").exit_code == 0
    write("inner/pyproject.toml", "[tool.astgen.lint]\nignroe = ['AG2']\n")
    refused = lint()
    assert refused.exit_code == 2 and "did you mean 'ignore'" in refused.stderr


def test_configuration_allows_namespaces_and_paths(lint, write) -> None:
    text = CLEAN.replace("torch.abs", "torch.ops.mine.run")
    text = text.replace("torch.neg", "torch.special.mine")
    write("a.py", text)
    assert lint("a.py").exit_code == 1
    table = "namespaces = ['mine']\npaths = ['torch.special.mine']\n"
    write("pyproject.toml", f"[tool.astgen.lint]\n{table}")
    assert lint("a.py").exit_code == 0


def test_a_baseline_hides_what_was_there_and_shows_what_is_new(lint, write) -> None:
    write("a.py", BROKEN)
    written = lint("a.py", "--write-baseline", "known.json")
    assert written.exit_code == 0
    assert written.stderr == "Wrote 1 findings to known.json.\n"
    known = lint("a.py", "--baseline", "known.json")
    assert known.exit_code == 0 and "1 known from the baseline" in known.stderr
    write("a.py", BROKEN.replace("torch.neg(x)", "torch.add(x, nan)"))
    new = lint("a.py", "--baseline", "known.json", "--output-format", "concise")
    assert new.exit_code == 1 and "'nan'" in new.stdout and "'inf'" not in new.stdout
    assert lint("a.py", "--baseline", "missing.json").exit_code == 2
    refused = lint("a.py", "--write-baseline", "none/known.json")
    assert refused.exit_code == 2 and "none/known.json" in refused.stderr


def test_colour_is_for_terminals_and_no_color_is_honoured(write, tmp_path) -> None:
    path = write("a.py", BROKEN)
    command = [sys.executable, "-m", "astgen", "lint", str(path)]
    plain = subprocess.run(command, capture_output=True, text=True)
    assert "\x1b" not in plain.stdout + plain.stderr
    assert "AG101" in plain.stdout

    def in_terminal(**variables: str) -> str:
        ours, theirs = os.openpty()
        environment = {**os.environ, "TERM": "xterm", **variables}
        process = subprocess.Popen(command, stdout=theirs, env=environment)
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:
            pass  # How Linux says that the other end is closed.
        os.close(ours)
        assert process.wait() == 1
        return shown.decode()

    assert "\x1b[" in in_terminal(NO_COLOR="")
    assert "\x1b[" not in in_terminal(NO_COLOR="1")
    assert "\x1b[" not in in_terminal(NO_COLOR="", TERM="dumb")
    forced = {**os.environ, "NO_COLOR": "", "FORCE_COLOR": "1"}
    piped = subprocess.run(command, capture_output=True, text=True, env=forced)
    assert "\x1b[" in piped.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_are_taught_to_complete(shell: str) -> None:
    command = [sys.executable, "-m", "astgen", "completion", shell]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0
    assert "_ASTGEN_COMPLETE" in result.stdout


def test_codes_of_rules_are_completed() -> None:
    program = "from astgen.cli import main; main(prog_name='astgen')"
    environment = {
        **os.environ,
        "_ASTGEN_COMPLETE": "bash_complete",
        "COMP_WORDS": "astgen lint --select AG101,AG20",
        "COMP_CWORD": "3",
    }
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert "plain,AG101,AG203" in result.stdout.splitlines()


def test_neither_torch_nor_libcst_nor_black_is_imported(write) -> None:
    path = write("a.py", WARNED)
    program = (
        "import sys\n"
        "from astgen.cli import main\n"
        f"main(['lint', {str(path)!r}], standalone_mode=False)\n"
        "heavy = {'torch', 'libcst', 'black', 'numpy'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True)
    assert "imported" not in result.stderr
    assert "AG205" in result.stdout

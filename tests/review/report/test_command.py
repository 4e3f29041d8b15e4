"""`astgen review`: what it writes, and what it says of it."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.report_pages import layered, programs_of, shown

import astgen
from astgen.cli import main

ROOT = str(Path(astgen.__file__).parent.parent)
CODE = layered(4, late={1}).code


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(CODE)
    return tmp_path


def review(*arguments: str, given: bytes = b"") -> Result:
    return CliRunner().invoke(main, ["review", *arguments], input=given)


def page(name: str = "astgen-review.html") -> str:
    return Path(name).read_text(encoding="utf-8")


def test_one_file_is_written_and_told() -> None:
    result = review("a.py")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("astgen-review.html: ")
    (found,) = programs_of(page())
    assert found["sides"][0]["lines"] == CODE.splitlines()


def test_the_output_is_where_it_is_wanted() -> None:
    assert review("a.py", "-o", "there.html").exit_code == 0
    assert sorted(os.listdir()) == ["a.py", "there.html"]


def test_standard_input_is_a_source() -> None:
    assert review("-", given=CODE.encode()).exit_code == 0
    assert programs_of(page())[0]["sides"][0]["lines"] == CODE.splitlines()


def test_two_sources_are_compared() -> None:
    Path("b.py").write_text(CODE.replace("add.Tensor(b2", "mul.Tensor(b2"))
    assert review("a.py", "b.py").exit_code == 0
    (found,) = programs_of(page())
    assert found["diff"]["counts"] == {"call changed": 1}


def test_a_refused_text_is_shown_and_the_exit_code_says_so() -> None:
    Path("b.py").write_text(CODE.replace("torch.ops", "torch.hub"))
    result = review("b.py")
    assert result.exit_code == 1
    assert "refuses a program" in result.stderr
    assert programs_of(page())[0]["sides"][0]["refused"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.py"], "none.py"),
        (["a.py", "-o", "no/such/folder.html"], "no/such/folder.html"),
        (["a.py", "--member", "x"], "it has no program 'x'"),
        (["a.py", "ranks"], "it has 1 program, and ranks has 2"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(
    arguments: list[str], said: str
) -> None:
    Path("ranks").mkdir()
    for name in ("0.py", "1.py"):
        Path("ranks", name).write_text(CODE)
    result = review(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert sorted(os.listdir()) == ["a.py", "ranks"]


def test_all_programs_of_a_folder_are_in_it_or_the_one_that_is_wanted() -> None:
    Path("ranks").mkdir()
    for name in ("0.py", "1.py"):
        Path("ranks", name).write_text(CODE)
    assert review("ranks").exit_code == 0
    places = [one["sides"][0]["place"] for one in programs_of(page())]
    assert places == ["0.py", "1.py"]
    assert review("ranks", "--member", "1.py").exit_code == 0
    assert [one["sides"][0]["place"] for one in programs_of(page())] == ["1.py"]


def test_the_same_source_gives_the_same_bytes_without_torch(folder: Path) -> None:
    other = folder / "elsewhere"
    other.mkdir()
    (other / "a.py").write_text(CODE)
    script = (
        "import sys\nfrom astgen.cli import main\n"
        "main(['review', 'a.py', '-o', sys.argv[1]], standalone_mode=False)\n"
        "assert not {'torch', 'libcst', 'black'} & set(sys.modules)\n"
    )
    for seed, where in (("1", folder), ("2", other)):
        subprocess.run(
            [sys.executable, "-c", script, "page.html"],
            cwd=where,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": ROOT},
            check=True,
        )
    assert (folder / "page.html").read_bytes() == (other / "page.html").read_bytes()


def test_the_policy_allows_its_own_script_and_style_and_nothing_else() -> None:
    html = shown(layered(2)).html
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    policy = policy.replace("&#39;", "'")
    wanted = {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    for name, pattern in (
        ("script-src", r"<script>(.*?)</script>"),
        ("style-src", r"<style>(.*?)</style>"),
    ):
        (text,) = re.findall(pattern, html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        wanted[name] = f"'sha256-{digest}'"
    assert dict(part.strip().split(" ", 1) for part in policy.split(";")) == wanted


def test_the_page_names_no_other_place() -> None:
    class Links(HTMLParser):
        found: list[tuple[str, str | None]] = []

        def handle_starttag(
            self, tag: str, attrs: list[tuple[str, str | None]]
        ) -> None:
            self.found += [one for one in attrs if one[0] in ("src", "href", "action")]
            assert tag not in ("iframe", "object", "embed", "base", "img", "link")

    links = Links()
    links.feed(shown(layered(2)).html)
    assert links.found == [("href", "#code")]


def test_what_is_read_is_not_written_over() -> None:
    for arguments in (["a.py", "-o", "a.py"], ["b.py", "a.py", "-o", "./a.py"]):
        Path("b.py").write_text(CODE)
        result = review(*arguments)
        assert result.exit_code == 2
        assert "is what is read; name another file with -o" in result.stderr
        assert Path("a.py").read_text() == CODE


def test_a_link_that_leads_to_itself_is_no_traceback() -> None:
    os.symlink("loop.html", "loop.html")
    result = review("a.py", "-o", "loop.html")
    assert result.exit_code == 2
    assert result.stderr.startswith("astgen: error: cannot write to 'loop.html'")

"""Formats that machines read: what they read is what was found."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from support.lint_reports import awkward, clean, finding, render

from astgen.check.finding import Edit
from astgen.lint.output import FORMATS, renderer
from astgen.lint.report import Report, Result

SURROGATE = re.compile("[\ud800-\udfff]")


def one(rule: str = "AG101", **more: object) -> Report:
    """A report with one finding."""
    found = finding(3, 5, 2, rule, path="a.py", **more)
    return Report((Result("a.py", 1, (found,)),), "1.2.3")


@pytest.mark.parametrize("name", ["json", "jsonl", "sarif", "gitlab"])
def test_json_is_ascii_and_no_text_in_it_has_a_lone_surrogate(name: str) -> None:
    text = render(awkward(), name)
    assert text.isascii()
    values = (
        [json.loads(row) for row in text.split("\n") if row]
        if name == "jsonl"
        else [json.loads(text)]
    )
    # What a reader writes back as UTF-8 is what it got.
    whole = json.dumps(values, ensure_ascii=False)
    assert json.loads(whole.encode("utf-8")) == values
    assert not SURROGATE.search(whole)


def test_jsonl_has_the_findings_of_json_one_a_line() -> None:
    rows = [json.loads(row) for row in render(awkward(), "jsonl").splitlines()]
    assert rows == json.loads(render(awkward(), "json"))["findings"]
    assert len(rows) == awkward().findings


def test_json_says_everything_of_a_finding() -> None:
    edit = Edit(3, 5, 3, 7, "ok")
    report = one(message='"quoted" \\', hint="a\nb", edits=(edit,))
    content = json.loads(render(report, "json"))
    assert content["format"] == 1
    assert content["version"] == "1.2.3"
    assert content["findings"] == [
        {
            "rule": "AG101",
            "name": "undefined-name",
            "severity": "error",
            "message": '"quoted" \\',
            "hint": "a\nb",
            "path": "a.py",
            "member": "",
            "line": 3,
            "column": 5,
            "end_line": 3,
            "end_column": 7,
            "fix": {
                "edits": [
                    {
                        "line": 3,
                        "column": 5,
                        "end_line": 3,
                        "end_column": 7,
                        "text": "ok",
                    }
                ]
            },
        }
    ]


def test_what_stands_inside_of_a_file_is_never_said_to_be_mendable() -> None:
    report = one(member="execution_code", edits=(Edit(1, 1, 1, 1, "x"),))
    content = json.loads(render(report, "json"))
    assert content["counts"]["mendable"] == 0
    assert content["findings"][0]["fix"] is None
    (result,) = json.loads(render(report, "sarif"))["runs"][0]["results"]
    assert "fixes" not in result
    assert "[*]" not in render(report, "concise") + render(report, "full")


def unescaped(text: str) -> str:
    """What GitHub makes of an escaped text."""
    for code, char in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r")):
        text = text.replace(code, char)
    return text.replace("%25", "%")


def test_github_gets_one_command_a_finding_and_reads_back_what_was_meant() -> None:
    report = one(message="100%0A: a,b::c", hint="50%, d")
    assert render(report, "github").count("\n") == 1
    head, _, message = render(report, "github")[2:].partition("::")
    command, _, listed = head.partition(" ")
    assert command == "error"
    properties = dict(item.split("=", 1) for item in listed.split(","))
    assert {key: unescaped(text) for key, text in properties.items()} == {
        "file": "a.py",
        "line": "3",
        "endLine": "3",
        "col": "5",
        "endColumn": "7",
        "title": "AG101 undefined-name",
    }
    assert unescaped(message) == "a.py:3:5: 100%0A: a,b::c\nhelp: 50%, d\n"


def test_github_gets_no_line_of_a_program_inside_of_a_file() -> None:
    text = render(one(member="execution_code"), "github")
    assert text.startswith("::error file=a.py,title=AG101 undefined-name::")
    assert "a.py[execution_code]:3:5: " in text


@pytest.mark.parametrize(
    "rule, command, severity, level",
    [
        ("AG101", "error", "critical", "error"),
        ("AG203", "warning", "major", "warning"),
        ("AG605", "notice", "info", "note"),
    ],
)
def test_severities_are_called_what_each_reader_calls_them(
    rule: str, command: str, severity: str, level: str
) -> None:
    report = one(rule=rule)
    assert render(report, "github").startswith(f"::{command} ")
    (issue,) = json.loads(render(report, "gitlab"))
    assert issue["severity"] == severity
    (run,) = json.loads(render(report, "sarif"))["runs"]
    assert run["results"][0]["level"] == level
    assert run["tool"]["driver"]["rules"][0]["defaultConfiguration"]["level"] == level


def test_gitlab_gets_the_fields_that_it_documents() -> None:
    issues: list[dict[str, Any]] = json.loads(render(awkward(), "gitlab"))
    for issue in issues:
        assert issue["description"] and issue["check_name"]
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert issue["location"]["lines"]["begin"] >= 1
        assert not issue["location"]["path"].startswith("./")
    assert len({issue["fingerprint"] for issue in issues}) == awkward().findings


def test_sarif_points_at_its_rules() -> None:
    (run,) = json.loads(render(awkward(), "sarif"))["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert len(run["results"]) == awkward().findings
    assert run["invocations"] == [{"executionSuccessful": False}]
    (run,) = json.loads(render(clean(), "sarif"))["runs"]
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_an_unknown_format_is_named_with_those_that_there_are() -> None:
    with pytest.raises(
        ValueError, match="'yaml' is no output format; take one of full"
    ):
        renderer("yaml")


def test_formats_are_imported_when_they_are_asked_for() -> None:
    program = (
        "import sys; from astgen.lint.output import FORMATS\n"
        "print([f for f in FORMATS if f'astgen.lint.output.{f}' in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == "[]\n"
    assert len(FORMATS) == len({renderer(name) for name in FORMATS})

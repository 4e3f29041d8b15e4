"""JUnit: files are test cases, findings are failures."""

from __future__ import annotations

from xml.etree import ElementTree

from support.lint_reports import awkward, finding, render

from astgen.lint.report import Report, Result


def parsed(report: Report) -> ElementTree.Element:
    return ElementTree.fromstring(render(report, "junit").encode("utf-8"))


def test_a_file_is_a_test_case_and_a_finding_a_failure() -> None:
    found = finding(1, 1, 1, path="a.py"), finding(2, 1, 1, "AG203", path="a.py")
    report = Report((Result("a.py", 1, found), Result("b.py", 1)), "1.2.3")
    broken, fine = parsed(report).iter("testcase")
    assert (broken.get("name"), fine.get("name")) == ("a.py", "b.py")
    assert [child.get("type") for child in broken] == [
        "AG101 undefined-name",
        "AG203 missing-del",
    ]
    assert list(fine) == []


def test_counts_are_those_of_the_cases() -> None:
    root = parsed(awkward())
    cases = list(root.iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None]
    errors = [case for case in cases if case.find("error") is not None]
    for element in (root, root[0]):
        assert element.get("tests") == str(len(cases)) == "6"
        assert element.get("failures") == str(len(failed)) == "4"
        assert element.get("errors") == str(len(errors)) == "1"


def test_files_without_generated_code_are_left_out() -> None:
    names = {case.get("name") for case in parsed(awkward()).iter("testcase")}
    assert "clean.py" in names
    assert "notes.txt" not in names

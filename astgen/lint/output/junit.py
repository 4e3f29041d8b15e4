"""`--output-format junit`: a test case for each file, a failure for each finding."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from astgen.check.finding import Finding
from astgen.lint.output.cells import printable, printable_path
from astgen.lint.output.describe import place, rule_of
from astgen.lint.output.style import Style
from astgen.lint.report import Report, Result

__all__ = ["render"]


def render(report: Report, style: Style) -> Iterator[str]:
    """Write a report as Jenkins and others read results of tests.

    A file without findings is a test that passes; files in which nobody expects
    generated code are left out.

    Args:
        report: The report.
        style: Nothing of it counts here.

    Returns:
        Chunks of an XML document, one for each finding.
    """
    results = [result for result in report.results if not result.passed]
    found = [result.failed for result in results if result.findings]
    broken = sum(found)
    failures = len(found) - broken
    counts = f'tests="{len(results)}" failures="{failures}" errors="{broken}"'
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="astgen lint" {counts}>\n'
    yield f'  <testsuite name="astgen lint" {counts}>\n'
    for result in results:
        yield from _case(result)
    yield "  </testsuite>\n</testsuites>\n"


def _case(result: Result) -> Iterator[str]:
    name = quoteattr(printable_path(result.path))
    head = f'    <testcase classname="astgen.lint" name={name}'
    if not result.findings:
        yield f"{head}/>\n"
        return
    yield f"{head}>\n"
    element = "error" if result.failed else "failure"
    for finding in result.findings:
        yield _failure(finding, element)
    yield "    </testcase>\n"


def _failure(finding: Finding, element: str) -> str:
    # What is printable is also what XML can hold: no control characters.
    rule = rule_of(finding)
    message = printable(finding.message)
    hint = f"\nhelp: {printable(finding.hint)}" if finding.hint else ""
    text = f"{rule.severity}: {place(finding)}: {rule.code} {message}{hint}"
    kind = quoteattr(f"{rule.code} {rule.name}")
    return (
        f"      <{element} type={kind} message={quoteattr(message)}>"
        f"{escape(text)}</{element}>\n"
    )

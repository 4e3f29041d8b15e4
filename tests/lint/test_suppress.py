"""Comments that suppress findings, and those that suppress nothing."""

from __future__ import annotations

import pytest

from astgen.check import check
from astgen.check.finding import Edit, Finding
from astgen.lint.rules import ALL_RULES
from astgen.lint.rules.suppression import UNUSED_SUPPRESSION
from astgen.lint.suppress import suppressions

ALL = frozenset(ALL_RULES)
UNUSED = "AG901"


def found(rule: str, line: int, end_line: int = 0) -> Finding:
    return Finding(line, 1, end_line or line, 2, rule, "wrong", path="a.py")


def left(text: str, *findings: Finding, active: frozenset[str] = ALL) -> list[str]:
    """The rules of the findings that are left, in order."""
    kept, count = suppressions(text, "a.py").apply(findings, active)
    complaints = [one for one in kept if one.rule == UNUSED]
    assert count == len(findings) - (len(kept) - len(complaints))
    return [finding.rule for finding in kept]


def edited(text: str, *findings: Finding) -> str:
    """The text without what suppresses nothing."""
    kept, _ = suppressions(text).apply(findings, ALL)
    lines = text.split("\n")
    offsets = [sum(len(line) + 1 for line in lines[:n]) for n in range(len(lines) + 1)]
    edits: list[Edit] = [edit for finding in kept for edit in finding.edits]
    for edit in sorted(edits, key=lambda one: (one.line, one.column), reverse=True):
        assert edit.end_line <= len(lines)
        start = offsets[edit.line - 1] + edit.column - 1
        end = offsets[edit.end_line - 1] + edit.end_column - 1
        text = text[:start] + edit.text + text[end:]
    return text


def test_a_comment_suppresses_its_codes_on_its_line() -> None:
    text = "a\nb  # astgen: ignore[AG101]\nc\n"
    findings = found("AG101", 1), found("AG101", 2), found("AG102", 2)
    assert left(text, *findings) == ["AG101", "AG102"]


def test_a_comment_may_name_several_codes_and_beginnings_of_codes() -> None:
    text = "a  # astgen: ignore[AG1, AG401]\n"
    assert left(text, found("AG101", 1), found("AG102", 1), found("AG401", 1)) == []
    assert left(text, found("AG101", 1), found("AG401", 1), found("AG402", 1)) == [
        "AG402"
    ]


def test_a_range_is_suppressed_where_it_begins_and_where_it_ends() -> None:
    text = "f(  # astgen: ignore[AG101]\n  1,\n)\n"
    assert left(text, found("AG101", 1, 3)) == []
    text = "f(\n  1,\n)  # astgen: ignore[AG101]\n"
    assert left(text, found("AG101", 1, 3)) == []
    text = "f(\n  1,  # astgen: ignore[AG101]\n)\n"
    assert left(text, found("AG101", 1, 3)) == ["AG101", UNUSED]


def test_a_comment_above_all_code_suppresses_in_the_file() -> None:
    text = "# made by hand\n\n# astgen: ignore-file[AG101]\nx = 1\ny = 2\n"
    assert left(text, found("AG101", 4), found("AG101", 5), found("AG102", 5)) == [
        "AG102"
    ]


def test_a_comment_about_the_file_below_code_suppresses_nothing() -> None:
    text = "x = 1\n# astgen: ignore-file[AG101]\n"
    assert left(text, found("AG101", 1)) == ["AG101", UNUSED]
    text = "x = 1  # astgen: ignore-file[AG101]\n"
    (finding,) = suppressions(text).apply([], ALL)[0]
    assert finding.hint == "move it above all code"
    assert finding.edits == ()


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # astgen: ignore\n",
        "x = 1  # astgen: ignore[]\n",
        "x = 1  # astgen: ignore AG101\n",
        "# astgen: ignore-file\nx = 1\n",
    ],
)
def test_a_comment_without_codes_suppresses_nothing_and_is_not_removed(
    text: str,
) -> None:
    line = 2 if text.startswith("#") else 1
    assert left(text, found("AG101", line)).count("AG101") == 1
    kept, _ = suppressions(text).apply([found("AG101", line)], ALL)
    (complaint,) = (one for one in kept if one.rule == UNUSED)
    assert "without codes" in complaint.message
    assert complaint.edits == ()


@pytest.mark.parametrize("word", ["undefined-name", "Undefined-Name", "ag101", "ag1"])
def test_rules_are_named_as_on_the_command_line(word: str) -> None:
    text = f"x = 1  # astgen: ignore[{word}]\n"
    assert left(text, found("AG101", 1)) == []
    assert left(text, found("AG203", 1)) == ["AG203", UNUSED]
    assert edited(text) == "x = 1\n"


@pytest.mark.parametrize("word", ["AG", "AG999", "E501", "*", "all", "undefined"])
def test_what_no_rule_is_called_suppresses_nothing_and_stays(word: str) -> None:
    text = f"x = 1  # astgen: ignore[{word}]\n"
    assert left(text, found("AG101", 1)) == ["AG101", UNUSED]
    (complaint,) = suppressions(text).apply([], ALL)[0]
    assert complaint.message == f"no rule is called '{word}'"
    assert complaint.hint == "see 'astgen rule'"
    assert complaint.edits == ()


@pytest.mark.parametrize(
    "word, meant",
    [("undefined-nmae", "undefined-name"), ("AG1101", "AG101"), ("AG-203", "AG203")],
)
def test_a_slip_of_the_pen_is_told_what_was_meant(word: str, meant: str) -> None:
    (complaint,) = suppressions(f"x  # astgen: ignore[{word}]\n").apply([], ALL)[0]
    assert complaint.hint == f"did you mean '{meant}'?"


def test_what_is_unknown_stays_when_what_is_unused_goes() -> None:
    text = "x  # astgen: ignore[AG101, AG999, missing-del]\n"
    complaints = suppressions(text).apply([], ALL)[0]
    assert [complaint.message for complaint in complaints] == [
        "no rule is called 'AG999'",
        "nothing on this line breaks 'AG101', 'missing-del'",
    ]
    assert edited(text) == "x  # astgen: ignore[AG999]\n"


@pytest.mark.parametrize("rule", ["AG001", "AG004", "AG005", "AG009", "AG902"])
def test_what_hides_a_file_cannot_be_suppressed(rule: str) -> None:
    text = f"x  # astgen: ignore[{rule}, AG0, AG9]\n"
    assert left(text, found(rule, 1)) == [rule]
    text = f"# astgen: ignore-file[{rule}]\nx\n"
    assert left(text, found(rule, 1)) == [rule]
    (complaint,) = suppressions(text).apply([], ALL)[0]
    assert "cannot be suppressed" in complaint.hint


def test_what_was_not_judged_to_its_end_has_no_unused_comments() -> None:
    text = "x = 1  # astgen: ignore[AG101]\n"
    assert left(text) == [UNUSED]
    assert left(text, found("AG009", 1)) == ["AG009"]


def test_comments_about_rules_that_are_off_may_be_of_use_another_time() -> None:
    text = "x = 1  # astgen: ignore[AG101]\n"
    assert left(text, active=ALL - {"AG101"}) == []
    assert left(text, active=ALL - {UNUSED}) == []
    text = "x = 1  # astgen: ignore[AG1]\n"
    assert left(text, active=ALL - {"AG101"}) == [UNUSED]


def test_a_complaint_can_be_suppressed_and_does_not_complain_of_itself() -> None:
    text = "x = 1  # astgen: ignore[AG101, AG901]\n"
    assert suppressions(text).apply([], ALL) == ([], 1)
    assert left("x = 1  # astgen: ignore[AG901]\n") == []


@pytest.mark.parametrize(
    "text",
    [
        'x = "# astgen: ignore[AG101]"\n',
        'x = """\n# astgen: ignore-file[AG101]\n"""\n',
        "x = f'{1}# astgen: ignore[AG101]'\n",
        "x = 1  # astgen: ignores[AG101]\n",
        "x = 1  # astgen: ignore-all[AG101]\n",
        "x = 1  # astgen ignore[AG101]\n",
        "x = 1  # noqa\n",
    ],
)
def test_what_only_looks_like_such_a_comment_is_none(text: str) -> None:
    line = 2 if "file" in text else 1
    assert left(text, found("AG101", line)) == ["AG101"]


def test_other_comments_may_stand_on_the_line() -> None:
    for text in (
        "x = 1  # noqa # astgen: ignore[AG101]\n",
        "x = 1  # astgen: ignore[AG101] # noqa\n",
        "x = 1  # astgen: ignore[AG101] because it is fine\n",
        "x = 1  #astgen:ignore[ AG101 ,]\n",
    ):
        assert left(text, found("AG101", 1)) == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_python_counts_them(end: str) -> None:
    text = end.join(["x = 1", "y\x0c = 2  # astgen: ignore[AG101]", "z = 3"])
    kept, _ = suppressions(text).apply([found("AG101", 2), found("AG101", 3)], ALL)
    assert [finding.line for finding in kept] == [3]


@pytest.mark.parametrize(
    "text",
    [
        "x = 1 # astgen: ignore[AG101]\n'''",
        "\0# astgen:",
        "(# astgen:",
        "\ud800# astgen:",
        "  x # astgen:\n y",
    ],
)
def test_a_text_that_cannot_be_read_is_no_error(text: str) -> None:
    assert "AG001" in left(text, found("AG001", 1))


@pytest.mark.parametrize(
    "before, after",
    [
        ("x = 1  # astgen: ignore[AG101]\ny\n", "x = 1\ny\n"),
        ("x = 1  # astgen: ignore[AG101] why\ny\n", "x = 1\ny\n"),
        ("# astgen: ignore-file[AG102]\nx\n", "x\n"),
        ("# astgen: ignore-file[AG102]", ""),
        ("x\n  # astgen: ignore[AG102]\ny", "x\ny"),
        ("x  # astgen: ignore[AG101] # noqa\n", "x  # noqa\n"),
        ("x  # noqa  # astgen: ignore[AG101]\n", "x  # noqa\n"),
        ("é  # astgen: ignore[AG101]\n", "é\n"),
        ("x  # astgen: ignore\n", "x  # astgen: ignore\n"),
        ("x  # astgen: ignore[AG401,AG402]\ny\n", "x\ny\n"),
    ],
)
def test_what_suppresses_nothing_is_removed(before: str, after: str) -> None:
    assert edited(before) == after


def test_what_is_of_use_stays() -> None:
    text = "x  # astgen: ignore[AG401, AG101,AG402] why\n"
    assert edited(text, found("AG101", 1)) == "x  # astgen: ignore[AG101] why\n"


def test_complaints_stand_in_the_order_of_the_text() -> None:
    text = "a\nb  # astgen: ignore[AG101]\nc\n"
    assert left(text, found("AG102", 1), found("AG102", 3)) == [
        "AG102",
        UNUSED,
        "AG102",
    ]


def test_a_complaint_points_at_the_comment() -> None:
    text = "x = 1  # noqa # astgen: ignore[AG101, AG102]  why \n"
    (complaint,) = suppressions(text, "a.py").apply([], ALL)[0]
    row = text.split("\n")[0]
    marked = row[complaint.column - 1 : complaint.end_column - 1]
    assert marked == "# astgen: ignore[AG101, AG102]  why"
    assert complaint.path == "a.py"
    assert complaint.message == "nothing on this line breaks 'AG101', 'AG102'"


def test_a_thousand_comments_and_codes_make_no_endless_report() -> None:
    codes = ", ".join(f"AG1{number}" for number in range(10_000))
    text = f"x  # astgen: ignore[{codes}]\n" + "x  # astgen: ignore[AG101]\n" * 1000
    kept, _ = suppressions(text).apply([], ALL)
    assert len(kept) == 100
    assert len(kept[0].message) < 200
    assert kept[0].message.endswith(" more")
    assert kept[0].message.startswith("no rule is called 'AG1")


@pytest.mark.parametrize("text", UNUSED_SUPPRESSION.good)
def test_a_good_example_suppresses_something(text: str) -> None:
    assert isinstance(text, str) and check(text)
    assert suppressions(text).apply(check(text), ALL)[0] == []


@pytest.mark.parametrize("text", UNUSED_SUPPRESSION.bad)
def test_a_bad_example_suppresses_nothing(text: str) -> None:
    assert isinstance(text, str)
    assert left(text, *check(text)) == [UNUSED]

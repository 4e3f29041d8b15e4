"""Suppressing comments in random text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from astgen.check.finding import Finding
from astgen.lint.rules import ALL_RULES
from astgen.lint.suppress import suppressions

ALL = frozenset(ALL_RULES)
PIECES = st.sampled_from(
    ["x = 1", "  ", "\n", "\r\n", "'", '"""', "(", "\\", "# astgen: ignore[AG101]"]
    + ["# astgen: ignore-file[AG1]", "# astgen: ignore", "[AG1, AG999]", "\0", "量"]
)
TEXT = st.lists(PIECES | st.text(max_size=5), max_size=20).map("".join)
FINDINGS = st.lists(
    st.builds(
        lambda line, more, rule: Finding(line, 1, line + more, 1, rule, "wrong"),
        st.integers(1, 10),
        st.integers(0, 3),
        st.sampled_from(["AG101", "AG102", "AG201"]),
    ),
    max_size=8,
)


@given(TEXT, FINDINGS)
def test_every_finding_is_either_kept_or_counted(
    text: str, findings: list[Finding]
) -> None:
    kept, count = suppressions(text).apply(findings, ALL)
    others = [finding for finding in kept if finding.rule != "AG901"]
    assert len(others) + count == len(findings)
    assert all(finding in findings for finding in others)
    assert any(finding.rule == "AG901" for finding in kept) <= ("astgen:" in text)


@given(TEXT)
def test_edits_lie_within_the_text_and_remove_comments_only(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for comment in suppressions(text).comments:
        edit = comment.removal
        row = lines[edit.line - 1]
        assert 1 <= edit.column <= len(row) + 1
        removed = row[edit.column - 1 :]
        if edit.end_line == edit.line:
            removed = row[edit.column - 1 : edit.end_column - 1]
        else:
            assert (edit.end_line, edit.end_column) == (edit.line + 1, 1)
            assert edit.end_line <= len(lines)
        assert removed.strip().startswith("#")
        assert row[comment.column - 1 : comment.end_column - 1] == comment.text

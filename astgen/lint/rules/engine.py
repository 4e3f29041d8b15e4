"""AG009 and AG902: where the linter itself comes to its limits."""

from __future__ import annotations

from astgen.check.finding import Rule

__all__ = ["INTERNAL_ERROR", "NEVER_KNOWN", "RULES", "TOO_MANY_FINDINGS"]


def _entry(line: str, times: int) -> str:
    body = f"    {line}\n" * times
    return f"def execution_fn(x, *, __vllm_submods__):\n{body}    return x\n"


TOO_MANY_FINDINGS = Rule(
    code="AG009",
    name="too-many-findings",
    summary="one program has more findings than are shown",
    reason=(
        "A text that is no generated code at all can break a rule on every line. "
        "A hundred thousand findings help nobody, and a report of them can take "
        "down what reads it, so those of one program end at a limit. The first "
        "ones are shown, this finding stands for the others, and the file counts "
        "as broken."
    ),
    good=("def execution_fn(x, *, __vllm_submods__):\n    return x\n",),
    bad=(
        _entry("z(x)", 1100),
        _entry("z = y", 1100),
    ),
    always=True,
)

INTERNAL_ERROR = Rule(
    code="AG902",
    name="internal-error",
    summary="the linter broke down on a file",
    reason=(
        "The linter reads what nobody vouches for, and a mistake of its own must "
        "neither hide a file nor stop the run: the file is named, the others are "
        "read, and the exit code is 2, because the file was not judged. Running out "
        "of memory in one file ends here too. Such a finding is a bug of astgen; "
        "please report it with the file."
    ),
    good=("def execution_fn(x, *, __vllm_submods__):\n    return x\n",),
    bad=(),
    always=True,
)

RULES = (TOO_MANY_FINDINGS, INTERNAL_ERROR)

NEVER_KNOWN = frozenset({"AG001", "AG004", "AG005", "AG009", "AG902"})
"""Rules about files that were not judged, or not to the end.

No comment suppresses them, and no line of the file stands for them.
"""

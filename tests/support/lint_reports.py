"""Reports with awkward content, and what the output formats make of them.

The rules are stand-ins, so that no word in a rule changes what is expected here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import PurePath, PurePosixPath
from unittest import mock

from astgen.check.finding import Edit, Finding, Rule, Sample, Severity
from astgen.lint.output import FORMATS, Style, renderer, statistics, summary
from astgen.lint.report import Report, Result
from astgen.lint.rules import ALL_RULES

__all__ = ["GOLDEN", "awkward", "clean", "finding", "many", "render", "stand_ins"]

_ROOT = PurePosixPath("/repo")
_REASON = 'Because a < b && "c" isn\'t d; 100% of the time.\nA second line: 量 é.'


def _rule(code: str, name: str, severity: Severity, shown: str = "") -> Rule:
    bad = Sample("model", b"\x80\x05.", shown) if shown else "inf = nan\n"
    return Rule(
        code, name, f"the summary of {name}", _REASON, ("x = 1\n",), (bad,), severity
    )


RULES = {
    rule.code: rule
    for rule in (
        _rule("AG101", "undefined-name", "error"),
        _rule("AG203", "missing-del", "warning"),
        _rule("AG605", "legacy-artifact", "note", "a pickle <of vLLM>"),
        _rule("AG902", "internal-error", "error"),
    )
}


@contextmanager
def stand_ins() -> Iterator[None]:
    """Put the stand-ins in the place of all rules."""
    with mock.patch.dict(ALL_RULES, RULES, clear=True):
        yield


def finding(
    line: int, column: int, width: int, rule: str = "AG101", **more: object
) -> Finding:
    """A finding on one line."""
    message = str(more.pop("message", f"{rule} is broken"))
    place = (line, column, line, column + width)
    return Finding(*place, rule, message, **more)  # type: ignore[arg-type]


def _result(path: str, text: str, *findings: Finding, member: str = "") -> Result:
    lines = {(member, n): line for n, line in enumerate(text.split("\n"), 1)}
    return Result(path, 1, findings, lines)


_ESCAPES = "a\x1b[2Jb\x00c\x07\x9b31m\u202ed\u2066\udc80é\u0301"
_LONG = "    y = torch.cat([" + ", ".join(f"x_{n}" for n in range(400)) + "], inf)"


def awkward() -> Report:
    """Paths, lines and messages that break what does not look out for them."""
    windows = "C:\\models\\rank 0\\x.py"
    names = 'dir with space/50%,a:b "q"\'s/<b>&]]>.py'
    undecodable = "caf\udce9/\x1b[31mred\n.py"
    edits = (Edit(3, 1, 3, 1, '    del x  # "é" \ud800\n'), Edit(1, 1, 2, 1, ""))
    results = (
        _result(
            windows,
            "import torch\n\ty = torch.add(\t'量子', inf)\n    return y\n",
            finding(
                2, 23, 3, path=windows, message="'inf' is not defined", hint="mend"
            ),
        ),
        _result(
            names,
            f"{_LONG}\n{_LONG}\n    return y",
            finding(
                1,
                len(_LONG) - 3,
                3,
                path=names,
                message="100% of 'inf', :: and ]]> </script>",
                hint="a: b, c\r\nd",
            ),
            finding(2, 20, 3, "AG203", path=names, edits=edits, message="no del"),
        ),
        _result(
            undecodable,
            f"x = '{_ESCAPES}' + inf\nשלום = 1",
            finding(1, 27, 3, path=undecodable, message=f"bad {_ESCAPES}"),
            finding(1, 27, 3, path=undecodable, message=f"bad {_ESCAPES}"),
            finding(2, 1, 4, path=undecodable, message="right to left"),
        ),
        _result(
            "cache/model",
            "import torch\n\n\n    y = f(\n        1,\n        2,\n        3,\n    )\n",
            Finding(
                4, 9, 8, 6, "AG203", "many lines", path="cache/model", member="a[0]"
            ),
            finding(1, 1, 0, "AG605", path="cache/model", message="old", edits=edits),
            member="a[0]",
        ),
        Result(
            "/elsewhere/broken.py",
            0,
            (finding(1, 1, 0, "AG902", path="/elsewhere/broken.py"),),
            failed=True,
        ),
        Result("clean.py", 2, hidden=3, suppressed=1, known=4),
        Result("notes.txt", passed=True),
    )
    return Report(results, "1.2.3")


def clean() -> Report:
    """A report of files without findings."""
    return Report((Result("a.py", 1), Result("b/model", 3)), "1.2.3")


def many(count: int) -> Report:
    """A report with many findings, a thousand in each file."""
    results = []
    for number in range(0, count, 1000):
        path = f"{number}.py"
        lines = {("", n): f"    y_{n} = torch.add(x, inf)" for n in range(1002)}
        found = (finding(n, 1, 3, path=path) for n in range(1, 1001))
        results.append(Result(path, 1, tuple(found), lines))
    return Report(tuple(results), "1.2.3")


def render(
    report: Report,
    name: str,
    color: bool = False,
    width: int = 80,
    root: PurePath = _ROOT,
) -> str:
    """A report in a format, as one text, under the stand-ins."""
    with stand_ins():
        return "".join(renderer(name)(report, Style(color, width, root)))


def _words(report: Callable[[], Report]) -> str:
    with stand_ins():
        found = report()
        tables = statistics(found), statistics(found, "json"), summary(found)
        return "\n\n".join((*tables, summary(found, "error"))) + "\n"


_SUFFIXES = {
    "full": "txt",
    "concise": "txt",
    "github": "txt",
    "junit": "xml",
    "gitlab": "json",
}

GOLDEN: dict[str, Callable[[], str]] = {
    **{
        f"awkward_{name}.{_SUFFIXES.get(name, name)}": partial(
            lambda name: render(awkward(), name), name
        )
        for name in FORMATS
    },
    **{
        f"clean_{name}.{_SUFFIXES.get(name, name)}": partial(
            lambda name: render(clean(), name), name
        )
        for name in ("json", "sarif", "gitlab", "junit")
    },
    "awkward_full_color.txt": lambda: render(awkward(), "full", color=True),
    "awkward_summary.txt": lambda: _words(awkward),
}
"""What each file in `tests/lint/output/golden` holds, by its name."""

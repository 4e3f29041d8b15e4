"""What would not come back from the parser is told by the text alone."""

from __future__ import annotations

import pytest

from astgen.check import check
from astgen.check.towers import chain, tower

HEAD = "def execution_fn(x, *, __vllm_submods__):\n    return "
MANY = 30_000


@pytest.mark.parametrize(
    "row",
    [
        "x" + ".abs()" * MANY,
        "x" + "()" * MANY,
        "x" + "[0]" * MANY,
        "x" + " + x" * MANY,
        "x" + " \\\n + x" * MANY,
        "x" + " \\\r + x" * MANY,
        "x" + ".abs(\n    0)" * MANY,
        "x" + ".abs(0, 1)" * MANY,
        "(0,\n" + "x" + "\n + x" * MANY + ")",
        "''\n#\r    y = x" + " + x" * MANY,
        "'\\'' + '''\n'\"''' + x" + " + x" * MANY,
        "f'{x" + " + x" * MANY + "}'",
        "{0: x" + " + x" * MANY + "}",
    ],
    ids=range(13),
)
def test_a_row_is_as_deep_as_it_is_long(row: str) -> None:
    assert chain(HEAD + row + "\n") >= MANY


@pytest.mark.parametrize(
    "flat",
    [
        "(" + "x.abs(), " * MANY + ")",
        "[\n" + "    x.abs(),\n" * MANY + "]",
        "x\n" + "    x = x.abs()\n" * MANY,
        "x\n" + "    x; x.abs();\n" * MANY,
        "'" + "." * MANY + "'",
        "'''" + "\n.(" * MANY + "'''",
        "x  # " + "." * MANY,
        "{" + "x.abs(): x.abs(), " * MANY + "}",
    ],
    ids=range(8),
)
def test_what_stands_side_by_side_is_not_deep(flat: str) -> None:
    assert chain(HEAD + flat + "\n") < 10


@pytest.mark.parametrize(
    "name",
    [
        "import a" + ".a" * 200,
        "import a" + " . a" * 200,
        "import a" + " \\\n . \\\n a" * 200,
        "import a" + ".\u00e4" * 200,
        "import a" + ".a\u0301" * 200,
        "from a" + ".a" * 200 + " import b",
        "import b, a" + ".a" * 200,
    ],
    ids=range(7),
)
def test_a_long_dotted_name_is_not_parsed(name: str) -> None:
    assert tower(name) is not None
    found = check(f"{name}\n{HEAD}x\n")
    assert [finding.rule for finding in found] == ["AG001"]
    assert "a dotted name of more than 120 parts" in found[0].message


def test_a_dotted_name_of_an_operator_is_parsed() -> None:
    assert tower("torch.ops.aten.add.Tensor(x, y)" + ", x.abs()" * 1000) is None


@pytest.mark.parametrize(
    "text, refused",
    [
        ("#" + ("." + "\u00a0" * 4) * 100_000, True),
        ("#" + ("." + "\u2003a" * 4) * 100_000, True),
        ("#" + (".\\ \\ " * 100_000), False),
        (HEAD + "a" + "\u0315\u0300" * 100_000, True),
        (HEAD + "a" + "\u0315" * 101, True),
        (HEAD + "a" + "\u0315" * 100, False),
        (HEAD + "'" + "\u4e00" * 100_000 + "'", False),
    ],
    ids=range(7),
)
def test_looking_at_a_text_ends(text: str, refused: bool) -> None:
    """Each of these once took minutes, in a search here or in Python's own parser."""
    assert (tower(text) is not None) == refused

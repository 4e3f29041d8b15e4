"""README on the linter is true: the table of rules, the example, the configuration."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from astgen.cli import main
from astgen.lint.rules import ALL_RULES
from astgen.lint.settings import read_settings

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def block(fence: str) -> str:
    """The only block of this kind that has to do with the linter."""
    (found,) = re.findall(rf"^```{fence}\n(.*?)^```$", README, re.M | re.S)
    return found


def test_the_table_lists_every_rule_as_it_is() -> None:
    rows = re.findall(r"^\| (AG\d+) \| (.*) \|$", README, re.M)
    assert [(code, *rest.split(" | ")) for code, rest in rows] == [
        (
            rule.code,
            rule.name,
            rule.severity,
            "*" if rule.fixable else "",
            rule.summary,
        )
        for rule in ALL_RULES.values()
    ]


def test_the_example_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("bad.py").write_text(block("python file=bad.py"), encoding="utf-8")
    command, _, shown = block("console").partition("\n")
    result = CliRunner().invoke(main, command.removeprefix("$ astgen ").split())
    assert result.exit_code == 1
    assert result.output == shown


def test_the_configuration_is_read(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(block("toml"), encoding="utf-8")
    settings = read_settings(str(file))
    assert settings is not None
    assert settings.namespaces == ("mylib",)
    assert settings.per_file_ignores == (("old/*.py", ("AG2",)),)


def test_every_option_that_is_named_exists() -> None:
    section = README.partition("\n## Lint\n")[2].partition("\n## ")[0]
    known = CliRunner().invoke(main, ["lint", "--help"]).output
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", section)) - {"--no-deps"}
    assert len(named) > 5
    assert sorted(option for option in named if option not in known) == []

"""Configuration: the nearest table holds, and what is wrong in it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from astgen.errors import SettingsError
from astgen.lint.settings import Settings, nearest, read_settings


def configure(folder: Path, *lines: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "pyproject.toml"
    file.write_text("\n".join(["[tool.astgen.lint]", *lines, ""]), encoding="utf-8")
    return file


def test_the_nearest_table_holds_alone(tmp_path: Path) -> None:
    configure(tmp_path, "ignore = ['AG203']", "severity = 'note'")
    configure(tmp_path / "a" / "b", "ignore = ['AG205']")
    assert nearest(str(tmp_path / "a" / "x.py")).ignore == ("AG203",)
    found = nearest(str(tmp_path / "a" / "b" / "c" / "x.py"))
    assert found.ignore == ("AG205",)
    assert found.severity is None


def test_a_file_without_the_table_is_passed_over(tmp_path: Path) -> None:
    configure(tmp_path, "ignore = ['AG203']")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    assert nearest(str(inner / "x.py")).ignore == ("AG203",)


def test_every_setting_is_read(tmp_path: Path) -> None:
    file = configure(
        tmp_path,
        "select = ['AG', 'undefined-name']",
        "ignore = ['AG7']",
        "extend-select = ['AG002']",
        "severity = 'error'",
        "profile = 'legacy'",
        "namespaces = ['mine']",
        "paths = ['torch.special.airy_ai']",
        "pickle-globals = ['mine.Layer']",
        "exclude = ['*.bak']",
        "max-file-size = 1000",
        "per-file-ignores = { 'old/*.py' = ['AG2'] }",
    )
    assert read_settings(str(file)) == Settings(
        select=("AG", "AG101"),
        ignore=("AG7",),
        extend_select=("AG002",),
        severity="error",
        profile="legacy",
        namespaces=("mine",),
        paths=("torch.special.airy_ai",),
        pickle_globals=("mine.Layer",),
        exclude=("*.bak",),
        max_file_size=1000,
        per_file_ignores=(("old/*.py", ("AG2",)),),
        root=str(tmp_path),
    )


def test_the_command_line_stands_above_configuration() -> None:
    settings = Settings(ignore=("AG2",), extend_select=("AG002",), severity="note")
    over = settings.over(ignore=("AG7",), extend_select=("AG703",), severity=None)
    assert over.ignore == ("AG7",)
    assert over.extend_select == ("AG002", "AG703")
    assert over.severity == "note"


def test_rules_are_ignored_by_pattern_of_path_or_name(tmp_path: Path) -> None:
    settings = Settings(
        per_file_ignores=(("old/*.py", ("AG2",)), ("dump.py", ("AG7",))),
        root=str(tmp_path),
    )
    assert settings.ignored_in(str(tmp_path / "old" / "x.py")) == ("AG2",)
    assert settings.ignored_in(str(tmp_path / "old" / "dump.py")) == ("AG2", "AG7")
    assert settings.ignored_in(str(tmp_path / "new" / "x.py")) == ()


@pytest.mark.parametrize(
    "line, message",
    [
        ("ignore = 'AG203'", "ignore: not a list of strings"),
        ("ignore = [1]", "ignore: not a list of strings"),
        ("ignore = ['AG2O3']", "ignore: no rule is called 'AG2O3'"),
        ("ignroe = []", "has no setting 'ignroe'; did you mean 'ignore'"),
        ("colour = true", "has no setting 'colour'; known: "),
        ("severity = 'fatal'", "severity: 'fatal' is unknown; one of note, warning"),
        ("profile = 'vllm'", "profile: 'vllm' is unknown; one of astgen-1"),
        ("max-file-size = '1 x'", "max-file-size: '1 x' is no size"),
        ("max-file-size = true", "max-file-size: True is no size"),
        ("paths = ['os.system']", "paths: "),
        ("paths = ['torch.add.__globals__']", "paths: "),
        ("per-file-ignores = ['AG2']", "per-file-ignores: no table"),
        ("ignore = [", "not TOML"),
        ("x = " + "[" * 5000 + "]" * 5000, "pyproject.toml"),
    ],
)
def test_what_is_wrong_in_configuration_is_named(
    tmp_path: Path, line: str, message: str
) -> None:
    file = configure(tmp_path, line)
    with pytest.raises(SettingsError) as caught:
        nearest(str(tmp_path / "x.py"))
    assert str(file) in str(caught.value)
    assert message in str(caught.value)


def test_a_table_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("tool.astgen.lint = 3\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="is no table"):
        nearest(str(tmp_path / "x.py"))


def test_a_named_file_must_have_the_table(tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    with pytest.raises(SettingsError, match="No such file"):
        read_settings(str(file))
    file.write_text("[tool.black]\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="no \\[tool.astgen.lint\\] table"):
        read_settings(str(file))

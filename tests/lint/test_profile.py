"""Profiles: who generated a text."""

from __future__ import annotations

import pytest

from astgen.check import check
from astgen.lint.profile import detect, dialect_of

ENTRY = "def execution_fn(x, *, __vllm_submods__):\n    return x\n"


@pytest.mark.parametrize(
    "text, profile",
    [
        ("import torch\nimport operator\n\n\n" + ENTRY, "astgen-1"),
        ("import torch\nimport operator\n\n" + ENTRY, "vllm-0.32"),
        ("import torch\r\nimport operator\r\n\r\n" + ENTRY, "vllm-0.32"),
        ("import torch\n\n" + ENTRY, "legacy"),
        (
            "import torch\n\n" + ENTRY.replace("x\n", "__vllm_consts__[0]\n"),
            "vllm-0.32",
        ),
        (ENTRY, "astgen-1"),
        ("", "astgen-1"),
        ("x = 1\n", "astgen-1"),
    ],
)
def test_a_generator_is_known_by_its_habits(text: str, profile: str) -> None:
    assert detect(text) == profile


def test_the_old_name_of_the_pieces_is_legacy_alone() -> None:
    text = (
        "import torch\n\ndef execution_fn(x, *, _submods):\n    return _submods[0](x)\n"
    )
    assert detect(text) == "legacy"
    assert check(text, dialect=dialect_of(text, "legacy")) == ()
    assert check(text, dialect=dialect_of(text, "vllm-0.32")) != ()


def test_configured_names_are_added_to_the_usual_ones() -> None:
    dialect = dialect_of(ENTRY, "astgen-1", ["mine"], ["torch.special.airy_ai"])
    assert {"mine", "vllm"} <= dialect.namespaces
    assert dialect.paths == {"torch.special.airy_ai"}

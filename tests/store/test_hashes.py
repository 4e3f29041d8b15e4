"""Hashes: what they depend on, and what they do not."""

from __future__ import annotations

import pytest
from support.artifacts import CODE

from astgen.check import DEFAULT_DIALECT, scan
from astgen.store.artifact import Artifact, pack_artifact
from astgen.store.container import read
from astgen.store.hashes import interface


def hashes(code: str, names: tuple[str, ...] = ("piece",), **facts: str) -> dict:
    artifact = Artifact(code, names, [None], environment=facts)
    return dict(read(pack_artifact(artifact)).manifest.hashes)


PLAIN = hashes(CODE)


def replaced(*pairs: tuple[str, str]) -> str:
    code = CODE
    for old, new in pairs:
        assert old in code
        code = code.replace(old, new)
    return code


RENAMED = (("    a = ", "    o = "), ("(a, y)", "(o, y)"), ("del a", "del o"))
FIRST = (("(x, y,", "(w, y,"), ("(x, __", "(w, __"), ("del x", "del w"))
FEWER = (("(x, __vllm_consts__[0])", "(__vllm_consts__[0])"), ("    del x\n", ""))


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ((), {"code", "interface", "structure", "content"}),
        (RENAMED, {"code", "interface", "structure"}),
        ((("\n\n\n", "\n\n\n\n"),), {"code", "interface", "structure"}),
        (FIRST, {"code", "structure"}),
        ((("b, 2", "b, 3"),), {"interface"}),
        ((("b, 2", "b, 2.0"),), {"interface"}),
        ((("b, 2", "b, True"),), {"interface"}),
        ((("add", "sub"),), set()),
        ((("(a, y)", "(y, a)"),), {"interface"}),
        ((("    del x\n", ""),), {"interface"}),
        ((("y, *", "y=None, *"),), set()),
        (FEWER, set()),
    ],
)
def test_what_changes_a_hash(changes: tuple[tuple[str, str], ...], same: set) -> None:
    found = hashes(replaced(*changes))
    assert {name for name in PLAIN if found[name] == PLAIN[name]} == same


def test_names_that_change_places_are_another_program() -> None:
    one = "def execution_fn(a, b, *, __vllm_submods__):\n    return a, b\n"
    other = one.replace("return a, b", "return b, a")
    renamed = one.replace("a, b", "b, a")
    assert hashes(one, ())["code"] == hashes(renamed, ())["code"]
    assert hashes(one, ())["code"] != hashes(other, ())["code"]


def test_keyword_parameters_are_not_found_by_position() -> None:
    one = "def execution_fn(*, a, b, __vllm_submods__):\n    return a\n"
    other = one.replace("*, a, b", "*, b, a")
    renamed = one.replace("a, b", "c, b").replace("return a", "return c")
    assert hashes(one, ())["code"] != hashes(renamed, ())["code"]
    assert hashes(one, ())["code"] != hashes(other, ())["code"]


def test_the_name_of_a_piece_is_interface_and_no_code() -> None:
    found = hashes(CODE, ("other",))
    assert found["code"] == PLAIN["code"]
    assert found["interface"] != PLAIN["interface"]


def test_the_environment_is_in_no_hash() -> None:
    assert hashes(CODE, python="other", torch="none") == PLAIN


def test_integers_of_any_length_are_hashed() -> None:
    code = CODE.replace("(b, 2)", f"(b, 0x{'f' * 10_000})")
    other = CODE.replace("(b, 2)", f"(b, 0x{'f' * 9_999}e)")
    found, others = hashes(code), hashes(other)
    assert found["code"] != others["code"]
    assert found["structure"] != others["structure"]


def test_numbers_of_slots_are_code_and_no_structure() -> None:
    code = CODE.replace("__vllm_submods__[0]", "__vllm_submods__[1]")
    found = hashes(code, ("other", "piece"))
    assert found["structure"] == PLAIN["structure"]
    assert found["code"] != PLAIN["code"]


def test_where_it_comes_from_is_in_no_hash() -> None:
    artifact = Artifact(CODE, ("piece",), [None], provenance=b"anything")
    archive = read(pack_artifact(artifact))
    assert dict(archive.manifest.hashes) == PLAIN
    assert archive.members["provenance.json"] == b"anything"


def test_the_interface_is_what_the_text_says() -> None:
    code = (
        "import torch\n\n\n"
        "def execution_fn(x, y=1, *rest, k, __vllm_submods__, **more):\n"
        "    a = __vllm_submods__[1](x, y, scale=2)\n"
        "    b = __vllm_submods__[1](a)\n"
        "    return torch.relu(b), rest, more, k\n"
    )
    scanned = scan(code, submods=2)
    assert scanned.findings == () and scanned.tree is not None
    found = interface(scanned.tree, scanned.paths, ("p", "q"), DEFAULT_DIALECT)
    assert found == {
        "parameters": [
            ["positional", "x", False],
            ["positional", "y", True],
            ["*", "rest", False],
            ["keyword", "k", False],
            ["**", "more", False],
        ],
        "pieces": [["p", []], ["q", [[1, []], [2, ["scale"]]]]],
        "operators": ["torch.relu"],
    }

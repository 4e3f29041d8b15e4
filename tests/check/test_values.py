"""Paths that stand as values, and paths that configuration allows."""

from __future__ import annotations

import pytest

from astgen.check import DEFAULT_DIALECT, Dialect, check, scan
from astgen.check.dialect import MAX_INTEGER_BITS
from astgen.check.paths import torch_paths, values
from astgen.errors import InvalidNameError


def _rules(line: str, dialect: Dialect = DEFAULT_DIALECT, defaults: str = "") -> str:
    text = (
        "import torch\n"
        f"def execution_fn(x, y{defaults}, *, __vllm_submods__):\n    return {line}\n"
    )
    return " ".join(finding.rule for finding in check(text, dialect=dialect))


@pytest.mark.parametrize(
    "path",
    """
    torch.float16 torch.half torch.bool torch.float8_e4m3fn torch.strided torch.jagged
    torch.sparse_csr torch.preserve_format torch.channels_last torch.per_tensor_affine
    """.split(),
)
def test_values_of_older_texts_may_be_named(path: str) -> None:
    assert _rules(f"torch.zeros([2], dtype={path}, out=[{path}])") == ""
    assert _rules("x", defaults=f"={path}, z=({path}, None)") == ""


def test_a_value_may_be_assigned_returned_and_passed() -> None:
    text = (
        "import torch\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    dtype = torch.float16\n"
        "    y = x.to(dtype)\n"
        "    z = __vllm_submods__[0](y, torch.float32)\n"
        "    return (z, {'a': torch.strided})\n"
    )
    found = scan(text)
    assert found.findings == ()
    assert found.paths == {"torch.float16", "torch.float32", "torch.strided"}


@pytest.mark.parametrize("line", ["torch.float16(x)", "torch.strided()"])
def test_a_value_is_not_called(line: str) -> None:
    assert _rules(line) == "AG503"


@pytest.mark.parametrize(
    "line", ["torch.float16.itemsize", "torch.float16.to_real()", "torch.Tensor"]
)
def test_nothing_behind_or_beside_a_value_is_named(line: str) -> None:
    assert _rules(line) == "AG502"


def test_a_value_needs_the_import() -> None:
    text = "def execution_fn(x, *, __vllm_submods__):\n    return torch.float16\n"
    assert [finding.rule for finding in check(text)] == ["AG101"]


def test_nothing_is_both_called_and_a_value() -> None:
    assert values()
    assert values().isdisjoint(torch_paths())


def test_configuration_allows_a_path_and_nothing_around_it() -> None:
    dialect = Dialect(paths=frozenset({"torch.library.infer_schema"}))
    assert _rules("torch.library.infer_schema(x)", dialect) == ""
    assert _rules("__vllm_consts__[0](torch.library.infer_schema)", dialect) == ""
    assert _rules("torch.library.infer_schema(x)") == "AG502"
    assert _rules("torch.library.infer_schema.x(x)", dialect) == "AG502"
    assert _rules("torch.library(x)", dialect) == "AG502"
    assert _rules("torch.library.Library(x)", dialect) == "AG502"


def test_configuration_allows_an_operator_of_pytorch_itself() -> None:
    path = "torch.ops.symm_mem.one_shot_all_reduce.default"
    assert _rules(f"{path}(x)") == "AG502"
    assert _rules(f"{path}(x)", Dialect(paths=frozenset({path}))) == ""


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("os.system", "does not begin with torch. or operator."),
        ("torch", "does not begin with torch. or operator."),
        ("", "does not begin with torch. or operator."),
        ("torchvision.ops.nms", "does not begin with torch. or operator."),
        ("torch.add.__globals__", "'__globals__' leads from any object"),
        ("torch.__dict__", "'__dict__' leads from any object"),
        ("torch.", "'' is no name"),
        ("torch..add", "'' is no name"),
        ("torch.*", "'*' is no name"),
        ("torch.a b", "'a b' is no name"),
        ("torch.import", "'import' is no name"),
        ("torch.\uff41dd", "is no name in ASCII"),
    ],
)
def test_a_path_that_cannot_be_allowed_is_refused(path: str, reason: str) -> None:
    with pytest.raises(InvalidNameError) as caught:
        Dialect(paths=frozenset({path}))
    assert reason in str(caught.value)
    assert "give the whole path of one function" in str(caught.value)
    assert caught.value.name == path


@pytest.mark.parametrize("sign", ["", "-"])
def test_integers_have_an_end(sign: str) -> None:
    longest = 2**MAX_INTEGER_BITS - 1
    assert _rules(f"torch.add(x, {sign}{longest:#x})") == ""
    assert _rules(f"torch.add(x, {sign}{longest + 1:#x})") == "AG508"


def test_operators_that_take_addresses_need_configuration() -> None:
    line = "torch.ops._C_custom_ar.free_shared_buffer.default(4096)"
    assert _rules(line) == "AG506"
    assert _rules(line, Dialect(namespaces=frozenset({"_C_custom_ar"}))) == ""


@pytest.mark.parametrize(
    "names",
    [{"entry": "f", "submods": "f"}, {"consts": "__vllm_submods__"}],
    ids=["entry", "lists"],
)
def test_one_name_cannot_be_two_things(names: dict[str, str]) -> None:
    with pytest.raises(InvalidNameError, match="cannot be two things"):
        Dialect(**names)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ({"entry": "a b"}, "no name that Python"),
        ({"entry": "\uff46"}, "normal form"),
        ({"submods": ""}, "no name that Python"),
        ({"consts": "class"}, "no name that Python"),
        ({"entry": "torch"}, "a meaning of its own"),
        ({"submods": "range"}, "a meaning of its own"),
        ({"consts": "__builtins__"}, "a meaning of its own"),
        ({"inlined": "part", "submods": "parts"}, "begins like"),
        ({"inlined": "1"}, "cannot begin the names"),
        ({"inlined": ""}, "cannot begin the names"),
        ({"inlined": "a-"}, "cannot begin the names"),
    ],
)
def test_a_name_that_cannot_be_one_is_refused(
    names: dict[str, str], reason: str
) -> None:
    with pytest.raises(InvalidNameError, match=reason):
        Dialect(**names)

"""Planted changes are found, each as what it is and where; renaming is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest

from astgen.check import check
from astgen.lint.subject import Constant
from astgen.provenance.model import PieceOrigins, PieceProgram, Provenance
from astgen.review.diff import (
    CATEGORIES,
    classified,
    compare_programs,
    structure_hash,
)
from astgen.review.programs import ReadProgram
from astgen.store.manifest import Manifest

LAYERS = 5
INLINED = """\
def __vllm_inlined_submods__1(a, b, scale):
    c = torch.add(a, b, alpha=2)
    del a
    d = c.view(-1, 8)
    del c
    e = torch.ops.aten.mul.Tensor(d, scale)
    return (e, b)
"""
LAYER = """\
    s{i} = __vllm_submods__[{piece}](x{i}, w{i}, __vllm_consts__[0])
    del x{i}
    q{i} = s{i}[0]
    k{i} = s{i}[1]
    del s{i}
    p{i} = __vllm_inlined_submods__1(q{i}, k{i}, y)
    del q{i}
    o{i} = p{i}[0]
    del p{i}
    r{i} = torch.relu(k{i})
    del k{i}
    g{i} = torch.relu(r{i})
    del r{i}
    torch.ops.vllm.note(o{i}, g{i})
    x{j} = torch.sub(o{i}, g{i}, alpha={j})
    del g{i}, o{i}
"""


def base() -> str:
    """Five layers: a piece, an inlined function, operators, a call for its effect."""
    weights = ", ".join(f"w{i}" for i in range(LAYERS))
    layers = "".join(LAYER.format(i=i, j=i + 1, piece=2 * i) for i in range(LAYERS))
    return (
        f"import torch\n\n\n{INLINED}\n\n"
        f"def execution_fn(x0, y, {weights}, *, __vllm_submods__):\n{layers}"
        f"    z = torch.cat([x{LAYERS}, y], 1)\n"
        f"    del x{LAYERS}, y\n"
        "    return (z, w0)\n"
    )


def program(text: str, consts: Sequence[str] = ("torch.float16",)) -> ReadProgram:
    assert check(text, submods=2 * LAYERS + 4) == ()
    names = tuple(f"submod_{i}" for i in range(2 * LAYERS + 4))
    constants = tuple(Constant("torch.dtype", one, one) for one in consts)
    return ReadProgram(text, names, constants)


def renamed(text: str, seed: int) -> str:
    """Other locals, other positional parameters, another number of the function."""
    random = Random(seed)
    number = random.randrange(2, 90)
    text = text.replace("submods__1", f"submods__{number}")
    names = sorted({*re.findall(r"\b[a-eg-z]\d*\b", text)})
    others = random.sample(range(2000 + len(names)), len(names))
    table = dict(zip(names, (f"n{other}" for other in others)))
    return re.sub(r"\b[a-eg-z]\d*\b(?!=(?!None))", lambda m: table[m[0]], text)


Edit = Callable[[str], str]


def sub(old: str, new: str) -> Edit:
    def edit(text: str) -> str:
        assert text.count(old) == 1, old
        return text.replace(old, new)

    return edit


def both(*edits: Edit) -> Edit:
    def edit(text: str) -> str:
        for one in edits:
            text = one(text)
        return text

    return edit


def swapped(first: str, second: str) -> Edit:
    """Two lines change places."""

    def edit(text: str) -> str:
        lines = text.split("\n")
        places = [lines.index(f"    {one}") for one in (first, second)]
        lines[places[0]], lines[places[1]] = lines[places[1]], lines[places[0]]
        return "\n".join(lines)

    return edit


# What is planted, and what must be told: category, and the statement (on the right if
# it is there, else on the left).
PLANTED: dict[str, tuple[Edit, list[tuple[str, str]]]] = {
    "operator": (
        sub("r2 = torch.relu(k2)", "r2 = torch.tanh(k2)"),
        [("call changed", "r2 = torch.tanh(k2)")],
    ),
    "method": (sub("c.view(-1, 8)", "c.reshape(-1, 8)"), [("call changed", "reshape")]),
    "overload": (
        sub("aten.mul.Tensor(d, scale)", "aten.mul.Scalar(d, scale)"),
        [("call changed", "mul.Scalar")],
    ),
    "operands change places": (
        sub("torch.sub(o3, g3", "torch.sub(g3, o3"),
        [("call changed", "x4 = torch.sub(g3, o3")],
    ),
    "another operand": (
        sub("g1 = torch.relu(r1)", "g1 = torch.relu(o1)"),
        [("call changed", "g1 = torch.relu(o1)")],
    ),
    "operand of an earlier layer": (
        both(
            sub("torch.relu(k4)", "torch.relu(x4)"),
            sub("    del x4\n", ""),
            sub("    r4 = torch.relu(x4)\n", "    r4 = torch.relu(x4)\n    del x4\n"),
        ),
        [
            ("call changed", "r4 = torch.relu(x4)"),
        ],
    ),
    "another weight": (
        sub("(x1, w1, ", "(x1, w2, "),
        [("call changed", "s1 = __vllm_submods__[2](x1, w2")],
    ),
    "operand of the inlined function": (
        sub("(q3, k3, y)", "(k3, q3, y)"),
        [("call changed", "p3 = __vllm_inlined_submods__1(k3, q3, y)")],
    ),
    "operands inside the inlined function": (
        sub("torch.add(a, b,", "torch.add(b, a,"),
        [("call changed", "c = torch.add(b, a")],
    ),
    "keyword added": (
        sub("r2 = torch.relu(k2)", "r2 = torch.relu(k2, out=None)"),
        [("call changed", "out=None")],
    ),
    "keyword removed": (
        sub("torch.add(a, b, alpha=2)", "torch.add(a, b)"),
        [("call changed", "c = torch.add(a, b)")],
    ),
    "keyword renamed": (
        sub("torch.add(a, b, alpha=2)", "torch.add(a, b, beta=2)"),
        [("call changed", "beta=2")],
    ),
    "argument added": (
        sub("note(o1, g1)", "note(o1, g1, y)"),
        [("call changed", "torch.ops.vllm.note(o1, g1, y)")],
    ),
    "argument removed": (
        sub("note(o1, g1)", "note(o1)"),
        [("call changed", "torch.ops.vllm.note(o1)")],
    ),
    "item of a result": (
        sub("q0 = s0[0]", "q0 = s0[2]"),
        [("constant changed", "q0 = s0[2]")],
    ),
    "integer": (
        sub("torch.sub(o2, g2, alpha=3)", "torch.sub(o2, g2, alpha=7)"),
        [("constant changed", "alpha=7")],
    ),
    "integer inside the inlined function": (
        sub("b, alpha=2", "b, alpha=4"),
        [("constant changed", "alpha=4")],
    ),
    "sign": (
        sub("c.view(-1, 8)", "c.view(1, 8)"),
        [("constant changed", "view(1, 8)")],
    ),
    "size": (sub("c.view(-1, 8)", "c.view(-1, 16)"), [("constant changed", "16")]),
    "integer to float": (
        sub("torch.sub(o2, g2, alpha=3)", "torch.sub(o2, g2, alpha=3.0)"),
        [("constant changed", "alpha=3.0")],
    ),
    "integer to bool": (
        sub("x5, y], 1)", "x5, y], True)"),
        [("constant changed", "True")],
    ),
    "literal to none": (
        sub("x5, y], 1)", "x5, y], None)"),
        [("constant changed", "None")],
    ),
    "literal to local": (
        sub("torch.sub(o2, g2, alpha=3)", "torch.sub(o2, g2, alpha=y)"),
        [("call changed", "alpha=y")],
    ),
    "list to tuple": (sub("[x5, y]", "(x5, y)"), [("call changed", "(x5, y)")]),
    "list in another order": (sub("[x5, y]", "[y, x5]"), [("call changed", "[y, x5]")]),
    "list with one more": (sub("[x5, y]", "[x5, y, y]"), [("call changed", "y, y]")]),
    "call for its effect removed": (
        sub("    torch.ops.vllm.note(o2, g2)\n", ""),
        [("call removed", "torch.ops.vllm.note(o2, g2)")],
    ),
    "call for its effect added": (
        sub("    x3 = ", "    torch.ops.vllm.note(g2, o2)\n    x3 = "),
        [("call added", "torch.ops.vllm.note(g2, o2)")],
    ),
    "call for its effect doubled": (
        sub("    x3 = ", "    torch.ops.vllm.note(o2, g2)\n    x3 = "),
        [("call added", "torch.ops.vllm.note(o2, g2)")],
    ),
    "operator left out": (
        both(
            sub("    g2 = torch.relu(r2)\n", ""),
            sub("    del r2\n", ""),
            sub("note(o2, g2)", "note(o2, r2)"),
            sub("(o2, g2, alpha", "(o2, r2, alpha"),
            sub("del g2, o2", "del r2, o2"),
        ),
        [("call removed", "g2 = torch.relu(r2)")],
    ),
    "operator put between": (
        both(
            sub("note(o2, g2)", "note(o2, h2)"),
            sub("(o2, g2, alpha", "(o2, h2, alpha"),
            sub("    del r2\n", "    del r2\n    h2 = torch.exp(g2)\n    del g2\n"),
            sub("del g2, o2", "del h2, o2"),
        ),
        [("call added", "h2 = torch.exp(g2)")],
    ),
    "a layer left out": (
        lambda text: text.replace(LAYER.format(i=2, j=3, piece=4), "").replace(
            "x2", "x3"
        ),
        [
            ("call removed", one)
            for one in (
                "s2 = ",
                "q2 = ",
                "k2 = ",
                "p2 = ",
                "o2 = ",
                "r2 = ",
                "g2 = ",
                "note(o2",
                "x3 = ",
            )
        ],
    ),
    "order of two operators": (
        swapped("q1 = s1[0]", "k1 = s1[1]"),
        [("order changed", "s1[")],
    ),
    "operator earlier": (
        both(
            sub("    r3 = torch.relu(k3)\n", ""),
            sub("    p3 = ", "    r3 = torch.relu(k3)\n    p3 = "),
            sub("    del k3\n", ""),
            sub("    del q3\n", "    del q3, k3\n"),
        ),
        [("order changed", "r3 = torch.relu(k3)")],
    ),
    "order inside the inlined function": (
        both(
            sub("    del a\n    d =", "    f1 = torch.exp(b)\n    del a\n    d ="),
            sub("    del c\n    e =", "    del c, f1\n    e ="),
        ),
        [("call added", "f1 = torch.exp(b)"), ("del moved", "")],
    ),
    "del later": (
        both(sub("    del q3\n", ""), sub("del k3", "del k3, q3")),
        [("del moved", "del q3")],
    ),
    "del of two later": (
        both(sub("    del s1\n", ""), sub("del k1", "del k1, s1")),
        [("del moved", "del s1")],
    ),
    "del missing": (sub("    del x3\n", ""), [("del moved", "x3 = ")]),
    "del of a parameter missing": (sub("del x5, y", "del x5"), [("del moved", "def ")]),
    "del of a weight": (
        sub("    del x1\n", "    del x1, w1\n"),
        [("del moved", "del w1")],
    ),
    "del inside the inlined function": (
        sub("    del a\n", ""),
        [("del moved", "def ")],
    ),
    "result left out": (
        sub("return (z, w0)", "return (z,)"),
        [("result changed", "return (z,)")],
    ),
    "results change places": (
        sub("return (z, w0)", "return (w0, z)"),
        [("result changed", "return (w0, z)")],
    ),
    "another result": (
        sub("return (z, w0)", "return (z, w1)"),
        [("result changed", "return (z, w1)")],
    ),
    "tuple to list": (
        sub("return (z, w0)", "return [z, w0]"),
        [("result changed", "return [z, w0]")],
    ),
    "results of the inlined function": (
        sub("return (e, b)", "return (b, e)"),
        [("result changed", "return (b, e)")],
    ),
    "parameter added": (
        sub("x0, y, w0", "x0, y, extra, w0"),
        [("signature changed", "def execution_fn")],
    ),
    "parameter removed": (
        both(sub(", w4, *", ", *"), sub("x4, w4,", "x4, w3,")),
        [("signature changed", "def ")],
    ),
    "default added": (
        sub("w4, *,", "w4=None, *,"),
        [("signature changed", "def execution_fn")],
    ),
    "keyword-only parameter": (
        sub("*, __vllm_submods__", "*, flag, __vllm_submods__"),
        [("signature changed", "def execution_fn")],
    ),
    "pieces change places": (
        both(
            sub("__vllm_submods__[2]", "__vllm_submods__[?]"),
            sub("__vllm_submods__[4]", "__vllm_submods__[2]"),
            sub("__vllm_submods__[?]", "__vllm_submods__[4]"),
        ),
        [("call changed", "s1 = "), ("call changed", "s2 = ")],
    ),
    "another piece": (
        sub("__vllm_submods__[6]", "__vllm_submods__[11]"),
        [("call changed", "s3 = __vllm_submods__[11]")],
    ),
    "piece to operator": (
        sub("__vllm_submods__[6](x3, w3, __vllm_consts__[0])", "torch.add(x3, w3)"),
        [("call changed", "s3 = torch.add(x3, w3)")],
    ),
}


def told(left: ReadProgram, right: ReadProgram) -> list[tuple[str, str]]:
    found = compare_programs(left, right).differences
    places = [one.right or one.left for one in found]
    return [(one.category, at.text if at else "") for one, at in zip(found, places)]


def test_there_are_enough_of_every_category() -> None:
    assert len(PLANTED) >= 40
    planted = {category for _, found in PLANTED.values() for category, _ in found}
    assert planted == {*CATEGORIES}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_change_is_found_and_nothing_else(name: str) -> None:
    edit, expected = PLANTED[name]
    found = told(program(base()), program(edit(base())))
    assert [category for category, _ in found] == [one for one, _ in expected], found
    for (_, text), (_, fragment) in zip(found, expected):
        assert fragment in text


@pytest.mark.parametrize("name", PLANTED)
def test_renaming_hides_nothing_and_adds_nothing(name: str) -> None:
    edit, expected = PLANTED[name]
    text = renamed(edit(base()), seed=len(name))
    found = told(program(base()), program(text))
    # Parameters that were added or removed are found by their names.
    if name not in ("parameter added", "parameter removed"):
        assert [one for one, _ in found] == [one for one, _ in expected], found
    assert found


@pytest.mark.parametrize("name", PLANTED)
def test_a_change_changes_the_hash(name: str) -> None:
    edit, _ = PLANTED[name]
    nameless = ReadProgram(base()), ReadProgram(edit(base()))
    if compare_programs(*nameless).differences:
        assert structure_hash(nameless[0]) != structure_hash(nameless[1])
    else:
        assert name in ("another piece", "pieces change places")


@pytest.mark.parametrize("seed", range(30))
def test_renaming_alone_is_no_difference(seed: int) -> None:
    left, right = program(base()), program(renamed(base(), seed))
    assert left.code != right.code
    found = compare_programs(left, right)
    assert (found.verdict, found.differences) == ("renamed only", ())
    assert structure_hash(left) == structure_hash(right)


def test_a_program_is_identical_to_itself() -> None:
    assert compare_programs(program(base()), program(base())).verdict == "identical"


def test_slots_are_compared_by_what_is_in_them() -> None:
    text = base()
    other = text.replace("__vllm_consts__[0]", "__vllm_consts__[1]")
    left = program(text, ["torch.float16", "torch.int8"])
    right = program(other, ["torch.int8", "torch.float16"])
    assert compare_programs(left, right).verdict == "renamed only"
    assert structure_hash(left) == structure_hash(right)
    found = told(left, program(text, ["torch.int8", "torch.float16"]))
    assert found == [("constant changed", one) for _, one in found]
    assert len(found) == LAYERS
    # Nothing is known of the slots of a text alone, but they have to agree.
    assert told(ReadProgram(text), ReadProgram(other)) == []
    mixed = text.replace("w2, __vllm_consts__[0]", "w2, __vllm_consts__[1]")
    assert [one for one, _ in told(ReadProgram(text), ReadProgram(mixed))] == [
        "constant changed"
    ]


def test_integers_that_python_does_not_write_in_decimal_are_compared() -> None:
    text = base()
    left, right = (
        program(text.replace("alpha=2", f"alpha=0x{'f' * 5000}{last}", 1))
        for last in "01"
    )
    ((category, line),) = told(left, right)
    assert category == "constant changed"
    assert compare_programs(left, left).verdict == "identical"


def with_default(slot: int) -> str:
    text = base().replace(", *, __vllm", f", d=__vllm_consts__[{slot}], *, __vllm")
    assert text.count("d=__vllm_consts__") == 1
    return text


def test_defaults_are_compared_by_what_is_in_them() -> None:
    consts = ["torch.float16", "torch.int8"]
    left = program(with_default(1), consts)
    renumbered = program(
        with_default(1)
        .replace("consts__[0]", "consts__[2]")
        .replace("__[1],", "__[0],"),
        ["torch.int8", "torch.int32", "torch.float16"],
    )
    assert compare_programs(left, renumbered).verdict == "renamed only"
    assert structure_hash(left) == structure_hash(renumbered)
    other = program(with_default(1), ["torch.float16", "torch.int16"])
    assert [one for one, _ in told(left, other)] == ["signature changed"]
    assert structure_hash(left) != structure_hash(other)


def two_functions(order: Sequence[int], names: str = "ab") -> str:
    """Functions that differ in the piece that they call only, in any order."""
    bodies = [
        f"def __vllm_inlined_submods__{3 + i}(x, __vllm_submods__):\n"
        f"    {names[i]} = __vllm_submods__[{i}](x)\n    return {names[i]}\n"
        for i in range(2)
    ]
    return (
        "import torch\n\n\n"
        + "\n\n".join(bodies[i] for i in order)
        + "\n\ndef execution_fn(x, *, __vllm_submods__):\n"
        "    y = __vllm_inlined_submods__3(x, __vllm_submods__)\n"
        "    z = __vllm_inlined_submods__4(y, __vllm_submods__)\n"
        "    return z\n"
    )


def test_where_functions_stand_does_not_count() -> None:
    left, right = program(two_functions([0, 1])), program(two_functions([1, 0], "pq"))
    assert compare_programs(left, right).verdict == "renamed only"
    assert structure_hash(left) == structure_hash(right)
    unnamed = ReadProgram(left.code), ReadProgram(right.code)
    assert compare_programs(*unnamed).verdict == "renamed only"


def test_it_counts_whether_two_lines_take_one_object_or_two_equal_ones() -> None:
    text = base()
    other = text.replace("w2, __vllm_consts__[0]", "w2, __vllm_consts__[1]")
    left, right = (program(one, ["inf", "inf"]) for one in (text, other))
    assert [one for one, _ in told(left, right)] == ["constant changed"]
    assert structure_hash(left) != structure_hash(right)


def with_pieces(*unknown: int, changed: int = -1) -> ReadProgram:
    """The layers with what their pieces do, unless it is not known."""
    pieces = {
        f"submod_{slot}": PieceOrigins(
            1, structure="" if slot in unknown else f"{slot == changed} does"
        )
        for slot in range(0, 2 * LAYERS, 2)
    }
    return replace(program(base()), provenance=Provenance(pieces=pieces))


def test_pieces_are_compared_one_by_one() -> None:
    found = compare_programs(with_pieces(8), with_pieces(changed=2))
    (one,) = found.differences
    assert one.category == "call changed" and one.pieces == (2, 2)
    assert (found.pieces, found.constants) == (1, 0)
    classes = classified([with_pieces(8), with_pieces(changed=2), with_pieces()])
    assert [*classes.values()] == [[0, 2], [1]]


def test_what_is_not_compared_is_counted() -> None:
    text = ReadProgram(base())
    found = compare_programs(text, text)
    assert (found.verdict, found.pieces, found.constants) == ("identical", LAYERS, 1)


def with_text(code: str, structure: str) -> ReadProgram:
    piece = PieceOrigins(1, structure=structure, program=PieceProgram(code))
    pieces = {f"submod_{slot}": piece for slot in range(2 * LAYERS + 4)}
    return replace(program(base()), provenance=Provenance(pieces=pieces))


def test_what_differs_in_pieces_is_told_if_their_texts_are_in_bounds() -> None:
    code = "def execution_fn(x, *, __vllm_submods__):\n    return torch.{}(x)\n"
    sin, cos = (code.format(name) for name in ("sin", "cos"))
    found = compare_programs(with_text(sin, "1"), with_text(cos, "2"))
    assert found.differences[0].inside == (
        "result changed",
        "  - return torch.sin(x)",
        "  + return torch.cos(x)",
    )
    large = cos + "    x;" * 300_000
    for text in (large, "no python", ""):
        found = compare_programs(with_text(sin, "1"), with_text(text, "2"))
        assert found.differences[0].inside == ()


def test_constants_of_a_pickle_are_described_in_other_words_than_an_artifacts() -> None:
    left = program(base(), ["the words of a pickle"])
    right = replace(program(base()), manifest=Manifest((1, 0), "execution_fn"))
    found = compare_programs(left, right)
    assert (found.verdict, found.constants) == ("renamed only", 1)

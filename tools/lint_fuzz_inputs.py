"""Files for ``lint_fuzz.py``: what nobody wrote, made of what somebody did.

Every input comes from one number, so that a number is enough to make it again. The
seeds are the examples of the rules, the hostile programs and pickles of the tests,
and what is put together here; nothing is read from disk.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hostile.pickles import HOSTILE_PICKLES  # noqa: E402
from hostile.programs import HOSTILE  # noqa: E402

from lint_fuzz_edits import MOST, edited  # noqa: E402

from astgen.check.finding import Sample  # noqa: E402
from astgen.lint.rules import ALL_RULES  # noqa: E402
from astgen.lint.rules.samples import artifact, manifest, trace, zipped  # noqa: E402

__all__ = ["KINDS", "Input", "kind", "make"]

_HEADS = (
    b"",
    b"",
    b"PK\3\4",
    b"PK\5\6",
    b"\x80\x02",
    b"\x80\x05\x95",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"import torch\n",
    b"V0102 03:04:05.000006 7 a.py:1] {",
    b'{"format": "astgen", ',
)
_OPCODES = b"(.0123FIJKLMNPQRSTUVX]abcdeghijloprqstu}\x80\x81\x82\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98B C"
_CODINGS = ("utf-8-sig", "utf-16", "utf-32", "latin-1", "utf-7", "cp037", "utf-16-be")


@dataclass(frozen=True)
class Input:
    """A file.

    Attributes:
        kind: What it was made as, one of `KINDS`.
        name: What it is called.
        data: What is in it.
    """

    kind: str
    name: str
    data: bytes


def kind(number: int) -> str:
    """The kind of the input of a number."""
    return Random(number).choice([*KINDS])


def make(number: int) -> Input:
    """Make the input of a number: the same bytes for the same number."""
    random = Random(number)
    kind = random.choice([*KINDS])
    name, data = KINDS[kind](random)
    return Input(kind, name, data[: 8 * MOST])


@cache
def _sources() -> tuple[str, ...]:
    examples = [
        example
        for rule in ALL_RULES.values()
        for example in (*rule.good, *rule.bad)
        if isinstance(example, str)
    ]
    return (*examples, *(program.text for program in HOSTILE), _layers(4), _layers(40))


@cache
def _samples() -> tuple[bytes, ...]:
    found = [
        example.content
        for rule in ALL_RULES.values()
        for example in (*rule.good, *rule.bad)
        if isinstance(example, Sample)
    ]
    return (*found, artifact(), trace())


def _layers(count: int) -> str:
    """A text as generators write it."""
    lines = ["import torch", "import operator"]
    body = []
    for layer in range(count):
        lines += [
            f"def __vllm_inlined_submods__{layer}(a, b):",
            "    c = torch.ops.aten.mm.default(a, b)",
            "    del a, b",
            "    d = torch.nn.functional.silu(c)",
            "    return (c, d)",
        ]
        body += [
            f"    p{layer} = __vllm_submods__[{layer}](x, __vllm_consts__[0])",
            f"    q{layer} = __vllm_inlined_submods__{layer}(p{layer}, x)",
            f"    del p{layer}, x",
            f"    x = operator.getitem(q{layer}, 0)",
            f"    del q{layer}",
        ]
    head = "def execution_fn(x, *, __vllm_submods__):"
    return "\n".join([*lines, head, *body, "    return x", ""])


def _source(random: Random) -> tuple[str, bytes]:
    text = random.choice(_sources())
    for _ in range(random.choice((0, 1, 1, 2, 3, 8, 30))):
        text = edited(random, text, _sources())
    if random.random() < 0.1:
        coding = random.choice(_CODINGS)
        return "a.py", f"# coding: {coding}\n{text}".encode(coding, "replace")
    data = text.encode("utf-8", "surrogatepass")
    return "a.py", _damaged(random, data) if random.random() < 0.1 else data


def _damaged(random: Random, data: bytes) -> bytes:
    """The same with some bytes changed, added, repeated or lost."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4, 16))):
        place = random.randint(0, len(changed))
        match random.randrange(5):
            case 0:
                changed[place : place + 1] = bytes([random.randrange(256)])
            case 1:
                changed[place:place] = random.randbytes(random.choice((1, 2, 4, 8)))
            case 2:
                del changed[place : place + random.choice((1, 2, 8, 100))]
            case 3:
                changed[place : place + 4] = random.choice(
                    (b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", bytes(4))
                )
            case _:
                part = changed[place : place + random.choice((1, 2, 5, 40))]
                times = random.choice((2, 100, 50_000))
                changed[place:place] = (part * times)[:MOST]
    return bytes(changed[:MOST])


def _bytes(random: Random) -> tuple[str, bytes]:
    size = random.choice((0, 1, 2, 10, 100, 1_000, 50_000))
    name = random.choice(("a.py", "model", "a.zip", "a.log", "a", "manifest.json"))
    return name, random.choice(_HEADS) + random.randbytes(size)


def _pickle(random: Random) -> tuple[str, bytes]:
    data = random.choice(_pickles())
    for _ in range(random.choice((0, 1, 1, 2))):
        # A pickle in a pickle, as vLLM writes them.
        data = pickle.dumps({"graph": data, "aot": [data[:50]]}, random.randint(0, 5))
    for _ in range(random.choice((0, 1, 1, 3))):
        data = _damaged(random, data)
    if random.random() < 0.3:
        place = random.randint(0, len(data))
        opcodes = bytes(random.choices(_OPCODES, k=random.choice((1, 2, 3, 20))))
        times = random.choice((1, 1, 100, 100_000))
        data = data[:place] + (opcodes * times)[:MOST] + data[place:]
    return "model", data


@cache
def _pickles() -> tuple[bytes, ...]:
    loop: list[object] = []
    loop.append(loop)
    bomb: list[object] = []
    for _ in range(60):
        bomb = [bomb, bomb, bomb]
    deep: object = 0
    for _ in range(400):
        deep = (deep,)
    state = {
        "execution_code": _layers(2),
        "submod_names": ["submod_0", None, "submod_2"],
        "consts": [1, 2.5, None, complex(1, 2), slice(0, 1), Path("a"), b"x", {1, 2}],
    }
    values = [state, {**state, "consts": None}, [state] * 50, loop, bomb, deep]
    values += [{"a": 10**2000}, [float("nan")], {"execution_code": b"x"}, ("x" * 9999,)]
    made = [pickle.dumps(value, p) for value in values for p in (0, 2, 4, 5)]
    return (*made, *(hostile.data for hostile in HOSTILE_PICKLES))


def _zip(random: Random) -> tuple[str, bytes]:
    members: dict[str, bytes] = {}
    for _ in range(random.choice((1, 1, 2, 5))):
        name, data = random.choice((_source, _pickle, _trace, _bytes))(random)
        members[random.choice((name, f"rank_0_0/{name}", "execution.py", "../a"))] = (
            data
        )
    if random.random() < 0.3:
        members["manifest.json"] = manifest(members, names=["submod_0"])
    if random.random() < 0.1:
        members["zeros"] = bytes(30_000_000)
    data = zipped(members, random.choice((0, 8, 12, 14)))
    for _ in range(random.choice((0, 0, 0, 1, 3, 20))):
        data = zipped({"inner.zip": data})
    return "a.zip", data if random.random() < 0.4 else _damaged(random, data)


def _trace(random: Random) -> tuple[str, bytes]:
    text = _source(random)[1].decode("utf-8", "replace")
    records = [trace(text) for _ in range(random.choice((1, 1, 3)))]
    data = b"".join([*records, trace(text, "0" * 32)])
    return "a.log", data if random.random() < 0.3 else _damaged(random, data)


def _sample(random: Random) -> tuple[str, bytes]:
    data = random.choice(_samples())
    return random.choice(("a.py", "model", "a.zip", "a.log")), _damaged(random, data)


KINDS: dict[str, Callable[[Random], tuple[str, bytes]]] = {
    "bytes": _bytes,
    "source": _source,
    "pickle": _pickle,
    "zip": _zip,
    "trace": _trace,
    "sample": _sample,
}
"""How an input of each kind is made of random numbers: its name and its bytes."""

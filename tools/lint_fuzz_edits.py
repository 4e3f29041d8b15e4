"""What ``lint_fuzz_inputs.py`` does to a text, so that it is wrong in a new way."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

__all__ = ["MOST", "edited"]

MOST = 400_000
"""Characters of an edited text; what is longer is cut."""

_TOKENS = """
    ( ) [ ] { } , : ; = == := . * ** -> @ + - / // % & | ^ ~ << >> < > ! \\ # ' " ''' \"\"\"
    f' f" rb' b' u' def lambda class async await yield return del import from as for in
    is not and or if else elif while try except finally with match case global nonlocal
    raise assert pass break continue None True False ... 0 1 -1 1e999 1j 0x 0b 1_0 9999
    torch operator range slice execution_fn __vllm_consts__ __vllm_submods__
    __vllm_inlined_submods__0 __class__ __globals__ __builtins__ eval exec open x y
    # astgen:ignore # noqa # coding:rot13 # type:ignore torch.ops. torch.float16
    """.split() + [
    "\n",
    "\n    ",
    "\n\t",
    "\r",
    "\r\n",
    "\f",
    "\0",
    "\ufeff",
    "\u2028",
    "\u202e",
    "\u0301",
    "\uff54",
    "\ud800",
    "\U0001f600",
    " ",
    "        ",
]
_WORD = re.compile(r"[\w.]+|\[[^\[\]]*\]|\([^()]*\)")


def edited(random: Random, text: str, others: Sequence[str]) -> str:
    """Edit a text.

    Args:
        random: Says what is edited, how and where.
        text: The text.
        others: Texts that may be mixed with it.
    """
    return random.choice(_EDITS)(random, text, others)[:MOST]


def _insert(random: Random, text: str, others: Sequence[str]) -> str:
    place = random.randint(0, len(text))
    return text[:place] + random.choice(_TOKENS) + text[place:]


def _remove(random: Random, text: str, others: Sequence[str]) -> str:
    start = random.randint(0, len(text))
    return text[:start] + text[start + random.choice((1, 2, 5, 30)) :]


def _repeat(random: Random, text: str, others: Sequence[str]) -> str:
    """Towers and rows: some fragment, many times."""
    start = random.randint(0, len(text))
    part = text[start : start + random.choice((1, 2, 3, 7, 20, 200))]
    times = random.choice((2, 3, 50, 300, 5_000, 100_000))
    return text[:start] + (part * times)[:MOST] + text[start:]


def _row(random: Random, text: str, others: Sequence[str]) -> str:
    place = random.randint(0, len(text))
    part = "".join(random.choices(_TOKENS, k=random.choice((1, 1, 2, 2, 3, 4))))
    times = random.choice((10, 200, 3_000, 100_000))
    return text[:place] + (part * times)[:MOST] + text[place:]


def _splice(random: Random, text: str, others: Sequence[str]) -> str:
    other = random.choice(others)
    return text[: random.randint(0, len(text))] + other[random.randint(0, len(other)) :]


def _lines(random: Random, text: str, others: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True) or [""]
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(3):
        case 0:
            del lines[first]
        case 1:
            lines.insert(second, lines[first])
        case _:
            lines[first], lines[second] = lines[second], lines[first]
    return "".join(lines)


def _rename(random: Random, text: str, others: Sequence[str]) -> str:
    """One word for another: what still parses, mostly."""
    words = [*_WORD.finditer(text)]
    if not words:
        return text
    old, new = random.choice(words), random.choice(words).group()
    if random.random() < 0.2:
        new = random.choice(_TOKENS)
    return text[: old.start()] + new + text[old.end() :]


_EDITS: tuple[Callable[[Random, str, Sequence[str]], str], ...] = (
    _insert,
    _remove,
    _repeat,
    _row,
    _splice,
    _lines,
    _lines,
    _rename,
    _rename,
    _rename,
    _rename,
)

"""What dumping and comparing makes of programs, by the name of the file that keeps it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

from astgen.lint.subject import Constant
from astgen.review.diff import compare_programs
from astgen.review.diff.shown import as_json, as_lines
from astgen.review.dump import Options, dump
from astgen.review.programs import ReadProgram
from support.review_data import stored
from support.review_texts import DECODER, GATE, vllm_text

__all__ = ["GOLDEN"]

Pair = tuple[ReadProgram, ReadProgram]

_CONTEXT = 1


def _shown(code: str, **options: Any) -> Callable[[], str]:
    return lambda: dump(ReadProgram(code), Options(**options)).text


def _stored(name: str, annotate: bool = True, **options: Any) -> Callable[[], str]:
    def show() -> str:
        given = Options(annotate=annotate, **options)
        titled = stored(name).items()
        # One program needs no title.
        return "\n\n".join(
            dump(program, given, title if len(titled) > 1 else "").text
            for title, program in titled
        )

    return show


def _gate() -> str:
    constants = (
        Constant("torch.dtype", "torch.bfloat16", "dtype bfloat16"),
        Constant("builtins.float", "inf", "float inf"),
    )
    program = ReadProgram(GATE, ("project",), constants)
    return dump(program, Options(legend=True), "rank_0_0/model[execution_code]").text


def _edited(name: str, *edits: tuple[str, str]) -> Callable[[], list[Pair]]:
    """A stored program, and it with some changes."""

    def pairs() -> list[Pair]:
        (program,) = stored(name).values()
        code = program.code
        for old, new in edits:
            assert code.count(old) == 1, old
            code = code.replace(old, new)
        # Somebody edited it: where its statements come from is not known any more.
        return [(program, replace(program, code=code, provenance=None))]

    return pairs


def _other_pieces() -> list[Pair]:
    """The built-in model, and it with another number in a piece."""
    (program,) = stored("decoder").values()
    origins = program.provenance
    assert origins is not None
    piece = origins.pieces["submod_4"]
    assert piece.program is not None and "1e-06" in piece.program.code
    code = piece.program.code.replace("1e-06", "1e-05", 1)
    changed = replace(
        piece, structure="0" * 64, program=replace(piece.program, code=code)
    )
    pieces = {**origins.pieces, "submod_4": changed}
    return [(program, replace(program, provenance=replace(origins, pieces=pieces)))]


def _neighbours() -> list[Pair]:
    """Each case, and the next one."""
    return list(pairwise(stored("cases").values()))


def _as_text(pairs: Callable[[], list[Pair]]) -> Callable[[], str]:
    def show() -> str:
        parts = []
        for left, right in pairs():
            found = as_lines(compare_programs(left, right), left, right, _CONTEXT)
            parts.append("".join(f"{line}\n" for _, line in found))
        return "\n".join(parts)

    return show


def _as_json(pairs: Callable[[], list[Pair]]) -> Callable[[], str]:
    def show() -> str:
        found = [as_json(compare_programs(*pair)) for pair in pairs()]
        return f"{json.dumps(found, indent=1)}\n"

    return show


_VLLM = vllm_text(4)
_OURS = DECODER.read_text(encoding="utf-8")

_DECODER = _edited(
    "decoder",
    (
        "    getitem = submod_0[0]\n    getitem_1 = submod_0[1]\n",
        "    getitem_1 = submod_0[1]\n    getitem = submod_0[0]\n",
    ),
    ("is_causal=True", "is_causal=False"),
    ("    del getitem_9, getitem_10\n", ""),
    ("getitem_8)\n", "getitem_7)\n"),
)
_LLAMA = _edited(
    "llama",
    # A call more, another argument, another item, a late del.
    (
        "    submod_6 = ",
        "    more = torch.ops.aten.relu.default(getitem_14)\n    del more\n"
        "    submod_6 = ",
    ),
    ("        s72,\n        getitem_16,", "        s72,\n        getitem_17,"),
    ("    getitem_20 = submod_8[0]\n", "    getitem_20 = submod_8[1]\n"),
    ("    del submod_4\n", ""),
    ("    del SYNTHETIC_LOCAL_tmp_4_,", "    del submod_4, SYNTHETIC_LOCAL_tmp_4_,"),
)

GOLDEN: dict[str, Callable[[], str]] = {
    "vllm.py.txt": _shown(_VLLM),
    "vllm_alias.py.txt": _shown(_VLLM, alias=True),
    "vllm_fold.txt": _shown(_VLLM, fold=True),
    "vllm_alias_fold_legend.txt": _shown(_VLLM, alias=True, fold=True, legend=True),
    "vllm_swapped_fold.txt": _shown(vllm_text(6, swapped={3}), fold=True, alias=True),
    "decoder_alias.py.txt": _shown(_OURS, alias=True),
    "decoder_alias_fold.txt": _shown(_OURS, alias=True, fold=True),
    "decoder.py.txt": _stored("decoder", annotate=False),
    "decoder_annotate.py.txt": _stored("decoder"),
    "decoder_diff.txt": _as_text(_DECODER),
    "decoder_diff.json": _as_json(_DECODER),
    "decoder_diff_pieces.txt": _as_text(_other_pieces),
    "decoder_diff_pieces.json": _as_json(_other_pieces),
    "llama.py.txt": _stored("llama", annotate=False),
    "llama_annotate.py.txt": _stored("llama"),
    "llama_annotate_alias_fold_legend.txt": _stored(
        "llama", alias=True, fold=True, legend=True
    ),
    "llama_diff.txt": _as_text(_LLAMA),
    "llama_diff.json": _as_json(_LLAMA),
    "cases.py.txt": _stored("cases", annotate=False),
    "cases_annotate_legend.py.txt": _stored("cases", legend=True),
    "cases_diff.txt": _as_text(_neighbours),
    "cases_diff.json": _as_json(_neighbours),
    "gate_legend.py.txt": _gate,
}
"""The texts; Python reads those that end in `.py.txt`."""

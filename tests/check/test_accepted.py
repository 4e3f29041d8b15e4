"""Texts that other generators wrote, and the fate of texts that change at random."""

from __future__ import annotations

import random
import re
import warnings

import pytest

from astgen.check import RULES, check

# What vLLM 0.32 writes: one line a statement, however long, names from module paths.
WEIGHT = (
    "l_self_modules_layers_modules_{0}_modules_self_attn_modules_{1}_parameters_weight_"
)
NAMES = [
    WEIGHT.format(layer, part) for layer in range(4) for part in ("qkv", "o", "mlp")
]
VLLM = "".join(
    [
        "import torch\nimport operator\n",
        *(
            f"\ndef __vllm_inlined_submods__{layer}(key_{layer}, s72, value, "
            f"synthetic_local_tmp_0_, query_{layer}, output_4):\n"
            "    unified_kv_cache_update = torch.ops.vllm.unified_kv_cache_update("
            f"key_{layer}, value, synthetic_local_tmp_0_)\n"
            "    unified_attention_with_output = "
            "torch.ops.vllm.unified_attention_with_output("
            f"query_{layer}, key_{layer}, value, output_4, synthetic_local_tmp_0_, "
            "kv_cache_dummy_dep=unified_kv_cache_update)\n"
            "    return ()\n"
            for layer in (1, 3)
        ),
        f"\ndef execution_fn(s72, l_input_ids_, {', '.join(NAMES)}, l_positions_, "
        "synthetic_local_tmp_0_, *, __vllm_submods__):\n",
        f"    submod_0 = __vllm_submods__[0](l_input_ids_, s72, {', '.join(NAMES[:4])}, "
        "l_positions_)\n",
        f"    del l_input_ids_, {', '.join(NAMES[:2])}\n",
        *(f"    getitem_{item} = submod_0[{item}]\n" for item in range(5)),
        "    del submod_0\n",
        "    submod_1 = __vllm_inlined_submods__1(getitem_0, s72, getitem_1, "
        "synthetic_local_tmp_0_, getitem_2, getitem_3)\n",
        "    del getitem_0, getitem_1, getitem_2\n",
        f"    submod_2 = __vllm_submods__[2](getitem_3, s72, {', '.join(NAMES[4:])})\n",
        "    submod_3 = __vllm_inlined_submods__3(submod_2, s72, submod_2, "
        "synthetic_local_tmp_0_, submod_2, submod_2)\n",
        "    return (submod_2,)\n",
    ]
)
CONSTANTS = """\
import torch
import operator

def execution_fn(x, *, __vllm_submods__):
    _to_copy = torch.ops.aten._to_copy.default(x, dtype=__vllm_consts__[0], device=__vllm_consts__[1])
    del x
    empty = torch.ops.aten.empty.memory_format([2, 3], dtype = __vllm_consts__[0], pin_memory = False)
    return {'k': (_to_copy, empty), "q": -1.5}
"""
LEGACY = """\
import torch
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](x) + 1
"""
TWICE = """\
import torch
import operator

def __vllm_inlined_submods__0(x):
    add = operator.add(x, True)
    return add

def __vllm_inlined_submods__0(x):
    add = operator.add(x,  True)  # the same piece, called again
    return add

def execution_fn(x, *, __vllm_submods__):
    submod_0 = __vllm_inlined_submods__0(x)
    submod_0_1 = __vllm_inlined_submods__0(submod_0)
    return submod_0_1
"""
TEXTS = {"vllm": VLLM, "constants": CONSTANTS, "legacy": LEGACY, "twice": TWICE}


@pytest.mark.parametrize("name", TEXTS)
def test_what_other_generators_write_passes(name: str) -> None:
    assert check(TEXTS[name]) == ()


def test_one_changed_copy_of_a_piece_is_found() -> None:
    changed = TWICE.replace("x,  True", "x, 1")
    assert [finding.rule for finding in check(changed)] == ["AG105"]


TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
SEEDS = [
    *TEXTS.values(),
    *(text for rule in RULES.values() for text in (*rule.good, *rule.bad) if text),
]
SPICE = sorted({token for text in SEEDS for token in TOKENS.findall(text)}) + [
    "async ", "await ", "lambda ", "yield ", "nonlocal ", "match ", "type ", ":=",
    "**", "->", "@", "...", 'f"{x}"', "1e999", "0x" + "f" * 40, "é", "ａ", "\x0c",
    "\\\n", "\t", "\r", "\0", "\ud800", "__debug__",
]  # fmt: skip


def _mutant(choose: random.Random) -> str:
    tokens = TOKENS.findall(choose.choice(SEEDS))
    for _ in range(choose.choice((1, 1, 2, 5))):
        at, other = choose.randrange(len(tokens)), choose.randrange(len(tokens))
        kind = choose.randrange(4)
        if kind == 0 and len(tokens) > 1:
            del tokens[at]
        elif kind == 1:
            tokens.insert(at, choose.choice(SPICE))
        elif kind == 2:
            tokens[at] = choose.choice(SPICE)
        else:
            tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


@pytest.mark.parametrize("seed", range(8))
def test_a_mutant_has_sound_findings_or_compiles(seed: int) -> None:
    choose = random.Random(seed)
    clean = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(400):
            text = _mutant(choose)
            found = check(text)
            clean += not found
            if not found:
                compile(text, "mutant", "exec", dont_inherit=True)
            for finding in found:
                start = finding.line, finding.column
                assert (1, 1) <= start <= (finding.end_line, finding.end_column)
                assert finding.rule in RULES and finding.message and finding.hint
    assert 0 < clean < 400

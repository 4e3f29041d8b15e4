"""What is run: starts of vLLM, in chains of those that share caches, in their order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vllm_models import MODELS

__all__ = ["QUICK", "Case", "alone", "chains"]

QUICK = ("llama", "qwen2", "gemma", "opt")
"""The architectures of a quick check."""

COMPILED, LOADED, REFUSED = ("compiled",), ("loaded",), ("refused",)
REGENERATED = ("loaded, generated",)
HALF = ("compiled", "compiled + loaded")
"""Of two workers, the one that was not killed may have saved its artifact."""


@dataclass(frozen=True)
class Case:
    """One start of vLLM, and what has to come of it.

    Attributes:
        model: The architecture.
        pieces: What compiles the pieces.
        name: What the table calls it.
        cache: The cache that it uses, within its chain.
        ours: Whether astgen is to generate; else it is vLLM's own generator.
        text: Who has written the text that runs, `astgen` or `vllm`.
        state: What may be seen of the cache: processes have `compiled`, or `loaded`
            an artifact, or found one and `refused` it.
        is_oracle: Whether the others are compared with it.
        is_installed: Whether astgen is there although it is not to generate.
        ranks: How many workers there are. Two have an engine in a third process.
        start: How workers start; `spawn` is what vLLM does on a CPU.
        killed: The rank that dies while it saves, if any. Nothing comes of it then.
        alters: Whether the text of the artifact that it writes is altered.
        whole: Whether the artifact has the compiled pieces in it, vLLM's default.
        dumped: How many functions are to be in the dump folder; 0 for no dump.
        said: What vLLM's log has to say.
    """

    model: str
    pieces: str
    name: str = "vLLM"
    cache: str = "vllm"
    ours: bool = False
    text: str = "vllm"
    state: tuple[str, ...] = COMPILED
    is_oracle: bool = False
    is_installed: bool = False
    ranks: int = 1
    start: str = "fork"
    killed: int | None = None
    alters: bool = False
    whole: bool = True
    dumped: int = 0
    said: str = ""


def chains(quick: bool) -> list[list[Case]]:
    """Chains that may run side by side.

    Args:
        quick: Only what has to be seen at each change.

    Returns:
        The longest chains first.
    """
    models = QUICK if quick else tuple(MODELS)
    found = [_failures(quick)]
    found += [_inductor(model) for model in models]
    return found + [_eager(model) for model in models]


def alone(quick: bool) -> list[list[Case]]:
    """Chains of cases with several busy processes.

    Args:
        quick: Only what has to be seen at each change.

    Returns:
        The chains.
    """
    return [_ranks("llama", quick)]


def _eager(model: str) -> list[Case]:
    """vLLM keeps no artifact of pieces that eager mode runs."""
    vllm = Case(model, "eager", is_oracle=True)
    ours = Case(model, "eager", "astgen", "astgen", ours=True, text="astgen")
    return [vllm, ours]


def _inductor(model: str) -> list[Case]:
    vllm = Case(model, "inductor")
    ours = replace(vllm, ours=True, cache="astgen", text="astgen")
    return [
        replace(vllm, name="vLLM, cold", is_oracle=True),
        replace(ours, name="astgen, cold", dumped=1),
        replace(ours, name="astgen, from astgen's", state=LOADED),
        replace(
            ours, name="astgen, from vLLM's", cache="vllm", text="vllm", state=LOADED
        ),
        replace(
            vllm,
            name="vLLM, from astgen's",
            cache="astgen",
            text="astgen",
            state=LOADED,
        ),
        # Next to each other: what they take is compared.
        replace(vllm, name="vLLM, from vLLM's", state=LOADED),
        replace(vllm, name="astgen off, from vLLM's", is_installed=True, state=LOADED),
    ]


def _failures(quick: bool) -> list[Case]:
    """Starts that go wrong, and those after them."""
    vllm = Case("llama", "inductor")
    ours = replace(vllm, ours=True, text="astgen", cache="killed")
    found = [
        replace(ours, name="astgen, killed in saving", killed=0),
        replace(ours, name="astgen, after the kill"),
        replace(ours, name="astgen, after that", state=LOADED),
    ]
    if quick:
        return found
    graphs = replace(ours, cache="graphs", whole=False)
    return [
        *found,
        replace(vllm, name="vLLM, cold, altered", cache="altered", alters=True),
        replace(
            ours,
            name="astgen, from altered",
            cache="altered",
            state=REFUSED,
            said="vLLM compiles again: line 1: AG102 the import of 'os'",
        ),
        replace(graphs, name="astgen, cold, graphs only"),
        replace(graphs, name="astgen, from graphs only", state=REGENERATED),
        replace(vllm, name="astgen off, cold", cache="off", is_installed=True),
    ]


def _ranks(model: str, quick: bool) -> list[Case]:
    """Two workers and an engine, each in a process of its own."""
    vllm = Case(model, "inductor", ranks=2)
    ours = replace(vllm, ours=True, cache="astgen", text="astgen")
    warm = replace(ours, state=LOADED)
    found = [
        replace(vllm, name="2 ranks: vLLM, cold", is_oracle=True),
        replace(ours, name="2 ranks: astgen, cold", dumped=2),
        replace(warm, name="2 ranks: astgen, from astgen's"),
    ]
    if quick:
        return found
    killed = replace(ours, cache="killed")
    return [
        *found,
        replace(warm, name="2 ranks: astgen, from vLLM's", cache="vllm", text="vllm"),
        replace(warm, name="2 ranks: vLLM, from astgen's", ours=False),
        # How workers start is part of the key of the cache.
        replace(ours, name="2 spawned ranks: astgen", cache="spawned", start="spawn"),
        replace(killed, name="2 ranks: astgen, one killed in saving", killed=1),
        replace(killed, name="2 ranks: astgen, after the kill", state=HALF),
    ]

"""What a start of vLLM has shown, and whether it is what had to come of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vllm_cases import Case
from vllm_jobs import Ended

__all__ = ["Row", "cache_state", "judge", "oracle_key"]

_OURS = "<astgen "
"""How the name of the file begins that a function compiled by astgen seems to be from."""

_HEAD = "import torch\nimport operator\n\n\n"
"""How a text of astgen begins: as black has it, two lines are empty. vLLM leaves one."""

_AT_WORK = ("astgen.vllm.", "astgen.codegen", "astgen.emit")
"""How the names of modules begin that are not imported when the plugin is off."""

_VARIETY = 20
_SHOWN = 4000
_TELLING = re.compile("astgen|[Cc]ompil|[Cc]ache|ERROR")


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        case: What was run.
        seconds: How long it took.
        text: Who has written the text that ran.
        compiled: Who has compiled it.
        state: What was seen of the cache.
        equal: Whether the results are those of the oracle; None if there are none.
        faults: What is not as it had to be.
        log: What helps of what the processes printed, if there are faults.
        found: What else was measured.
    """

    case: Case
    seconds: float
    text: str
    compiled: str
    state: str
    equal: bool | None
    faults: tuple[str, ...]
    log: str = ""
    found: Mapping[str, Any] = field(default_factory=dict)


def oracle_key(case: Case) -> tuple[str, str, int]:
    """What two cases must have in common to have equal results."""
    return case.model, case.pieces, case.ranks


def judge(case: Case, ended: Ended, oracle: Mapping[str, Any]) -> Row:
    """Hold a run against what had to come of it.

    Args:
        case: What was run.
        ended: How it ended.
        oracle: The results of vLLM alone.

    Returns:
        A line of the table.
    """
    calls = [event for event in ended.events if event["what"] == "call"]
    texts = {"astgen" if call["head"].startswith(_HEAD) else "vllm" for call in calls}
    ours = {"astgen" if call["file"].startswith(_OURS) else "vllm" for call in calls}
    state = cache_state(ended.events)
    equal = None
    if ended.status == 0 and oracle:
        equal = all(
            ended.found[what] == oracle[what] for what in ("tokens", "logprobs")
        )
    if case.killed is None:
        faults = [
            *_how_it_ended(case, ended),
            *_who_did_it(case, calls, texts, ours),
            *_what_came_out(case, ended, equal),
        ]
        if state not in case.state:
            faults.append(f"cache: {state}, not {' or '.join(case.state)}")
        if case.said not in ended.log:
            faults.append(f"the log does not say {case.said!r}")
    else:
        faults = _how_it_died(case, ended)
    return Row(
        case,
        ended.seconds,
        _joined(texts),
        _joined(ours),
        state,
        equal,
        tuple(faults),
        _shown(ended) if faults else "",
        {name: ended.found.get(name) for name in ("processor", "stitching")},
    )


def cache_state(events: Sequence[Mapping[str, Any]]) -> str:
    """What the processes did about the cache.

    Args:
        events: What they saw.

    Returns:
        A word or two for each kind of process, with a plus between.
    """
    states = set()
    for process in {event["process"] for event in events}:
        own = [event for event in events if event["process"] == process]
        generated = any(event["what"] == "generate" for event in own)
        loads = [event for event in own if event["what"] == "load"]
        if any(load["loaded"] for load in loads):
            states.add("loaded, generated" if generated else "loaded")
        elif generated:
            found = any(load["found"] for load in loads)
            states.add("refused" if found else "compiled")
    return _joined(states)


def _how_it_ended(case: Case, ended: Ended) -> Iterable[str]:
    if ended.status is None:
        yield f"killed after {ended.seconds:.0f} s"
    elif ended.status:
        yield f"ended with {ended.status}"


def _who_did_it(
    case: Case,
    calls: Sequence[Mapping[str, Any]],
    texts: set[str],
    compiled: set[str],
) -> Iterable[str]:
    generator = "astgen" if case.ours else "vllm"
    if len(calls) != case.ranks or any(
        call["name"] != "execution_fn" for call in calls
    ):
        names = [call["name"] for call in calls]
        yield f"{case.ranks} functions had to run, and {names} did"
    if calls and compiled != {generator}:
        yield f"compiled by {_joined(compiled)}, not by {generator}"
    if calls and texts != {case.text}:
        yield f"text written by {_joined(texts)}, not by {case.text}"


def _what_came_out(case: Case, ended: Ended, equal: bool | None) -> Iterable[str]:
    if not ended.found:
        return
    if equal is not True:
        yield "there is nothing to compare with" if equal is None else "results differ"
    if ended.dumped != case.dumped:
        yield f"{ended.dumped} functions were dumped, not {case.dumped}"
    steps = [step for steps in ended.found["logprobs"] for step in steps]
    if len({value for step in steps for value in step.values()}) < _VARIETY:
        yield "all tokens are equally likely, so equal results say nothing"
    astgen = set(ended.found["astgen"])
    if case.ours:
        return
    begin = _AT_WORK if case.is_installed else "astgen"
    if found := sorted(name for name in astgen if name.startswith(begin)):
        yield f"modules of astgen were imported: {', '.join(found)}"
    if case.is_installed and not astgen:
        yield "vLLM has not loaded the plugin"


def _how_it_died(case: Case, ended: Ended) -> list[str]:
    """It has to be dead, with half of an artifact where none is looked for."""
    faults = []
    if not ended.status:
        faults.append(f"had to be killed, and ended with {ended.status}")
    if not any(name.startswith("model.") for name in ended.left):
        faults.append(f"had to be killed while it saved; there is {ended.left}")
    if "model" in ended.left:
        faults.append("there is an artifact although saving it was not over")
    return faults


def _shown(ended: Ended) -> str:
    """What helps of the log: its end, or what is said of the generator and the cache."""
    if ended.status:
        return ended.log[-_SHOWN:]
    lines = [line for line in ended.log.splitlines() if _TELLING.search(line)]
    return "\n".join(lines)[-_SHOWN:]


def _joined(words: Iterable[str]) -> str:
    return " + ".join(sorted(words)) or "-"

"""Runs vLLM many times, in the environment that has it; a process for each run.

    python tools/vllm_run.py < jobs

vLLM is imported once, which is a third of what a run takes. For each line of the input,
a job in JSON, the process is forked; nothing has been compiled in it and no thread
started, so the child is as good as a fresh one. Two lines come back for a job: its
process, then how that ended. What the run found is in the file that the job names.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import vllm_watch
from vllm_stubs import measure

__all__ = ["main", "run"]

_PROMPTS = ([5, 6, 7, 8], [9, 10, 11], [200, 3, 77, 145, 33, 21])
_TOKENS = 8
_TOP = 5
_LENGTH = 64


def main() -> None:
    """Import vLLM, then serve jobs until the input ends."""
    # What is imported prints; only answers may go to the output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from torch._inductor import cpu_vec_isa
    from vllm.model_executor.models import registry

    import_module("vllm.entrypoints.llm")
    # What the processor can do is found out by compiling, which takes ten seconds.
    cpu_vec_isa.valid_vec_isa_list()
    # To look at a model, vLLM starts a process, which imports all of it again. Here
    # nothing is to be kept out of the process.
    registry._run_in_subprocess = lambda look: look()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            answers.close()
            _run_in_child(json.loads(line))
        print(child, file=answers, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


def _run_in_child(job: dict[str, Any]) -> None:
    """Run a job in a process group of its own, and end."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    status = 1
    try:
        found = run(job)
        Path(job["result"]).write_text(json.dumps(found))
        status = 0
    except BaseException:  # ends of the process, too: the log has to have them
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # The server's own clean-up is not the child's business.
        os._exit(status)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Start an engine, have it generate, and end it.

    Args:
        job: What is run; `vllm_jobs.Job` as a dictionary.

    Returns:
        Tokens and log-probabilities, the seconds of the processor until the engine
        was there, and the modules of astgen that were imported.
    """
    os.environ.update(job["variables"])
    os.environ[vllm_watch.JOB] = json.dumps(job)
    sys.path[:0] = job["paths"]
    inherited = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([*job["paths"], inherited])
    started = time.process_time()
    from vllm import LLM

    llm = LLM(
        model=job["model"],
        load_format="dummy",
        skip_tokenizer_init=True,
        dtype="float32",
        max_model_len=_LENGTH,
        max_num_batched_tokens=_LENGTH,
        max_num_seqs=4,
        seed=0,
        tensor_parallel_size=job["ranks"],
        disable_log_stats=True,
    )
    ready = time.process_time() - started
    found = {
        **_generate(llm),
        "processor": ready,
        "astgen": sorted(name for name in sys.modules if _is_ours(name)),
    }
    if job["stubs"] is not None:
        # Only now: the run itself was one without astgen.
        sys.path.insert(0, job["stubs"])
        found["stitching"] = _measured()
    with contextlib.suppress(Exception):
        # It ends the workers; whatever is left of them is killed after this process.
        llm.llm_engine.engine_core.shutdown()
    return found


def _measured() -> dict[str, Any]:
    """How fast the stitching is, or why that is not known; nothing depends on it."""
    try:
        return measure(vllm_watch.seen["graph"], vllm_watch.seen["args"])
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "astgen"


def _generate(llm: Any) -> dict[str, Any]:
    from vllm import SamplingParams

    outputs = llm.generate(
        [{"prompt_token_ids": list(prompt)} for prompt in _PROMPTS],
        SamplingParams(
            max_tokens=_TOKENS,
            temperature=0,
            detokenize=False,
            ignore_eos=True,
            logprobs=_TOP,
        ),
        use_tqdm=False,
    )
    results = [output.outputs[0] for output in outputs]
    return {
        "tokens": [list(result.token_ids) for result in results],
        # In hexadecimal, a float is what it is, to the bit.
        "logprobs": [
            [
                {token: entry.logprob.hex() for token, entry in step.items()}
                for step in result.logprobs
            ]
            for result in results
        ],
    }


if __name__ == "__main__":
    main()

"""What runs inside each of vLLM's processes: it watches, and makes tiny models possible.

vLLM loads it as a plugin, so it is in spawned processes, too. It knows nothing of
astgen: what ran is told by looking at the function that vLLM called in the end. What
it saw goes to a file for each process, a line at a time, so that it outlives a kill.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import os
import signal
from pathlib import Path
from typing import Any

__all__ = ["JOB", "register", "seen"]

JOB = "ASTGEN_CHECK_JOB"
"""The variable that says what is run."""

seen: dict[str, Any] = {}
"""The last graph that was split, and the last function that was called, with arguments."""

_WEIGHT = 0.3
_active: set[str] = set()


def register() -> None:
    """Change vLLM as the job in the environment says; once in a process."""
    text = os.environ.get(JOB)
    if text is None or _active:
        return
    _active.add(text)
    job = json.loads(text)
    _use_pieces(job["pieces"], job["start"])
    _draw_weights()
    _sample_eagerly()
    _watch(Path(job["events"]))
    if job["kill"] is not None:
        _die_while_saving(job["kill"])
    if job["alter"]:
        _alter_artifact()


def _use_pieces(pieces: str, start: str) -> None:
    """On a CPU, vLLM compiles in one piece; have it done as on other devices."""
    from vllm.compilation.passes.utility import fix_functionalization
    from vllm.config import CompilationMode
    from vllm.platforms.cpu import CpuPlatform

    check = CpuPlatform.check_and_update_config.__func__

    def check_and_update_config(cls: type, vllm_config: Any) -> None:
        check(cls, vllm_config)
        # It asks for new processes, which import all of vLLM again.
        os.environ["VLLM_WORKER_MULTIPROC_METHOD"] = start
        settings = vllm_config.compilation_config
        settings.mode = CompilationMode.VLLM_COMPILE
        settings.backend = pieces
        settings.splitting_ops = [
            *settings._attention_ops,
            "vllm::unified_kv_cache_update",
        ]
        settings.compile_sizes = []

    CpuPlatform.check_and_update_config = classmethod(check_and_update_config)
    # This pass looks for operators that are only in builds for GPUs.
    fix_functionalization.FixFunctionalizationPass.__call__ = lambda self, graph: None


def _draw_weights() -> None:
    """Other weights in each tensor, and large enough for each of them to matter.

    With vLLM's own, which are the same in each tensor of a shape and nearly zero, all
    tokens are equally likely, whatever the model does.
    """
    from vllm.model_executor.model_loader import dummy_loader

    draw = dummy_loader.initialize_single_dummy_weight
    seeds = itertools.count(1)

    def initialize_single_dummy_weight(tensor: Any) -> None:
        draw(tensor, low=-_WEIGHT, high=_WEIGHT, seed=next(seeds))

    dummy_loader.initialize_single_dummy_weight = initialize_single_dummy_weight


def _sample_eagerly() -> None:
    """Spare each start the ten seconds that inductor takes for a part of the sampler."""
    from vllm.v1.sample import sampler

    compiled = sampler.batched_count_greater_than
    sampler.batched_count_greater_than = compiled._torchdynamo_orig_callable


def _watch(folder: Path) -> None:
    from vllm.compilation import backends, caching, decorators
    from vllm.v1.worker.cpu_worker import CPUWorker

    begin = CPUWorker.init_device
    load = decorators._try_load_aot_compiled_fn
    split = backends.VllmBackend.__call__
    call = caching.VllmSerializableFunction.__call__
    called: list[Any] = []

    def note(what: str, **facts: Any) -> None:
        line = json.dumps({"what": what, "process": os.getpid(), **facts})
        with open(folder / f"{os.getpid()}.jsonl", "a") as file:
            file.write(f"{line}\n")

    @functools.wraps(begin)
    def begin_and_note(self: Any) -> None:
        begin(self)
        # vLLM leaves the memory that its workers share.
        note("memory", name=os.environ["VLLM_DIST_IDENT"])

    @functools.wraps(load)
    def load_and_note(model: Any, path: str) -> Any:
        found = os.path.exists(path)
        loaded = load(model, path)
        note("load", found=found, loaded=loaded is not None)
        return loaded

    @functools.wraps(split)
    def split_and_note(self: Any, graph: Any, inputs: Any) -> Any:
        # Looked up when it is called: by then all plugins are there.
        note("generate", module=backends.generate_execution_code.__module__)
        made = split(self, graph, inputs)
        seen["graph"] = self.split_gm
        return made

    @functools.wraps(call)
    def call_and_note(self: Any, *args: Any, **kwargs: Any) -> Any:
        seen.update(function=self, args=args)
        # Kept alive, so that no other object gets its place.
        if not any(self is one for one in called):
            called.append(self)
            note("call", **_facts(self))
        return call(self, *args, **kwargs)

    CPUWorker.init_device = begin_and_note
    decorators._try_load_aot_compiled_fn = load_and_note
    backends.VllmBackend.__call__ = split_and_note
    caching.VllmSerializableFunction.__call__ = call_and_note


def _facts(function: Any) -> dict[str, Any]:
    """Who compiled what vLLM is about to call, and of which text."""
    made = function.optimized_call
    while isinstance(made, functools.partial):
        made = made.func
    text = function.execution_code or ""
    return {
        "file": made.__code__.co_filename,
        "name": made.__name__,
        "text": hashlib.sha256(text.encode()).hexdigest(),
        "head": text[:60],
        "lines": text.count("\n"),
        "constants": len(function.consts or ()),
    }


def _die_while_saving(rank: int) -> None:
    """Have the process of a rank killed when half of its artifact is on the disk."""
    from torch._dynamo import aot_compile

    write = aot_compile.atomic_write_binary

    def write_half(file_path: str, data: bytes) -> Any:
        if f"rank_{rank}_" not in str(file_path):
            return write(file_path, data)
        with open(file_path, "wb") as file:
            file.write(data[: len(data) // 2])
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    aot_compile.atomic_write_binary = write_half


def _alter_artifact() -> None:
    """Have the artifact say something that no generator writes."""
    from vllm.compilation.caching import VllmSerializableFunction

    serialize = VllmSerializableFunction.serialize_compile_artifacts.__func__

    def serialize_altered(cls: type, function: Any) -> Any:
        text = function.execution_code
        function.execution_code = text.replace("import torch", "import os, torch", 1)
        try:
            return serialize(cls, function)
        finally:
            function.execution_code = text

    VllmSerializableFunction.serialize_compile_artifacts = classmethod(
        serialize_altered
    )

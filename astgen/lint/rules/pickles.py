"""AG6xx, part two: what a pickled compile cache would do when it is loaded."""

from __future__ import annotations

from astgen.check.finding import Rule
from astgen.lint.rules.pickle_samples import CACHED, cache, called, named, text

__all__ = ["LEGACY_ARTIFACT", "PICKLE_GLOBAL", "PICKLE_PAYLOAD", "RULES"]

_ONE_CONST = """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_consts__[0](x)
"""
_WITH_CONSTS = cache(
    'pickle of {"execution_code": "...", "submod_names": [], "consts": []}'
)
_WITHOUT_CONSTS = cache(
    'pickle of {"execution_code": "...", "submod_names": []}', consts=None
)
_CONSTS_NONE = cache(
    'pickle of {"execution_code": "...", "submod_names": [], "consts": None}',
    consts=b"N",
)
_LISTED = cache(
    'pickle of {"execution_code": "...", ..., "consts": [torch.float32]}',
    code=_ONE_CONST,
    consts=b"](" + named("torch.float32") + b"e",
)
_UNLISTED = cache(
    "a pickle that imports shutil.rmtree before it makes the program",
    before=named("shutil.rmtree") + b"0",
)
_CALLED = cache(
    'a pickle that calls os.system("true") before it makes the program',
    before=called("os.system", text("true")) + b"0",
)

LEGACY_ARTIFACT = Rule(
    code="AG605",
    name="legacy-artifact",
    summary="a cache from before generated code had constants",
    reason=(
        "vLLM keeps constants beside the text since the text alone could not name "
        "every object that a graph holds; older caches have no list of constants, or "
        "None in its place. They still load, but objects in them were written with "
        "repr, which is where texts that do not compile came from. A new vLLM writes "
        "a new cache; an old one is only worth keeping for an old vLLM."
    ),
    good=(_WITH_CONSTS,),
    bad=(_WITHOUT_CONSTS, _CONSTS_NONE),
    severity="note",
    profiles=("legacy",),
)

PICKLE_PAYLOAD = Rule(
    code="AG608",
    name="pickle-payload",
    summary="the file is a pickle, which runs when it is loaded",
    reason=(
        "A pickle is a program: whoever loads it imports the names in it and calls "
        "them with its arguments (Python's documentation of pickle warns of it). "
        "vLLM's compile caches are pickles and hold compiled code beside the text, "
        "which this linter does not judge: load a cache only if you trust whoever "
        "could write to it. The note says how many names it imports, and from where."
    ),
    good=(CACHED,),
    bad=(_WITH_CONSTS, _LISTED),
    severity="note",
)

PICKLE_GLOBAL = Rule(
    code="AG610",
    name="pickle-global",
    summary="a pickle imports or calls what is not known to be harmless",
    reason=(
        "Loading a pickle imports every name in it and calls some of them, before "
        "anybody has looked at the result: os.system in a pickle runs at once. The "
        "names that stock caches of vLLM and PyTorch contain are on a list of exact "
        "names, each with the one way in which caches use it: how it is called, what "
        "its state holds, and where it may stand as a value that others call. "
        "Everything else is an error, also a name or a key beside a program that is "
        "worked out while the pickle is loaded. A cache without this finding is "
        "like a stock one, no more: what is in the compiled code is not judged."
    ),
    good=(_WITH_CONSTS, _LISTED),
    bad=(_UNLISTED, _CALLED),
)

RULES = (LEGACY_ARTIFACT, PICKLE_PAYLOAD, PICKLE_GLOBAL)

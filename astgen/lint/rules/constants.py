"""AG3xx and AG4xx, part two: what a cache keeps in the slots beside its program."""

from __future__ import annotations

from astgen.check.finding import Rule, Sample
from astgen.lint.rules.pickle_samples import cache, called, named, text

__all__ = [
    "CONST_HOLDS_NODE",
    "CONST_NOT_PORTABLE",
    "DEVICE_PINNED",
    "DUPLICATE_CONST",
    "RANK_BOUND",
    "RULES",
    "SUBMOD_UNBOUND",
]

_ONE = """\
def execution_fn(x, *, __vllm_submods__):
    return (x, __vllm_consts__[0])
"""
_TWO = """\
def execution_fn(x, *, __vllm_submods__):
    return (x, __vllm_consts__[0], __vllm_consts__[1])
"""
_PIECE = """\
def execution_fn(x, *, __vllm_submods__):
    return __vllm_submods__[0](x)
"""


def _one(shown: str, value: bytes) -> Sample:
    """A cache whose program reads one constant."""
    return cache(
        f'pickle of {{"execution_code": "...", ..., "consts": [{shown}]}}',
        code=_ONE,
        consts=b"](" + value + b"e",
    )


def _two(shown: str, first: bytes, second: bytes) -> Sample:
    """A cache whose program reads two constants."""
    return cache(
        f'pickle of {{"execution_code": "...", ..., "consts": [{shown}]}}',
        code=_TWO,
        consts=b"](" + first + second + b"e",
    )


_FLOAT32 = named("torch.float32")
_DTYPE = _one("torch.float32", _FLOAT32)

DUPLICATE_CONST = Rule(
    code="AG303",
    name="duplicate-const",
    summary="two slots hold equal constants",
    reason=(
        "One slot would do: both are pickled, loaded and looked up. vLLM shares slots "
        "by identity, so equal objects that a tracer allocated twice, such as two "
        "torch.device of the same device, get a slot each, and the text depends on "
        "how often an object was made instead of what it is."
    ),
    good=(
        _two(
            "torch.float32, torch.float16",
            _FLOAT32,
            named("torch.float16"),
        ),
    ),
    bad=(
        _two(
            "torch.device('cpu'), torch.device('cpu')",
            called("torch.device", text("cpu")),
            called("torch.device", text("cpu")),
        ),
        _two("torch.float32, torch.float32", _FLOAT32, _FLOAT32),
    ),
    severity="note",
)

CONST_HOLDS_NODE = Rule(
    code="AG305",
    name="const-holds-node",
    summary="a constant holds a node, a symbolic size or a fake tensor",
    reason=(
        "Nodes, proxies, symbolic sizes and fake tensors belong to the trace. A slice "
        "or list that holds one was kept as a constant although it depends on the "
        "input: at run time the program gets the object of the trace in place of a "
        "number or tensor, and pickling the cache fails or drags a whole graph along "
        "(vllm-project/vllm#42543, vllm-project/vllm#35308)."
    ),
    good=(_one("slice(1, 2)", called("builtins.slice", b"K\x01", b"K\x02", b"N")),),
    bad=(
        _one(
            "slice(<node>, None)",
            called(
                "builtins.slice",
                named("torch.fx._graph_pickler._NodePickleData") + b")\x81",
                b"N",
                b"N",
            ),
        ),
        _one(
            "<symbolic size>",
            named("torch.fx._graph_pickler._SymNodePickleData") + b")\x81",
        ),
    ),
)

CONST_NOT_PORTABLE = Rule(
    code="AG306",
    name="const-not-portable",
    summary="making a constant imports something beyond Python and PyTorch's values",
    reason=(
        "Numbers, containers, slices, arrays, tensors, dtypes, devices, layouts, "
        "memory formats, sizes and placements can be stored as data and made anywhere. "
        "Anything else is "
        "pickled by the name of its class: it loads only where that module is "
        "installed and still means the same, and an artifact that loads without "
        "pickle holds it only by its name, for whoever allows that name."
    ),
    good=(_DTYPE, _one("1j", called("builtins.complex", b"K\x00", b"K\x01"))),
    bad=(
        _one("LayerName(...)", named("vllm.utils.torch_utils.LayerName") + b")\x81"),
        _one(
            "[LayerName(...)]",
            b"](" + named("vllm.utils.torch_utils.LayerName") + b")\x81e",
        ),
    ),
    severity="warning",
)

DEVICE_PINNED = Rule(
    code="AG308",
    name="device-pinned",
    summary="a constant is a device with an explicit index",
    reason=(
        "A cache is shared by all ranks of a machine, and each rank has a device of "
        "its own. torch.device('cuda', 0) in a slot puts tensors of every rank on the "
        "first device, or fails where tensors meet (vllm-project/vllm#38962). Without "
        "an index it is the current device of whoever runs the program."
    ),
    good=(_one("torch.device('cuda')", called("torch.device", text("cuda"))),),
    bad=(
        _one("torch.device('cuda', 1)", called("torch.device", text("cuda"), b"K\x01")),
        _one("torch.device('cuda:0')", called("torch.device", text("cuda:0"))),
    ),
    severity="warning",
)

RANK_BOUND = Rule(
    code="AG310",
    name="rank-bound",
    summary="a constant belongs to one rank of a distributed run",
    reason=(
        "A device mesh or process group is set up by one process for one run. In a "
        "constant it ties the cache to that rank and topology: another rank that "
        "loads it talks to the wrong peers or waits for ever. Generated code names "
        "groups, and looks them up when it runs."
    ),
    good=(_one("'tp:0'", text("tp:0")),),
    bad=(
        _one("DeviceMesh", named("torch.distributed.device_mesh.DeviceMesh")),
        _one("ProcessGroup", named("torch.distributed.distributed_c10d.ProcessGroup")),
    ),
    severity="warning",
)

SUBMOD_UNBOUND = Rule(
    code="AG402",
    name="submod-unbound",
    summary="a piece that is called has no name",
    reason=(
        "Slots of pieces that were inlined have None for a name, and nothing is bound "
        "to them. vLLM looks pieces up with get, so a missing one is noticed as a "
        "'NoneType' object is not callable at the first call, in the middle of a "
        "request. The text and the names come from different graphs, or the list of "
        "names was damaged."
    ),
    good=(
        cache(
            'pickle of {"execution_code": "...", "submod_names": ["submod_0"], ...}',
            code=_PIECE,
            names=b"](" + text("submod_0") + b"e",
        ),
    ),
    bad=(
        cache(
            'pickle of {"execution_code": "...", "submod_names": [None], ...}',
            code=_PIECE,
            names=b"](Ne",
        ),
        cache(
            'pickle of {"execution_code": "...", "submod_names": [None, "submod_1"]}',
            code=_PIECE,
            names=b"](N" + text("submod_1") + b"e",
        ),
    ),
)

RULES = (
    DUPLICATE_CONST,
    CONST_HOLDS_NODE,
    CONST_NOT_PORTABLE,
    DEVICE_PINNED,
    RANK_BOUND,
    SUBMOD_UNBOUND,
)

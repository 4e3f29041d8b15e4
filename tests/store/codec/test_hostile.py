"""Documents that an attacker wrote: each is refused, and nothing happens meanwhile."""

from __future__ import annotations

import functools
import hashlib
import json
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch

import astgen.emit.resolve
from astgen.errors import ArtifactError
from astgen.store.codec import DecodePolicy, decode, dumps, encode, loads
from support import things
from support.stored_constants import POLICY, SAMPLES

DATA = torch.arange(4.0).numpy().tobytes()
NAME = hashlib.sha256(DATA).hexdigest()
SHORT = hashlib.sha256(b"x").hexdigest()
OTHER = hashlib.sha256(b"y" * 300).hexdigest()
BLOBS = {NAME: DATA, SHORT: b"x", OTHER: b"z" * 300}
STORAGE = {"blob": NAME, "device": "cpu", "order": sys.byteorder, "size": 16}
TENSOR = {"dtype": "float32", "offset": 0, "shape": [4], "storage": 0, "stride": [1]}
THINGS = things.__name__
WATCHED = (
    "import",
    "open",
    "exec",
    "compile",
    "subprocess.",
    "os.",
    "socket.",
    "shutil.",
)


def document(form: Any, *storages: Any) -> dict[str, Any]:
    return {"slots": [form], "storages": list(storages), "version": 1}


def tensor(**changes: Any) -> dict[str, Any]:
    return document({"tensor": {**TENSOR, **changes}}, STORAGE)


def storage(**changes: Any) -> dict[str, Any]:
    changed = {**STORAGE, **changes}
    return document(
        {"tensor": TENSOR}, {k: v for k, v in changed.items() if v is not None}
    )


def deep(depth: int) -> Any:
    form: Any = 1
    for _ in range(depth):
        form = {"tuple": [form]}
    return form


FORMS: dict[str, Any] = {
    # Callables that no document may name.
    "os.system": {"name": "os:system"},
    "posix.system": {"name": "posix:system"},
    "Popen": {"name": "subprocess:Popen"},
    "eval": {"name": "builtins:eval"},
    "exec": {"name": "builtins:exec"},
    "open": {"name": "builtins:open"},
    "getattr": {"name": "builtins:getattr"},
    "import": {"name": "builtins:__import__"},
    "type": {"name": "builtins:type"},
    "map": {"name": "builtins:map"},
    "min": {"name": "builtins:min"},
    "reduce": {"name": "functools:reduce"},
    "partial class": {"name": "functools:partial"},
    "attrgetter class": {"name": "operator:attrgetter"},
    "operator.call": {"name": "operator:call"},
    "call": {"call": None},
    "torch.load": {"name": "torch:load"},
    "torch.save": {"name": "torch:save"},
    "torch.hub": {"name": "torch.hub:load"},
    "load_library": {"operator": "load_library"},
    "import_module": {"name": "importlib:import_module"},
    "not imported": {"name": "antigravity:fly"},
    "a user's function": {"name": f"{THINGS}:scale"},
    "a user's class": {"name": f"{THINGS}:Config"},
    "pickle": {"name": "_pickle:loads"},
    "numpy.load": {"name": "numpy:load"},
    "in a partial": {"partial": [{"name": "os:system"}, ["true"], [], []]},
    "partial with attributes": {
        "partial": [{"name": "math:floor"}, [], [], [["func", "x"]]]
    },
    "in a list": {"list": [{"tuple": [{"name": "os:system"}]}]},
    "as a factory": {"defaultdict": [{"name": "os:getcwd"}, []]},
    "in an itemgetter": {"itemgetter": [{"name": "os:system"}]},
    # Steps and names.
    "dunder step": {"name": f"{THINGS}:Static.__init_subclass__"},
    "dunder": {"name": "builtins:dict.__class__"},
    "globals": {"name": f"{THINGS}:scale.__globals__"},
    "through a module": {"name": f"{THINGS}:enum.Enum"},
    "through torch": {"name": "torch:os.system"},
    "locals": {"name": f"{THINGS}:f.<locals>.g"},
    "no module": {"name": ":floor"},
    "no name": {"name": "math:"},
    "no colon": {"name": "math.floor"},
    "no text": {"name": 3},
    "name of data": {"name": "math:pi"},
    "alias": {"name": "torch:nn.functional.relu_"},
    # Attributes and methods.
    "attrgetter of a dunder": {"attrgetter": ["__class__"]},
    "attrgetter through a dunder": {"attrgetter": ["shape.__class__"]},
    "attrgetter of a method": {"attrgetter": ["tofile"]},
    "attrgetter of a frame": {"attrgetter": ["gi_frame.f_globals"]},
    "attrgetter of nothing": {"attrgetter": []},
    "attrgetter of a number": {"attrgetter": [1]},
    "attrgetter of an empty step": {"attrgetter": ["shape."]},
    "methodcaller": {"methodcaller": ["tofile", ["x"], []]},
    "methodcaller of a dunder": {"methodcaller": ["__reduce_ex__", [2], []]},
    "methodcaller of an attribute": {"methodcaller": ["shape", [], []]},
    "method": {"method": ["str", "format"]},
    "method of a class": {"method": ["os", "system"]},
    "descriptor": {"by_name": ["torch.Tensor", "__class__"]},
    "descriptor of nothing": {"by_name": ["torch.Tensor", "logsumexp"]},
    "by name": {"by_name": ["os", "system"]},
    "by name of no operator": {"by_name": ["torch.ops", "os.system"]},
    # Operators.
    "from_file": {"operator": "aten.from_file.default"},
    "operator of another library": {"operator": "astgen_tests.bump.default"},
    "operator by a dunder": {"operator": "aten.__class__"},
    "no operator": {"operator": "aten.no_such_thing.default"},
    "operator of a number": {"operator": 1},
    # Classes.
    "no enum": {"enum": [f"{THINGS}:Config", "RED"]},
    "no member": {"enum": [f"{THINGS}:Colour", "GREEN"]},
    "an alias of a member": {"enum": [f"{THINGS}:Colour", "CRIMSON"]},
    "member of a method's name": {"enum": [f"{THINGS}:Colour", "__class__"]},
    "member of a number": {"enum": [f"{THINGS}:Colour", 1]},
    "flags of a member": {"flags": [f"{THINGS}:Permission", 1]},
    "no flags": {"flags": [f"{THINGS}:Permission", 64]},
    "flags of no flag": {"flags": [f"{THINGS}:Level", 3]},
    "no namedtuple": {"namedtuple": [f"{THINGS}:Config", [1, 2]]},
    "namedtuple too short": {"namedtuple": [f"{THINGS}:Pair", [1]]},
    "no dataclass": {"record": [f"{THINGS}:Pair", [["left", 1], ["right", 2]]]},
    "other fields": {"record": [f"{THINGS}:Config", [["count", 1], ["x", "n"]]]},
    "lacking fields": {"record": [f"{THINGS}:Config", [["count", 1]]]},
    "frozen as an object": {
        "object": [f"{THINGS}:Config", [["count", 1], ["name", "n"]]]
    },
    "a spec as a record": {
        "record": [
            "torch.utils._pytree:TreeSpec",
            [["type", None], ["_context", 1], ["_children", 1]],
        ]
    },
    "class of a module that is not imported": {"enum": ["tabnanny:X", "Y"]},
    "no subclass": {"subclass": [f"{THINGS}:LyingInt", "text"]},
    "bool as a subclass": {"subclass": ["builtins:bool", 1]},
    "module as a class": {"subclass": ["os:path", 1]},
    "structseq": {"structseq": ["os:stat_result", [1] * 10]},
    "structseq too short": {"structseq": ["torch.return_types:max", [1]]},
    "maker": {"namedtuple_of": f"{THINGS}:ShortPath"},
    "maker of Popen": {"namedtuple_of": "subprocess:Popen"},
    # Specs.
    "spec of a type": {"treespec": ["os", None, []]},
    "spec with a child that is none": {"treespec": ["list", None, [1]]},
    "spec without its keys": {"treespec": ["dict", [], [{"treespec": None}]]},
    "spec with a context": {"treespec": ["list", 1, []]},
    "spec of a class": {"treespec": ["namedtuple", "subprocess:Popen", []]},
    # Numbers and text.
    "small int in hex": {"int": "0x5"},
    "int in capitals": {"int": "0xF" + "0" * 20},
    "int with zeros": {"int": "0x0" + "f" * 20},
    "int beyond": 2**63,
    "a fraction": 1.5,
    "float": {"float": "1.5"},
    "float too large": {"float": "0x1p+99999"},
    "float without its bits": {"float": "nan"},
    "float with bits of a number": {"float": "nan:3ff0000000000000"},
    "complex": {"complex": ["0x0.0p+0"]},
    "surrogate": "\ud800",
    "text under a tag": {"str": "78"},
    "hex in capitals": {"bytes": "FF"},
    "hex with spaces": {"bytes": "f f"},
    "many bytes in hex": {"bytes": "00" * 300},
    "few bytes in a blob": {"bytes": {"blob": SHORT}},
    "range of text": {"range": ["a", 1, 1]},
    "range of step 0": {"range": [0, 1, 0]},
    "slice of two": {"slice": [1, 2]},
    "size of text": {"size": ["a"]},
    "singleton": {"singleton": "None"},
    # Containers.
    "key twice": {"dict": [["a", 1], ["a", 2]]},
    "equal keys": {"dict": [[1, 1], [True, 2]]},
    "list as a key": {"dict": [[{"list": []}, 1]]},
    "tensor in a set": {"frozenset": [{"generator": None}]},
    "set not sorted": {"frozenset": ["b", "a"]},
    "item twice": {"set": [1, 1]},
    "record as a key": {
        "frozenset": [{"record": [f"{THINGS}:Config", [["count", 1], ["name", "n"]]]}]
    },
    "deque too long": {"deque": [1, [1, 2]]},
    "same before": {"same": 0},
    "itself": {"list": [{"same": 0}]},
    "same of a boolean": {"same": False},
    "two tags": {"list": [], "tuple": []},
    "no tag": {},
    "unknown tag": {"pickle": "gASVBQ=="},
    "bare list": [1],
    "deep": deep(65),
    # Values of PyTorch.
    "dtype": {"dtype": "save"},
    "dtype with its module": {"dtype": "torch.float32"},
    "dtype by an alias": {"dtype": "float"},
    "dtype of a list": {"dtype": ["float32"]},
    "device": {"device": "cuda:999999"},
    "device with zeros": {"device": "cuda:01"},
    "no device": {"device": "/dev/sda"},
    "layout": {"layout": "load"},
    "finfo": {"finfo": "int8"},
    "placement": {"placement": ["DTensor"]},
    "placement of text": {"placement": ["Shard", "0"]},
    "placement of a boolean": {"placement": ["Shard", True]},
    "mesh": {"mesh": ["cpu", ["tp"], [2]]},
    "group": {"group": "no such group"},
    "generator": {"generator": "00"},
    # numpy.
    "array of objects": {"array": ["|O", [1], "C", True, "00" * 8]},
    "array too long": {"array": ["<f4", [2**62], "C", True, ""]},
    "array of overflow": {"array": ["<f4", [2**32, 2**32, 0], "C", True, ""]},
    "array of negative": {"array": ["<f4", [-1, -1], "C", True, "00" * 4]},
    "array in F that is C": {"array": ["<f4", [1], "F", True, "00" * 4]},
    "scalar that is no boolean": {"scalar": ["|b1", "b1"]},
    "array that is not of booleans": {"array": ["|b1", [3], "C", True, "000200"]},
    "default generator twice": {"list": [{"generator": None}, {"generator": None}]},
    "scalar too long": {"scalar": ["<f8", "00"]},
    "dtype of numpy": {"numpy_dtype": "O"},
    "dtype of fields": {"numpy_dtype": [["a", "<f4"]]},
}

TENSORS: dict[str, Any] = {
    "negative stride": tensor(stride=[-1]),
    "negative size": tensor(shape=[-4]),
    "negative offset": tensor(offset=-1),
    "beyond the storage": tensor(shape=[5]),
    "stride beyond": tensor(stride=[2]),
    "offset beyond": tensor(offset=1),
    "offset far beyond": tensor(offset=2**62, shape=[0]),
    "last item that overflows": tensor(stride=[2**63 - 1], shape=[3]),
    "product that overflows": tensor(shape=[2**32] * 2, stride=[0, 0]),
    "overflow without items": tensor(shape=[0, 2**62, 2**62], stride=[0, 0, 0]),
    "huge number": tensor(shape=[2**64]),
    "size of text": tensor(shape=["4"]),
    "size of a boolean": tensor(shape=[True]),
    "too few strides": tensor(stride=[]),
    "wider dtype": tensor(dtype="float64"),
    "no dtype": tensor(dtype="save"),
    "quantized": tensor(dtype="quint8"),
    "conjugated without imaginary parts": tensor(conj=True),
    "flag that is false": tensor(neg=False),
    "gradients of whole numbers": tensor(dtype="int32", requires_grad=True),
    "another kind": tensor(kind="DTensor"),
    "extra key": tensor(grad=0),
    "storage not there": tensor(storage=1),
    "storage negative": tensor(storage=-1),
    "storage out of order": document(
        {"tensor": {**TENSOR, "storage": 1}}, *[STORAGE] * 2
    ),
    "storage unused": document({"tensor": TENSOR}, STORAGE, STORAGE),
    "missing key": document(
        {"tensor": {k: v for k, v in TENSOR.items() if k != "offset"}}, STORAGE
    ),
    "missing blob": storage(blob="0" * 64),
    "blob with another name": storage(blob=OTHER, size=300),
    "blob by a path": storage(blob="../../etc/passwd"),
    "size that is not that of the blob": storage(size=8),
    "negative storage": storage(size=-16),
    "storage of a boolean": storage(size=True),
    "huge storage": storage(size=2**64),
    "huge storage without bytes": storage(
        device="meta", size=2**63, blob=None, order=None
    ),
    "other order": storage(order="big" if sys.byteorder == "little" else "little"),
    "no order": storage(order=None),
    "device that is not there": storage(device="cuda:99"),
    "device that wraps": storage(device="cuda:999999"),
    "device of files": storage(device="fpga"),
    "bytes on meta": storage(device="meta"),
    "more keys": storage(path="/etc/passwd"),
    "storages are no list": {"slots": [], "storages": {}, "version": 1},
    "storage is no object": document(1, 1),
    "slots are no list": {"slots": {}, "storages": [], "version": 1},
    "another version": {"slots": [], "storages": [], "version": 2},
    "version of a boolean": {"slots": [], "storages": [], "version": True},
    "extra part": {"slots": [], "storages": [], "version": 1, "code": ""},
    "missing part": {"slots": [], "version": 1},
    "no object": [],
    "nothing": None,
}

DOCUMENTS = {**{name: document(form) for name, form in FORMS.items()}, **TENSORS}

_seen: list[str] | None = None


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if _seen is not None and event.startswith(WATCHED):
        _seen.append(f"{event} {args!r:.100}")


sys.addaudithook(_hook)


@contextmanager
def watched() -> Iterator[list[str]]:
    global _seen
    _seen = found = []
    try:
        yield found
    finally:
        _seen = None


@functools.cache
def decode_all() -> None:
    """Once, so that what is read and imported once has been."""
    encoded = encode(list(SAMPLES.values()))
    decode(encoded.document, encoded.blobs, POLICY)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_it_is_refused_and_nothing_happens(name: str) -> None:
    decode_all()
    modules = set(sys.modules)
    with watched() as events, pytest.raises(ArtifactError) as caught:
        decode(DOCUMENTS[name], BLOBS)
    assert events == [] and set(sys.modules) == modules
    assert caught.value.path == "consts.json"


def test_the_hook_sees_what_it_is_there_for() -> None:
    with watched() as events:
        open("/dev/null").close()
        with pytest.raises(ImportError):
            __import__("no_such_module_anywhere")
    assert any(event.startswith("open") for event in events)
    assert any(event.startswith("import") for event in events)


def test_the_documents_around_the_hostile_ones_are_fine() -> None:
    assert decode(tensor(), BLOBS)[0].tolist() == [0, 1, 2, 3]
    assert decode(storage(), BLOBS)[0].tolist() == [0, 1, 2, 3]
    assert decode(document(deep(64)), BLOBS)
    assert len(DOCUMENTS) > 150


@pytest.mark.parametrize("name", ["os:getcwd", "posix:getcwd"])
def test_a_name_is_loaded_only_as_what_it_calls_itself(name: str) -> None:
    policy = DecodePolicy(modules=frozenset({"os", "posix"}))
    if name.startswith("os"):
        with pytest.raises(ArtifactError, match="calls itself posix:getcwd"):
            decode(document({"name": name}), {}, policy)
    else:
        (found,) = decode(document({"name": name}), {}, policy)
        assert found.__name__ == "getcwd"


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 1_000_000 + b"]" * 1_000_000,
        b"[" * 1_000_000,
        b'{"a":' * 1_000_000,
        b"[" * 321 + b"]" * 321,
        b"{[" * 500_000,
        b'{"slots":[1e400]}',
        b"[1.5]",
        b"[NaN]",
        b"[-Infinity]",
        b"[" + b"9" * 5000 + b"]",
        b"[-0]",
        b"[01]",
        b"[1, 2]",
        b" []",
        b"[]\n",
        b'{"b":1,"a":2}',
        b'{"a":1,"a":1}',
        b'"\\u0061"',
        b'"\\ud83d\\u"',
        '"é"'.encode(),
        b"\xff",
        b"\xef\xbb\xbf[]",
        b'"\\',
        b'"',
        b"",
        b"]",
        b"[}",
        b"[" + b"1," * (1 << 22) + b"1]",
    ],
)
def test_bytes_that_are_no_document_are_refused(data: bytes) -> None:
    with pytest.raises(ArtifactError):
        loads(data)


def test_the_limit_on_bytes_is_the_callers() -> None:
    assert loads(b"[1,2]", max_bytes=5) == [1, 2]
    with pytest.raises(ArtifactError, match="more than 4"):
        loads(b"[1,2]", max_bytes=4)


def test_brackets_in_text_do_not_count() -> None:
    text = '[{"\\' * 1000
    assert loads(dumps([text])) == [text]


def test_a_high_recursion_limit_changes_nothing() -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)
    try:
        for data in (b"[" * 1_000_000 + b"]" * 1_000_000, b"[" * 1_000_000):
            with pytest.raises(ArtifactError):
                loads(data)
        form: Any = 1
        for _ in range(100_000):
            form = {"tuple": [form]}
        with pytest.raises(ArtifactError, match="deeper"):
            decode(document(form), {})
    finally:
        sys.setrecursionlimit(before)


def test_any_change_is_refused_or_means_what_it_says() -> None:
    """A document that is accepted is the one that its constants have."""
    decode_all()
    encoded = encode(list(SAMPLES.values()))
    data = dumps(encoded.document)
    chance = random.Random(5)
    accepted = 0
    for _ in range(1500):
        changed = bytearray(data)
        place = chance.randrange(len(data))
        changed[place] = chance.choice([changed[place] ^ 1, *b'0159afx"[]{},:._'])
        try:
            made = decode(loads(bytes(changed)), encoded.blobs, POLICY)
        except ArtifactError:
            continue
        accepted += 1
        assert dumps(encode(made).document) == bytes(changed)
    assert accepted > 50


def test_any_form_in_the_place_of_any_other_is_refused_or_means_what_it_says() -> None:
    encoded = encode(list(SAMPLES.values()))
    chance = random.Random(6)
    text = json.dumps(encoded.document)
    pieces = list(_pieces(encoded.document))
    for _ in range(800):
        changed = json.loads(text)
        holder = chance.choice(
            [p for p in _pieces(changed) if type(p) in (dict, list) and p]
        )
        key = chance.choice(
            list(holder) if type(holder) is dict else range(len(holder))
        )
        holder[key] = chance.choice(pieces)
        try:
            made = decode(changed, encoded.blobs, POLICY)
        except ArtifactError:
            continue
        assert dumps(encode(made).document) == dumps(changed)


def _pieces(form: Any) -> Iterator[Any]:
    todo = [form]
    while todo:
        item = todo.pop()
        yield item
        if type(item) is dict:
            todo += item.values()
        elif type(item) is list:
            todo += item


def test_blobs_that_were_verified_are_not_verified_again() -> None:
    with pytest.raises(ArtifactError) as caught:
        decode(storage(blob=OTHER, size=300), BLOBS)
    assert caught.value.rule == "AG602"
    (made,) = decode(storage(blob=OTHER, size=300), BLOBS, DecodePolicy(verified=True))
    assert made.untyped_storage().nbytes() == 300


def test_the_emitters_own_module_offers_nothing() -> None:
    for name in vars(astgen.emit.resolve):
        with pytest.raises(ArtifactError):
            decode(document({"name": f"astgen.emit.resolve:{name}"}), {})

"""Placements of DTensor by value; meshes and groups of processes by reference."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from astgen.store.codec.core import Decoder, Encoder, Kind
from astgen.store.codec.faults import Malformed, Unstorable
from astgen.store.codec.pairs import parts_of
from astgen.store.codec.policy import MeshReference

__all__ = ["DISTRIBUTED", "distributed_kind"]

_PLACEMENTS = "torch.distributed.tensor.placement_types"
_FIELDS: dict[str, dict[str, type]] = {
    "Replicate": {},
    "Shard": {"dim": int},
    "_StridedShard": {"dim": int, "split_factor": int},
    "Partial": {"reduce_op": str},
}
_MESH = ("torch.distributed.device_mesh", "DeviceMesh")
_C10D = "torch._C._distributed_c10d"


def distributed_kind(value: Any) -> Kind | None:
    """How something of `torch.distributed` is stored; None if it is none.

    What it is is told without importing anything: without its module it does not
    exist.
    """
    kind = type(value)
    if kind.__module__ == _PLACEMENTS and kind.__name__ in _FIELDS:
        return _PLACEMENT if kind is _attribute(_PLACEMENTS, kind.__name__) else None
    if kind is _attribute(*_MESH):
        return _MESHES
    group = _attribute(_C10D, "ProcessGroup")
    if isinstance(group, type) and isinstance(value, group):
        return _GROUP
    operation = _attribute(_C10D, "ReduceOp")
    return _REDUCE if kind is getattr(operation, "RedOpType", None) else None


def _attribute(module: str, name: str) -> Any:
    return getattr(sys.modules.get(module), name, None)


def _encode_placement(_: Encoder, value: Any) -> list[Any]:
    name = type(value).__name__
    fields = [getattr(value, field) for field in _FIELDS[name]]
    if [type(item) for item in fields] != list(_FIELDS[name].values()):
        raise Unstorable(value, "its fields are no constants", "pass it as an input")
    return [name, *fields]


def _decode_placement(_: Decoder, parts: Any) -> Any:
    if type(parts) is not list or not parts or type(parts[0]) is not str:
        raise Malformed("a placement has no name")
    name, fields = parts[0], _FIELDS.get(parts[0])
    if fields is None or [type(item) for item in parts[1:]] != list(fields.values()):
        raise Malformed("there is no such placement")
    kind = getattr(importlib.import_module(_PLACEMENTS), name)
    return kind(**dict(zip(fields, parts[1:])))


def _encode_mesh(encoder: Encoder, mesh: Any) -> list[Any]:
    encoder.notes.append(("rank", "a mesh is one of the loading process"))
    axes = mesh.mesh_dim_names
    return [
        str(mesh.device_type),
        None if axes is None else list(axes),
        [int(size) for size in mesh.shape],
    ]


def _decode_mesh(decoder: Decoder, parts: Any) -> Any:
    device_type, axes, shape = parts_of(parts, 3)
    names_fit = axes is None or _is_list(axes, str)
    if type(device_type) is not str or not names_fit or not _is_list(shape, int):
        raise Malformed("a mesh is not described by its device, axes and shape")
    names = None if axes is None else tuple(axes)
    reference = MeshReference(device_type, names, tuple(shape))
    if decoder.policy.meshes is None:
        raise Malformed(
            f"it refers to {reference}",
            "AG310",
            "say which mesh that is here: DecodePolicy(meshes=…)",
        )
    mesh = decoder.policy.meshes(reference)
    if type(mesh) is not _attribute(*_MESH):
        hint = "see what was passed as DecodePolicy(meshes=…)"
        raise Malformed(f"no mesh was found for {reference}", "AG310", hint)
    if _encode_mesh(Encoder(lambda _: _MESHES), mesh) != parts:
        raise Malformed(f"another mesh was found for {reference}", "AG310")
    return mesh


def _encode_group(encoder: Encoder, group: Any) -> str:
    encoder.notes.append(("rank", "a group is one of the loading process"))
    try:
        return str(group.group_name)
    except RuntimeError:
        raise Unstorable(group, "it has no name", "make it by new_group()") from None


def _decode_group(decoder: Decoder, name: Any) -> Any:
    if type(name) is not str:
        raise Malformed("the name of a group is no text")
    resolve = decoder.policy.groups or _registered_group
    try:
        group = resolve(name)
    except Exception as error:
        raise Malformed(
            f"there is no process group {ascii(name)} here ({type(error).__name__})",
            "AG310",
            "initialise torch.distributed before, or say which one it is: "
            "DecodePolicy(groups=…)",
        ) from error
    if distributed_kind(group) is not _GROUP or group.group_name != name:
        raise Malformed(f"another group than {ascii(name)} was found", "AG310")
    return group


def _registered_group(name: str) -> Any:
    return _attribute(_C10D, "_resolve_process_group")(name)


def _encode_reduce(_: Encoder, value: Any) -> str:
    return str(value.name)


def _decode_reduce(_: Decoder, name: Any) -> Any:
    members = getattr(_attribute(_C10D, "ReduceOp"), "RedOpType").__members__
    if type(name) is not str or name not in members:
        raise Malformed("there is no such reduction")
    return members[name]


def _is_list(value: Any, kind: type) -> bool:
    return type(value) is list and all(type(item) is kind for item in value)


_PLACEMENT = Kind("placement", _encode_placement, _decode_placement)
_MESHES = Kind("mesh", _encode_mesh, _decode_mesh)
_GROUP = Kind("group", _encode_group, _decode_group)
_REDUCE = Kind("reduce_op", _encode_reduce, _decode_reduce)
DISTRIBUTED = (_PLACEMENT, _MESHES, _GROUP, _REDUCE)
"""All of them."""

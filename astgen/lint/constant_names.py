"""The exact names by which constants are judged."""

from __future__ import annotations

__all__ = ["HOLDS_NODE", "PORTABLE", "RANK_BOUND_NAMES"]

HOLDS_NODE = frozenset("""
    sympy.core.symbol.Symbol
    torch.SymBool
    torch.SymFloat
    torch.SymInt
    torch._subclasses.fake_tensor.FakeTensor
    torch._subclasses.fake_tensor.FakeTensorMode
    torch._subclasses.functional_tensor.FunctionalTensor
    torch.fx._graph_pickler._NodePickleData
    torch.fx._graph_pickler._ShapeEnvPickleData
    torch.fx._graph_pickler._SymNodePickleData
    torch.fx._graph_pickler._TensorPickleData
    torch.fx.experimental.proxy_tensor.PythonKeyTracer
    torch.fx.experimental.sym_node.SymNode
    torch.fx.experimental.symbolic_shapes.ShapeEnv
    torch.fx.graph.Graph
    torch.fx.node.Node
    torch.fx.proxy.Attribute
    torch.fx.proxy.Proxy
""".split())
"""Classes of objects that belong to a trace, as pickles name them."""

RANK_BOUND_NAMES = frozenset("""
    torch._C._distributed_c10d.ProcessGroup
    torch._C._distributed_c10d.Work
    torch.distributed.ProcessGroup
    torch.distributed.device_mesh.DeviceMesh
    torch.distributed.distributed_c10d.ProcessGroup
    torch.distributed.tensor.DTensor
    torch.distributed.tensor._api.DTensor
    torch.distributed.tensor._dtensor_spec.DTensorSpec
    vllm.distributed.parallel_state.GroupCoordinator
""".split())
"""Classes of objects that one process sets up for one distributed run."""

_DTYPES = """
    bfloat16 bit bits16 bits1x8 bits2x4 bits4x2 bits8 bool cdouble cfloat chalf
    complex128 complex32 complex64 double float float16 float32 float4_e2m1fn_x2
    float64 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu
    half int int1 int16 int2 int3 int32 int4 int5 int6 int64 int7 int8 long qint32
    qint8 quint2x4 quint4x2 quint8 short uint1 uint16 uint2 uint3 uint32 uint4 uint5
    uint6 uint64 uint7 uint8
""".split()
_FORMATS = """
    channels_last channels_last_3d contiguous_format legacy_contiguous_format
    preserve_format
""".split()

_SCHEMES = """
    per_channel_affine per_channel_affine_float_qparams per_channel_symmetric
    per_tensor_affine per_tensor_symmetric
""".split()
_LAYOUTS = """
    _mkldnn jagged sparse_bsc sparse_bsr sparse_coo sparse_csc sparse_csr strided
""".split()

PORTABLE = (
    frozenset("""
    _codecs.encode builtins.Ellipsis builtins.NotImplemented builtins.bool
    builtins.bytearray builtins.bytes builtins.complex builtins.dict builtins.float
    builtins.frozenset builtins.int builtins.list builtins.range builtins.set
    builtins.slice builtins.str builtins.tuple collections.OrderedDict
    collections.defaultdict collections.deque numpy._core.multiarray._reconstruct
    numpy._core.multiarray.scalar numpy._core.numeric._frombuffer
    numpy.core.multiarray._reconstruct numpy.core.multiarray.scalar
    numpy.core.numeric._frombuffer numpy.dtype numpy.ndarray torch.Size torch.Tensor
    torch._C.Generator torch._C._distributed_c10d.ReduceOp.RedOpType
    torch._tensor._rebuild_from_type_v2 torch._utils._rebuild_meta_tensor_no_storage
    torch._utils._rebuild_parameter torch._utils._rebuild_tensor_v2 torch.device
    torch.distributed.tensor.placement_types.Partial
    torch.distributed.tensor.placement_types.Replicate
    torch.distributed.tensor.placement_types.Shard
    torch.distributed.tensor.placement_types._StridedShard
    torch.fx.immutable_collections.immutable_dict
    torch.fx.immutable_collections.immutable_list torch.nn.parameter.Buffer
    torch.nn.parameter.Parameter torch.serialization._get_layout
    torch.storage._load_from_bytes torch.utils._pytree.LeafSpec
    torch.utils._pytree.TreeSpec
    """.split())
    | {
        f"{module}.{name}"
        for module, names in (
            ("torch", _DTYPES + _FORMATS + _SCHEMES + _LAYOUTS),
            # Where pickle finds memory formats: in the first module that has `torch`.
            ("torch._utils.torch", _FORMATS),
            ("vllm.env_override.torch", _FORMATS),
        )
        for name in names
    }
)
"""What makes constants that can be stored as data: values of Python, PyTorch, numpy.

Where an artifact of astgen describes a constant, it is stored already, and nothing is
imported to make it; these are the names that pickles use."""

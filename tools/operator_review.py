"""The decisions behind the list of operators, ``astgen/check/operators.txt``.

The criteria are those of ``path_review.py``. Operators are judged by namespace, then by
schema (``SCHEMA_TYPES``; operators which take text are decided about one by one in
``STRING_ARGUMENTS``), then by the table of what is denied although its schema looks
harmless.
"""

from __future__ import annotations

from path_review import UNSAFE_TENSOR_FUNCTIONS, table

__all__ = [
    "HIGHER_ORDER_DENIED",
    "MIXED_PACKETS",
    "MIXED_PACKETS_DENIED",
    "NAMESPACES_LISTED",
    "NAMESPACES_UNLISTED",
    "OPERATORS_ADDED",
    "OPERATORS_DENIED",
    "SCHEMA_TYPES",
    "STRING_ARGUMENTS",
]

NAMESPACES_LISTED: dict[str, str] = {
    "aten": "PyTorch's tensor operators",
    "prims": "the primitive operators that decompositions end in",
    "prim": "only what OPERATORS_ADDED names; the rest is TorchScript",
    "quantized": "quantized arithmetic on plain tensors",
    "quantized_decomposed": "quantize and dequantize of exported models",
    "_c10d_functional": "collectives inside the process group that the program set up",
    "_c10d_functional_autograd": "collectives with derivatives",
    "c10d_functional": "collectives as older graphs spell them",
    "_dtensor": "a collective of DTensor",
    "rngprims": "functional random numbers",
    "fsdp": "copies in and out of flat parameters",
    "streams": "ordering of streams that Dynamo recorded",
}

NAMESPACES_UNLISTED: dict[str, str] = table(
    {
        "not a namespace but an attribute of torch.ops": "_dir loaded_libraries load_library import_module",
        "operators which take functions; listed under their own table": "higher_order",
        "reads tensors from files by name": "debugprims",
        "opens files or looks up attributes by name": "export aoti aoti_torch",
        "resizes or reinterprets storage unchecked; only in code below the stitching graph": """
            inductor inductor_prims _inductor_test _inductor_debug""",
        "fused kernels of a lowered graph; trusts packed buffers or returns addresses": """
            mkl mkldnn mkldnn_prepacked onednn _quantized quantization sparse
            prepacked xnnpack vulkan_prepack vulkan_quantized metal_prepack metal
            miopen tensorexpr""",
        "reads and writes the memory of other processes": "symm_mem",
        "takes process groups as C++ objects": "c10d rpc dist_rpc",
        "profiles, annotates or tests; no graph needs it": """
            profiler debug_mode_ops static_runtime _test _torch_testing flex_lib
            cplib onnx onnx_symbolic pippy _native nvprims""",
        "used by passes after the stitching graph": """
            ao bucketing device_mesh semi_structured torch_attn triton cuda""",
    }
)

# Types of arguments and results that an operator may have; `str` is judged one by one.
SCHEMA_TYPES: frozenset[str] = frozenset(
    "Tensor int float bool number complex Device Generator Stream QScheme".split()
)

STRING_ARGUMENTS: dict[str, str] = table(
    {
        "one of a fixed set of words, compared in C++": """
            aten._convolution_mode aten.conv1d aten.conv2d aten.conv3d
            aten._linalg_eigh aten._linalg_svd aten.linalg_cond aten.linalg_eigh
            aten.linalg_eigvalsh aten.linalg_lstsq aten.linalg_matrix_norm
            aten.linalg_norm aten.linalg_qr aten.linalg_svd aten.linalg_svdvals
            aten._mixed_dtypes_linear aten._sparse_mm aten._sparse_mm_reduce_impl
            aten._sparse_mm_reduce_impl_backward aten._sparse_semi_structured_linear
            aten._sparse_semi_structured_tile aten.div aten.div_ aten.divide
            aten.divide_ aten.gelu aten.gelu_ aten.gelu_backward aten.index_reduce
            aten.index_reduce_ aten.meshgrid aten.nanquantile aten.quantile aten.pad
            aten.pad_sequence aten.scatter aten.scatter_ aten.scatter_reduce
            aten.scatter_reduce_ aten.searchsorted aten.stft aten.fft_fft
            aten.fft_fft2 aten.fft_fftn aten.fft_hfft aten.fft_hfft2 aten.fft_hfftn
            aten.fft_ifft aten.fft_ifft2 aten.fft_ifftn aten.fft_ihfft
            aten.fft_ihfft2 aten.fft_ihfftn aten.fft_irfft aten.fft_irfft2
            aten.fft_irfftn aten.fft_rfft aten.fft_rfft2 aten.fft_rfftn""",
        "an equation of single letters, parsed by hand in C++": "aten.einsum",
        "the text of an error message": """
            aten._assert_async aten._assert_scalar aten._functional_assert_async
            aten._functional_assert_scalar aten._linalg_check_errors""",
        "a reduction, and the name of a process group which must already exist": """
            _c10d_functional.all_reduce _c10d_functional.all_reduce_
            _c10d_functional.all_reduce_coalesced
            _c10d_functional.all_reduce_coalesced_
            _c10d_functional.reduce_scatter_tensor
            _c10d_functional.reduce_scatter_tensor_coalesced
            _c10d_functional.reduce_scatter_tensor_out
            _c10d_functional_autograd.reduce_scatter_tensor
            c10d_functional.all_reduce c10d_functional.all_reduce_coalesced
            c10d_functional.reduce_scatter_tensor
            c10d_functional.reduce_scatter_tensor_coalesced""",
        "the name or tag of a process group which must already exist": """
            _c10d_functional.irecv _c10d_functional.isend
            _c10d_functional.batch_p2p_ops _c10d_functional.broadcast
            _c10d_functional.broadcast_ _c10d_functional.all_to_all_single
            _c10d_functional.all_gather_into_tensor
            _c10d_functional.all_gather_into_tensor_out
            _c10d_functional.all_gather_into_tensor_coalesced
            _c10d_functional_autograd.all_to_all_single
            _c10d_functional_autograd.all_gather_into_tensor
            _dtensor.shard_dim_alltoall c10d_functional.irecv c10d_functional.isend
            c10d_functional.batch_p2p_ops c10d_functional.broadcast
            c10d_functional.all_to_all_single c10d_functional.all_gather_into_tensor
            c10d_functional.all_gather_into_tensor_coalesced""",
    }
)

OPERATORS_ADDED: dict[str, str] = {
    "aten.size.default": "the shape of a tensor; TorchScript's overload, and FX passes emit it",
    "aten.stride.default": "the strides of a tensor; TorchScript's overload, and FX passes emit it",
    "aten.sym_size.default": "the shape of a tensor; registered from Python",
    "aten.sym_stride.default": "the strides of a tensor; registered from Python",
    "prim.device.default": "the device of a tensor, in graphs of tensor subclasses",
    "prim.layout.default": "the layout of a tensor, in graphs of tensor subclasses",
}

OPERATORS_DENIED: dict[str, str] = {
    **table(UNSAFE_TENSOR_FUNCTIONS, "aten."),
    **table(
        {
            "runs the hooks of the tensors it reaches": "aten._backward",
            "swaps the data of a tensor under its autograd history": "aten.set_data",
            "keeps C++ pointers in the bytes of an ordinary tensor, which text can overwrite": """
                quantized.linear_prepack_legacy quantized.linear_prepack_fp16_legacy
                quantized.linear_unpack quantized.linear_unpack_fp16""",
            "looks up a module of torch by the name it is given": "streams.synchronize_device",
        }
    ),
}

# Packets (operators without overload) whose remaining overloads are TorchScript's
# versions of the same function on numbers, strings and lists: calling the packet with
# such values can do nothing else than compute with them.
MIXED_PACKETS: dict[str, str] = table(
    {
        "TorchScript's overloads compute on numbers, strings, lists and dicts, nothing else": """
            __and__ __lshift__ __or__ __rshift__ __xor__
            _unsafe_index _unsafe_index_put acos acosh add add_ all angle any asin
            asinh atan atan2 atanh ceil copy copy_ copysign cos cosh div einsum eq
            erf erfc exp expm1 floor fmod frexp gcd ge gt index index_put index_put_
            isfinite isinf isnan ldexp le lgamma log log10 log1p lt mH mT matrix_H
            mul mul_ ne neg numpy_T polar pow remainder round select sin sinh slice
            split sqrt sub sum tan tanh to values"""
    },
    "aten.",
)

# Every packet that `list_paths.py --mixed` shows is in the table above or in this one.
MIXED_PACKETS_DENIED: dict[str, str] = table(
    {
        "an overload takes a storage": "set set_",
        "an overload takes any object": "dequantize sort",
        "an overload takes C++ objects": "quantized_gru quantized_lstm",
    },
    "aten.",
)

HIGHER_ORDER_DENIED: dict[str, str] = table(
    {
        "calls methods of C++ objects by name": "call_torchbind",
        "runs a compiled library or a delegate": "aoti_call_delegate executorch_call_delegate",
        "formats a text it is given, with attribute access": "print",
        "compiles text to machine code": "inline_asm_elementwise",
        "calls any Python function, registered by number or given": """
            invoke_leaf_function flat_apply trace_wrapped dynamo_bypassing_wrapper
            custom_function_call inductor_compiled_code""",
        "belongs to lowered code": "run_const_graph",
    }
)

"""The decisions behind the lists of functions and methods in ``astgen/check/*.txt``.

``list_paths.py`` takes its candidates from PyTorch, subtracts the ``*_DENIED`` tables
and adds the ``*_ADDED`` ones. Every entry is a name and the reason for the decision;
operators have ``operator_review.py``.

Generated text is hostile until checked and may call whatever is listed with any literal
and any value it holds. So a name is denied when it reaches files, processes, the
network, native code or process state, when it trusts an address or a size without
checking it, or when it calls or looks up something by a name or an object it is given.
A name that is missing from the lists is no loss: the emitter puts the object in a slot.
"""

from __future__ import annotations

import torch

__all__ = [
    "METHODS_ADDED",
    "METHODS_DENIED",
    "OPERATOR_MODULE_DENIED",
    "TORCH_ADDED",
    "TORCH_DENIED",
    "UNSAFE_TENSOR_FUNCTIONS",
    "VALUE_TYPES",
    "table",
]


def table(reasons: dict[str, str], prefix: str = "") -> dict[str, str]:
    """Turn ``reason -> names`` as written below into ``name -> reason``."""
    return {
        prefix + name: reason
        for reason, names in reasons.items()
        for name in names.split()
    }


# Shared by functions of `torch` and `torch._C._nn` and the aten operators of those names.
UNSAFE_TENSOR_FUNCTIONS: dict[str, str] = {
    "indexes with a dimension that nothing checks: seen to read and write past memory": """
        _sobol_engine_draw _sobol_engine_ff_ _sobol_engine_initialize_state_
        _sobol_engine_scramble_""",
    "reads or writes files": "from_file save",
    "takes a raw address": "_from_blob",
    "prints to the standard output": "_print",
    "skips the check that size and stride stay inside the storage: reads and writes anywhere": """
        _reshape_alias _reshape_alias_copy _nested_view_from_buffer
        _nested_view_from_buffer_copy _resize_output _resize_output_""",
    "accepts indices which point outside the tensor; later kernels write through them": """
        sparse_coo_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor
        sparse_bsc_tensor sparse_compressed_tensor _sparse_coo_tensor_unsafe
        _sparse_compressed_tensor_unsafe _sparse_csr_tensor_unsafe
        _sparse_csc_tensor_unsafe _sparse_bsr_tensor_unsafe _sparse_bsc_tensor_unsafe
        _sparse_coo_tensor_with_dims_and_tensors _convert_indices_from_coo_to_csr
        _convert_indices_from_csr_to_coo _coalesced_ _coalesced""",
    "its argument unsafe=True skips validation: reads or writes outside the tensor": """
        segment_reduce _segment_reduce _segment_reduce_backward _index_put_impl
        _index_put_impl_""",
    "keeps C++ pointers in the bytes of an ordinary tensor, which text can overwrite": """
        fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation
        fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation
        fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16
        fbgemm_pack_quantized_matrix _wrapped_linear_prepack
        _wrapped_quantized_linear_prepacked quantized_gru_cell quantized_lstm_cell
        quantized_rnn_relu_cell quantized_rnn_tanh_cell""",
    "changes process-wide caches": "_cufft_set_plan_cache_max_size _cufft_clear_plan_cache",
    "exists for PyTorch's own tests": """
        _foobar _test_ambiguous_defaults _test_autograd_multiple_dispatch
        _test_autograd_multiple_dispatch_view
        _test_autograd_multiple_dispatch_view_copy _test_check_tensor
        _test_functorch_fallback _test_optional_filled_intlist
        _test_optional_floatlist _test_optional_intlist _test_parallel_materialize
        _test_serialization_subcmul _test_string_default _test_warn_in_autograd""",
    "hands tensors to another runtime": "_propagate_xla_data",
}

TORCH_DENIED: dict[str, str] = {
    **table(UNSAFE_TENSOR_FUNCTIONS, "torch."),
    **table(UNSAFE_TENSOR_FUNCTIONS, "torch._C._nn."),
    **table(
        {
            "shares memory with any buffer it is given, Python's own immutable bytes included": """
                torch.asarray torch.frombuffer torch.from_numpy torch.from_dlpack""",
            "calls a function it is given": """
                torch.lobpcg torch.nn.functional.triplet_margin_with_distance_loss""",
            "parses a TorchScript argument list": "torch._C._nn._parse_to",
            "takes an options object with attributes": "torch.nn.functional.linear_cross_entropy",
        }
    ),
}

TORCH_ADDED: dict[str, str] = table(
    {
        "constructor of a plain value": "torch.Size torch.device",
        "factory which PyTorch does not let tensor subclasses override": """
            torch.tensor torch.as_tensor torch.broadcast_shapes torch.fft.fftfreq
            torch.fft.rfftfreq""",
        "reads the mode, changes nothing": """
            torch.is_tensor torch.get_default_dtype torch.is_grad_enabled
            torch.is_inference_mode_enabled torch.is_autocast_enabled
            torch.is_autocast_cache_enabled torch.get_autocast_dtype
            torch.are_deterministic_algorithms_enabled""",
        "arithmetic on symbolic numbers": """
            torch.sym_float torch.sym_int torch.sym_ite torch.sym_max torch.sym_min
            torch.sym_not torch.sym_sqrt torch.sym_sum torch._sym_sqrt
            torch._sym_acos torch._sym_asin torch._sym_atan torch._sym_cos
            torch._sym_cosh torch._sym_log2 torch._sym_sin torch._sym_sinh
            torch._sym_tan torch._sym_tanh""",
        "Dynamo and users write runtime checks with it; a message is called only to be shown": """
            torch._check torch._check_is_size torch._assert""",
        "plain tensor function, merely not overridable": """
            torch.nn.functional.sigmoid torch.nn.functional.tanh
            torch.nn.functional.hardsigmoid torch.nn.functional.hardswish
            torch.nn.functional.upsample torch.nn.functional.upsample_bilinear
            torch.nn.functional.upsample_nearest torch.nn.functional.grouped_mm
            torch.nn.functional.scaled_mm torch.nn.functional.scaled_grouped_mm
            torch.nn.functional.celu_ torch.nn.functional.elu_
            torch.nn.functional.hardtanh_ torch.nn.functional.leaky_relu_
            torch.nn.functional.relu_ torch.nn.functional.rrelu_
            torch.nn.functional.selu_ torch.nn.functional.threshold_
            torch.sparse.addmm torch.sparse.log_softmax torch.sparse.mm
            torch.sparse.sampled_addmm torch.sparse.softmax torch.sparse.spdiags
            torch.sparse.spsolve torch.sparse.sum torch.nested.as_nested_tensor
            torch.nested.masked_select torch.nested.narrow torch.nested.nested_tensor
            torch.nested.nested_tensor_from_jagged torch.nested.to_padded_tensor""",
        "Dynamo spells autocast regions with it; thread-local": """
            torch.amp._enter_autocast torch.amp._exit_autocast
            torch.amp.autocast_mode._enter_autocast
            torch.amp.autocast_mode._exit_autocast torch.set_autocast_enabled
            torch.set_autocast_cache_enabled torch.set_autocast_dtype
            torch.autocast_increment_nesting torch.autocast_decrement_nesting
            torch.clear_autocast_cache""",
        "Dynamo spells gradient modes with it; thread-local": """
            torch._C._set_grad_enabled torch._C._set_fwd_grad_enabled
            torch.autograd.grad_mode._enter_inference_mode
            torch.autograd.grad_mode._exit_inference_mode
            torch._C._autograd._saved_tensors_hooks_disable
            torch._C._autograd._saved_tensors_hooks_enable""",
        "layers of PyTorch count their use with it; takes a word for PyTorch's own log": """
            torch._C._log_api_usage_once""",
        "Dynamo spells attention regions with it; only switches kernels on and off": """
            torch.nn.attention._sdpa_kernel""",
        "Dynamo and AOTAutograd emit it for torch.autograd.grad; runs derivatives of the graph's own tensors": """
            torch.autograd.grad""",
        "Dynamo spells vmap, grad and jvp regions with it; levels are checked in C++": """
            torch._functorch.predispatch._add_batch_dim
            torch._functorch.predispatch._remove_batch_dim
            torch._functorch.predispatch._vmap_increment_nesting
            torch._functorch.predispatch._vmap_decrement_nesting
            torch._functorch.predispatch._jvp_increment_nesting
            torch._functorch.predispatch._jvp_decrement_nesting
            torch._functorch.predispatch._enter_dual_level
            torch._functorch.predispatch._exit_dual_level
            torch._functorch.predispatch._make_dual
            torch._functorch.predispatch._unpack_dual
            torch._functorch.predispatch._unwrap_for_grad
            torch._functorch.predispatch.lazy_load_decompositions
            torch.autograd.forward_ad._maybe_load_decompositions
            torch._functorch.eager_transforms._autograd_grad
            torch._functorch.eager_transforms._set_tensor_requires_grad
            torch._C._functorch._grad_increment_nesting
            torch._C._functorch._grad_decrement_nesting
            torch._C._functorch._vmap_increment_nesting
            torch._C._functorch._vmap_decrement_nesting
            torch._C._functorch._jvp_increment_nesting
            torch._C._functorch._jvp_decrement_nesting
            torch._C._functorch._add_batch_dim torch._C._functorch._remove_batch_dim
            torch._C._functorch._wrap_for_grad torch._C._functorch._unwrap_for_grad
            torch._C._functorch.set_inplace_requires_grad_allowed
            torch._C._enter_dual_level torch._C._exit_dual_level""",
    }
)

# Immutable, without state, made by PyTorch alone and never callable.
VALUE_TYPES: frozenset[type] = frozenset(
    {torch.dtype, torch.layout, torch.memory_format, torch.qscheme}
)

OPERATOR_MODULE_DENIED: dict[str, str] = table(
    {
        "returns a callable which reaches any attribute or method": "attrgetter methodcaller",
        "returns a callable; graphs call getitem": "itemgetter",
        "calls what it is given": "call",
    }
)

METHODS_DENIED: dict[str, str] = table(
    {
        "gives out memory without bounds, or an address": """
            data_ptr const_data_ptr storage storage_type untyped_storage set_
            share_memory_ new""",
        "leaves tensors for numpy, where files are a method away": "numpy",
        "calls a function it is given": "apply_ map_ map2_",
        "registers or runs functions": """
            backward register_hook register_post_accumulate_grad_hook reinforce""",
        "takes a class": "as_subclass",
        "swaps the data of a module": "module_load",
        "is gone from PyTorch and only raises": "eig lstsq solve symeig",
        "is deprecated, and resize_ does it": "resize resize_as resize_as_sparse_",
        "changes what later kernels trust without a check": "sparse_resize_ sparse_resize_and_clear_",
    }
)

METHODS_ADDED: dict[str, str] = {
    **table(
        {
            "tensors: arithmetic, comparison and items as methods": """
                __abs__ __add__ __and__ __bool__ __complex__ __contains__ __eq__
                __float__ __floordiv__ __ge__ __getitem__ __gt__ __iadd__ __iand__
                __ifloordiv__ __ilshift__ __imod__ __imul__ __index__ __int__
                __invert__ __ior__ __ipow__ __irshift__ __isub__ __itruediv__
                __ixor__ __le__ __len__ __lshift__ __lt__ __matmul__ __mod__ __mul__
                __ne__ __neg__ __or__ __pos__ __pow__ __radd__ __rand__ __rfloordiv__
                __rlshift__ __rmatmul__ __rmod__ __rmul__ __ror__ __rpow__
                __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __setitem__
                __sub__ __truediv__ __xor__""",
            "tensors: reads one without changing it": """
                _conj _dimI _dimV _indices _is_all_true _is_any_true _neg_view _nnz
                _values""",
        }
    ),
    **table(
        {
            "numbers: rounding and tests, symbolic ones too": """
                __ceil__ __floor__ __round__ __trunc__ as_integer_ratio bit_length
                conjugate is_integer""",
            "dicts: reading, as symbolic traces of models with dict inputs do": "get items keys",
            "DTensor: Dynamo leaves these calls in the graph": "full_tensor redistribute to_local",
        }
    ),
}

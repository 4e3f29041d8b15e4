"""Single names: dangerous ones are never listed, those of traced models are."""

from __future__ import annotations

import pytest

from astgen.check.paths import methods, operators, torch_paths

HIDDEN_TORCH_PATHS = """
    torch.load torch.save torch.from_file torch._from_blob torch.frombuffer
    torch.from_numpy torch.asarray torch.from_dlpack torch.to_dlpack torch.hub
    torch.hub.load torch.os torch.os.system torch.sys torch.sys.exit torch.compile
    torch.vmap torch.cond torch.while_loop torch.func.vmap torch.fork torch.wait
    torch.typename torch.serialization torch.serialization.load
    torch.serialization._load torch.storage torch.storage.UntypedStorage
    torch.UntypedStorage torch.Tensor torch.FloatTensor torch.nn.Parameter
    torch.nn.Module torch.Generator torch.utils torch.utils.cpp_extension.load_inline
    torch.utils.data.DataLoader torch.utils._pytree.tree_map torch.classes
    torch.classes.load_library torch.ops torch.ops.load_library torch.import_ir_module
    torch.import_ir_module_from_buffer torch.parse_ir torch.parse_schema torch.jit.load
    torch.jit.script torch.fx.symbolic_trace torch.fx.Interpreter torch._dynamo
    torch._dynamo.optimize torch._inductor.compile torch.multiprocessing
    torch.multiprocessing.spawn torch.distributed torch.distributed.init_process_group
    torch.set_default_device torch.set_default_dtype torch.set_default_tensor_type
    torch.set_num_threads torch.set_printoptions torch.set_rng_state
    torch.use_deterministic_algorithms torch.manual_seed torch.seed torch.cuda
    torch.cuda.synchronize torch.cuda.memory._dump_snapshot torch.library.Library
    torch.library.custom_op torch.autograd.Function torch.autograd.backward
    torch.autograd.gradcheck torch.overrides torch.overrides.handle_torch_function
    torch.overrides.has_torch_function torch._import_dotted_name
    torch._register_device_module torch._load_global_deps torch._preload_cuda_lib
    torch._logging torch._logging.set_logs torch._sync torch._to_functional_tensor
    torch._print torch._foobar torch._reshape_alias_copy torch.sparse_coo_tensor
    torch.sparse_csr_tensor torch.segment_reduce torch._convert_indices_from_coo_to_csr
    torch._nested_view_from_buffer torch.fbgemm_pack_gemm_matrix_fp16
    torch.fbgemm_linear_fp16_weight torch._cufft_set_plan_cache_max_size
    torch._index_put_impl_ torch._test_check_tensor torch.lobpcg torch._check_with torch.get_device_module
    torch.get_file_path torch.__getattr__ torch.__dict__ torch.__import__ torch._C
    torch._C._jit_set_emit_hooks torch._C._construct_storage_from_data_pointer
    torch._C._construct_CUDA_Tensor_From_Storage_And_Metadata torch._C._dispatch_library
    torch._C._save_parameters torch._C.import_ir_module
    torch._C._set_deterministic_algorithms
    torch._C._autograd._unsafe_set_version_counter torch._C._load_for_lite_interpreter
    torch._C._stash_obj_in_tls torch._C._crash_if_csrc_asan torch._C._nn._parse_to
    torch._C._nn._test_string_default torch._C.PyTorchFileWriter
    torch.functional.boolean_dispatch torch.functional.Any torch.functional.torch
    torch.functional.operator torch.nn.functional.handle_torch_function
    torch.nn.functional.has_torch_function torch.nn.functional.has_torch_function_unary
    torch.nn.functional.boolean_dispatch torch.nn.functional.importlib
    torch.nn.functional.importlib.import_module torch.nn.functional.warnings
    torch.nn.functional.warnings.warn torch.nn.functional.math torch.nn.functional.torch
    torch.nn.functional.np torch.nn.functional.triplet_margin_with_distance_loss
    torch.nn.attention._backend_from_string torch.nn.attention.sdpa_kernel
    torch.nn.init.normal_ torch.linalg._add_docstr torch.special._add_docstr
    torch.testing.assert_close torch.package.PackageImporter torch.onnx.export
    torch.export.load torch.profiler.profile operator.attrgetter operator.itemgetter
    operator.methodcaller operator.call operator.__call__ operator.__builtins__
    operator.__loader__
    """.split()

HIDDEN_OPERATORS = """
    load_library import_module loaded_libraries aten.from_file aten.from_file.default
    aten.from_file.out aten.save aten.save.default aten._print aten._print.default
    aten.format aten.format.default aten.percentFormat aten.warn aten.warn.default
    aten.str aten.append.t aten.__contains__.str aten.add.str aten.set_
    aten.set_.source_Storage aten.set.source_Storage aten._reshape_alias
    aten._reshape_alias.default aten._reshape_alias_copy.default
    aten._sparse_coo_tensor_unsafe.default aten.sparse_coo_tensor.indices_size
    aten._nested_view_from_buffer.default aten.segment_reduce.default
    aten._sobol_engine_draw aten._sobol_engine_ff_.default
    aten._sobol_engine_scramble_.default
    aten._backward.default aten.set_data.default aten._test_string_default.default
    aten.fbgemm_pack_gemm_matrix_fp16.default aten.fbgemm_linear_fp16_weight.default
    aten._wrapped_linear_prepack.default aten.quantized_lstm_cell.default
    aten._cufft_clear_plan_cache.default aten._cufft_set_plan_cache_max_size.default
    aten._index_put_impl_ aten._index_put_impl_.default aten._index_put_impl.out
    aten.get_gradients.default aten.random_.from aten.name aten.add.overloads
    aten.add.__call__ aten.add.op prim.Print prim.RaiseException
    prim.AddStatValue.default prim.ModuleContainerIndex.dict debugprims.load_tensor
    debugprims.load_tensor.default export.access_subclass_inner_tensor.default
    inductor.resize_storage_bytes_.default inductor._reinterpret_tensor.default
    inductor._alloc_from_pool.default mkldnn.data_ptr mkldnn.data_ptr.default
    profiler._record_function_enter.default c10d.send.default c10d.allreduce_.default
    symm_mem.nvshmem_put.default quantized.linear_unpack.legacy
    quantized.linear_prepack_legacy.default quantized.linear.default
    streams.synchronize_device.default static_runtime.create_owned_ref.default
    higher_order.call_torchbind higher_order.aoti_call_delegate
    higher_order.executorch_call_delegate higher_order.print
    higher_order.inline_asm_elementwise higher_order.invoke_leaf_function
    higher_order.flat_apply higher_order.trace_wrapped
    higher_order.dynamo_bypassing_wrapper higher_order.custom_function_call
    higher_order.inductor_compiled_code
    """.split()

HIDDEN_METHODS = """
    numpy tofile tobytes format format_map join register_hook
    register_post_accumulate_grad_hook backward map_ map2_ apply_ apply as_subclass set_
    share_memory_ storage untyped_storage storage_type _typed_storage data_ptr
    const_data_ptr new module_load reinforce resize __class__ __dict__ __getattribute__
    __getattr__ __setattr__ __delattr__ __init__ __new__ __init_subclass__
    __subclasshook__ __subclasses__ __mro__ __base__ __call__ __get__ __set__ __del__
    __enter__ __exit__ __format__ __repr__ __str__ __reduce__ __reduce_ex__ __getstate__
    __setstate__ __deepcopy__ __torch_function__ __torch_dispatch__ __array__
    __array_wrap__ __array_interface__ __cuda_array_interface__ __dlpack__
    __dlpack_device__ __globals__ __code__ __closure__ __self__ __func__ __module__
    __import__ __builtins__ __dir__ __sizeof__ _make_subclass _make_wrapper_subclass
    _view_func _view_func_unsafe _rev_view_func_unsafe _reduce_ex_internal _fix_weakref
    _backward_hooks _use_count append extend insert pop remove clear update setdefault
    popitem sort_by encode decode mro load load_state_dict save open read write system
    popen exec eval send recv close
    """.split()


@pytest.mark.parametrize("path", HIDDEN_TORCH_PATHS)
def test_dangerous_torch_paths_are_not_listed(path: str) -> None:
    assert path not in torch_paths()


@pytest.mark.parametrize("name", HIDDEN_OPERATORS)
def test_dangerous_operators_are_not_listed(name: str) -> None:
    assert name not in operators()


@pytest.mark.parametrize("name", HIDDEN_METHODS)
def test_dangerous_methods_are_not_listed(name: str) -> None:
    assert name not in methods()


@pytest.mark.parametrize(
    "path",
    """
    torch.add torch.Size torch.empty torch.sym_max torch._C._set_grad_enabled
    torch._C._nn.gelu torch._C._nn.linear torch.nn.functional.silu
    torch.nn.functional.scaled_dot_product_attention torch._C._fft.fft_rfft
    torch.fft.rfft torch._C._linalg.linalg_vector_norm torch._C._special.special_expit
    torch.amp.autocast_mode._enter_autocast torch.amp.autocast_mode._exit_autocast
    torch._functorch.predispatch._add_batch_dim torch._check operator.getitem
    operator.setitem operator.iadd operator.matmul operator.floordiv
    """.split(),
)
def test_paths_of_traced_models_are_listed(path: str) -> None:
    assert path in torch_paths()


@pytest.mark.parametrize(
    "name",
    """
    aten.add.Tensor aten.add aten._to_copy.default aten.sym_size.int
    aten.sym_size.default aten.item.default aten._local_scalar_dense.default
    aten.sym_stride.int aten.einsum.default aten.div.Tensor_mode aten.pad.default
    aten.scaled_dot_product_attention.default prims.convert_element_type.default
    prim.device.default _c10d_functional.all_reduce.default
    _c10d_functional.wait_tensor.default
    quantized_decomposed.quantize_per_tensor.default higher_order.cond
    higher_order.wrap_with_set_grad_enabled higher_order.invoke_subgraph
    """.split(),
)
def test_operators_of_traced_models_are_listed(name: str) -> None:
    assert name in operators()


@pytest.mark.parametrize(
    "name",
    """
    view size to contiguous transpose item tolist __getitem__ __setitem__ __radd__
    __rsub__ __matmul__ __invert__ __and__ add_ expand type keys redistribute to_local
    bit_length
    """.split(),
)
def test_methods_of_traced_models_are_listed(name: str) -> None:
    assert name in methods()

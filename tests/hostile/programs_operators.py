"""Operators, the operator module, and paths that stand as values."""

from __future__ import annotations

from hostile.making import CANARY, TOUCH, Hostile, body, param, text

__all__ = ["PROGRAMS"]

PROGRAMS: list[Hostile] = [
    # Operators
    body("every operator", "AG502", "torch.ops"),
    body("a namespace", "AG502", "torch.ops.aten"),
    body("a foreign namespace", "AG502", "torch.ops.vllm"),
    body("higher-order namespace", "AG502", "torch.ops.higher_order"),
    body("namespace of libraries", "AG502", "torch.ops.loaded_libraries"),
    body("module of operators", "AG502", "torch.ops.import_module('os')"),
    body("tensor writer", "AG502", f"torch.ops.aten.save.default(x, {CANARY!r})"),
    body("writer packet", "AG502", f"torch.ops.aten.save(x, {CANARY!r})"),
    body(
        "output of a file operator",
        "AG502",
        f"torch.ops.aten.from_file.out({CANARY!r}, out=x)",
    ),
    body("print operator", "AG502", "torch.ops.aten._print.default('x')"),
    body("script print", "AG502", "torch.ops.prim.Print('x')"),
    body("script exception", "AG502", "torch.ops.prim.RaiseException('x')"),
    body("script format", "AG502", "torch.ops.aten.format.default('{}', x)"),
    body("script warning", "AG502", "torch.ops.aten.warn.default('x')"),
    body("storage swap", "AG502", "torch.ops.aten.set_.source_Storage(x, y)"),
    body("packet of swaps", "AG502", "torch.ops.aten.set_(x, y)"),
    body(
        "unsafe put operator",
        "AG502",
        "torch.ops.aten._index_put_impl_.default(x, [y], x, True, True)",
    ),
    body(
        "storage bytes",
        "AG502",
        "torch.ops.inductor.resize_storage_bytes_.default(x, 0)",
    ),
    body(
        "reinterpreted tensor",
        "AG502",
        "torch.ops.inductor._reinterpret_tensor.default(x, [9], [9], 9)",
    ),
    body("address operator", "AG502", "torch.ops.mkldnn.data_ptr.default(x)"),
    body("remote memory", "AG502", "torch.ops.symm_mem.nvshmem_put.default(x, 0)"),
    body("raw collective", "AG502", "torch.ops.c10d.send.default([x], y, 0, 0)"),
    body(
        "inner attribute",
        "AG502",
        "torch.ops.export.access_subclass_inner_tensor.default(x, '__class__')",
    ),
    body(
        "method of an object", "AG502", "torch.ops.higher_order.call_torchbind(x, 'm')"
    ),
    body(
        "printing with a format",
        "AG502",
        "torch.ops.higher_order.print('{0.__class__}', x)",
    ),
    body(
        "compiled delegate", "AG502", "torch.ops.higher_order.aoti_call_delegate(x, y)"
    ),
    body(
        "assembly",
        "AG502",
        "torch.ops.higher_order.inline_asm_elementwise(x, asm_str='nop')",
    ),
    body("any function", "AG502", "torch.ops.higher_order.flat_apply(x, y)"),
    body(
        "registered function",
        "AG502",
        "torch.ops.higher_order.invoke_leaf_function(0, x)",
    ),
    body(
        "module lookup", "AG502", "torch.ops.streams.synchronize_device.default('os')"
    ),
    body(
        "record of a profiler",
        "AG502",
        "torch.ops.profiler._record_function_enter.default('x')",
    ),
    body(
        "free of an address",
        "AG506",
        "torch.ops._C_custom_ar.free_shared_buffer.default(4096)",
    ),
    body(
        "copy between addresses",
        "AG506",
        "torch.ops._C_cache_ops.swap_blocks_batch.default(x, x, y)",
    ),
    body("script class", "AG502", "torch.classes.fsdp.Handle(x)"),
    body("foreign dunder", "AG502", "torch.ops.vllm.__class__(x)"),
    body("foreign private name", "AG502", "torch.ops.vllm._dir(x)"),
    body("overloads of an operator", "AG502", "torch.ops.vllm.all_reduce.overloads()"),
    body("name of an operator", "AG502", "torch.ops.vllm.all_reduce.name()"),
    body("operator object", "AG502", "torch.ops.vllm.op(x)"),
    body("look-alike namespace", "AG506", "torch.ops.a\u0442en.add.Tensor(x, y)"),
    body("namespace in capitals", "AG506", "torch.ops.ATEN.add.Tensor(x, y)"),
    # The operator module
    body("method caller in a local", "AG502", "z = operator.methodcaller", "return z"),
    body("getter with two paths", "AG503", "operator.attrgetter('a', 'b')(x)"),
    body("item getter that is called", "AG503", "operator.itemgetter(0)(x)"),
    body("operator call with a slot", "AG502", "operator.call(__vllm_consts__[0], x)"),
    body("private operator", "AG502", "operator._abs(x)"),
    body("operator globals of a function", "AG502", "operator.add.__globals__"),
    body("operator dunder", "AG502", "operator.__add__(x, y)"),
    body("operator loader", "AG502", "operator.__loader__.load_module('os')"),
    body("operator spec", "AG502", "operator.__spec__.loader"),
    body("operator dict", "AG502", "operator.__dict__"),
    # Paths as values
    body("tensor class as an argument", "AG502", "torch.add(x, torch.Tensor)"),
    body("loader as an argument", "AG502", "__vllm_consts__[0](torch.load, x)"),
    body(
        "system as an argument",
        "AG502",
        f"__vllm_consts__[0](torch.os.system, {TOUCH!r})",
    ),
    body("loader in a list", "AG502", "[torch.load]"),
    body("loader in a dict", "AG502", "{'a': torch.load}"),
    body("loader as a keyword", "AG502", "torch.add(x, y, out=torch.load)"),
    body("loader as an index", "AG502", "x[torch.load]"),
    body("loader in a slice", "AG502", "x[torch.load:1]"),
    body("loader in arithmetic", "AG502", "x + torch.load"),
    body("loader in a comparison", "AG502", "x < torch.load"),
    body("loader behind a star", "AG502", "torch.add(*torch.load)"),
    body(
        "loader as a branch",
        "AG502 AG502",
        "torch.ops.higher_order.cond(x, torch.load, torch.load, [y])",
    ),
    body("loader to be checked", "AG502 AG503", "torch._check(False, torch.load)"),
    body("called dtype", "AG503", "torch.float16(x)"),
    body("method of a dtype", "AG502", "torch.float16.to_complex()"),
    body("attribute of a dtype", "AG502", "torch.float16.itemsize"),
    body("dtype by another name", "AG502", "torch.types.torch.float16"),
    param("system in a default", "AG502", "x=torch.os.system"),
    param("loader in a default", "AG502", "x=torch.load"),
    param("getter in a default", "AG502", "x=operator.attrgetter"),
    param("dtype called in a default", "AG503", "x=torch.float16()"),
    param("module in a default", "AG502", "x=torch"),
    text(
        "loader passed to a function",
        "AG502",
        "import torch\ndef __vllm_inlined_submods__0(f):\n    return f\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return __vllm_inlined_submods__0(torch.load)\n",
    ),
]

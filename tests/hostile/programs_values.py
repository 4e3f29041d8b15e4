"""Builtins, attributes and methods of values, and calls of what is not known."""

from __future__ import annotations

from hostile.making import CANARY, HEAD, TOUCH, Hostile, body, text

__all__ = ["PROGRAMS"]

PROGRAMS: list[Hostile] = [
    # Builtins
    body("import function", "AG103 AG507", f"__import__('os').system({TOUCH!r})"),
    body("builtins module", "AG103", "__builtins__['eval']"),
    body("eval", "AG103", "eval('1')"),
    body("exec", "AG103", "exec('import os')"),
    body("compile", "AG103", "compile('1', '', 'eval')"),
    body("open", "AG103", f"open({CANARY!r}, 'w')"),
    body("getattr", "AG103", "getattr(x, '__class__')"),
    body("globals", "AG103", "globals()"),
    body("breakpoint", "AG103", "breakpoint()"),
    body("debug flag", "AG103", "__debug__"),
    body("module spec", "AG103", "__spec__.loader"),
    body("file name", "AG101", "__file__"),
    # Dunder attributes and methods
    body("class of a value", "AG502", "x.__class__"),
    body("class of a literal", "AG502", "''.__class__"),
    body("subclasses", "AG502 AG507", "().__class__.__base__.__subclasses__()"),
    body("globals of a slot", "AG502", "__vllm_consts__[0].__globals__"),
    body("globals of a function", "AG502", "__vllm_submods__[0](x).__globals__"),
    body("reduce", "AG507", "x.__reduce_ex__(2)"),
    body("getattribute", "AG507", "x.__getattribute__('__class__')"),
    body("format", "AG507", "'{0.__class__}'.format(x)"),
    body("file-writing method", "AG507 AG507", f"x.numpy().tofile({CANARY!r})"),
    body("hook", "AG507", "x.register_hook(y)"),
    body("map over elements", "AG507", "x.map_(y, __vllm_consts__[0])"),
    body("apply", "AG507", "x.apply_(__vllm_consts__[0])"),
    body("storage", "AG507", "x.untyped_storage()"),
    body("pointer", "AG507", "x.data_ptr()"),
    body("private attribute", "AG502", "x._backward_hooks"),
    # Calls of what is not known
    body("local", "AG503", "z = __vllm_consts__[0]", "return z(x)"),
    body("parameter", "AG503", "x(y)"),
    body("item", "AG503", "x[0](y)"),
    body("result", "AG503", "__vllm_submods__[0](x)(y)"),
    body("item of a list", "AG503", "[torch.add, torch.sub][0](x, y)"),
    body("lambda", "AG503", "(lambda: 1)()"),
    body("conditional callee", "AG503", "(torch.add if x else torch.sub)(x, y)"),
    body("string", "AG503", "'torch.add'(x, y)"),
    body("itself", "AG503", "execution_fn(x, y, __vllm_submods__=x)"),
    # Every other builtin that reaches something
    *(
        body(f"builtin {name}", "AG103", f"{name}(x)")
        for name in (
            "__build_class__ callable classmethod delattr dir getattr hasattr help "
            "input isinstance iter locals map memoryview next object print property "
            "setattr sorted super type vars zip bytes str int list exit quit "
            "aiter anext filter format reversed"
        ).split()
    ),
    body("builtin as an argument", "AG103", "__vllm_consts__[0](eval, x)"),
    body("builtin in a container", "AG103", "{'a': [exec, x]}"),
    body("builtin in a local", "AG103", "z = getattr", "return z"),
    body("exception class", "AG103", "BaseException"),
    body("system exit", "AG103", "SystemExit(1)"),
    body("builtins as a name", "AG101", "builtins.open('x')"),
    body("builtins as a value", "AG103", "__builtins__"),
    body("builtins by attribute", "AG103", "__builtins__.eval"),
    body("loader of the module", "AG103", "__loader__"),
    body("name of the module", "AG103", "__name__"),
    body("annotations of the module", "AG101", "__annotations__"),
    body("range as a value", "AG103", "__vllm_consts__[0](range)"),
    body("slice as a value", "AG103", "[slice]"),
    body("attribute of range", "AG103", "range.__class__"),
    body("method of slice", "AG103", "slice.mro()"),
    # Dunders that are attributes or methods of values
    *(
        body(f"attribute {name}", "AG502", f"x.{name}")
        for name in (
            "__dict__ __globals__ __code__ __closure__ __func__ __self__ __module__ "
            "__mro__ __bases__ __base__ __subclasses__ __init__ __new__ __weakref__ "
            "__wrapped__ __loader__ __builtins__ __defaults__ __kwdefaults__ "
            "f_globals gi_frame cr_frame tb_frame data grad grad_fn _base _cdata"
        ).split()
    ),
    *(
        body(f"method {name}", "AG507", f"x.{name}(y)")
        for name in (
            "__reduce__ __getattr__ __setattr__ __delattr__ __call__ __init__ "
            "__new__ __get__ __set__ __del__ __enter__ __exit__ __format__ __repr__ "
            "__str__ __setstate__ __getstate__ __deepcopy__ __dir__ __sizeof__ "
            "__class_getitem__ __init_subclass__ __subclasshook__ __subclasses__ "
            "__torch_function__ __torch_dispatch__ __array__ __array_wrap__ "
            "__dlpack__ __hash__ __iter__ __next__ __await__ __missing__ __delitem__ "
            "_make_subclass _view_func _reduce_ex_internal _typed_storage "
            "mro tofile tobytes dump dumps save open read write load system popen "
            "format_map join encode decode translate append extend insert pop remove "
            "clear update setdefault popitem register_post_accumulate_grad_hook "
            "backward reinforce map2_ as_subclass set_ share_memory_ storage "
            "storage_type new module_load numpy resize send throw close "
            "py_impl redispatch decompose fallthrough overloads func default"
        ).split()
    ),
    body("method of a slot", "AG507", "__vllm_consts__[0].system('x')"),
    body("method of a piece's result", "AG507", "__vllm_submods__[0](x).__reduce__()"),
    body("method of a string", "AG507", "'{0.__class__.__mro__}'.format(x)"),
    body("method of bytes", "AG507", "b'x'.decode('rot13')"),
    body("method of a number", "AG507", "(1).to_bytes(9999999999, 'big')"),
    body("method of a tuple", "AG507", "(x, y).__class_getitem__(x)"),
    body("method of a list", "AG507", "[x].append(y)"),
    body("method of a dict", "AG507", "{'a': x}.update(y)"),
    body("method of a result", "AG507", "torch.add(x, y).tofile('x')"),
    body("method of an item", "AG507", "x[0].tofile('x')"),
    body("method of a path", "AG502", "torch.add.tofile('x')"),
    body("method of arithmetic", "AG507", "(x + y).tofile('x')"),
    body("method behind a method", "AG507", "x.view(1).storage()"),
    body("attribute in a subscript", "AG502", "y[x.__class__]"),
    body("attribute in a keyword", "AG502", "torch.add(x, y, out=x.__class__)"),
    body("attribute behind a star", "AG502", "torch.add(*x.__class__)"),
    body("attribute in a dict", "AG502", "{'a': x.__class__}"),
    body("attribute as a dict's key", "AG502", "{x.__class__: 1}"),
    body("attribute in a slice", "AG502", "x[y.__class__:]"),
    body("attribute in a comparison", "AG502", "x < y.__class__"),
    body("attribute in arithmetic", "AG502", "x + y.__class__"),
    body("attribute of a call", "AG502", "torch.add(x, y).grad_fn"),
    body("attribute of an item", "AG502", "x[0].__class__"),
    body("attribute of a container", "AG502", "[x].__class__"),
    body("shape that is no list", "AG502", "x.shape"),
    body("private method in full width", "AG507", "x.__\uff52educe__()"),
    # More calls of what is not known
    body("result of a slot", "AG503", "__vllm_consts__[0](x)(y)"),
    body("method's result", "AG503", "x.view(1)(y)"),
    body("item of a slot", "AG503", "__vllm_consts__[0][1](x)"),
    body("item of a piece's result", "AG503", "__vllm_submods__[0](x)[0](y)"),
    body("item of a dict", "AG503", "{'a': torch.add}['a'](x, y)"),
    body("item of a tuple", "AG503", "(torch.add, x)[0](x, y)"),
    body("alias of a path", "AG503", "z = torch.add", "return z(x, y)"),
    body("alias of a slot", "AG503", "z = __vllm_consts__[0]", "w = z", "return w(x)"),
    body("alias in a list", "AG503", "z = [__vllm_consts__[0]]", "return z[0](x)"),
    body("called sum", "AG503", "(x + y)(x)"),
    body("called comparison", "AG503", "(x < y)(x)"),
    body("called number", "AG503", "1(x)"),
    body("called none", "AG503", "None(x)"),
    body("called ellipsis", "AG503", "...(x)"),
    body("called list", "AG503", "[](x)"),
    body("called dict", "AG503", "{}(x)"),
    body("called f-string", "AG503", "f'{x}'(y)"),
    body("called await", "AG503", "(await x)(y)"),
    body("called generator", "AG503", "(z for z in x)(y)"),
    body("called walrus", "AG503", "(z := x)(y)"),
    body("call of a call of a call", "AG503", "torch.add(x, y)(x)(y)"),
    body("message of a check", "AG503", "torch._check(False, x)"),
    body("named message of a check", "AG503", "torch._check(False, message=x)"),
    body("unpacked message", "AG503", "torch._check(False, **{'message': x})"),
    body("key of a sort", "AG503", "[1, 2].sort(key=__vllm_consts__[0])"),
    body("key of a sort by unpacking", "AG503", "[1, 2].sort(**{'key': x})"),
    body(
        "key of a sort of a local", "AG503", "z = [x, y]", "z.sort(key=x)", "return z"
    ),
    text(
        "star arguments into a function",
        "AG406",
        "def __vllm_inlined_submods__0(a, b):\n    return a\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return __vllm_inlined_submods__0(*x)\n",
    ),
    text(
        "called parameter of a function",
        "AG503",
        f"{HEAD}def __vllm_inlined_submods__0(f, a):\n    return f(a)\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return __vllm_inlined_submods__0(torch.add, x)\n",
    ),
    text(
        "called star parameter",
        "AG503",
        f"{HEAD}def __vllm_inlined_submods__0(*f):\n    return f[0](1)\n"
        "def execution_fn(x, *, __vllm_submods__):\n"
        "    return __vllm_inlined_submods__0(torch.add, x)\n",
    ),
]

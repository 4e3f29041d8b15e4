"""The exact names that constants may use wherever they are loaded.

`CALLABLES`: what may be loaded as what it is, and so be called by hostile text with
whatever that text holds. The test is that of `astgen.check.paths`: it computes with
numbers, tensors and containers; it reaches no file, process, module or attribute by
name; it takes no code and calls no function that it is given. Of a value it calls at
most what an operator in the text would (`int` its `__int__`, `sum` its `__add__`), and
values of classes that do something there have to be allowed. What is missing:

- `getattr`, `type`, `vars`, `isinstance`: they lead from values to classes and names.
- `sorted`, `min`, `max`, `map`, `filter`, `iter`, `functools.reduce`,
  `functools.partial`, `collections.defaultdict`, `operator.call`: they call what they
  are given, if only as `key=`.
- `str`, `bytes`, `bytearray`: given the name of an encoding, they ask the registry of
  codecs, which imports modules by name.
- `id`, `hash`, `repr`, `ascii`, `format`: they tell addresses of objects.

The paths that the checker allows in a text are allowed here too; they are not repeated.

`METHODS`: likewise methods of Python's own types, beside those that the checker allows
on any value. As functions of their type (`str.upper`) they take values of that type
only, so a name that means more elsewhere means nothing else here. Missing are `format`
and `format_map`, which read attributes; `encode` and `decode`, for the registry of
codecs; `__getattribute__`, `__init__`, `__reduce__` and what tells addresses.

`ATTRIBUTES`: what `operator.attrgetter` may read from any value. Each is data of
tensors, dtypes, devices, or of what PyTorch's operators return. On other values some
are methods that search (`index`, `count`), and `type` may be a class of containers or
numbers; none leads to a module, a frame, a function of anybody's, or from a value to
the class it is of.
"""

from __future__ import annotations

__all__ = ["ATTRIBUTES", "CALLABLES", "KEYWORD_OPERATORS", "METHODS"]

_BUILTINS = """
    abs all any bin bool callable chr complex dict divmod enumerate float frozenset
    hex int len list oct ord pow range reversed round set slice sum tuple zip
""".split()

_MATH = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist
    erf erfc exp exp2 expm1 fabs floor fma fmod frexp fsum gamma gcd hypot isclose
    isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nextafter perm
    pow prod radians remainder sin sinh sqrt sumprod tan tanh trunc ulp
""".split()

_NUMPY = """
    bool bool_ complex128 complex64 float16 float32 float64 int16 int32 int64 int8
    uint16 uint32 uint64 uint8
""".split()

CALLABLES = frozenset(
    {
        *(f"builtins:{name}" for name in _BUILTINS),
        *(f"math:{name}" for name in _MATH),
        *(f"numpy:{name}" for name in _NUMPY),
        "collections:OrderedDict",
        # The emitter's own, for graphs whose inputs and outputs are nested.
        "torch.fx._pytree:tree_flatten_spec",
        "torch.utils._pytree:tree_unflatten",
    }
)
"""Functions and classes by module and qualified name."""

_TEXT = """
    capitalize center count endswith expandtabs find isalnum isalpha isascii isdigit
    islower isspace istitle isupper join ljust lower lstrip partition removeprefix
    removesuffix replace rfind rindex rjust rpartition rsplit rstrip splitlines
    startswith strip swapcase title upper zfill
"""
_SETS = """
    copy difference intersection isdisjoint issubset issuperset symmetric_difference
    union
"""
_OWN_METHODS = {
    "bytes": f"{_TEXT} hex",
    "dict": "__delitem__ __reversed__ clear copy pop popitem setdefault update",
    "float": "__divmod__ __rdivmod__ hex",
    "frozenset": _SETS,
    "int": "__divmod__ __rdivmod__ bit_count to_bytes",
    "list": """
        __delitem__ __reversed__ append clear copy count extend insert pop remove reverse
    """,
    "range": "__reversed__ count",
    "set": f"""
        {_SETS} clear difference_update discard intersection_update pop remove
        symmetric_difference_update update
    """,
    "str": f"{_TEXT} casefold isdecimal isidentifier isnumeric isprintable",
    "tuple": "count",
}

METHODS = frozenset(
    f"{owner}.{name}" for owner, names in _OWN_METHODS.items() for name in names.split()
)
"""Methods of Python's types by type and name."""

ATTRIBUTES = frozenset("""
    H L LD LU P Q R S T U V Vh a bin_edges bits count data device dtype eigenvalues
    eigenvectors eps exponent grad hist imag index indices info inverse is_complex
    is_cpu is_cuda is_floating_point is_leaf is_meta is_mkldnn is_mps is_nested
    is_quantized is_signed is_sparse is_sparse_csr is_xpu itemsize layout log_sumexp
    logabsdet logsumexp mH mT mantissa mask max max_k max_q min names nbytes ndim
    output output_nr philox_offset philox_seed pivots primal rank real requires_grad
    residuals resolution result retains_grad rng_state shape sign singular_values
    smallest_normal solution start step stop tangent tau tiny type values
""".split())
"""Names of attributes."""

KEYWORD_OPERATORS = frozenset({"aten.random.from", "aten.random_.from"})
"""Built-in operators that no text can spell, for they are called like a keyword."""

"""The exact names that constants may use wherever they are loaded.

`CALLABLES`: what may be loaded as what it is, and so be called by hostile text with
whatever that text holds. The test is that of `astgen.check.paths`: it computes with
numbers, tensors and containers; it reaches no file, process, module or attribute by
name; it takes no code and calls no function that it is given. So `getattr`, `type`,
`sorted`, `min`, `max`, `map`, `functools.reduce`, `functools.partial` and
`operator.call` are missing, as is `id`, which tells an address. The paths that the
checker allows in a text are allowed here too; they are not repeated.

`ATTRIBUTES`: what `operator.attrgetter` may read from any value. Each is data of
tensors, dtypes, devices, or of what PyTorch's operators return. On other values some
are methods that search (`index`, `count`), and `type` may be a class of containers or
numbers; none leads to a module, a frame, a function of anybody's, or from a value to
the class it is of.
"""

from __future__ import annotations

__all__ = ["ATTRIBUTES", "CALLABLES", "KEYWORD_OPERATORS"]

_BUILTINS = """
    abs all any bool complex dict divmod enumerate float frozenset int len list pow
    range reversed round set slice sum tuple zip
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

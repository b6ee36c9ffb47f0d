"""Kernels of array operations by name, as array packages built on this one call them.

Each gives a prepared function whose last parameter is the number of elements, remembered by context and arguments.
"""

import numpy as np

from pycuda._arrays.described import entries, kernel_builder
from pycuda._arrays.elementwise_source import get_elwise_kernel, get_elwise_kernel_and_types
from pycuda.tools import ScalarArg, VectorArg, dtype_to_ctype

__all__ = [
    "get_take_kernel", "get_take_put_kernel", "get_put_kernel", "get_copy_kernel", "get_linear_combination_kernel", "get_axpbyz_kernel",
    "get_axpbz_kernel", "get_binary_op_kernel", "get_rdivide_elwise_kernel", "get_binary_func_kernel", "get_binary_func_scalar_kernel",
    "get_binary_minmax_kernel", "get_fill_kernel", "get_reverse_kernel", "get_real_kernel", "get_imag_kernel", "get_conj_kernel",
    "get_arange_kernel", "get_pow_array_kernel", "get_pow_kernel", "get_fmod_kernel", "get_modf_kernel", "get_frexp_kernel",
    "get_ldexp_kernel", "get_unary_func_kernel", "get_if_positive_kernel", "get_where_kernel", "get_scalar_op_kernel",
    "get_logical_not_kernel",
]


_builder = kernel_builder({name: ("dtype", f"    dtype of {what}.") for name, what in {
    "conj_dtype": "the result", "crit_dtype": "the criterion", "dtype": "the elements", "dtype_a": "a", "dtype_dest": "the destination",
    "dtype_out": "the result", "dtype_src": "the source", "dtype_x": "x", "dtype_y": "y", "dtype_z": "z", "idx_dtype": "the indices",
    "in_dtype": "y", "out_dtype": "z; None: that of y", "real_dtype": "the real or imaginary part",
}.items()} | entries("""
func : str
    Name of a C function.
func_name : str
    Name of a C function.
is_base_array : bool
    Whether x is an array.
is_exp_array : bool
    Whether y is an array.
operator : str
    C operator.
summand_descriptors : Sequence[tuple[bool, DTypeLike, DTypeLike]]
    For each summand: whether its scalar is on the device, dtype of the scalar, dtype of the vector.
use_scalar : bool
    Whether y is a value.
vec_count : int
    Number of vectors.
with_offsets : bool
    Whether each vector has an offset.
x_is_scalar : bool
    Whether x is a scalar: an array of one element.
y_is_scalar : bool
    Whether y is a scalar: an array of one element.
"""), "Function\n    Prepared function.")


def _vectors(**dtypes):
    return [VectorArg(dtype, name) for name, dtype in dtypes.items()]


def _is_complex(dtype):
    return np.dtype(dtype).kind == "c"


def _cast(dtype_x, dtype_z):
    """A cast to the type an operand has in an operation with results of dtype_z: real operands stay real."""
    dtype_x, dtype_z = np.dtype(dtype_x), np.dtype(dtype_z)
    if dtype_z.kind == "c" and dtype_x.kind != "c":
        dtype_z = np.zeros(0, dtype_z).real.dtype
    return f"({dtype_to_ctype(dtype_z)})"


# ---- copies, gather and scatter


def _each(vec_count):
    """The indices of vec_count vectors, limited by the space for a kernel's parameters, 4 KB."""
    if not 1 <= vec_count <= 512:
        raise ValueError(f"expected a vec_count of 1 to 512, got {vec_count}")
    return range(vec_count)


@_builder
def get_take_kernel(dtype, idx_dtype, vec_count=1):
    """Return the kernel ``function(idx, dest0…, n)``: dest[i] = src[idx[i]].

    Returns
    -------
    tuple[Function, list[TextureReference]]
        Prepared function, and the sources' texture references.
    """
    names = [f"tex_src{i}" for i in _each(vec_count)]
    texture = dtype_to_ctype(dtype, with_fp_tex_hack=True)
    module, function, _ = get_elwise_kernel_and_types(
        [VectorArg(idx_dtype, "idx"), *(VectorArg(dtype, f"dest{i}") for i in _each(vec_count))],
        f"{dtype_to_ctype(idx_dtype)} src_idx = idx[i];\n" + ";\n".join(f"dest{i}[i] = fp_tex1Dfetch({name}, src_idx)"
                                                                         for i, name in enumerate(names)),
        "take", preamble="#include <pycuda-helpers.hpp>\n" + "\n".join(f"texture<{texture}, 1, cudaReadModeElementType> {name};"
                                                                        for name in names))
    texrefs = [module.get_texref(name) for name in names]
    function.prepare("P" * (vec_count + 1) + np.dtype(np.uintp).char, texrefs=texrefs)
    return function, texrefs


@_builder
def get_take_put_kernel(dtype, idx_dtype, with_offsets, vec_count=1):
    """Return the kernel ``function(dest_idx, src_idx, dest0…, [offset0…,] n)``: dest[dest_idx[i]] = src[src_idx[i] + offset].

    Returns
    -------
    tuple[Function, list[TextureReference]]
        Prepared function, and the sources' texture references.
    """
    names = [f"tex_src{i}" for i in _each(vec_count)]
    texture = dtype_to_ctype(dtype, with_fp_tex_hack=True)
    index = dtype_to_ctype(idx_dtype)
    arguments = [VectorArg(idx_dtype, "gmem_dest_idx"), VectorArg(idx_dtype, "gmem_src_idx"),
                 *(VectorArg(dtype, f"dest{i}") for i in _each(vec_count)),
                 *(ScalarArg(idx_dtype, f"offset{i}") for i in _each(vec_count) if with_offsets)]
    offset = " + offset{}".format if with_offsets else (lambda i: "")
    module, function, _ = get_elwise_kernel_and_types(
        arguments,
        f"{index} src_idx = gmem_src_idx[i]; {index} dest_idx = gmem_dest_idx[i];\n" + ";\n".join(
            f"dest{i}[dest_idx] = fp_tex1Dfetch({name}, src_idx{offset(i)})" for i, name in enumerate(names)),
        "take_put", preamble="#include <pycuda-helpers.hpp>\n" + "\n".join(f"texture<{texture}, 1, cudaReadModeElementType> {name};"
                                                                            for name in names))
    texrefs = [module.get_texref(name) for name in names]
    function.prepare("".join(arg.struct_char for arg in arguments) + np.dtype(np.uintp).char, texrefs=texrefs)
    return function, texrefs


@_builder
def get_put_kernel(dtype, idx_dtype, vec_count=1):
    """Return the kernel ``function(dest_idx, dest0…, src0…, n)``: dest[dest_idx[i]] = src[i]."""
    return get_elwise_kernel(
        [VectorArg(idx_dtype, "gmem_dest_idx"), *(VectorArg(dtype, f"dest{i}") for i in _each(vec_count)),
         *(VectorArg(dtype, f"src{i}") for i in _each(vec_count))],
        f"{dtype_to_ctype(idx_dtype)} dest_idx = gmem_dest_idx[i];\n" + ";\n".join(f"dest{i}[dest_idx] = src{i}[i]"
                                                                                    for i in _each(vec_count)), "put")


@_builder
def get_copy_kernel(dtype_dest, dtype_src):
    """Return the kernel ``function(dest, src, n)``: dest[i] = src[i], converted."""
    cast = "" if np.dtype(dtype_dest) == np.dtype(dtype_src) else f"({dtype_to_ctype(dtype_dest)}) "
    return get_elwise_kernel(_vectors(dest=dtype_dest, src=dtype_src), f"dest[i] = {cast}src[i]", "copy")


# ---- sums and products


@_builder
def get_linear_combination_kernel(summand_descriptors, dtype_z):
    """Return the kernel ``function([scalar0,] vector0, …, z, n)``: z = sum of scalar * vector.

    Scalars on the device come through texture references.

    Returns
    -------
    tuple[Function, list[TextureReference]]
        Prepared function, and the scalars' texture references.
    """
    arguments, preamble, names, scalars, terms = [], "#include <pycuda-helpers.hpp>\n", [], "", []
    for k, (on_device, scalar_dtype, vector_dtype) in enumerate(summand_descriptors):
        if on_device:
            preamble += f"texture<{dtype_to_ctype(scalar_dtype, with_fp_tex_hack=True)}, 1, cudaReadModeElementType> tex_a{k};\n"
            scalars += f"{dtype_to_ctype(scalar_dtype)} a{k} = fp_tex1Dfetch(tex_a{k}, 0);\n"
            names.append(f"tex_a{k}")
        else:
            arguments.append(ScalarArg(scalar_dtype, f"a{k}"))
        arguments.append(VectorArg(vector_dtype, f"x{k}"))
        terms.append(f"{_cast(scalar_dtype, dtype_z)} a{k} * {_cast(vector_dtype, dtype_z)} x{k}[i]")
    arguments.append(VectorArg(dtype_z, "z"))
    module, function, arguments = get_elwise_kernel_and_types(
        arguments, "z[i] = " + " + ".join(terms), "linear_combination", preamble=preamble, loop_prep=scalars)
    texrefs = [module.get_texref(name) for name in names]
    if texrefs:
        function.prepare("".join(arg.struct_char for arg in arguments), texrefs=texrefs)
    return function, texrefs


@_builder
def get_axpbyz_kernel(dtype_x, dtype_y, dtype_z, x_is_scalar=False, y_is_scalar=False):
    """Return the kernel ``function(a, x, b, y, z, n)``: z = a*x + b*y. A scalar operand is an array of one element."""
    ax = f"a * {_cast(dtype_x, dtype_z)} x[{0 if x_is_scalar else 'i'}]"
    by = f"b * {_cast(dtype_y, dtype_z)} y[{0 if y_is_scalar else 'i'}]"
    return get_elwise_kernel(
        [ScalarArg(dtype_z, "a"), VectorArg(dtype_x, "x"), ScalarArg(dtype_z, "b"), VectorArg(dtype_y, "y"), VectorArg(dtype_z, "z")],
        f"z[i] = {ax} + {by}", "axpbyz")


@_builder
def get_axpbz_kernel(dtype_x, dtype_z):
    """Return the kernel ``function(a, x, b, z, n)``: z = a*x + b."""
    return get_elwise_kernel([ScalarArg(dtype_z, "a"), VectorArg(dtype_x, "x"), ScalarArg(dtype_z, "b"), VectorArg(dtype_z, "z")],
                             f"z[i] = a * {_cast(dtype_x, dtype_z)} x[i] + b", "axpb")


@_builder
def get_binary_op_kernel(dtype_x, dtype_y, dtype_z, operator, x_is_scalar=False, y_is_scalar=False):
    """Return the kernel ``function(x, y, z, n)``: z = x operator y. A scalar operand is an array of one element."""
    x = f"{_cast(dtype_x, dtype_z)} x[{0 if x_is_scalar else 'i'}]"
    y = f"{_cast(dtype_y, dtype_z)} y[{0 if y_is_scalar else 'i'}]"
    return get_elwise_kernel(_vectors(x=dtype_x, y=dtype_y, z=dtype_z), f"z[i] = {x} {operator} {y}", "multiply")


@_builder
def get_rdivide_elwise_kernel(dtype_x, dtype_z):
    """Return the kernel ``function(x, y, z, n)``: z = y / x."""
    return get_elwise_kernel([VectorArg(dtype_x, "x"), ScalarArg(dtype_z, "y"), VectorArg(dtype_z, "z")],
                             f"z[i] = y / {_cast(dtype_x, dtype_z)} x[i]", "divide_r")


@_builder
def get_binary_func_kernel(func, dtype_x, dtype_y, dtype_z):
    """Return the kernel ``function(x, y, z, n)``: z = func(x, y)."""
    return get_elwise_kernel(_vectors(x=dtype_x, y=dtype_y, z=dtype_z), f"z[i] = {func}(x[i], y[i])", f"{func}_kernel")


@_builder
def get_binary_func_scalar_kernel(func, dtype_x, dtype_y, dtype_z):
    """Return the kernel ``function(x, y, z, n)``: z = func(x, y), y a value."""
    return get_elwise_kernel([VectorArg(dtype_x, "x"), ScalarArg(dtype_y, "y"), VectorArg(dtype_z, "z")], f"z[i] = {func}(x[i], y)",
                             f"{func}_kernel")


@_builder
def get_binary_minmax_kernel(func, dtype_x, dtype_y, dtype_z, use_scalar):
    """Return the kernel ``function(x, y, z, n)``: z = the smaller or larger of x and y."""
    kinds = [np.dtype(dtype) for dtype in (dtype_x, dtype_y)]
    if np.dtype(np.float64) in kinds:
        func = f"f{func}"
    elif any(dtype.kind == "f" for dtype in kinds):
        func = f"f{func}f"
    return (get_binary_func_scalar_kernel if use_scalar else get_binary_func_kernel)(func, dtype_x, dtype_y, dtype_z)


@_builder
def get_scalar_op_kernel(dtype_x, dtype_a, dtype_y, operator):
    """Return the kernel ``function(x, a, y, n)``: y = x operator a."""
    return get_elwise_kernel([VectorArg(dtype_x, "x"), ScalarArg(dtype_a, "a"), VectorArg(dtype_y, "y")], f"y[i] = x[i] {operator} a",
                             "scalarop_kernel")


# ---- values from no array, or from one


@_builder
def get_fill_kernel(dtype):
    """Return the kernel ``function(a, z, n)``: z = a."""
    return get_elwise_kernel([ScalarArg(dtype, "a"), VectorArg(dtype, "z")], "z[i] = a", "fill")


@_builder
def get_reverse_kernel(dtype):
    """Return the kernel ``function(y, z, n)``: z[i] = y[n - 1 - i]."""
    return get_elwise_kernel(_vectors(y=dtype, z=dtype), "z[i] = y[n - 1 - i]", "reverse")


@_builder
def get_real_kernel(dtype, real_dtype):
    """Return the kernel ``function(y, z, n)``: z = the real part of y."""
    return get_elwise_kernel(_vectors(y=dtype, z=real_dtype), "z[i] = real(y[i])", "real")


@_builder
def get_imag_kernel(dtype, real_dtype):
    """Return the kernel ``function(y, z, n)``: z = the imaginary part of y."""
    return get_elwise_kernel(_vectors(y=dtype, z=real_dtype), "z[i] = imag(y[i])", "imag")


@_builder
def get_conj_kernel(dtype, conj_dtype):
    """Return the kernel ``function(y, z, n)``: z = the conjugate of y."""
    return get_elwise_kernel(_vectors(y=dtype, z=conj_dtype), "z[i] = pycuda::conj(y[i])", "conj")


@_builder
def get_arange_kernel(dtype):
    """Return the kernel ``function(z, start, step, n)``: z = start + i * step."""
    return get_elwise_kernel([VectorArg(dtype, "z"), ScalarArg(dtype, "start"), ScalarArg(dtype, "step")],
                             f"z[i] = start + {_cast(np.intp, dtype)} i * step", "arange")


@_builder
def get_unary_func_kernel(func_name, in_dtype, out_dtype=None):
    """Return the kernel ``function(y, z, n)``: z = func_name(y)."""
    return get_elwise_kernel(_vectors(y=in_dtype, z=in_dtype if out_dtype is None else out_dtype), f"z[i] = {func_name}(y[i])",
                             f"{func_name}_kernel")


@_builder
def get_logical_not_kernel(dtype_x, dtype_out):
    """Return the kernel ``function(x, out, n)``: out = x is zero."""
    return get_elwise_kernel(_vectors(x=dtype_x, out=dtype_out), "out[i] = x[i] == 0", "logical_not")


# ---- powers


def _pow_function(dtype_z):
    return "powf" if np.dtype(dtype_z) == np.float32 else "pow"


@_builder
def get_pow_array_kernel(dtype_x, dtype_y, dtype_z, is_base_array, is_exp_array):
    """Return the kernel ``function(x, y, z, n)``: z = x ** y; x and y are arrays, or one of them is a value."""
    assert is_base_array or is_exp_array, "expected an array as base or as exponent, given two scalars"
    x = VectorArg(dtype_x, "x") if is_base_array else ScalarArg(dtype_x, "x")
    y = VectorArg(dtype_y, "y") if is_exp_array else ScalarArg(dtype_y, "y")
    operands = f"x{'[i]' if is_base_array else ''}, y{'[i]' if is_exp_array else ''}"
    return get_elwise_kernel([x, y, VectorArg(dtype_z, "z")], f"z[i] = {_pow_function(dtype_z)}({operands})", "pow_method")


@_builder
def get_pow_kernel(dtype):
    """Return the kernel ``function(value, y, z, n)``: z = y ** value. Deprecated: PyCUDA has removed it."""
    return get_elwise_kernel([ScalarArg(dtype, "value"), VectorArg(dtype, "y"), VectorArg(dtype, "z")],
                             f"z[i] = {_pow_function(dtype)}(y[i], value)", "pow_method")


# ---- single-precision functions of several arguments


@_builder
def get_fmod_kernel():
    """Return the kernel ``function(arg, mod, z, n)``: z = fmod(arg, mod)."""
    return get_elwise_kernel("float *arg, float *mod, float *z", "z[i] = fmod(arg[i], mod[i])", "fmod_kernel")


@_builder
def get_modf_kernel():
    """Return the kernel ``function(x, intpart, fracpart, n)``, which splits numbers into integer and fractional part."""
    return get_elwise_kernel("float *x, float *intpart, float *fracpart", "fracpart[i] = modf(x[i], &intpart[i])", "modf_kernel")


@_builder
def get_frexp_kernel():
    """Return the kernel ``function(x, significand, exponent, n)``, which splits numbers; the exponent is a float."""
    return get_elwise_kernel("float *x, float *significand, float *exponent",
                             "int expt = 0; significand[i] = frexp(x[i], &expt); exponent[i] = expt", "frexp_kernel")


@_builder
def get_ldexp_kernel():
    """Return the kernel ``function(sig, expt, z, n)``: z = sig * 2 ** expt."""
    return get_elwise_kernel("float *sig, float *expt, float *z", "z[i] = ldexp(sig[i], int(expt[i]))", "ldexp_kernel")


# ---- choice


@_builder
def get_if_positive_kernel(crit_dtype, dtype):
    """Return the kernel ``function(crit, then_, else_, result, n)``: then_ where crit > 0."""
    return get_elwise_kernel(_vectors(crit=crit_dtype, then_=dtype, else_=dtype, result=dtype),
                             "result[i] = crit[i] > 0 ? then_[i] : else_[i]", "if_positive")


@_builder
def get_where_kernel(crit_dtype, dtype):
    """Return the kernel ``function(crit, then_, else_, result, n)``: then_ where crit is not 0."""
    return get_elwise_kernel(_vectors(crit=crit_dtype, then_=dtype, else_=dtype, result=dtype),
                             "result[i] = crit[i] != 0 ? then_[i] : else_[i]", "if_positive")

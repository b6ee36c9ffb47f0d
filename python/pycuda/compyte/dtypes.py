"""C names of NumPy dtypes, in both directions."""

import re
import warnings

import numpy as np

__all__ = [
    "TypeNameNotKnown", "DTypeRegistry", "TYPE_REGISTRY", "DTYPE_TO_NAME", "NAME_TO_DTYPE", "get_or_register_dtype", "register_dtype",
    "dtype_to_ctype", "parse_c_arg_backend", "fill_registry_with_c_types", "fill_registry_with_opencl_c_types",
    "fill_registry_with_stdint_types", "fill_registry_with_c99_stdint_types", "fill_registry_with_c99_complex_types",
]


class TypeNameNotKnown(RuntimeError, KeyError):
    """A C type name that no dtype was registered for."""

    __str__ = RuntimeError.__str__


class DTypeRegistry:
    """Dtypes by C name, and for each dtype the C name in generated code, which is the one registered first."""

    def __init__(self):
        self.dtype_to_name = {}
        self.name_to_dtype = {}

    def get_or_register_dtype(self, names, dtype=None):
        """Register C names for a dtype, or look up one name.

        Parameters
        ----------
        names : str or iterable of str
            A C name, or several for the same dtype.
        dtype : dtype, optional
            The dtype; None: look up the name.

        Returns
        -------
        np.dtype[Any]
            The registered dtype.

        Raises
        ------
        TypeNameNotKnown
            The name is not registered.
        RuntimeError
            A name is registered for another dtype.
        """
        names = [names] if isinstance(names, str) else list(names)
        if dtype is None:
            if len(names) != 1:
                raise ValueError(f"expected one name to look up, given {len(names)}; give dtype= to register names")
            try:
                return self.name_to_dtype[names[0]]
            except KeyError:
                raise TypeNameNotKnown(f"'{names[0]}' is not the name of a registered type; "
                                       "register its dtype with get_or_register_dtype(name, dtype)") from None

        dtype = np.dtype(dtype)
        for name in names:
            known = self.name_to_dtype.get(name)
            if known is not None and known != dtype:
                raise RuntimeError(f"'{name}' is already registered for {known}, which is not {dtype}")
        # If an equal dtype is already registered, use that one.
        dtype = next((self.name_to_dtype[name] for name in names if name in self.name_to_dtype), dtype)
        for name in names:
            self.name_to_dtype.setdefault(name, dtype)
        if names:
            self.dtype_to_name.setdefault(dtype, names[0])
        return dtype

    def dtype_to_ctype(self, dtype):
        """Return the C name of a dtype.

        Parameters
        ----------
        dtype : dtype
            The dtype.

        Returns
        -------
        str
            The C name.

        Raises
        ------
        ValueError
            The dtype has no registered C name.
        """
        if dtype is None:
            raise ValueError("expected a dtype, given None")
        dtype = np.dtype(dtype)
        try:
            return self.dtype_to_name[dtype]
        except KeyError:
            raise ValueError(f"no C type is registered for dtype {dtype}; register one with get_or_register_dtype") from None


# ---- sets of names


def _integer_names(base):
    """Spellings of an integer type of more than one word, the shortest first."""
    return [base, f"{base} int", f"signed {base}", f"signed {base} int", f"{base} signed int", f"{base} signed"]


def _unsigned_names(base):
    return [f"unsigned {base}", f"unsigned {base} int", f"{base} unsigned int", f"{base} unsigned"]


def fill_registry_with_c_types(reg, respect_windows, include_bool=True):
    """The names of C's arithmetic types. Where `respect_windows` is true, long has 32 bits on Windows."""
    import sys

    if include_bool:
        reg.get_or_register_dtype("bool", np.bool_)
    reg.get_or_register_dtype(["signed char", "char"], np.int8)
    reg.get_or_register_dtype("unsigned char", np.uint8)
    reg.get_or_register_dtype(_integer_names("short"), np.int16)
    reg.get_or_register_dtype(_unsigned_names("short"), np.uint16)
    reg.get_or_register_dtype(["int", "signed int", "signed"], np.int32)
    reg.get_or_register_dtype(["unsigned", "unsigned int"], np.uint32)

    long_long_first = respect_windows and sys.platform == "win32"
    for base in ("long long", "long") if long_long_first else ("long", "long long"):
        wide = base == "long long" or not long_long_first
        reg.get_or_register_dtype(_integer_names(base), np.int64 if wide else np.int32)
        reg.get_or_register_dtype(_unsigned_names(base), np.uint64 if wide else np.uint32)

    reg.get_or_register_dtype("float", np.float32)
    reg.get_or_register_dtype("double", np.float64)


def fill_registry_with_opencl_c_types(reg):
    """The names of OpenCL C's scalar types."""
    for bits, name in ((8, "char"), (16, "short"), (32, "int"), (64, "long")):
        reg.get_or_register_dtype([name], np.dtype(f"int{bits}"))
        unsigned = np.dtype(f"uint{bits}")
        reg.get_or_register_dtype([f"u{name}", f"unsigned {name}"] + (["unsigned"] if bits == 32 else []), unsigned)
    reg.get_or_register_dtype("half", np.float16)
    reg.get_or_register_dtype("float", np.float32)
    reg.get_or_register_dtype("double", np.float64)


def fill_registry_with_stdint_types(reg):
    """Register int8_t and the other sized integers, and size_t and ptrdiff_t."""
    for bits in (8, 16, 32, 64):
        reg.get_or_register_dtype(f"int{bits}_t", np.dtype(f"int{bits}"))
        reg.get_or_register_dtype(f"uint{bits}_t", np.dtype(f"uint{bits}"))


def fill_registry_with_c99_stdint_types(reg):
    """The same as fill_registry_with_stdint_types, and bool by its C99 name."""
    reg.get_or_register_dtype(["bool", "_Bool"], np.bool_)
    fill_registry_with_stdint_types(reg)
    reg.get_or_register_dtype("size_t", np.uintp)
    reg.get_or_register_dtype("ptrdiff_t", np.intp)
    reg.get_or_register_dtype("float", np.float32)
    reg.get_or_register_dtype("double", np.float64)


def fill_registry_with_c99_complex_types(reg):
    """C99's complex types."""
    reg.get_or_register_dtype(["float complex", "complex float"], np.complex64)
    reg.get_or_register_dtype(["double complex", "complex double"], np.complex128)


# ---- the registry of this package


class _CudaRegistry(DTypeRegistry):
    """A registry that loads bfloat16 from ml_dtypes when it is first used."""

    def get_or_register_dtype(self, names, dtype=None):
        if dtype is None and names == "__nv_bfloat16" and names not in self.name_to_dtype:
            try:
                from ml_dtypes import bfloat16 as dtype
            except ImportError:
                raise TypeNameNotKnown("'__nv_bfloat16' needs the package ml_dtypes, which has its dtype: pip install ml_dtypes") from None
        return super().get_or_register_dtype(names, dtype)

    def dtype_to_ctype(self, dtype):
        if dtype is not None and dtype not in self.dtype_to_name and np.dtype(dtype).name == "bfloat16":
            self.get_or_register_dtype("__nv_bfloat16", dtype)
        return super().dtype_to_ctype(dtype)


def _cuda_registry():
    registry = _CudaRegistry()
    fill_registry_with_c_types(registry, respect_windows=True)
    fill_registry_with_stdint_types(registry)
    registry.get_or_register_dtype(["size_t"], np.uintp)
    registry.get_or_register_dtype(["ptrdiff_t"], np.intp)
    registry.get_or_register_dtype(["__half", "half"], np.float16)
    registry.get_or_register_dtype("pycuda::complex<float>", np.complex64)
    registry.get_or_register_dtype("pycuda::complex<double>", np.complex128)
    return registry


TYPE_REGISTRY = _cuda_registry()
DTYPE_TO_NAME = TYPE_REGISTRY.dtype_to_name
NAME_TO_DTYPE = TYPE_REGISTRY.name_to_dtype
get_or_register_dtype = TYPE_REGISTRY.get_or_register_dtype
dtype_to_ctype = TYPE_REGISTRY.dtype_to_ctype


def register_dtype(dtype, c_names, alias_ok=False):
    """Register C names for a dtype. Deprecated: use `get_or_register_dtype`.

    Parameters
    ----------
    dtype : dtype
        The dtype.
    c_names : str or iterable of str
        A C name, or several.
    alias_ok : bool, optional
        Whether the dtype may have a name already.

    Raises
    ------
    RuntimeError
        The dtype has a name already.
    """
    warnings.warn("register_dtype is deprecated; use get_or_register_dtype", DeprecationWarning, stacklevel=2)
    dtype = np.dtype(dtype)
    c_names = [c_names] if isinstance(c_names, str) else list(c_names)
    if not alias_ok and dtype in DTYPE_TO_NAME:
        raise RuntimeError(f"{dtype} is already registered as '{DTYPE_TO_NAME[dtype]}'")
    get_or_register_dtype(c_names, dtype)


# ---- declarations

_QUALIFIERS = re.compile(r"\b(const|volatile|restrict|__restrict__|__restrict)\b")
_DECLARATION = re.compile(r"\s*(?P<type>[A-Za-z_][\w\s:<>,]*?)(?P<pointers>[\s*]+)(?P<name>[A-Za-z_]\w*)\s*(?P<array>(\[[^\]]*\]\s*)*)\s*$")


def parse_c_arg_backend(c_arg, scalar_arg_factory, vec_arg_factory, name_to_dtype=None):
    """Parse a C parameter declaration.

    Parameters
    ----------
    c_arg : str
        C declaration of one parameter, such as "float *x".
    scalar_arg_factory : Callable[[np.dtype[Any], str], _T]
        Called with dtype and name of a value.
    vec_arg_factory : Callable[[np.dtype[Any], str], _T]
        Called with dtype and name of a pointer.
    name_to_dtype : Callable[[str], np.dtype[Any]] or Mapping[str, np.dtype[Any]], optional
        Mapping or function from C names to dtypes; None: the registry's.

    Returns
    -------
    _T
        The factory's result.

    Raises
    ------
    ValueError
        The declaration cannot be parsed, or its type is not registered.
    """
    lookup = get_or_register_dtype if name_to_dtype is None else name_to_dtype
    lookup = lookup if callable(lookup) else lookup.__getitem__
    found = _DECLARATION.match(_QUALIFIERS.sub(" ", c_arg))
    if not found:
        raise ValueError(f"expected a C parameter declaration such as 'float *x', given '{c_arg}'")
    type_name = " ".join(found["type"].split())
    try:
        dtype = lookup(type_name)
    except KeyError:
        raise ValueError(f"unknown type '{type_name}' in '{c_arg}'; register it with get_or_register_dtype") from None
    is_vector = "*" in found["pointers"] or found["array"]
    return (vec_arg_factory if is_vector else scalar_arg_factory)(dtype, found["name"])

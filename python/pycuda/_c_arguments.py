"""Parameters of kernels, by their C declarations."""

import functools

import numpy as np

from pycuda._driver import _native
from pycuda.compyte.dtypes import dtype_to_ctype, parse_c_arg_backend

__all__ = ["Argument", "ScalarArg", "VectorArg", "parse_c_arg", "parse_c_args", "get_arg_type", "declarations", "check_vector", "EveryIndex"]


class Argument:
    """A kernel parameter.

    Parameters
    ----------
    dtype : dtype
        Element type.
    name : str
        Name of the parameter.
    """

    def __init__(self, dtype, name):
        self.dtype = np.dtype(dtype)
        self.name = name

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r}, {self.dtype})"


class VectorArg(Argument):
    """A kernel parameter that is a pointer.

    Parameters
    ----------
    dtype : dtype
        Element type.
    name : str
        Name of the parameter.

    Examples
    --------
    >>> from pycuda.tools import VectorArg
    >>> VectorArg(np.float32, "x").declarator()
    'float *x'
    """

    #: Its character for Function.prepare.
    struct_char = "P"

    def declarator(self):
        """Return the C declaration.

        Returns
        -------
        str
            The declaration.
        """
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(Argument):
    """A kernel parameter that is a value.

    Parameters
    ----------
    dtype : dtype
        Type of the value.
    name : str
        Name of the parameter.
    """

    def declarator(self):
        """Return the C declaration.

        Returns
        -------
        str
            The declaration.
        """
        return f"{dtype_to_ctype(self.dtype)} {self.name}"

    @property
    def struct_char(self):
        """The character for `Function.prepare`; for a structure, its size and "s"."""
        return f"{self.dtype.itemsize}s" if self.dtype.char == "V" else self.dtype.char


def parse_c_arg(c_arg):
    """Parse a C parameter declaration.

    Parameters
    ----------
    c_arg : str
        C declaration of one parameter, such as "float *x".

    Returns
    -------
    ScalarArg or VectorArg
        A `ScalarArg` or a `VectorArg`.

    Raises
    ------
    ValueError
        The declaration cannot be parsed.

    Examples
    --------
    >>> from pycuda.tools import parse_c_arg
    >>> parse_c_arg("const float *x")
    VectorArg('x', float32)
    """
    return parse_c_arg_backend(c_arg, ScalarArg, VectorArg)


def parse_c_args(arguments):
    """A new list of Arguments, from a kernel's parameters as comma-separated C text or as Arguments."""
    if isinstance(arguments, str):
        return [parse_c_arg(text) for text in arguments.split(",") if text.strip()]
    arguments = list(arguments)
    for argument in arguments:
        if not isinstance(argument, Argument):
            raise TypeError(f"expected C text, or a list of VectorArg and ScalarArg, given a list with {argument!r}")
    return arguments


def declarations(arguments):
    """The parameters as C text in which only names and pointers matter."""
    return ", ".join(f"int {'*' * isinstance(arg, VectorArg)}{arg.name}" for arg in arguments)


@functools.lru_cache(maxsize=1000)
def _stands_for(given, declared):
    """Whether a kernel that declares `declared` reads elements of `given` as what they are.

    Integers and bool of one size pass for each other, and structures for whatever has their size; 16-bit floating-point types, of which
    PyCUDA has no C name, pass as 16-bit integers.
    """
    if given == declared:
        return True
    if given.itemsize != declared.itemsize:
        return False
    kinds = {given.kind, declared.kind}
    return "V" in kinds or kinds <= set("biumM") or (given.itemsize == 2 and given.kind == "f" and declared.kind in "iu")


def _type_name(value):
    module, name = type(value).__module__, type(value).__qualname__
    return name if module == "builtins" else f"{module}.{name}"


def check_vector(kernel, parameter, array):
    """RuntimeError unless `array` is contiguous, TypeError unless it is on the device and has elements of the type that the kernel declares."""
    try:
        is_contiguous = array.flags.forc
    except AttributeError:
        is_contiguous = None
    if is_contiguous is None or isinstance(array, np.ndarray):
        raise TypeError(f"'{kernel}': vector '{parameter.name}' must be an array on the device, given {_type_name(array)}; "
                        "copy it with gpuarray.to_gpu()")
    if not is_contiguous:
        raise RuntimeError(f"'{kernel}': vector '{parameter.name}' must be contiguous; pass a copy()")
    declared, given = parameter.dtype, getattr(array, "dtype", parameter.dtype)
    if given is not declared and not _stands_for(given, declared):
        raise TypeError(f"'{kernel}': vector '{parameter.name}' is declared `{dtype_to_ctype(declared)}` ({declared}), but the array has dtype {given}: "
                        "convert it with astype(), or change the declaration")


class EveryIndex:
    """The vectors that a kernel's code uses at every index: none may be too short."""

    def __init__(self, name, arguments, code, preamble):
        self._name = name
        _, *used = _native.used_vectors(declarations(arguments), code, preamble)
        self._vectors = [(k, arg.name) for k, arg in enumerate(arguments) if used[k]]

    def check(self, args, count):
        """ValueError if one of `args` has fewer elements."""
        for k, name in self._vectors:
            if args[k].size < count:
                raise ValueError(f"'{self._name}': vector '{name}' has {args[k].size} elements, fewer than the {count} that are read or written")


def get_arg_type(c_arg):
    """Return the character for `Function.prepare` of a C parameter declaration.

    Parameters
    ----------
    c_arg : str
        C declaration of one parameter, such as "float *x".

    Returns
    -------
    str
        The character.

    Raises
    ------
    ValueError
        The declaration cannot be parsed.

    Examples
    --------
    >>> from pycuda.tools import get_arg_type
    >>> get_arg_type("double x")
    'd'
    """
    return parse_c_arg(c_arg).struct_char

"""Docstrings without the parameters that many functions share."""

import inspect
import re

from pycuda._memoize import context_dependent_memoize

__all__ = ["described", "entries", "kernel_builder"]

_ENTRY = re.compile(r"^(\w+) : (.*)\n((?: .*\n?)+)", re.MULTILINE)
_SECTION = re.compile(r"\n\n(?=[A-Z]\w+\n---)")


def entries(text):
    """The type and the description of each parameter, from text in the form of a docstring's section."""
    return {name: (kind, description.rstrip("\n")) for name, kind, description in _ENTRY.findall(text)}


#: The descriptions of these parameters, which are the same everywhere.
_SHARED = entries("""
a : GPUArray
    The array.
after_loop : str
    C statements after the loop.
allocator : callable
    @allocator
axis : int or tuple of int
    @axes
dtype : dtype
    @dtype_of_result
initial : number
    @initial
keep : bool
    @keep
keepdims : bool
    @keepdims
loop_prep : str
    C statements before the loop over elements.
name : str
    @kernel_name
operation : str
    C statements of the index ``i``.
options : list of str
    @options
out : GPUArray
    @out
preamble : str
    @preamble
stream : Stream
    @stream
subset : GPUArray
    @subset
where : GPUArray or bool
    @where
""")


def _parameters_of(function):
    """Each parameter but self, and whether it has a default. inspect.signature() would take a tenth of the import's time."""
    function = function.__init__ if isinstance(function, type) else function
    code, keywords = function.__code__, function.__kwdefaults__ or {}
    count = code.co_argcount
    for number, name in enumerate(code.co_varnames[:count + code.co_kwonlyargcount]):
        if name != "self":
            yield name, name in keywords or count - len(function.__defaults__ or ()) <= number < count


def _entry(name, kind, description):
    return f"{name} : {kind}\n{description}"


def described(function, shared=_SHARED):
    """Complete a function's docstring by what `shared` says of the parameters that its own section Parameters does not list.

    A decorator that returns the function itself. Where the function has a default, "optional" is added to the type.
    """
    if not function.__doc__:  # python -OO
        return function
    summary, *sections = _SECTION.split(inspect.cleandoc(function.__doc__))
    own = entries(sections.pop(0) if sections and sections[0].startswith("Parameters\n") else "")
    lines = []
    for name, is_optional in _parameters_of(function):
        if name not in own:
            kind, description = shared[name]
            own[name] = f"{kind}, optional" if is_optional else kind, description
        lines.append(_entry(name, *own.pop(name)))
    lines += [_entry(name, *entry) for name, entry in own.items()]  # of **kwargs
    function.__doc__ = "\n\n".join([summary, *["\n".join(["Parameters\n----------", *lines])] * bool(lines), *sections])
    return function


_RAISES = """

Raises
------
CompileError
    @rejected_code
"""


def kernel_builder(shared, result):
    """Return a decorator of functions that compile kernels: they remember these, and their docstrings are completed. `result` is the type and the
    description of what they return, for docstrings without that section."""
    def decorate(function):
        if function.__doc__:
            text = inspect.cleandoc(function.__doc__)
            function.__doc__ = text + ("" if "\nReturns\n" in text else f"\n\nReturns\n-------\n{result}") + _RAISES
        return context_dependent_memoize(described(function, shared))
    return decorate

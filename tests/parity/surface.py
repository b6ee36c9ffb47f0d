"""Prints the public names of the Python package, one per line; Surface.java does the same for Java."""

import inspect

import pycuda
import pycuda.compiler as compiler
import pycuda.driver as drv

# The members that SWIG adds to every proxy, and those of every Python class.
HIDDEN = {"this", "thisown", "acquire", "disown", "own", "append", "next", *dir(Exception)}
OPERATORS = ("__call__", "__int__", "__index__", "__eq__", "__hash__")


def is_constants(value):
    """Whether a class holds named integers."""
    return inspect.isclass(value) and value.__name__.islower() and not issubclass(value, BaseException)


def names_of(value):
    return [name for name in dir(value) if not name.startswith("_") and name not in HIDDEN]


def show_constants(name, holder):
    for constant in dir(holder):
        value = getattr(holder, constant)
        if isinstance(value, int) and not constant.startswith("__"):
            print(f"constant {name}.{constant} = {int(value)}")


def show_class(name, cls):
    print(f"class {name}")
    for member in names_of(cls):
        value = inspect.getattr_static(cls, member)
        if member.isupper() and isinstance(value, property) and hasattr(cls, member.lower()):
            continue  # an attribute's name in upper case, which the lower-case name stands for
        if isinstance(value, property) or inspect.isdatadescriptor(value):
            settable = isinstance(value, property) and value.fset is not None
            print(f"property {name}.{member}{' settable' if settable else ''}")
        elif callable(getattr(cls, member)):
            print(f"method {name}.{member}")
    for operator in OPERATORS:
        if any(vars(base).get(operator) for base in cls.__mro__[:-1]):
            print(f"method {name}.{operator}")


def show_module(module):
    for name in names_of(module):
        value = getattr(module, name)
        if inspect.isclass(value) and issubclass(value, BaseException):
            base = next((b.__name__ for b in value.__mro__[1:] if b.__module__.startswith("pycuda")), "")
            print(f"exception {name}({base})")
        elif not (getattr(value, "__module__", None) or "pycuda").startswith("pycuda") or inspect.ismodule(value):
            continue
        elif is_constants(value):
            show_constants(name, value)
        elif inspect.isclass(value):
            show_class(name, value)
        elif callable(value):
            print(f"function {name}")
        elif isinstance(value, int) and not isinstance(value, bool):
            print(f"constant {name} = {value}")
        else:
            print(f"data {name}")


if __name__ == "__main__":
    for module in (pycuda, drv, compiler):
        show_module(module)

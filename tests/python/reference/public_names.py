"""The package's public names, as help() and the reference show them."""

import enum
import importlib.util
import inspect

import numpy as np
from pycuda import driver as drv

# Importing autoinit, autoprimaryctx and gl.autoinit creates a context.
MODULES = ("driver", "compiler", "gpuarray", "cumath", "elementwise", "reduction", "scan", "curandom", "tools", "characterize", "gl", "cpu", "debug", "dask",
           "array_api", "array_api.linalg", "array_api.fft", "sparse.cg", "sparse.coordinate", "sparse.inner", "sparse.operator", "sparse.packeted")


def _is_constants(value):
    """True if a class lists constants: PyCUDA's names for the driver's enumerations."""
    return isinstance(value, type) and issubclass(value, (int, enum.Enum))


#: Modules that import another package, which may be missing on hosts without a network.
NEEDS = {"dask": "dask"}


def _is_inherited_from_others(cls, name):
    return not next(base for base in cls.__mro__ if name in vars(base)).__module__.startswith("pycuda")


def _members(cls):
    for name in dir(cls):
        if _is_inherited_from_others(cls, name):
            continue
        public = not name.startswith("_") or name == "__call__" and cls.__dict__.get("__call__")
        if public and name not in ("this", "thisown"):
            value = inspect.getattr_static(cls, name)
            value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            if callable(value) or isinstance(value, property) or inspect.isgetsetdescriptor(value):
                yield name, value


def _is_device_attribute(cls, name):
    return cls in (drv.Device, drv.Function) and name.upper() in dir(drv.device_attribute) + dir(drv.function_attribute)


def public_names():
    """Yield (dotted name, object): functions and classes of the public modules, and the classes' own public members."""
    seen = set()
    for module_name in MODULES:
        if module_name in NEEDS and not importlib.util.find_spec(NEEDS[module_name]):
            continue
        module = importlib.import_module(f"pycuda.{module_name}")
        for name in getattr(module, "__all__", dir(module)):
            value = getattr(module, name)
            if name.startswith("_") or inspect.ismodule(value) or not callable(value) or _is_constants(value) or id(value) in seen:
                continue
            if not getattr(value, "__module__", None) or not value.__module__.startswith("pycuda"):
                continue  # imported by the module for its own use
            if module_name != "driver" and getattr(drv, name, None) is value:
                continue
            seen.add(id(value))
            yield f"{module_name}.{name}", value
            if isinstance(value, type):
                yield from ((f"{module_name}.{name}.{member}", inner) for member, inner in _members(value)
                            if not _is_device_attribute(value, member) and not issubclass(value, (np.dtype, Exception)))

"""The public surface, read from the stubs: every callable, its parameters, and the kind of each parameter."""

import ast
import functools
import importlib
import inspect
import pathlib
import warnings
from typing import NamedTuple

MODULES = ("driver", "gpuarray", "tools", "compiler", "characterize", "curandom", "cumath", "elementwise", "reduction", "scan",
           "sparse.cg", "sparse.coordinate", "sparse.inner", "sparse.operator", "sparse.packeted")

# The kind of parameter that an annotation in the stubs means; a class's name stands for its objects.
KINDS = {
    "_Pointer": "device address",
    "_Source": "host source",
    "_Destination": "host destination",
    "_Source | _Pointer": "source anywhere",
    "_Destination | _Pointer": "destination anywhere",
    "SupportsIndex": "integer", "SupportsIndex | Device": "integer", "int": "integer", "profiler_output_mode | int": "integer", "array_format": "integer", "_FilterMode": "integer",
    "float": "number",
    "bool": "flag", "bool | None": "flag",
    "str": "text",
    "_AnyStream": "stream", "_AnyStream | None": "stream", "Stream | None": "stream",
    "Callable[[], object]": "callable", "Callable[..., Any]": "callable", "Callable[..., Any] | None": "callable", "Callable[_P, _T]": "callable",
    "Callable[[int], object]": "callable", "Callable[[int, int], object]": "callable",
    "_Allocator": "callable", "_Allocator | None": "callable",
    "DTypeLike": "dtype", "DTypeLike | None": "dtype",
    "_Shape": "shape", "_Extents": "extents", "int | Sequence[int]": "shape", "Sequence[float]": "color",
    "_Order": "order", "_LikeOrder": "order", "Literal['C', 'F', 'A']": "order", "_Casting": "casting",
    "_Code": "code", "_Path": "path", "_Paths": "paths", "_Paths | None": "paths", "_CacheDir": "cache folder",
    "_Options": "options", "Sequence[str] | None": "options", "_Arguments": "arguments of a kernel", "_Arguments | None": "arguments of a kernel",
    "str | Iterable[ScalarArg | VectorArg]": "arguments of a kernel", "Iterable[ScalarArg | VectorArg]": "list of arguments",
    "_Extremum": "min or max", "_Stream": "stream", "_Out": "GPUArray", "_Stream | _Out": "stream or array",
    "Callable[[int], Any] | None": "callable", "Callable[[int], GPUArray] | None": "callable", "_MessageHandler | None": "callable", "slice | None": "slice", "str | None": "text", "int | None": "integer",
    "float | None": "number",
    "_StreamOrAxis | None": "stream", "GPUArray | bool": "mask or flag", "_Number | None": "operand",
    "_Axis": "axis", "SupportsIndex | None": "axis",
    "NDArray[Any]": "array of NumPy", "ArrayLike": "anything like an array",
    "GPUArray": "GPUArray", "GPUArray | None": "GPUArray", "_Operand": "operand", "_Operand | None": "operand", "_Number": "operand",
    "GraphNode | Iterable[GraphNode]": "nodes", "Graph | None": "Graph", "_Extents | None": "extents",
    "Iterable[GPUArray]": "GPUArrays", "Iterable[GPUArray] | None": "GPUArrays",
    "_Matrix": "sparse matrix", "PacketedSpMV": "sparse matrix", "_Scalar": "operand", "np.dtype[Any]": "dtype",
    "Callable[[GPUArray], GPUArray] | None": "callable", "Callable[..., object] | None": "callable", "Callable[..., NDArray[Any]]": "callable",
    "Any": "special", "SupportsIndex | str": "special",
}


class Parameter(NamedTuple):
    name: str
    annotation: str
    optional: bool
    keyword: bool

    @property
    def kind(self):
        return KINDS.get(self.annotation) or self.annotation.removesuffix(" | None")

    @property
    def may_be_none(self):
        return self.annotation.endswith("| None") or self.annotation in ("_Paths", "_Options", "_Stream", "_Out", "_CacheDir") or self.kind in ("axis", "dtype") and self.optional


def stub(module):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pycuda.sparse
        imported = importlib.import_module(f"pycuda.{module}")
    return ast.parse(pathlib.Path(imported.__file__).with_suffix(".pyi").read_text())


def is_static(function):
    return any(isinstance(decorator, ast.Name) and decorator.id == "staticmethod" for decorator in function.decorator_list)


def is_property(function):
    return any(isinstance(decorator, ast.Name) and decorator.id == "property" for decorator in function.decorator_list)


def is_setter(function):
    return any(isinstance(decorator, ast.Attribute) and decorator.attr == "setter" for decorator in function.decorator_list)


def parameters_of(function, is_method):
    """Parameters in order; *args and **kwargs are special ones."""
    arguments = function.args
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    found = [Parameter(arg.arg, annotation(arg), default is not None, False) for arg, default in zip(positional, defaults)]
    found = found[1:] if is_method else found
    if arguments.vararg:
        found.append(Parameter("*" + arguments.vararg.arg, "Any", True, False))
    found += [Parameter(arg.arg, annotation(arg), default is not None, True) for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return found


def annotation(arg):
    return ast.unparse(arg.annotation) if arg.annotation else "Any"


def merged(one, other):
    """The parameters of two overloads: at each position either kind is allowed, unless the overloads only differ in order."""
    if one is not None and {parameter.name for parameter in one} == {parameter.name for parameter in other} and [p.name for p in one] != [p.name for p in other]:
        return one
    if one is None:
        return other
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    joined = [a if a.annotation == b.annotation else a._replace(annotation=f"{b.annotation} | {a.annotation}") for a, b in zip(longer, shorter)]
    return joined + longer[len(shorter):]


def methods_of(node, classes):
    """{name: parameters}, including members of private bases; None for plain attributes."""
    found = {}
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes:
            found.update(methods_of(classes[base.id], classes))
    own = {}
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and is_setter(item):
            own[item.name] = [Parameter("=", annotation(item.args.args[1]), False, False)]
        elif isinstance(item, ast.FunctionDef) and not is_property(item):
            own[item.name] = merged(own.get(item.name), parameters_of(item, not is_static(item)))
        elif isinstance(item, ast.AnnAssign):
            own[item.target.id] = [Parameter("=", ast.unparse(item.annotation), False, False)]
    return {**found, **own}


def callables(module):
    """{dotted name: parameters} for every public name that has parameters. A settable attribute has one parameter, `=`."""
    tree = stub(module)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            name = f"{module}.{node.name}"
            found[name] = merged(found.get(name), parameters_of(node, False))
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for method, parameters in methods_of(node, classes).items():
                if method == "__init__":
                    found[f"{module}.{node.name}"] = parameters
                elif not method.startswith("_") or method == "__call__":
                    found[f"{module}.{node.name}.{method}"] = parameters
    return {name: parameters for name, parameters in found.items() if parameters and not is_plain_attribute(name, parameters)}


def is_plain_attribute(name, parameters):
    """True for an attribute that Python stores unchanged. Attributes of C++ objects are converted."""
    if parameters[0].name != "=":
        return False
    owner, _, attribute = name.rpartition(".")
    return not inspect.isdatadescriptor(inspect.getattr_static(public(owner), attribute, None))


def public(name):
    """The object with a dotted name."""
    module = max((module for module in MODULES if name.startswith(module + ".")), key=len)
    return functools.reduce(getattr, name[len(module) + 1:].split("."), importlib.import_module(f"pycuda.{module}"))


SURFACE = {name: parameters for module in MODULES for name, parameters in callables(module).items()}

"""The .pyi files match the modules: the same names, members and parameters."""

import ast
import importlib
import inspect
import pathlib

import pytest

MODULES = ["pycuda", "pycuda.array_api", "pycuda.array_api.fft", "pycuda.array_api.linalg", "pycuda.characterize", "pycuda.compiler", "pycuda.compyte.array", "pycuda.compyte.dtypes", "pycuda.cumath", "pycuda.curandom",
           "pycuda.debug", "pycuda.driver", "pycuda.elementwise", "pycuda.gpuarray", "pycuda.reduction", "pycuda.scan", "pycuda.tools"]
# Members that SWIG adds to every proxy.
PROXY = {"this", "thisown"}


def stub_of(module):
    path = pathlib.Path(module.__file__)
    return ast.parse(path.with_suffix(".pyi").read_text(encoding="utf-8"))


def names_in(body):
    for node in body:
        if isinstance(node, ast.Assign):
            yield from ((target.id, node) for target in node.targets)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name, node
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id, node
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname, node) for alias in node.names if alias.asname)  # an export, by the convention of stubs


def public(names):
    return {name for name in names if not name.startswith("_")}


@pytest.fixture(params=MODULES)
def module(request):
    return importlib.import_module(request.param)


def test_names(module):
    """Everything that the module exports, and nothing else."""
    defined = public(name for name, value in vars(module).items()
                     if not inspect.ismodule(value) and (getattr(value, "__module__", None) or "pycuda").startswith("pycuda"))
    stub = public(name for name, _ in names_in(stub_of(module).body) if not inspect.ismodule(getattr(module, name, None)))
    exported = public(getattr(module, "__all__", defined))
    assert exported <= stub <= defined | exported


def classes_of(module, importers=frozenset()):
    """The stubs of a module's classes, including those that its stub imports from our other modules, which may import it in turn."""
    stub, importers = stub_of(module), importers | {module.__name__}
    imported = {node.module for node in stub.body if isinstance(node, ast.ImportFrom) and node.module.startswith("pycuda")}
    found = {}
    for source in imported - importers:
        found.update(classes_of(importlib.import_module(source), importers))
    return {**found, **{name: node for name, node in names_in(stub.body) if isinstance(node, ast.ClassDef)}}


def members_in(node, classes):
    """The names of the class's own members, and of those that it inherits from other classes in the stubs."""
    bases = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    return {member for member, _ in names_in(node.body)}.union(*(members_in(base, classes) for base in bases))


def assigned_in_init(cls):
    """Names of instance attributes that the constructors set."""
    return {name for base in cls.__mro__ if inspect.isfunction(init := vars(base).get("__init__")) for name in init.__code__.co_names}


def test_members(module):
    classes = classes_of(module)
    for name, node in names_in(stub_of(module).body):
        if isinstance(node, ast.ClassDef) and not name.startswith("_"):
            cls = getattr(module, name)
            if hasattr(cls, "thisown"):
                dynamic = {key for key, value in vars(cls).items() if isinstance(value, property) and value.fget.__name__ == "<lambda>"}
                inherited = {key for base in cls.__mro__[1:-1] for key in vars(base)}
                assert (public({*vars(cls), *inherited}) - PROXY - dynamic - {"lmem", "smem", "registers"}
                        == public(members_in(node, classes)) - assigned_in_init(cls)), name
            else:
                members = {member for member, _ in names_in(node.body)}
                ours = {key for base in cls.__mro__ if base.__module__.startswith("pycuda") for key in vars(base)}
                assert hasattr(cls, "__members__") or public(ours) - PROXY <= members_in(node, classes), name  # constants are not listed
                assert members - set(dir(cls)) - {"__buffer__"} <= assigned_in_init(cls), name  # Python sets that since 3.12


def functions_in(module):
    """(owner, stub) for every function and method in the stub."""
    for name, node in names_in(stub_of(module).body):
        if isinstance(node, ast.FunctionDef):
            yield module, node
        elif isinstance(node, ast.ClassDef) and not name.startswith("_"):
            yield from ((getattr(module, name), item) for _, item in names_in(node.body) if isinstance(item, ast.FunctionDef))


def test_parameters(module):
    """For everything written or generated in Python; C functions have no signatures. Later overloads may have another order."""
    seen = set()
    for owner, item in functions_in(module):
        function = inspect.getattr_static(owner, item.name, None)
        if not inspect.ismodule(owner):
            function = getattr(function, "__func__", function)
        if (inspect.isfunction(function) or inspect.ismethod(function)) and item.name != "__init__":
            stub = [arg.arg for arg in item.args.posonlyargs + item.args.args + item.args.kwonlyargs]
            code = [p.name for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
            is_later_overload = (owner, item.name) in seen
            seen.add((owner, item.name))
            assert set(stub) <= set(code) if is_later_overload else stub == code, f"{owner.__name__}.{item.name}"

"""Builds the documentation site: build.py OUTPUT JAVADOC. Run with the built package importable.

The pages are those of docs; those of the reference are made of what the packages say. Warnings are errors, dead links among them.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import headers

DOCS = Path(__file__).resolve().parents[1]
INCLUDE = DOCS.parent / "core/include"

# Modules of the reference, with what each is for. Importing autoinit and autoprimaryctx, and gl.autoinit, would make a context.
MODULES = {
    "pycuda.driver": "Devices, contexts, memory, modules, functions, streams: the driver's objects.",
    "pycuda.compiler": "From source text to modules.",
    "pycuda.gpuarray": "Arrays on the device.",
    "pycuda.array_api": "The Python array API standard.",
    "pycuda.cumath": "Mathematical functions of arrays.",
    "pycuda.elementwise": "Kernels of one expression for each element.",
    "pycuda.reduction": "Kernels that reduce.",
    "pycuda.scan": "Kernels for prefix sums and the like.",
    "pycuda.curandom": "Random numbers.",
    "pycuda.gl": "OpenGL's buffers and images.",
    "pycuda.cpu": "The CPU device under other programs.",
    "pycuda.dask": "Arrays on Dask clusters.",
    "pycuda.sparse": "Sparse matrices and conjugate gradients.",
    "pycuda.tools": "Pools, occupancy, memoising.",
    "pycuda.characterize": "What a device has of everything.",
}
PYTHON = """# Python

Every public name by module. `import pycuda.autoinit` makes a context on the first device and has it as `pycuda.autoinit.context`, with
`pycuda.autoinit.device`; `import pycuda.autoprimaryctx` does the same with the primary context, `import pycuda.gl.autoinit` beside OpenGL.

{list}

```{{toctree}}
:hidden:

{pages}
```
"""
MODULE = """# {name}

```{{eval-rst}}
.. automodule:: {name}
```
"""
JAVA = """# Java

<a href="../javadoc/index.html">The Javadoc of org.pycuda</a> has every class. Names follow Python's by rule:

| Python | Java |
| --- | --- |
| a function of `pycuda.driver` | a static method of `org.pycuda.Driver`: `mem_alloc` is `Driver.memAlloc` |
| a class of `pycuda.driver` | a class of `org.pycuda`; what owns something is `AutoCloseable` |
| a class of constants, as `device_attribute` | an enum, `DeviceAttribute`; flags are `int` constants, `CtxFlags.SCHED_AUTO` |
| an exception | nested in `Driver`, unchecked: `Driver.LogicError` |
| `stream=None` and other optional arguments | overloads |
| `func(a, b, block=(256, 1, 1), grid=(4, 1))` | `func.launch(Driver.block(256).grid(4), a, b)` |
| `pycuda.compiler` | `org.pycuda.compiler` |
| `import pycuda.autoinit` | `Autoinit.init()` |
| a function of `pycuda.gl` | a static method of `Gl` |
"""
CPP = {
    "cpp": ("C++", "*.hpp", "The core that both packages are made of: `find_package(pycuda)`, see [Installing](../install.md#c). Every class and "
            "function throws the exceptions of `pycuda/error.hpp`."),
    "cpp_compiler": ("C++: compiling", "compiler/*.hpp", "Compilers, options and the cache."),
    "cpp_arrays": ("C++: arrays", "gpuarray/*.hpp", "Element types, layouts and operations of arrays."),
}


def write_reference(folder):
    folder.mkdir()
    names = {name: name.rpartition(".")[2] for name in MODULES}
    (folder / "python.md").write_text(PYTHON.format(
        list="\n".join(f"- [{name}]({names[name]}.md): {purpose}" for name, purpose in MODULES.items()), pages="\n".join(names.values())))
    for name in MODULES:
        (folder / f"{names[name]}.md").write_text(MODULE.format(name=name))
    (folder / "java.md").write_text(JAVA)
    for name, (title, pattern, introduction) in CPP.items():
        if name == "cpp":
            introduction += "\n\n```{toctree}\n:maxdepth: 1\n\n" + "\n".join(other for other in CPP if other != name) + "\n```"
        (folder / f"{name}.md").write_text(headers.page(title, introduction, INCLUDE, sorted((INCLUDE / "pycuda").glob(pattern))))


def main():
    output, javadoc = (Path(argument).resolve() for argument in sys.argv[1:])
    source = output.with_name(output.name + "-source")
    for folder in (source, output):  # Sphinx would keep old titles in the navigation of pages that are not new
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(javadoc, source / "extra/javadoc")
    write_reference(source / "reference")
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", str(source / "site"), str(source),
                           str(output)])
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()

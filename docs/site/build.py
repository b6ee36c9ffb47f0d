"""Build the documentation site: build.py OUTPUT JAVADOC. Run with the built package importable.

The pages are those of docs, the gallery of examples, and reference pages from docstrings and headers. Warnings are errors, including dead links.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import gallery
import headers

DOCS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(DOCS.parent / "swig/reference"))
import reference  # noqa: E402

INCLUDE = DOCS.parent / "core/include"

# Modules of the reference, each with its purpose. Importing autoinit, autoprimaryctx or gl.autoinit would create a context.
MODULES = {
    "pycuda.driver": "Devices, contexts, memory, modules, functions and streams.",
    "pycuda.compiler": "From source text to modules.",
    "pycuda.gpuarray": "Arrays on the device.",
    "pycuda.array_api": "The Python array API standard.",
    "pycuda.array_api.linalg": "Its linear algebra extension.",
    "pycuda.array_api.fft": "Its Fourier transform extension.",
    "pycuda.cumath": "Mathematical functions of arrays.",
    "pycuda.elementwise": "Kernels from one expression for each element.",
    "pycuda.reduction": "Reduction kernels.",
    "pycuda.scan": "Kernels for prefix sums and other scans.",
    "pycuda.curandom": "Random numbers.",
    "pycuda.gl": "OpenGL's buffers and images.",
    "pycuda.cpu": "The CPU device for other programs.",
    "pycuda.dask": "Arrays on Dask clusters.",
    "pycuda.sparse": "Sparse matrices and conjugate gradients.",
    "pycuda.tools": "Pools, occupancy, memoisation.",
    "pycuda.characterize": "Properties of devices and of C types.",
}
PYTHON = """# Python

Every public name by module. `import pycuda.autoinit` creates a context on the first device: `pycuda.autoinit.context` and
`pycuda.autoinit.device`. `import pycuda.autoprimaryctx` does the same with the primary context, and `import pycuda.gl.autoinit` for programs
with OpenGL.

The examples assume

```py
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import cumath, gpuarray
from pycuda.compiler import SourceModule
```

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
# The driver's page, by topic; names without a topic are constants.
DRIVER = """# pycuda.driver

```{eval-rst}
.. module:: pycuda.driver
.. currentmodule:: pycuda.driver
```
"""
JAVA = """# Java

<a href="../javadoc/index.html">The Javadoc of org.pycuda</a> has every class. Names follow Python's by rule:

| Python | Java |
| --- | --- |
| a function of `pycuda.driver` | a static method of `org.pycuda.Driver`: `mem_alloc` is `Driver.memAlloc` |
| a class of `pycuda.driver` | a class of `org.pycuda`; owners of resources are `AutoCloseable` |
| a class of constants, such as `device_attribute` | an enum, `DeviceAttribute`; flags are `int` constants, `CtxFlags.SCHED_AUTO` |
| an exception | nested in `Driver`, unchecked: `Driver.LogicError` |
| `stream=None` and other optional arguments | overloads |
| `func(a, b, block=(256, 1, 1), grid=(4, 1))` | `func.launch(Driver.block(256).grid(4), a, b)` |
| `pycuda.compiler` | `org.pycuda.compiler` |
| `import pycuda.autoinit` | `Autoinit.init()` |
| a function of `pycuda.gl` | a static method of `Gl` |
"""
CPP = {
    "cpp": ("C++", "*.hpp", "The core of both packages: `find_package(pycuda)`, see [Installing](../install.md#c). Every class and "
            "function throws the exceptions of `pycuda/error.hpp`."),
    "cpp_compiler": ("C++: compiling", "compiler/*.hpp", "Compilers, options and the cache."),
    "cpp_arrays": ("C++: arrays", "gpuarray/*.hpp", "Element types, layouts and operations of arrays."),
}


def driver_page():
    """The page of pycuda.driver, grouped by topic."""
    import pycuda.driver

    parts, documented = [DRIVER], set()
    for topic in reference.read()[0]:
        names = [name for name in topic.names if "." not in name and hasattr(pycuda.driver, name)]
        documented.update(names)
        parts += [f"## {topic.title}", topic.introduction, "```{eval-rst}", *(f".. auto{kind_of(pycuda.driver, name)}:: {name}" for name in names), "```"]
    constants = [name for name in pycuda.driver.__dict__ if isinstance(getattr(pycuda.driver, name), type)
                 and issubclass(getattr(pycuda.driver, name), int) and not name.startswith("_") and name not in documented]
    parts += ["## Constants", "Classes of constants; each member is an int.", "```{eval-rst}",
              *(f".. autoclass:: {name}" for name in sorted(constants)), "```", ""]
    return "\n\n".join(parts)


def kind_of(module, name):
    value = getattr(module, name)
    return "function" if not isinstance(value, type) else "exception" if issubclass(value, Exception) else "class"


def copy_javadoc(javadoc, target):
    """Copy the Javadoc with a link to the site on each page, and without the fonts, which not every JDK has."""
    shutil.copytree(javadoc, target)
    styles = target / "stylesheet.css"
    styles.write_text(styles.read_text().replace("@import url('resources/fonts/dejavu.css');", ""))
    navigation = '<ul id="navbar-top-firstrow" class="nav-list" title="Navigation">\n'
    for page in target.rglob("*.html"):
        home = "../" * len(page.relative_to(target).parts) + "index.html"
        page.write_text(page.read_text().replace(navigation, f'{navigation}<li><a href="{home}">Guides</a></li>\n', 1))


def write_reference(folder):
    folder.mkdir()
    names = {name: name.rpartition(".")[2] for name in MODULES}
    (folder / "python.md").write_text(PYTHON.format(
        list="\n".join(f"- [{name}]({names[name]}.md): {purpose}" for name, purpose in MODULES.items()), pages="\n".join(names.values())))
    for name in MODULES:
        (folder / f"{names[name]}.md").write_text(driver_page() if name == "pycuda.driver" else MODULE.format(name=name))
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
    copy_javadoc(javadoc, source / "extra/javadoc")
    write_reference(source / "reference")
    gallery.write(source / "examples")
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", str(source / "site"), str(source),
                           str(output)])
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()

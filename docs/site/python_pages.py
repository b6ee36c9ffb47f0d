"""Pages of the Python reference: one a module, and of pycuda.driver one a topic, each with a table of its names before their descriptions."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "swig/reference"))
import reference  # noqa: E402

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
INDEX = """# Python

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

{purpose}

```{{eval-rst}}
.. automodule:: {name}
{first}
```
"""
# A native class, described as those of the driver.
FIRST = {"pycuda.gpuarray": "   :exclude-members: GPUArray, thisown\n\n.. autoclass:: GPUArray()"}
DRIVER = """# pycuda.driver

```{{eval-rst}}
.. module:: pycuda.driver
```

{topics}

```{{toctree}}
:hidden:

{pages}
```
"""
TOPIC = """# {title}

Names of `pycuda.driver`. {introduction}

```{{eval-rst}}
.. currentmodule:: pycuda.driver

{table}
{descriptions}
```
"""
CONSTANTS = ("Constants", "Each is a class, whose members are ints.")


def _kind_of(module, name):
    value = getattr(module, name)
    return "function" if not isinstance(value, type) else "exception" if issubclass(value, Exception) else "class"


def _description(module, name):
    """The directive that describes a name. Sphinx has a place for a class's signature, which conf.py finds, only if one is given here."""
    kind = _kind_of(module, name)
    return f".. auto{kind}:: {name}{'()' * (kind == 'class')}"


def _table(names):
    """A table of names with their first sentences, in which each leads to its description."""
    return "\n".join([".. autosummary::", "   :nosignatures:", "", *(f"   {name}" for name in names), ""])


def driver_topics():
    """The names of pycuda.driver by topic, as (title, introduction, names); those without a topic are constants."""
    import pycuda.driver

    topics = [(topic.title, topic.introduction, [name for name in topic.names if "." not in name and hasattr(pycuda.driver, name)])
              for topic in reference.read()[0]]
    documented = {name for _, _, names in topics for name in names}
    constants = [name for name, value in vars(pycuda.driver).items()
                 if isinstance(value, type) and issubclass(value, int) and not name.startswith("_") and name not in documented]
    return [*topics, (*CONSTANTS, sorted(constants))]


def page_of(title):
    return f"driver_{re.sub('[^a-z]+', '_', title.lower())}"


def _driver_pages():
    """The text of each page of pycuda.driver by its name."""
    import pycuda.driver

    pages, overview = {}, []
    for title, introduction, names in driver_topics():
        page, table = page_of(title), _table(names)
        descriptions = "\n".join(_description(pycuda.driver, name) for name in names)
        pages[page] = TOPIC.format(title=title, introduction=introduction, table=table, descriptions=descriptions)
        overview.append(f"## [{title}]({page}.md)\n\n```{{eval-rst}}\n.. currentmodule:: pycuda.driver\n\n{table}```")
    return {"driver": DRIVER.format(topics="\n\n".join(overview), pages="\n".join(pages)), **pages}


def write(folder):
    names = {name: name.rpartition(".")[2] for name in MODULES}
    (folder / "python.md").write_text(INDEX.format(
        list="\n".join(f"- [{name}]({names[name]}.md): {purpose}" for name, purpose in MODULES.items()), pages="\n".join(names.values())))
    for name, purpose in MODULES.items():
        if name != "pycuda.driver":
            (folder / f"{names[name]}.md").write_text(MODULE.format(name=name, purpose=purpose, first=FIRST.get(name, "")))
    for page, text in _driver_pages().items():
        (folder / f"{page}.md").write_text(text)

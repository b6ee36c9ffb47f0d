"""The page of the Java reference: how names follow Python's, and every class by topic with its first sentence from the Javadoc."""

import html
import re

PAGE = """# Java

```java fragment
import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.GPUArray;
import org.pycuda.compiler.SourceModule;

Autoinit.init();                                             // a context on the first device
var module = new SourceModule("__global__ void twice(float *x) {{ x[threadIdx.x] *= 2; }}");
var x = new float[] {{1, 2, 3, 4}};
module.function("twice").launch(Driver.block(4), Driver.inOut(x));
try (var array = GPUArray.toGpu(x)) {{                        // arrays on the device
    System.out.println(array.add(1).sum());
}}
```

[Installing](../install.md) has the coordinates, [Java, Kotlin, Scala](../java.md) what only Java has, and [Java projects](../java_projects.md) complete
projects. The [tutorial](../tutorial.md) and all guides have their programs in Java, too. <a href="../javadoc/index.html">The Javadoc</a> describes every method.

Names follow Python's by rule:

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

{groups}
"""
# Classes by topic: names, or how they end. A class belongs to the first topic that has it; those of none are constants.
TOPICS = {
    "Devices and contexts": "Autoinit Autoprimaryctx Driver Device Context SMResource GreenContext CudaProcess Stream Event Tools DeviceData OccupancyRecord Characterize",
    "Kernels": "KernelModule Module Function LaunchConfig LaunchAttribute Invocation Argument ArgumentHandler In Out InOut StructType StructValue StructArgument Vec Half CType "
               "TensorMap PreparedArguments",
    "Compiling": "SourceModule DynamicModule DynamicSourceModule Linker LinkOptions CompilerCache CacheEntry CompilationEvent CompileRequest CompileResult "
                 "MessageHandler JitOption JitInputType",
    "Memory": "DevicePointer DeviceMemory *Allocation *Pool *Allocator HostPointer HostBuffers HostReadableMemory RegisteredHostMemory IPCMemoryHandle VirtualMemory "
              "PhysicalMemory Memcpy2D Memcpy3D Memcpy3DPeer StructuredCopy StructuredCopy3D StructuredCopyEnds",
    "Arrays": "GPUArray ArrayFactory ArrayScope DType Order Axis Slice Complex Padding Histogram CuMath LinAlg Fft",
    "Custom kernels on arrays": "*Kernel KernelOptions ScalarArg VectorArg",
    "Random numbers": "CuRandom *RandomNumberGenerator",
    "Graphs": "Graph GraphNode ExecutableGraph Capture NodeBuilder CaptureMode GraphNodeKind",
    "Images and textures": "Array MipmappedArray ArrayDescriptor ArrayDescriptor3D Texture* Surface* ArrayFormat Gl GlAutoinit Registered*",
    "Measuring": "Benchmark MemoryReport Trace",
}
_ROW = re.compile(r'<div class="col-first[^"]*"><a href="(\w+)\.html"[^>]*>.*?</a></div>\s*<div class="col-last[^"]*">(.*?)</div>\s*(?=<div class="col-first|</div>)', re.DOTALL)


def _classes(javadoc):
    """(name, page, first sentence) of each class, by the order of packages."""
    for summary in sorted(javadoc.glob("org.pycuda/org/pycuda/**/package-summary.html")):
        for name, cell in _ROW.findall(summary.read_text()):
            text = " ".join(html.unescape(re.sub(r"<[^>]+>", "", cell)).split())
            yield name, summary.parent.relative_to(javadoc).as_posix() + f"/{name}.html", text


def topic_of(name):
    for topic, names in TOPICS.items():
        for known in names.split():
            if known == name or known.startswith("*") and name.endswith(known[1:]) or known.endswith("*") and name.startswith(known[:-1]):
                return topic
    return "Constants and others"


def write(folder, javadoc):
    rows = {topic: [] for topic in (*TOPICS, "Constants and others")}
    for name, page, text in _classes(javadoc):
        sentence = re.sub(r"([*<\[\]_|])", r"\\\1", text)
        rows[topic_of(name)].append(f'| <a href="../javadoc/{page}"><code>{name}</code></a> | {sentence} |')
    groups = "\n\n".join("\n".join([f"## {topic}", "", "| Class | |", "| --- | --- |", *lines]) for topic, lines in rows.items())
    (folder / "java.md").write_text(PAGE.format(groups=groups))

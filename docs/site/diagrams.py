"""Diagrams of the guides, as SVG whose colours work on a light and on a dark page. Run as a script it draws docs/images; a test compares those with
what it would draw."""

from pathlib import Path
from xml.sax.saxutils import escape

IMAGES = Path(__file__).resolve().parents[1] / "images"
WIDTH = 760
BLUE, ORANGE, GREEN, VIOLET, GREY = "#3572b0", "#b0611f", "#2f7f52", "#7a5aa6", "#5a5a5a"
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #808080 } .middle { text-anchor: middle } .strong { font-weight: 600 }
.in { fill: #ffffff; text-anchor: middle } .frame { fill: none; stroke: #808080; stroke-width: 1.5 }
.arrow { stroke: #808080; stroke-width: 2; fill: none; marker-end: url(#head) } .dashed { stroke-dasharray: 5 4 }
</style>
<defs><marker id="head" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto"><polyline points="0,0 6,3 0,6" fill="none" stroke="#808080"/></marker></defs>"""


def text(x, y, words, kind="middle"):
    return f'<text x="{x}" y="{y}" class="{kind}">{escape(words)}</text>'


def box(x, y, width, height, colour, *lines):
    """A filled box with centred lines of text, the first in bold type if there are several."""
    top = y + height / 2 + 5 - 9 * (len(lines) - 1)
    return "\n".join([f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="{colour}"/>',
                      *(text(x + width / 2, top + 18 * number, line, "in strong" if number == 0 and len(lines) > 1 else "in")
                        for number, line in enumerate(lines))])


def frame(x, y, width, height, title):
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" class="frame"/>\n' + text(x + width / 2, y + 20, title, "middle strong")


def arrow(x1, y1, x2, y2, kind="arrow"):
    return f'<path d="M{x1} {y1} L{x2} {y2}" class="{kind}"/>'


def grid():
    """A grid of blocks of threads, and the memory of each."""
    yield frame(10, 10, 330, 190, "grid=(3, 2): 6 blocks")
    for y in range(2):
        for x in range(3):
            yield box(26 + 103 * x, 44 + 74 * y, 92, 62, ORANGE if (x, y) == (2, 0) else BLUE, f"block ({x}, {y})")
    yield arrow(326, 75, 404, 75)
    yield frame(410, 10, 340, 190, "block=(8, 4, 1): 32 threads")
    for y in range(4):
        for x in range(8):
            yield f'<rect x="{426 + 39 * x}" y="{40 + 23 * y}" width="34" height="18" rx="3" fill="{ORANGE}"/>'
    yield text(443, 53, "(0,0)", "in") + text(716, 122, "(7,3)", "in")
    yield box(426, 138, 308, 24, VIOLET, "shared memory of this block")
    yield text(580, 184, "__syncthreads() waits for all threads of the block")
    yield box(10, 216, 740, 30, GREEN, "device memory: every thread of every block")


def streams():
    """Two streams over time: operations of one stream run in order, those of different streams overlap, an event orders two streams."""
    for y, name in ((20, "program"), (80, "stream a"), (140, "stream b")):
        yield text(10, y + 24, name, "strong")
    for x, name in ((90, "copy"), (136, "launch"), (190, "copy")):
        yield box(x, 24, 44 if name == "copy" else 52, 32, GREY, name)
    for x, name in ((252, "copy"), (298, "launch"), (352, "copy")):
        yield box(x, 24, 44 if name == "copy" else 52, 32, GREY, name)
    yield box(420, 24, 290, 32, VIOLET, "synchronize(): the program waits")
    for start, y in ((110, 80), (270, 140)):
        yield box(start, y, 120, 36, BLUE, "copy to device")
        yield box(start + 124, y, 160, 36, ORANGE, "kernel")
        yield box(start + 288, y, 130, 36, GREEN, "copy to host")
    yield '<circle cx="396" cy="126" r="6" fill="#808080"/>' + arrow(396, 126, 396, 136)
    yield text(410, 131, "an event: b's kernel waits for a's", "")
    yield arrow(90, 200, 740, 200) + text(720, 218, "time")


def memory():
    """Kinds of memory on the host and on the device, and how data gets from one to the other."""
    yield frame(10, 10, 250, 270, "host")
    yield box(30, 44, 210, 56, GREY, "pageable", "NumPy, Java arrays, buffers")
    yield box(30, 124, 210, 56, BLUE, "page-locked", "pagelocked_empty, register")
    yield frame(500, 10, 250, 270, "device")
    yield box(520, 44, 210, 56, GREEN, "device memory", "mem_alloc, pools, GPUArray")
    yield box(520, 112, 210, 40, GREEN, "CUDA arrays (textures)")
    yield box(520, 164, 100, 40, VIOLET, "constant") + box(630, 164, 100, 40, VIOLET, "shared")
    yield box(30, 224, 700, 40, ORANGE, "managed: one address for host and device (managed_empty)")
    yield arrow(242, 66, 514, 66) + text(380, 58, "through a buffer of the driver")
    yield arrow(242, 148, 514, 82) + text(380, 154, "full speed, overlaps with kernels")


def contexts():
    """Each thread has a stack of contexts; the top one is current, and new objects belong to it."""
    for x, name, stack in ((10, "thread 1", (BLUE, ORANGE)), (200, "thread 2", (BLUE,))):
        yield frame(x, 10, 170, 210, name)
        for number, colour in enumerate(stack):
            yield box(x + 20, 160 - 54 * number, 130, 44, colour, f"context {'A' if colour == BLUE else 'B'}")
        yield text(x + 24, 206 - 54 * len(stack), "current:", "")
    yield text(190, 246, "push() adds one on top, pop() removes it")
    for y, name, colour in ((10, "context A owns", BLUE), (130, "context B owns", ORANGE)):
        yield frame(450, y, 300, 100, name)
        for number, what in enumerate(("memory", "modules", "streams")):
            yield box(464 + 93 * number, y + 38, 86, 44, colour, what)
    yield arrow(372, 182, 446, 70) + arrow(162, 128, 446, 180, "arrow dashed")
    yield text(600, 246, "a context lives until the last of them is gone")


def kernel():
    """From source text to the device: the compiler and its cache, the module, the launch, the stream."""
    for number, (colour, name, what) in enumerate(((BLUE, "CUDA C++", "SourceModule(text)"), (VIOLET, "NVRTC or nvcc", "or a hit in the cache"),
                                                   (GREEN, "Module", "PTX or machine code"), (GREEN, "Function", "get_function(name)"))):
        yield box(10 + 195 * number, 20, 155, 56, colour, name, what)
        if number:
            yield arrow(195 * number - 30, 48, 195 * number + 4, 48)
    yield arrow(675, 76, 675, 124)
    yield box(560, 130, 190, 56, ORANGE, "launch", "arguments, block, grid")
    yield arrow(560, 158, 506, 158)
    yield box(340, 130, 160, 56, GREY, "stream", "work in order")
    yield arrow(340, 158, 286, 136) + arrow(340, 158, 286, 184)
    yield box(90, 112, 190, 44, GREY, "NVIDIA GPU") + box(90, 164, 190, 44, GREY, "CPU device: checks it")


DIAGRAMS = {"grid": (grid, 256), "streams": (streams, 226), "memory": (memory, 292), "contexts": (contexts, 258), "kernel": (kernel, 218)}


def draw(diagram, height):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
             f"<title>{escape(diagram.__doc__)}</title>", STYLE, *diagram(), "</svg>", ""]
    return "\n".join(parts)


def images():
    """Return the text of every diagram by its path."""
    return {IMAGES / f"{name}.svg": draw(*diagram) for name, diagram in DIAGRAMS.items()}


if __name__ == "__main__":
    for path, drawn in images().items():
        path.write_text(drawn)

"""Bar charts of ratios and a chart of occupancy, as SVG. `./dev bench --json docs/data/gpu.json launch array` writes this library's figures, docs/data/pycuda.json has PyCUDA's.
Run as a script it draws docs/images; a test compares those with what it would draw."""

import json
from pathlib import Path
from xml.sax.saxutils import escape

DOCS = Path(__file__).resolve().parents[1]
COLOURS = {"C++": "#2f8f5b", "Python": "#3572b0", "Java": "#c9722b"}
OTHER = "#9a9a9a"
PEER = "PyCUDA 2026.1"
WIDTH, LABEL, BAR, GAP, GROUP = 760, 300, 18, 5, 14

# Each chart: its title, the meaning of a bar, and the bars of each group: label, second column of the table, row of the table.
CHARTS = {
    "launch": (
        "One launch, next to plain C", "time divided by that of the same call in plain C; shorter is better", {
            "launch": [("C++", "core", "launch, 3 pointers and an int"), ("Python", "Python", "__call__"), ("Java", "Java", "launch"),
                       ("cuda.core", "others", "cuda.core launch"), ("cuda.bindings", "others", "cuda.bindings cuLaunchKernel"),
                       ("CuPy RawKernel", "others", "CuPy RawKernel"), (PEER, "PyCUDA", "__call__")],
            "prepared launch": [("Python", "Python", "prepared_call"), ("Java", "Java", "Invocation"), (PEER, "PyCUDA", "prepared_call")],
            "allocate, free 1 MB": [("C++", "core", "allocate and free 1 MB"), ("Python", "Python", "mem_alloc and free, 1 MB"),
                                    ("Java", "Java", "memAlloc and close, 1 MB")],
            "copy 1,600 bytes": [("C++", "core", "copy 1,600 bytes to the device"), ("Python", "Python", "memcpy_htod, 1,600 bytes")],
        }),
    "arrays": (
        "Operations of small arrays, next to a bare launch", "time on 1,024 floats divided by that of a launch in plain C; shorter is better", {
            name: [("Python", "here", own), ("Java", "from Java", java), ("CuPy", "here", f"cupy: {other}"), ("PyTorch", "here", f"torch: {other}"),
                   (PEER, "PyCUDA", own)]
            for name, own, java, other in [
                ("a + b", "a + b", "a.add(b)", "a + b"), ("a += b", "a.__iadd__(b)", "a.addInPlace(b)", "a.__iadd__(b)"),
                ("a * 2.0", "a * 2.0", "a.mul(2.0)", "a * 2.0"), ("sin(a)", "cumath.sin(a)", "CuMath.sin(a)", "p.sin(a)"),
                ("sum(a)", "gpuarray.sum(a)", "a.sum()", "a.sum()")]
        }),
}


def groups_of(tables, groups):
    """Yield (name of a group, [(label, ratio)]), without bars that were not measured."""
    by_column = {table["columns"][1]: table["rows"] for table in tables if len(table["columns"]) > 1}
    for name, bars in groups.items():
        measured = [(who, by_column[column][row][-1]) for who, column, row in bars if row in by_column.get(column, ())]
        if measured:
            yield name, measured


def draw(tables, title, meaning, groups):
    found = list(groups_of(tables, groups))
    scale = (WIDTH - LABEL - 60) / max(ratio for _, bars in found for _, ratio in bars)
    parts, y = [], 64
    for name, bars in found:
        parts.append(f'<text x="{LABEL - 120}" y="{y + BAR - 5}" text-anchor="end" class="strong">{escape(name)}</text>')
        for who, ratio in bars:
            length = ratio * scale
            parts += [f'<text x="{LABEL - 8}" y="{y + BAR - 5}" text-anchor="end">{escape(who)}</text>',
                      f'<rect x="{LABEL}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2" fill="{COLOURS.get(who, OTHER)}"/>',
                      f'<text x="{LABEL + length + 6:.1f}" y="{y + BAR - 5}">{ratio:.2f}</text>']
            y += BAR + GAP
        y += GROUP
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" role="img">',
        f"<title>{escape(title)}</title>",
        "<style>text { font: 13px system-ui, sans-serif; fill: #7a7a7a } .strong { font-weight: 600 }</style>",
        f'<text x="8" y="22" class="strong">{escape(title)}</text>', f'<text x="8" y="42">{escape(meaning)}</text>', *parts,
        f'<line x1="{LABEL + scale:.1f}" y1="54" x2="{LABEL + scale:.1f}" y2="{y - GROUP}" stroke="#888" stroke-dasharray="4 3"/>',
        "</svg>", ""])


# A multiprocessor of compute capability 9.0.
WARPS, BLOCKS, REGISTERS, REGISTER_UNIT = 64, 32, 65536, 256


def occupancy(threads, registers):
    """Return the share of a multiprocessor's warps that a kernel keeps busy: OccupancyRecord's rule, for that multiprocessor."""
    warps = -(-threads // 32)
    per_warp = -(-registers * 32 // REGISTER_UNIT) * REGISTER_UNIT
    return min(BLOCKS, WARPS // warps, REGISTERS // per_warp // 4 * 4 // warps) * warps / WARPS


def draw_occupancy():
    """Draw occupancy over block sizes, a line for each number of registers."""
    left, top, width, height = 70, 60, 560, 220
    parts = [f'<text x="{left - 8}" y="{top + height * (1 - share) + 4:.0f}" text-anchor="end">{share:.0%}</text>'
             f'<line x1="{left}" y1="{top + height * (1 - share):.0f}" x2="{left + width}" y2="{top + height * (1 - share):.0f}" stroke="#8884"/>'
             for share in (0, 0.25, 0.5, 0.75, 1)]
    parts += [f'<text x="{left + width * size / 1024:.0f}" y="{top + height + 20}" text-anchor="middle">{size}</text>' for size in range(128, 1025, 128)]
    for colour, registers in zip(COLOURS.values(), (32, 64, 128)):
        sizes = range(32, 1025 if registers < 128 else 513, 32)
        points = " ".join(f"{left + width * size / 1024:.1f},{top + height * (1 - occupancy(size, registers)):.1f}" for size in sizes)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts.append(f'<text x="{left + width + 8}" y="{top + height * (1 - occupancy(512, registers)) + 4:.0f}">{registers} registers</text>')
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + height + 50}" width="{WIDTH}" height="{top + height + 50}" role="img">',
        "<title>Occupancy over block sizes</title>",
        "<style>text { font: 13px system-ui, sans-serif; fill: #7a7a7a } .strong { font-weight: 600 }</style>",
        '<text x="8" y="22" class="strong">Occupancy of a multiprocessor of compute capability 9.0</text>',
        '<text x="8" y="42">by threads per block, for kernels with 32, 64 and 128 registers per thread</text>', *parts,
        f'<text x="{left + width / 2}" y="{top + height + 42}" text-anchor="middle">threads per block</text>', "</svg>", ""])


def images():
    """Return the text of every image by its path."""
    tables = [table for name in ("gpu", "pycuda") for table in json.loads((DOCS / f"data/{name}.json").read_text())]
    return {DOCS / f"images/{name}.svg": draw(tables, *chart) for name, chart in CHARTS.items()} | {
        DOCS / "images/occupancy.svg": draw_occupancy()}


if __name__ == "__main__":
    for path, text in images().items():
        path.write_text(text)

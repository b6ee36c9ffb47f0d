"""The lines of forms.txt for matrix instructions: see make_forms.py. "type*n" stands for n registers in braces, of which the
k-th of operand i is %x{i}_{k}. The types mf16x2, mbf16x2, mtf32, mf32 and mf64 are numbers whose sums mostly stay finite."""

BOTH = [(a, b) for a in ("row", "col") for b in ("row", "col")]
ROW_COL = [("row", "col")]
SHAPES16 = [(16, 16, 16), (8, 32, 16), (32, 8, 16)]
WIDTH = {"b1": 1, "s4": 4, "u4": 4, "s8": 8, "u8": 8, "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64}
VALUES = {"f16": "mf16x2", "bf16": "mbf16x2", "tf32": "mtf32", "f32": "mf32", "f64": "mf64", "s32": "s32"}
STORED = {"f16": "b32", "f32": "f32", "s32": "s32", "f64": "f64"}


def operands(t, elements):
    """The operand for this many elements per lane, as registers with values."""
    count = max(1, elements * WIDTH[t] // max(32, WIDTH[t]))
    return f"{VALUES.get(t, 'b32')}*{count}"


def result(t, elements):
    return f"{STORED[t]}*{elements * WIDTH[t] // max(32, WIDTH[t])}"


def product(name, a, b, c, d, m, n, k, a_elements=None, b_elements=None):
    shared = m * k // 32 if a_elements is None else a_elements, k * n // 32 if b_elements is None else b_elements
    return (f"{result(d, m * n // 32)} = {operands(a, shared[0])} {operands(b, shared[1])} {operands(c, m * n // 32)} : "
            f"{name} $0, $1, $2, $3;")


def products():
    for la, lb in BOTH:  # four products of 8 x 8 x 4
        for d, c in (("f16", "f16"), ("f32", "f16"), ("f32", "f32")):
            yield product(f"mma.sync.aligned.m8n8k4.{la}.{lb}.{d}.f16.f16.{c}", "f16", "f16", c, d, 32, 8, 4, 4, 4)
    def mma(m, k, d, a, b, c, before="", after=""):
        return product(f"mma.sync.aligned.m{m}n8k{k}.row.col{before}.{d}.{a}.{b}.{c}{after}", a, b, c, d, m, 8, k)
    for k in (8, 16):
        yield mma(16, k, "f16", "f16", "f16", "f16")
        for a in ("f16", "bf16"):
            yield mma(16, k, "f32", a, a, "f32")
    for k in (4, 8):
        yield mma(16, k, "f32", "tf32", "tf32", "f32")
    for m, k in ((8, 4), (16, 4), (16, 8), (16, 16)):
        for r in ("", ".rn", ".rz", ".rm", ".rp"):
            yield mma(m, k, "f64", "f64", "f64", "f64", r)
    for width, shapes in ((8, ((8, 16), (16, 16), (16, 32))), (4, ((8, 32), (16, 32), (16, 64)))):
        for m, k in shapes:
            for a in (f"s{width}", f"u{width}"):
                for b in (f"s{width}", f"u{width}"):
                    for s in ("", ".satfinite"):
                        yield mma(m, k, "s32", a, b, "s32", s)
    for m, k in ((8, 128), (16, 128), (16, 256)):
        for op in ("xor", "and"):
            yield mma(m, k, "s32", "b1", "b1", "s32", "", f".{op}.popc")


def wmma_products():
    """Products except those of halves: their fragments hold each entry twice, and the result for any other registers depends
    on the GPU. instructions/wmma_halves.txt loads, multiplies and stores them."""
    def wmma(shape, la, lb, types, a, c, d, more="", before=""):
        m, n, k = shape
        return product(f"wmma.mma.sync.aligned.{la}.{lb}.m{m}n{n}k{k}{before}.{types}{more}", a, a, c, d, m, n, k,
                       m * k // 32, k * n // 32)
    for la, lb in BOTH:
        for shape in SHAPES16:
            yield wmma(shape, la, lb, "f32.bf16.bf16.f32", "bf16", "f32", "f32")
            for a in ("s8", "u8"):
                for s in ("", ".satfinite"):
                    yield wmma(shape, la, lb, f"s32.{a}.{a}.s32", a, "s32", "s32", s)
        yield wmma((16, 16, 8), la, lb, "f32.tf32.tf32.f32", "tf32", "f32", "f32")
        for r in ("", ".rn", ".rz", ".rm", ".rp"):
            yield wmma((8, 8, 4), la, lb, "f64.f64.f64.f64", "f64", "f64", "f64", before=r)
    for a in ("s4", "u4"):
        for s in ("", ".satfinite"):
            yield wmma((8, 8, 32), "row", "col", f"s32.{a}.{a}.s32", a, "s32", "s32", s)
    for op in ("xor", "and"):
        yield wmma((8, 8, 128), "row", "col", "s32.b1.b1.s32", "b1", "s32", "s32", f".{op}.popc")


def fragments():
    """Yield (letter, shape, type, orders, registers)."""
    for letter in "ab":
        for shape in SHAPES16:
            m, n, k = shape
            own = m * k if letter == "a" else k * n
            for t in ("f16", "bf16", "s8", "u8"):
                yield letter, shape, t, ("row", "col"), 8 if t == "f16" else own * WIDTH[t] // 1024
        yield letter, (16, 16, 8), "tf32", ("row", "col"), 4
        yield letter, (8, 8, 4), "f64", ("row", "col"), 1
        order = ("row",) if letter == "a" else ("col",)
        for t, k in (("s4", 32), ("u4", 32), ("b1", 128)):
            yield letter, (8, 8, k), t, order, 1
    for t, shapes in (("f16", SHAPES16), ("f32", [*SHAPES16, (16, 16, 8)]), ("s32", [*SHAPES16, (8, 8, 32), (8, 8, 128)]),
                      ("f64", [(8, 8, 4)])):
        for m, n, k in shapes:
            yield "c", (m, n, k), t, ("row", "col"), m * n * WIDTH[t] // 32 // max(32, WIDTH[t])


OWN = {"": "%gl", "global": "%gl", "shared": "%sh", "shared::cta": "%sh"}
WARPS = {"": "%wge", "global": "%wgl", "shared": "%wsh", "shared::cta": "%wsh"}


def fill(space, operand, quads=4):
    """Fill the lane's bytes: each 16 of them with the operand's four registers, starting with another one each time."""
    to = "shared" if "shared" in space else "global"
    names = [f"%x{operand}_{n}" for n in range(4)]
    return "".join(f"st.{to}.v4.b32 [{OWN[space]}+{16 * q}], {{{', '.join(names[(q + n) % 4] for n in range(4))}}}; "
                   for q in range(quads)) + "bar.warp.sync -1; "


def moves():
    """wmma.load and wmma.store, with and without a stride."""
    for letter, (m, n, k), t, orders, registers in fragments():
        rows, columns = {"a": (m, k), "b": (k, n), "c": (m, n)}[letter]
        for order in orders:
            least = columns if order == "row" else rows
            for space in WARPS:
                dotted = f".{space}" if space else ""
                for stride in ("", f", {least + (8 if WIDTH[t] > 8 else 32 if WIDTH[t] > 1 else 128)}"):
                    name = f"sync.aligned.{order}.m{m}n{n}k{k}{dotted}.{t}"
                    yield (f"b{max(32, WIDTH[t])}*{registers} = b32*4 : {fill(space, 1)}wmma.load.{letter}.{name} $0, "
                           f"[{WARPS[space]}]{stride};")
                    if letter == "c":
                        back = "shared" if "shared" in space else "global"
                        loads = "".join(f"ld.{back}.v2.b64 {{%x0_{q}, %x0_{q + 1}}}, [{OWN[space]}+{8 * q}]; " for q in (0, 2, 4, 6))
                        yield (f"b64*8 = b32*4 {VALUES[t]}*{registers} : {fill(space, 1)}wmma.store.d.{name} [{WARPS[space]}], "
                               f"$2{stride}; bar.warp.sync -1; {loads}".rstrip())


def rows():
    """ldmatrix, stmatrix and movmatrix: each lane's 16 bytes of shared memory are a row."""
    for n in (1, 2, 4):
        for trans in ("", ".trans"):
            for space, at in (("", "%gesh"), (".shared", "%sh"), (".shared::cta", "%sh")):
                name = f"sync.aligned.m8n8.x{n}{trans}{space}.b16"
                yield f"b32*{n} = b32*4 : {fill('shared', 1, 1)}ldmatrix.{name} $0, [{at}];"
                yield (f"b32*4 = b32*4 b32*{n} : {fill('shared', 1, 1)}stmatrix.{name} [{at}], $2; bar.warp.sync -1; "
                       "ld.shared.v4.b32 $0, [%sh];")
    yield "b32 = b32 : movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;"


def lines():
    for part in (products, wmma_products, moves, rows):
        yield from part()

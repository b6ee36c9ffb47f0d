"""The lines of forms.txt for the video instructions: see make_forms.py. Selectors are drawn at random, masks in turn."""
import itertools
import random

TYPES = ["u32", "s32"]
PARTS = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
MASKS = {2: ["", ".h0", ".h1", ".h10"],
         4: [""] + [".b" + "".join(str(n) for n in (3, 2, 1, 0) if bits >> n & 1) for bits in range(1, 16)]}
NEGATIONS = ["-  ", " - ", "  -", "-- ", "---"]

draw = random.Random(90)


def dotted(*words):
    return ".".join(w for w in words if w)


def line(name, types, d="", a="", b="", c=None, signs="   "):
    """A line; `types` are those of the result and c, of a and of b."""
    signs = [s.strip() for s in signs]
    text = f"{name} $0{d}, {signs[0]}$1{a}, {signs[1]}$2{b}"
    if c is None:
        return f"{types[0]} = {types[1]} {types[2]} : {text};"
    return f"{types[0]} = {types[1]} {types[2]} {types[0]} : {text}, {signs[2]}$3;"


def part():
    return draw.choice(PARTS)


def scalar(name, types):
    """Lines with each secondary operation and each part of the result."""
    yield line(name, types, a=part(), b=part())
    yield line(name, types, a=part(), b=part(), c="")
    for operation in ["add", "min", "max"]:
        yield line(dotted(name, operation), types, a=part(), b=part(), c="")
    for d in PARTS[1:]:
        yield line(name, types, d=d, a=part(), b=part(), c="")


def scalars():
    for name, sat, *types in itertools.product(["vadd", "vsub", "vabsdiff", "vmin", "vmax"], ["", "sat"], *[TYPES] * 3):
        yield from scalar(dotted(name, *types, sat), types)
    for name, mode, sat, d, a in itertools.product(["vshl", "vshr"], ["clamp", "wrap"], ["", "sat"], TYPES, TYPES):
        yield from scalar(dotted(name, d, a, "u32", mode, sat), [d, a, "u32"])
    for a, b, comparison in itertools.product(TYPES, TYPES, COMPARISONS):
        yield from scalar(dotted("vset", a, b, comparison), ["u32", a, b])
    for scale, sat, *types in itertools.product(["", "shr7", "shr15"], ["", "sat"], *[TYPES] * 3):
        yield line(dotted("vmad", *types, sat, scale), types, a=part(), b=part(), c="")
        yield line(dotted("vmad", *types, "po", sat, scale), types, a=part(), b=part(), c="")
        for signs in NEGATIONS:
            yield line(dotted("vmad", *types, sat, scale), types, a=part(), b=part(), c="", signs=signs)


def elements(lanes):
    """The elements of a and b that an operand selects, at random."""
    if draw.random() < 0.25:
        return ""
    return (".h" if lanes == 2 else ".b") + "".join(str(draw.randrange(2 * lanes)) for _ in range(lanes))


def simd(lanes):
    mask = itertools.cycle(MASKS[lanes])
    for name in ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"]:
        for way, *types in itertools.product(["", "sat", "add"], *[TYPES] * 3):
            for _ in range(3):
                text = dotted(name + str(lanes), *types, way)
                yield line(text, types, next(mask), elements(lanes), elements(lanes), "")
    for way, a, b, comparison in itertools.product(["", "add"], TYPES, TYPES, COMPARISONS):
        for _ in range(2):
            text = dotted(f"vset{lanes}", a, b, comparison, way)
            yield line(text, ["u32", a, b], next(mask), elements(lanes), elements(lanes), "")


def lines():
    return itertools.chain(scalars(), simd(2), simd(4))

"""The lines of forms.txt for instructions that touch memory: see make_forms.py. The names of addresses and registers are
those of forms_file.hpp."""

TYPES = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64".split()
SHARED = ["shared", "shared::cta", "shared::cluster"]
ADDRESS = {"": "%gegl", "global": "%gl", "local": "%lo", "shared": "%sh", "shared::cta": "%sh", "shared::cluster": "%sh",
           "const": "c", "param": "bytes", "param::entry": "bytes"}
SCOPES = ["cta", "cluster", "gpu", "sys"]


def bits(t):
    return int("".join(c for c in t.removesuffix("x2") if c.isdigit())) * (2 if t.endswith("x2") else 1)


def dotted(*words):
    return ".".join(w for w in words if w)


def vector(registers):
    return registers[0] if len(registers) == 1 else "{" + ", ".join(registers) + "}"


def fill(space, a, b):
    """Fill 16 bytes of the lane's memory."""
    return f"{dotted('st', space, 'v2', 'b64')} [{ADDRESS[space]}+16], {{{a}, {b}}};"


def called(before, load):
    """A call of a function that returns its argument, between a store to the argument and a load of the result."""
    return ("{ .param .align 16 .b8 fa[16]; .param .align 16 .b8 fr[16]; " + before +
            " call (fr), same, (fa); " + load + " }")


def load(name, width, t, address):
    """Results and text; a fourth element is mixed into the third."""
    if t == "b128":
        return ["b64", "b64"], f"{name} %q0, [{address}]; mov.b128 {{$0, $1}}, %q0;"
    registers = ["$0", "$1", "$2", "%d3"][:width]
    text = f"{name} {vector(registers)}, [{address}];" + (" xor.b64 $2, $2, %d3;" if width == 4 else "")
    return ["b64"] * min(width, 3), text


def line(results, operands, text):
    return f"{' '.join(results)} = {' '.join(operands)} : {text}"


WIDE = ["%d0", "%d1", "%d2", "%d3"]


def widths(t):
    return [w for w in (1, 2, 4) if w * bits(t) <= 128]


def loads():
    for space in ["", "global", "local", *SHARED, "const", "param", "param::entry", "param::func"]:
        for t in TYPES:
            for w in widths(t):
                name = dotted("ld", space, f"v{w}" if w > 1 else "", t)
                if space == "param::func":
                    results, text = load(name, w, t, "fr")
                    n = len(results)
                    yield line(results, ["b64", "b64"], called(f"st.param.v2.b64 [fa], {{${n}, ${n + 1}}};", text))
                    continue
                results, text = load(name, w, t, ADDRESS[space] + "+16")
                n = len(results)
                constant = space == "const" or space.startswith("param")
                yield line(results, [] if constant else ["b64", "b64"],
                           text if constant else fill(space, f"${n}", f"${n + 1}") + " " + text)
    for space in ("", "global"):
        for t in TYPES:
            for w in widths(t):
                results, text = load(dotted("ldu", space, f"v{w}" if w > 1 else "", t), w, t, ADDRESS[space] + "+16")
                n = len(results)
                yield line(results, ["b64", "b64"], fill(space, f"${n}", f"${n + 1}") + " membar.gl; " + text)


def stores():
    for space in ["", "global", "local", *SHARED, "param", "param::func"]:
        for t in TYPES:
            for w in widths(t):
                # What a .f32 store takes from a wider register, PTX leaves open.
                operands = ["b64"] * 2 if t == "b128" else ["b32" if t == "f32" else "b64"] * w
                sources = ["%q0"] if t == "b128" else [f"${2 + n}" for n in range(w)]
                packed = "mov.b128 %q0, {$2, $3}; " if t == "b128" else ""
                name = dotted("st", space, f"v{w}" if w > 1 else "", t)
                if space.startswith("param"):
                    again = f"{name.replace('st', 'ld', 1)} {vector(WIDE[:w])}, [fr];"
                    mixed = "mov.b64 $0, %d0; mov.b64 $1, " + ("%d1;" if w > 1 else "0;")
                    if t == "b128":
                        again, mixed = "ld.param.v2.b64 {$0, $1}, [fr];", ""
                    if w == 4:
                        mixed += " shl.b64 %d2, %d2, 3; xor.b64 $0, $0, %d2; shl.b64 %d3, %d3, 5; xor.b64 $1, $1, %d3;"
                    text = (called(f"{name} [fa], {vector(sources)};", again) + " " + mixed).rstrip()
                else:
                    at = ADDRESS[space] + "+16"
                    text = (f"{fill(space, 0, 0)} {name} [{at}], {vector(sources)}; "
                            f"{dotted('ld', space, 'v2.b64')} {{$0, $1}}, [{at}];")
                yield line(["b64", "b64"], operands, packed + text)


OPERATIONS = [(op, t) for ops, ts in (("and or xor", "b32 b64"), ("add", "u32 s32 u64 f32 f64"), ("min max", "u32 s32 u64 s64"),
                                      ("inc dec", "u32"), ("add.noftz", "f16 f16x2 bf16 bf16x2"))
              for op in ops.split() for t in ts.split()]


def pool(t):
    return "b64" if t == "s64" and False else t


def atomics(more=(("", ["", "global", *SHARED]),)):
    for order, spaces in more:
        for space in spaces:
            at, plain = ADDRESS[space] + "+16", lambda t: f"b{bits(t)}"
            for op, t in OPERATIONS:
                b = plain(t)
                store, again = f"{dotted('st', space, b)} [{at}], ", f"{dotted('ld', space, b)} $1, [{at}];"
                yield line([t, t], [t, t], f"{store}$2; {dotted('atom', order, space, op, t)} $0, [{at}], $3; {again}")
                yield line([t], [t, t], f"{store}$1; {dotted('red', order, space, op, t)} [{at}], $2; {again.replace('$1', '$0')}")
            for t in ("b32", "b64"):
                yield line([t, t], [t, t], f"{dotted('st', space, t)} [{at}], $2; {dotted('atom', order, space, 'exch', t)} "
                                           f"$0, [{at}], $3; {dotted('ld', space, t)} $1, [{at}];")
            for t in ("b16", "b32", "b64"):
                yield line([t, t], [t, t, t, "pred"],
                           f"selp.{t} $3, $2, $3, $5; {dotted('st', space, t)} [{at}], $2; "
                           f"{dotted('atom', order, space, 'cas', t)} $0, [{at}], $3, $4; {dotted('ld', space, t)} $1, [{at}];")
            yield line(["b64", "b64", "b64"], ["b64"] * 4,
                       f"{fill(space, '$3', '$4')} mov.b128 %q0, {{$5, $6}}; {dotted('atom', order, space, 'exch.b128')} "
                       f"%q1, [{at}], %q0; mov.b128 {{$0, %d0}}, %q1; {dotted('ld', space, 'v2.b64')} {{$1, $2}}, [{at}]; "
                       "xor.b64 $2, $2, %d0;")
            yield line(["b64", "b64", "b64"], ["b64"] * 4 + ["pred"],
                       f"{fill(space, '$3', '$4')} selp.b64 %d1, $4, $5, $7; mov.b128 %q2, {{$3, %d1}}; "
                       f"mov.b128 %q0, {{$5, $6}}; {dotted('atom', order, space, 'cas.b128')} %q1, [{at}], %q2, %q0; "
                       f"mov.b128 {{$0, %d0}}, %q1; {dotted('ld', space, 'v2.b64')} {{$1, $2}}, [{at}]; xor.b64 $2, $2, %d0;")


def parts(registers, element, value):
    """Registers of `element` bits from a 64-bit one, or the other way round."""
    return f"mov.b64 {{{', '.join(registers)}}}, {value};"


def vector_atomics():
    for space in ("", "global"):
        at = ADDRESS[space] + "+16"
        for t, counts, ops in (("f32", (2, 4), ["add"]), ("f16", (2, 4, 8), None), ("bf16", (2, 4, 8), None),
                               ("f16x2", (2, 4), None), ("bf16x2", (2, 4), None)):
            for op in ops or ["add", "min", "max"]:
                for n in counts:
                    size = bits(t)
                    r = [f"%{'h' if size == 16 else 'r'}{k}" for k in range(n)]
                    half = 64 // size
                    groups = [r[k:k + half] for k in range(0, n, half)]
                    if len(groups[0]) == half:
                        split = " ".join(parts(g, size, f"${5 + k}") for k, g in enumerate(groups))
                    else:
                        split = f"mov.b32 {{{r[0]}, {r[1]}}}, %r7;"
                        split = f"cvt.u32.u64 %r7, $5; {split}"
                    suffix = dotted(op, "" if op == "add" and t == "f32" else "noftz", f"v{n}", t)
                    begin = f"{fill(space, '$3', '$4')} {split} "
                    again = f"{dotted('ld', space, 'v2.b64')} {{$0, $1}}, [{at}];"
                    old = []
                    for k, g in enumerate(groups):
                        joined = (f"mov.b64 %d{k}, {{{', '.join(g)}}};" if len(g) == half
                                  else f"mov.b32 %r7, {{{', '.join(g)}}}; cvt.u64.u32 %d{k}, %r7;")
                        old.append(joined)
                    mixed = "shl.b64 %d1, %d1, 1; xor.b64 $2, %d0, %d1;" if len(groups) == 2 else "mov.b64 $2, %d0;"
                    yield line(["b64"] * 3, ["b64"] * 4, f"{begin}{dotted('atom', space, suffix)} {vector(r)}, [{at}], "
                                                         f"{vector(r)}; {again} {' '.join(old)} {mixed}")
                    yield line(["b64"] * 2, ["b64"] * 4, (f"{begin}{dotted('red', space, suffix)} [{at}], {vector(r)}; {again}")
                               .replace("$3", "$2").replace("$4", "$3").replace("$5", "$4").replace("$6", "$5"))


CREATE = "createpolicy.fractional.L2::evict_first.b64 %d0, 0f3F800000;"
PREFETCH = ["L2::64B", "L2::128B", "L2::256B"]
L1 = ["evict_normal", "evict_unchanged", "evict_first", "evict_last", "no_allocate"]


def orders():
    """Modifiers that change no result: each once."""
    load32 = "st.global.b32 [%gl+16], $1; {} $0, [{}+16]{};"
    store32 = "{} [{}+16], $1{}; ld.global.b32 $0, [%gl+16];"
    one = lambda text: line(["b32"], ["b32"], text)
    for words in ("c.nc", "c.nc.cs", "c.nc.L1::no_allocate.L2::128B"):  # memory that no kernel writes
        yield line(["b32"], [], f"ld.{words.split('.', 1)[1]}.global.b32 $0, [%in+4100];")
    for words in ([*(f"cache.{c}" for c in "ca cg cs lu cv".split()), *(f"c.L1::{e}" for e in L1), *(f"c.{p}" for p in PREFETCH),
                   *(f"s.{o}.{s}" for o in ("relaxed", "acquire") for s in SCOPES), "s.volatile", "s.weak", "s.mmio.relaxed.sys"]):
        yield one(load32.format(f"ld.{words.split('.', 1)[1]}.global.b32", "%gl", ""))
    yield one(load32.format("ld.b32", "%gegl", ".unified"))
    yield one(CREATE + " " + load32.format("ld.global.L2::cache_hint.b32", "%gl", ", %d0"))
    for words in ([*"wb cg cs wt".split(), *(f"L1::{e}" for e in L1),
                   *(f"{o}.{s}" for o in ("relaxed", "release") for s in SCOPES), "volatile", "weak", "mmio.relaxed.sys"]):
        yield one(store32.format(f"st.{words}.global.b32", "%gl", ""))
    yield one(CREATE + " " + store32.format("st.global.L2::cache_hint.b32", "%gl", ", %d0").replace("$1, %d0", "$1, %d0"))
    for o in ("", "relaxed", "acquire", "release", "acq_rel"):
        for s in ("", *SCOPES):
            if o or s:
                yield one(f"st.global.b32 [%gl+16], $1; {dotted('atom', o, s)}.global.add.u32 %r0, [%gl+16], 5; "
                          "ld.global.b32 $0, [%gl+16]; xor.b32 $0, $0, %r0;")
            if (o or s) and o in ("", "relaxed", "release"):
                yield one(f"st.global.b32 [%gl+16], $1; {dotted('red', o, s)}.global.add.u32 [%gl+16], 5; "
                          "ld.global.b32 $0, [%gl+16];")
    for op, d in (("atom", "%r0, "), ("red", "")):
        yield one(f"{CREATE} st.global.b32 [%gl+16], $1; {op}.global.add.L2::cache_hint.u32 {d}[%gl+16], 5, %d0; "
                  "ld.global.b32 $0, [%gl+16];")
    for o in ("", "sc", "acq_rel", "acquire", "release"):
        for s in SCOPES:
            yield one(f"st.global.b32 [%gl], $1; {dotted('fence', o, s)}; ld.global.b32 $0, [%gl];")
    yield one("st.global.b32 [%gl], $1; fence.proxy.alias; ld.global.b32 $0, [%gl];")
    for s in ("cta", "gl", "sys"):
        yield one(f"st.global.b32 [%gl], $1; membar.{s}; ld.global.b32 $0, [%gl];")


def hints():
    one = lambda text, more="": line(["b32"], ["b32"], f"st.global.b32 [%gl+16], $1; {more}{text} ld.global.b32 $0, [%gl+16];")
    for space, at in (("", "%gegl"), (".global", "%gl"), (".local", "%lo")):
        for level in ("L1", "L2"):
            yield one(f"prefetch{space}.{level} [{at}];")
    for space, at in (("", "%gegl"), (".global", "%gl")):
        for e in ("evict_last", "evict_normal"):
            yield one(f"prefetch{space}.L2::{e} [{at}];")
        yield one(f"and.b64 %d0, {at}, -128; applypriority{space}.L2::evict_normal [%d0], 128;")
        for p in ("evict_last", "evict_normal", "evict_first", "evict_unchanged"):
            for second in ("", ".L2::evict_unchanged", ".L2::evict_first"):
                if p in ("evict_last", "evict_normal", "evict_first", "evict_unchanged"):
                    yield one(f"createpolicy.range{space}.L2::{p}{second}.b64 %d0, [{at}], 64, 64;")
    for p in ("evict_last", "evict_normal", "evict_first", "evict_unchanged"):
        for second in ("", ".L2::evict_unchanged", ".L2::evict_first"):
            for fraction in ("", ", 0f3F000000"):
                yield one(f"createpolicy.fractional.L2::{p}{second}.b64 %d0{fraction};")
    yield one("prefetchu.L1 [%gegl];")
    for bits, register in ((32, "%r"), (64, "%d")):
        for more in ("", ", 16"):
            yield line(["b32"], ["b32"], f"stacksave.u{bits} {register}0; mov.b{bits} {register}1, 16; "
                       f"alloca.u{bits} {register}2, {register}1{more}; st.local.b32 [{register}2+4], $1; "
                       f"ld.local.b32 $0, [{register}2+4]; stackrestore.u{bits} {register}0;")
    yield one("mov.b64 %d1, 0; createpolicy.cvt.L2.b64 %d0, %d1;")


def addresses():
    for space, at in (("const", "c"), ("global", "%gl"), ("local", "%lo"), ("param", "bytes"), ("param::entry", "bytes"),
                      *((s, "%sh") for s in SHARED)):
        move = "" if at.startswith("%") else f"mov.b64 %d0, {at}; "
        source = at if at.startswith("%") else "%d0"
        # There, back, and what lies there.
        yield line(["b64", "b64"], [], f"{move}cvta.{space}.u64 %d1, {source}; cvta.to.{space}.u64 %d2, %d1; "
                                       f"sub.u64 $0, %d2, {source}; ld.u8 $1, [%d1+3];" if not at.startswith("%") else
                   f"{dotted('st', space, 'b8')} [{at}+3], 77; cvta.{space}.u64 %d1, {source}; "
                   f"cvta.to.{space}.u64 %d2, %d1; sub.u64 $0, %d2, {source}; ld.u8 $1, [%d1+3];")
    generic = {"global": "%gegl", "local": "%gelo", "shared": "%gesh"}
    for space in ("const", "global", "local", "param", "param::entry", *SHARED):
        for held, register in generic.items():
            yield line(["pred"], [], f"isspacep.{space} $0, {register};")
        yield line(["pred"], [], f"mov.b64 %d0, c; cvta.const.u64 %d1, %d0; isspacep.{space} $0, %d1;")


def copies():
    for space in ("shared", "shared::cta"):
        for cache, size in (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)):
            for hint in ("", *PREFETCH):
                for policy in ("", "L2::cache_hint"):
                    for ignored in (("", ", 3", ", %p0") if not hint else ("",)):
                        name = dotted("cp.async", cache, space, "global", policy, hint)
                        # From what no kernel writes to what this one has not written: no copy waits for a store.
                        results = ["b64"] * (2 if size == 16 else 1)
                        registers = vector(["$0", "$1"][:len(results)])
                        yield line(results, ["pred"],
                                   f"{CREATE + ' ' if policy else ''}not.pred %p0, ${len(results)}; mad.wide.u32 %d1, %t, 16, %in; "
                                   f"{name} [%sh+16], [%d1+4096], {size}{ignored}{', %d0' if policy else ''}; "
                                   "cp.async.commit_group; cp.async.wait_group 0; "
                                   f"ld.shared{'.v2.b64' if size == 16 else f'.b{8 * size}'} {registers}, [%sh+16];")


def lines():
    for part in (loads, stores, atomics, vector_atomics, orders, hints, addresses, copies):
        yield from part()

"""Writes what Java has of the array engine's tables: DType, the codes of operations, the operators of GPUArray, and CuMath.

usage: generate_arrays.py core/include/pycuda/gpuarray out_dir
"""

import re
import sys
from pathlib import Path

from generate_overloads import HOST_TYPES

ROW = re.compile(r"^X\((.*)\)\s*(?://.*)?$")

NUMBERS = [("long", "a whole number"), ("double", "a number"), ("Complex", "a complex number")]

# Operation, Java name, what it gives, whether there is an in-place form.
BINARY = [
    ("add", "add", "The sum", True),
    ("sub", "sub", "The difference", True),
    ("mul", "mul", "The product", True),
    ("div", "div", "The quotient; of whole numbers C's and Java's division", True),
    ("pow", "pow", "This to the power of {@code b}", True),
    ("eq", "eq", "1 where both are equal, else 0, in the common type", False),
    ("ne", "ne", "1 where both differ, else 0, in the common type", False),
    ("lt", "lt", "1 where this is less, else 0, in the common type", False),
    ("le", "le", "1 where this is less or equal, else 0, in the common type", False),
    ("gt", "gt", "1 where this is greater, else 0, in the common type", False),
    ("ge", "ge", "1 where this is greater or equal, else 0, in the common type", False),
]
REVERSED = [("sub", "rsub", "{@code s} minus this"), ("div", "rdiv", "{@code s} divided by this"),
            ("pow", "rpow", "{@code s} to the power of this")]
COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}
# Array with array, into a result that may be given.
WITH_OUT = [("logical_and", "logicalAnd", "Whether both are true (BOOL)"), ("logical_or", "logicalOr", "Whether one is true (BOOL)"),
            ("fmin", "minimum", "The smaller one; a number wins over NaN"), ("fmax", "maximum", "The greater one; a number wins over NaN")]
REDUCTIONS = [("sum", "sum", "The sum, accumulated in the result's type", True), ("prod", "prod", "The product", True),
              ("mean", "mean", "The arithmetic mean", True), ("fmin", "min", "The smallest element", False),
              ("fmax", "max", "The greatest element", False), ("any", "any", "Whether any element is true (BOOL)", False),
              ("all", "all", "Whether all elements are true (BOOL)", False),
              ("argmin", "argmin", "The place of the first smallest element (INT64)", False),
              ("argmax", "argmax", "The place of the first greatest element (INT64)", False)]
CUMATH = ("fabs ceil floor exp log log10 sqrt sin cos tan asin acos atan sinh cosh tanh exp2 expm1 log2 log1p rsqrt cbrt asinh acosh "
          "atanh erf erfc").split()
CUMATH_BINARY = [("fmod", "fmod", "The remainder of C's fmod"), ("atan2", "atan2", "The angle of the point (b, a)"),
                 ("hypot", "hypot", "The length of the vector (a, b)"), ("copysign", "copysign", "a with the sign of b"),
                 ("ldexp", "ldexp", "a times 2 to the power of b")]


def rows(path):
    return [[part.strip().strip("\"'") for part in match.group(1).split(",")]
            for match in map(ROW.match, Path(path).read_text().splitlines()) if match]


def constant(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def dtype_source(types):
    kinds = {"Bool": "BOOL", "Signed": "SIGNED", "Unsigned": "UNSIGNED", "Floating": "FLOATING", "Complex": "COMPLEX"}
    body = ",\n\n".join(f"    /** {{@code {c_name}}}: {size} {'byte' if size == '1' else 'bytes'}. */\n"
                        f"    {name.upper()}({size}, \"{c_name}\", \"{code}\", Kind.{kinds[kind]})"
                        for name, code, c_name, _, kind, size in types)
    return f"""package org.pycuda;

import java.util.Objects;

/** Element types of arrays. Unsigned types travel as the Java type of their size, with the same bits; complex ones as two numbers. */
public enum DType implements CType {{
{body};

    private enum Kind {{ BOOL, SIGNED, UNSIGNED, FLOATING, COMPLEX }}

    private static final DType[] TYPES = values();

    private final int itemsize;
    private final String ctype;
    private final String structChar;
    private final Kind kind;

    DType(int itemsize, String ctype, String structChar, Kind kind) {{
        this.itemsize = itemsize;
        this.ctype = ctype;
        this.structChar = structChar;
        this.kind = kind;
    }}

    /** The core's number. */
    public int value() {{
        return ordinal();
    }}

    /** The type of this number; IllegalArgumentException when there is none. */
    public static DType fromValue(int value) {{
        if (value < 0 || value >= TYPES.length) {{
            throw new IllegalArgumentException("no DType has the value " + value);
        }}
        return TYPES[value];
    }}

    /** The smallest type that holds both, by NumPy's rules. */
    public static DType common(DType a, DType b) {{
        return fromValue(ArrayCalls.commonDtype(Objects.requireNonNull(a, "a").value(), Objects.requireNonNull(b, "b").value()));
    }}

    @Override
    public int itemsize() {{
        return itemsize;
    }}

    @Override
    public int alignment() {{
        return isComplex() ? itemsize / 2 : itemsize;
    }}

    @Override
    public String ctype() {{
        return ctype;
    }}

    @Override
    public String structChar() {{
        return structChar;
    }}

    /** Whether it holds whole numbers; BOOL does not. */
    public boolean isInteger() {{
        return kind == Kind.SIGNED || kind == Kind.UNSIGNED;
    }}

    /** Whether it holds whole numbers from 0 on. */
    public boolean isUnsigned() {{
        return kind == Kind.UNSIGNED;
    }}

    /** Whether it holds real floating-point numbers. */
    public boolean isFloating() {{
        return kind == Kind.FLOATING;
    }}

    /** Whether it holds complex numbers. */
    public boolean isComplex() {{
        return kind == Kind.COMPLEX;
    }}

    /** The type of the parts of complex numbers; others are their own. */
    public DType real() {{
        return this == COMPLEX64 ? FLOAT32 : this == COMPLEX128 ? FLOAT64 : this;
    }}
}}
"""


def codes_source(operations, reductions):
    lines = "".join(f"    static final int {constant(row[0])} = {i};\n" for i, row in enumerate(operations))
    more = "".join(f"    static final int REDUCE_{constant(row[0])} = {i};\n" for i, row in enumerate(reductions))
    return f"""package org.pycuda;

/** What the core calls operations and reductions. */
final class ArrayCodes {{
{lines}
{more}
    private ArrayCodes() {{}}
}}
"""


def method(doc, header, body, static=False):
    return f"\n    /** {doc}. */\n    public {'static ' if static else ''}{header} {{\n        {body}\n    }}\n"


def operators_source():
    text = ""
    for op, name, doc, in_place in BINARY:
        common = "true" if op in COMPARISONS else "false"
        for kind in ["GPUArray"] + [number for number, _ in NUMBERS]:
            text += method(doc, f"GPUArray {name}({kind} b)", f"return self().apply(ArrayCodes.{op.upper()}, {common}, null, b);")
            if in_place:
                text += method(f"{doc}, in this array, which is returned", f"GPUArray {name}InPlace({kind} b)",
                               f"return self().apply(ArrayCodes.{op.upper()}, {common}, self(), b);")
    for op, name, doc in REVERSED:
        for kind, _ in NUMBERS:
            text += method(doc, f"GPUArray {name}({kind} s)", f"return self().applyReversed(ArrayCodes.{op.upper()}, s);")
    for op, name, doc in WITH_OUT:
        for kind, _ in NUMBERS:
            text += method(doc, f"GPUArray {name}({kind} b)", f"return self().apply(ArrayCodes.{op.upper()}, false, null, b);")
            text += method(f"{doc}, in {{@code out}}, which is returned", f"GPUArray {name}({kind} b, GPUArray out)",
                           f'return self().apply(ArrayCodes.{op.upper()}, false, java.util.Objects.requireNonNull(out, "out"), b);')
        text += method(doc, f"GPUArray {name}(GPUArray b)", f"return self().apply(ArrayCodes.{op.upper()}, false, null, b);")
        text += method(f"{doc}, in {{@code out}}, which is returned", f"GPUArray {name}(GPUArray b, GPUArray out)",
                       f'return self().apply(ArrayCodes.{op.upper()}, false, java.util.Objects.requireNonNull(out, "out"), b);')
    for op, name, doc, typed in REDUCTIONS:
        code = f"ArrayCodes.REDUCE_{op.upper()}"
        text += method(f"{doc}; an array of no axes", f"GPUArray {name}()", f"return self().reduce({code}, null, Axis.ALL, null);")
        text += method(f"{doc} along the axis", f"GPUArray {name}(Axis axis)", f"return self().reduce({code}, null, axis, null);")
        if typed:
            text += method(f"{doc}, accumulated in {{@code type}}; an array of no axes", f"GPUArray {name}(DType type)",
                           f'return self().reduce({code}, null, Axis.ALL, java.util.Objects.requireNonNull(type, "type"));')
            text += method(f"{doc} along the axis, accumulated in {{@code type}}", f"GPUArray {name}(Axis axis, DType type)",
                           f'return self().reduce({code}, null, axis, java.util.Objects.requireNonNull(type, "type"));')
    text += makers("GPUArray.factory()", True)
    return f"""package org.pycuda;

import java.nio.Buffer;

/** The operators of {{@link GPUArray}}, and what makes one of host data of any type. */
public abstract class GPUArrayProxy {{
    GPUArrayProxy() {{}}

    abstract GPUArray self();
{text}}}
"""


def makers(factory, static):
    """toGpu for each type of host data."""
    text = ""
    for host in HOST_TYPES:
        text += method("A new array of one axis with this host data, of the DType of its elements", f"GPUArray toGpu({host} host)",
                       f"return {factory}.make(host);", static)
        text += method("A new array of this shape with this host data in C order, of the DType of its elements",
                       f"GPUArray toGpu({host} host, long... shape)", f"return {factory}.make(host, shape);", static)
        text += method("A new array of this type and shape (none: one axis) with this host data in C order",
                       f"GPUArray toGpu({host} host, CType type, long... shape)", f"return {factory}.make(host, type, shape);", static)
    return text


def factory_source():
    return f"""package org.pycuda;

import java.nio.Buffer;

/** What of {{@link ArrayFactory}} takes host data of any type. */
public abstract class ArrayFactoryProxy {{
    ArrayFactoryProxy() {{}}

    abstract ArrayFactory self();
{makers("self()", False)}}}
"""


def cumath_source():
    text = ""
    for name in CUMATH:
        text += method(f"{name} of each element", f"GPUArray {name}(GPUArray a)", f"return GPUArray.floating(ArrayCodes.{name.upper()}, a, null);", True)
        text += method(f"{name} of each element, in {{@code out}}, which is returned", f"GPUArray {name}(GPUArray a, GPUArray out)",
                       f'return GPUArray.floating(ArrayCodes.{name.upper()}, a, java.util.Objects.requireNonNull(out, "out"));', True)
    for op, name, doc in CUMATH_BINARY:
        text += method(doc, f"GPUArray {name}(GPUArray a, GPUArray b)", f"return GPUArray.floating(ArrayCodes.{op.upper()}, a, b, null);", True)
        text += method(f"{doc}, in {{@code out}}, which is returned", f"GPUArray {name}(GPUArray a, GPUArray b, GPUArray out)",
                       f'return GPUArray.floating(ArrayCodes.{op.upper()}, a, b, java.util.Objects.requireNonNull(out, "out"));', True)
    return f"""package org.pycuda;

/** Mathematical functions of arrays, element by element. Arrays of whole numbers are refused: convert them with {{@code astype}}. */
public final class CuMath {{
    private CuMath() {{}}

    /** Both results of {{@link #frexp}}. */
    public record Frexp(GPUArray significand, GPUArray exponent) {{}}

    /** Both results of {{@link #modf}}. */
    public record Modf(GPUArray fractional, GPUArray integral) {{}}

    /** Each element as significand, from 0.5 to 1, times 2 to the power of exponent. */
    public static Frexp frexp(GPUArray a) {{
        return new Frexp(GPUArray.floating(ArrayCodes.FREXP_SIGNIFICAND, a, null), GPUArray.floating(ArrayCodes.FREXP_EXPONENT, a, null));
    }}

    /** Each element as the sum of a fractional and an integral part, both with its sign. */
    public static Modf modf(GPUArray a) {{
        return new Modf(GPUArray.floating(ArrayCodes.MODF_FRACTION, a, null), GPUArray.floating(ArrayCodes.MODF_INTEGER, a, null));
    }}
{text}}}
"""


def main(tables, out_dir):
    tables, out = Path(tables), Path(out_dir)
    out.mkdir(parents=True, exist_ok=True)
    sources = {
        "DType": dtype_source(rows(tables / "dtypes.def")),
        "ArrayFactoryProxy": factory_source(),
        "ArrayCodes": codes_source(rows(tables / "operations.def"), rows(tables / "reductions.def")),
        "GPUArrayProxy": operators_source(),
        "CuMath": cumath_source(),
    }
    for name, source in sources.items():
        (out / f"{name}.java").write_text(source)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Writes the Java code that follows from the array engine's tables: DType, the codes of operations, the operators of GPUArray, and CuMath.

usage: generate_arrays.py core/include/pycuda/gpuarray out_dir
"""

import re
import sys
from pathlib import Path

from array_functions import given, method, methods_of
from generate_overloads import DIRECT_TYPES, HOST_TYPES, data

sys.path.append(str(Path(__file__).parents[1] / "core"))
from array_tables import operations, reductions as reduction_rows, rows  # noqa: E402

GIVEN_OUT = given("out")
# Java's types of host arrays, and the element types that they may hold.
ELEMENTS = [("float", "FLOAT32, or COMPLEX64 as real and imaginary parts in turn"), ("double", "FLOAT64, or COMPLEX128 as real and imaginary parts in turn"),
            ("int", "INT32, or UINT32 as the same bits"), ("long", "INT64, or UINT64 as the same bits"),
            ("short", "INT16, UINT16, or the bits of FLOAT16 and BFLOAT16"), ("char", "UINT16"), ("byte", "INT8, UINT8 or BOOL"),
            ("boolean", "any numeric type: all numbers but 0 are true")]
NUMBERS = [("long", "an integer"), ("double", "a number"), ("Complex", "a complex number")]


BYTES = {"int": "Integer", "char": "Character"}  # classes with the size as BYTES, if named differently


def method_name(operation):
    return operation.java.rpartition(".")[2]


def operation_code(operation):
    return f"ArrayCodes.{constant(operation.name)}"


def numbers(operation):
    """The Java types of numbers that it accepts beside an array."""
    taken = {"long": operation.integer, "double": operation.floating, "Complex": operation.complex}
    return [kind for kind, _ in NUMBERS if taken[kind] != "nullptr"]


def constant(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def dtype_source(types):
    kinds = {"Bool": "BOOL", "Signed": "SIGNED", "Unsigned": "UNSIGNED", "Floating": "FLOATING", "Complex": "COMPLEX"}
    body = ",\n\n".join(f"    /** {{@code {c_name}}}: {size} {'byte' if size == '1' else 'bytes'}. */\n"
                        f"    {name.upper()}({size}, \"{c_name}\", \"{code}\", Kind.{kinds[kind]})"
                        for name, code, c_name, _, kind, size in types)
    return f"""package org.pycuda;

import java.util.Objects;

/** Element types of arrays. Unsigned elements are held by the Java type of their size, with the same bits; complex ones are two numbers. */
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
        this.ctype = hasWideLong() ? ctype : ctype.replace("long", "long long");
        this.structChar = hasWideLong() ? structChar : structChar.replace('l', 'q').replace('L', 'Q');
        this.kind = kind;
    }}

    /** Whether C's long has 64 bits; on Windows it has 32. */
    private static boolean hasWideLong() {{
        return !System.getProperty("os.name").startsWith("Windows");
    }}

    /** The core's number. */
    public int value() {{
        return ordinal();
    }}

    /** The type of this number; IllegalArgumentException if there is none. */
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

    /** Whether it holds integers; BOOL does not. */
    public boolean isInteger() {{
        return kind == Kind.SIGNED || kind == Kind.UNSIGNED;
    }}

    /** Whether it holds unsigned integers. */
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

    /** For a complex type, the type of its parts; for any other type, the type itself. */
    public DType real() {{
        return this == COMPLEX64 ? FLOAT32 : this == COMPLEX128 ? FLOAT64 : this;
    }}
}}
"""


def codes_source(table, reductions):
    lines = "".join(f"    static final int {constant(operation.name)} = {i};\n" for i, operation in enumerate(table))
    more = "".join(f"    static final int REDUCE_{constant(row.name)} = {i};\n" for i, row in enumerate(reductions))
    return f"""package org.pycuda;

/** The core's codes of operations and reductions. */
final class ArrayCodes {{
{lines}
{more}
    private ArrayCodes() {{}}
}}
"""


def with_out(name, doc, header, call, static=False):
    """A method that returns a new array, and one that writes to a given one."""
    separator = ", " if header else ""
    return (method(doc, f"GPUArray {name}({header})", f"return {call('null')};", static)
            + method(f"{doc}, in {{@code out}}, which is returned", f"GPUArray {name}({header}{separator}GPUArray out)",
                     f"return {call(GIVEN_OUT)};", static))


def operator_methods(operation):
    """With an array or a number on the right, in place, and with a number on the left."""
    text, name, common = "", method_name(operation), "true" if operation.is_comparison else "false"
    doc = operation.documentation("this", "{@code b}")
    for kind in ["GPUArray", *numbers(operation)]:
        text += method(doc, f"GPUArray {name}({kind} b)", f"return self().apply({operation_code(operation)}, {common}, null, b);")
        if operation.is_operator:
            text += method(f"{doc}, in this array, which is returned", f"GPUArray {name}InPlace({kind} b)",
                           f"return self().apply({operation_code(operation)}, {common}, self(), b);")
    if operation.is_operator and not operation.is_commutative:
        for kind in numbers(operation):
            text += method(f"The same with {{@code s}} on the left: {{@code {operation.python.replace('a', 's').replace('b', 'this')}}}",
                           f"GPUArray r{name}({kind} s)", f"return self().applyReversed({operation_code(operation)}, s);")
    return text


def reduction_methods(reduction):
    """Over all axes and along some; with a type, where sums are accumulated in the result's."""
    name, doc = method_name(reduction), reduction.sentence
    first, b = (["GPUArray b"], given("b")) if reduction.arity == "2" else ([], "null")
    text = ""
    for typed, accumulated, wanted in (([], "", "null"), (["DType type"], ", accumulated in {@code type}", given("type"))):
        if typed and (reduction.accumulator != "Result" or reduction.name == "count_nonzero"):
            continue
        for along, extent, axis in (([], f"{accumulated}; an array of no axes", "Axis.ALL"), (["Axis axis"], f" along the axis{accumulated}", "axis")):
            text += method(doc + extent, f"GPUArray {name}({', '.join(first + along + typed)})",
                           f"return self().reduce(ArrayCodes.REDUCE_{constant(reduction.name)}, {b}, {axis}, {wanted});")
    return text


def operators_source(table, reductions):
    text = ""
    for operation in table:
        if not operation.java.startswith("GPUArray."):
            continue
        if operation.arity == "1":
            text += with_out(method_name(operation), operation.documentation("this"), "", lambda out: f"self().apply({operation_code(operation)}, false, {out})")
        elif operation.is_operator or operation.is_comparison:
            text += operator_methods(operation)
        else:
            for kind in [*numbers(operation), "GPUArray"]:
                text += with_out(method_name(operation), operation.documentation("this", "{@code b}"), f"{kind} b",
                                 lambda out: f"self().apply({operation_code(operation)}, false, {out}, b)")
    for reduction in reductions:
        if reduction.java.startswith("GPUArray."):
            text += reduction_methods(reduction)
    text += makers(True) + transfers() + "".join(shaped(*row) for row in SHAPED) + methods_of("GPUArray")
    return f"""package org.pycuda;

import java.nio.Buffer;
import java.util.List;

/** The operators of {{@link GPUArray}}, its copies of host data of any type, and shapes and indices of ints. */
public abstract class GPUArrayProxy {{
    GPUArrayProxy() {{}}

    abstract GPUArray self();
{text}}}
"""


def makers(static):
    """toGpu for each type of host data, and shapes of ints."""
    text, maker = "", "GPUArray.factory()" if static else "self()"
    for host in HOST_TYPES:
        what = "with this host data, of its type and shape" if host == "HostData" else "of the shape of this host data, of the DType of its elements"
        text += method(f"A new array {what}", f"GPUArray toGpu({host} host)", f"return {maker}.make(host);", static)
    for host in DIRECT_TYPES:
        text += method(f"A new array {'of the type and shape of this host data' if host == 'HostData' else 'of one axis'}, to which the copy of direct "
                       "memory is queued, which must not be changed before that is done", f"GPUArray toGpuAsync({host} host)",
                       f"return {maker}.makeAsync(host);", static)
    for name, doc in (("empty", "A new array that is not initialised"), ("zeros", "A new array of zeros"), ("ones", "A new array of ones")):
        text += shaped(doc, f"GPUArray {name}({'DType' if name == 'ones' else 'CType'} type, int... shape)", static)
    return text


# Methods of GPUArray with a shape or indices: documentation, header, whether it is static.
SHAPED = [
    ("A view of existing memory, which it keeps reachable and does not free", "GPUArray wrap(DevicePointer memory, CType type, int... shape)", True),
    ("The part at this index of the first axes", "GPUArray at(int... index)", False),
    ("The elements in C order in another shape, of which one length may be -1", "GPUArray reshape(int... shape)", False),
    ("The elements in another shape, in this order, of which one length may be -1", "GPUArray reshape(Order order, int... shape)", False),
    ("A view in which axes of one element are repeated", "GPUArray broadcastTo(int... shape)", False),
    ("Copies side by side, so often along each axis", "GPUArray tile(int... repetitions)", False),
    ("The array with zeros added at both ends of its axes", "GPUArray pad(int... widths)", False),
    ("The array extended at both ends of its axes", "GPUArray pad(Padding padding, int... widths)", False),
    ("Elements of several arrays at these indices of new ones of this shape",
     "List<GPUArray> multiTakePut(List<GPUArray> arrays, GPUArray destIndices, GPUArray srcIndices, int... destShape)", True),
    ("Several arrays at these indices of new ones of this shape",
     "List<GPUArray> multiPut(List<GPUArray> arrays, GPUArray destIndices, int... destShape)", True),
]


def longs(lengths, name="shape"):
    return f'Shapes.of({name}, "{name}")' if lengths == "int" else name


def shaped(doc, header, static):
    """The method with long lengths or indices, with ints instead."""
    name, parameters = re.search(r"(\w+)\((.*)\)", header).groups()
    *names, last = re.findall(r"(\w+)(?:,|$)", parameters)
    arguments = ", ".join([*names, longs("int", last)])
    return method(doc, header, f"return {'GPUArray' if static else 'self()'}.{name}({arguments});", static)


def transfers():
    """Copies between an array and host data."""
    text = ""
    for host in HOST_TYPES:
        text += method("Copies host data of exactly this array's size, in C order, to the elements. It may be changed afterwards",
                       f"GPUArray set({host} host)", f"ArrayHost.write(self(), {data(host)});\n        return self();")
        result = {"Object[]": "<T> T[]", "Buffer": "<T extends Buffer> T"}.get(host, host)
        text += method("Copies the elements in C order into host data of exactly their size, which is returned",
                       f"{result} getInto({result.rpartition('> ')[2]} host)", f"ArrayHost.read(self(), {data(host)});\n        return host;")
    for element, types in ELEMENTS:
        size = "self().itemsize()" if element == "boolean" else f"{BYTES.get(element, element.capitalize())}.BYTES"
        text += method(f"The elements in C order: {types}", f"{element}[] get{element.capitalize()}s()",
                       f"return getInto(new {element}[ArrayHost.length(self(), {size})]);")
    for host in DIRECT_TYPES:
        text += method("Queues a copy of direct memory of exactly this array's size, which must not be changed before the stream is done",
                       f"GPUArray setAsync({host} host)", f"ArrayHost.writeAsync(self(), {data(host)});\n        return self();")
        text += method("Queues a copy of the elements into direct memory of exactly their size. LogicError unless this array is C contiguous",
                       f"void getAsync({host} host)", f"ArrayHost.readAsync(self(), {data(host)});")
    return text


def factory_source():
    return f"""package org.pycuda;

import java.nio.Buffer;

/** The methods of {{@link ArrayFactory}} that take host data of any type. */
public abstract class ArrayFactoryProxy {{
    ArrayFactoryProxy() {{}}

    abstract ArrayFactory self();
{makers(False)}{methods_of("ArrayFactory")}}}
"""


def functions_source(name, what):
    """The base of a class of static methods."""
    return f"""package org.pycuda;

/** The methods of {{@link {name}}} that are {what}. */
public abstract class {name}Proxy {{
    {name}Proxy() {{}}
{methods_of(name)}}}
"""


def cumath_source(table):
    text = ""
    for operation in table:
        if not operation.java.startswith("CuMath."):
            continue
        if operation.arity == "1":
            text += with_out(method_name(operation), f"{operation.documentation('a')}, of each element", "GPUArray a",
                             lambda out: f"GPUArray.floating({operation_code(operation)}, a, {out})", True)
        else:
            text += with_out(method_name(operation), operation.documentation("{@code a}", "{@code b}"), "GPUArray a, GPUArray b",
                             lambda out: f"GPUArray.floating({operation_code(operation)}, a, b, {out})", True)
    return f"""package org.pycuda;

/** Mathematical functions of arrays, element by element. Arrays of integers are rejected: convert them with {{@code astype}}. */
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
    table, reduced = operations(tables), reduction_rows(tables)
    out.mkdir(parents=True, exist_ok=True)
    sources = {
        "DType": dtype_source(rows(tables / "dtypes.def")),
        "ArrayFactoryProxy": factory_source(),
        "ArrayCodes": codes_source(table, reduced),
        "GPUArrayProxy": operators_source(table, reduced),
        "CuMath": cumath_source(table),
        "FftProxy": functions_source("Fft", "transforms"),
        "LinAlgProxy": functions_source("LinAlg", "functions of the core"),
    }
    for name, source in sources.items():
        (out / f"{name}.java").write_text(source)


if __name__ == "__main__":
    main(*sys.argv[1:])

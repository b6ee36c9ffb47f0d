"""Writes the Java enums and flag holders from core/include/pycuda/constants/constants.def, and the constants of Driver (DriverConstants.java).

usage: generate_constants.py constants.def out_dir version
"""

import re
import sys
from pathlib import Path

ENTRY = re.compile(r"PYCUDA_(?:(ENUM|FLAGS)_)?(BEGIN|VALUE|ALIAS|END|CONSTANT)\(([^)]*)\)\s*(?:///<\s*(.*))?$")
NAME = re.compile(r"\b([A-Z]\w+)\.([a-z]\w*)\b|\b([a-z]+(?:_[a-z0-9]+)+)\b(?:\.([A-Z_]+))?")
ENUMS = set()  # names, by main


def parse(lines):
    """(sets, constants): a set is (kind, type, documentation, values, aliases)."""
    sets, constants, doc = [], [], []
    for line in lines:
        if line.startswith("///"):
            doc.append(line[3:].strip())
            continue
        match = ENTRY.match(line.strip())
        if match:
            kind, what, arguments, note = match.groups()
            arguments = [argument.strip() for argument in arguments.split(",")]
            if what == "BEGIN":
                sets.append((kind, arguments[0], " ".join(doc), [], []))
            elif what == "VALUE":
                sets[-1][3].append((*arguments[:3], note))
            elif what == "ALIAS":
                sets[-1][4].append(arguments[:4])
            elif what == "CONSTANT":
                constants.append((*arguments[:3], note))
        doc = []
    return sets, constants


def javadoc(text, indent="    "):
    return f"{indent}/** {text} */\n"


def camel(name):
    return re.sub(r"_([a-z0-9])", lambda part: part[1].upper(), name)


def java_name(match):
    """A name of the reference, such as Device.get_attribute, device_attribute.WARP_SIZE, mem_location_type or mem_advise, as Java has it."""
    owner, method, name, constant = match.groups()
    if owner:
        return f"{{@link {owner}#{camel(method.removeprefix('get_'))}}}"
    enum = camel(f"_{name}")
    if constant:
        return f"{{@link {enum}#{constant}}}"
    return f"{{@link {enum}}}" if enum in ENUMS else f"{{@code {camel(name)}}}"


def sentence(text):
    text = NAME.sub(java_name, text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("*/", "* /")
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def value_doc(cuda, note):
    return javadoc(f"{sentence(note)} {{@code {cuda}}}" if note else f"{{@code {cuda}}}")


def enum_source(name, doc, values, aliases, members):
    """An enum whose constants have the driver's numbers; `members` are its methods."""
    body = ",\n\n".join(f"{value_doc(cuda, note)}    {value}({number})" for value, number, cuda, note in values)
    alias_lines = "".join(f"{javadoc(f'Another name of {{@link #{canonical}}}. {{@code {cuda}}}')}"
                          f"    public static final {name} {alias} = {canonical};\n\n"
                          for alias, _, cuda, canonical in aliases)
    return f"""package org.pycuda;

{javadoc(sentence(doc), "")}public enum {name} {{
{body};

{alias_lines}    private final int value;

    {name}(int value) {{
        this.value = value;
    }}

    /** The driver's number. */
    public int value() {{
        return value;
    }}
{members}}}
"""


def exclusive_members(name):
    """The way back from a number."""
    return f"""
    /** The constant of this number; IllegalArgumentException if there is none. */
    public static {name} fromValue(int value) {{
        for ({name} constant : values()) {{
            if (constant.value == value) {{
                return constant;
            }}
        }}
        throw new IllegalArgumentException("no {name} has the value " + value);
    }}
"""


def flags_members(name):
    """Between several flags and the driver's number."""
    return f"""
    /** The driver's number of several. */
    static int bits({name}... flags) {{
        int bits = 0;
        for (int i = 0; i < java.util.Objects.requireNonNull(flags, "flags").length; i++) {{
            bits |= java.util.Objects.requireNonNull(flags[i], "flags[" + i + "]").value;
        }}
        return bits;
    }}

    /** The flags of a number of the driver's: those of one bit each. */
    static java.util.Set<{name}> setOf(int bits) {{
        var flags = java.util.EnumSet.noneOf({name}.class);
        for ({name} flag : values()) {{
            if (Integer.bitCount(flag.value) == 1 && (bits & flag.value) != 0) {{
                flags.add(flag);
            }}
        }}
        return flags;
    }}
"""


TEXTURE_FLAG = "TRSF_"


def in_enum(name):
    """The constant of TextureFlags that has this name in Driver, as in PyCUDA; empty for a number."""
    return f"TextureFlags.{name.removeprefix(TEXTURE_FLAG)}" if name.startswith(TEXTURE_FLAG) else ""


def kind_of(name):
    return "TextureFlags" if in_enum(name) else "int"


def driver_source(constants, version):
    numbers = version.split(".")
    while len(numbers) > 2 and numbers[-1] == "0":
        numbers.pop()
    lines = "".join(f"\n{value_doc(cuda, note)}    public static final {kind_of(name)} {name} = {in_enum(name) or value};\n"
                    for name, value, cuda, note in constants)
    return f"""package org.pycuda;

import java.util.List;

/** The constants of {{@link Driver}}. */
public abstract class DriverConstants {{
    /** Version of this package. */
    public static final List<Integer> VERSION = List.of({", ".join(numbers)});

    /** The suffix of the version; empty for releases. */
    public static final String VERSION_STATUS = "";

    /** Version of this package, as text. */
    public static final String VERSION_TEXT = "{".".join(numbers)}";

    /** The version that the native library must have. */
    static final String LIBRARY_VERSION = "{version}";
{lines}
    DriverConstants() {{}}
}}
"""


def main(definitions, out_dir, version):
    sets, constants = parse(Path(definitions).read_text().splitlines())
    ENUMS.update(name for _, name, *_ in sets)
    out = Path(out_dir)
    out.mkdir(parents=True, exist_ok=True)
    texture_flags = [(name.removeprefix(TEXTURE_FLAG), *rest) for name, *rest in constants if in_enum(name)]
    sets.append(("FLAGS", "TextureFlags", "How a texture reference is read", texture_flags, []))
    for kind, name, doc, values, aliases in sets:
        members = exclusive_members(name) if kind == "ENUM" else flags_members(name)
        (out / f"{name}.java").write_text(enum_source(name, doc or name, values, aliases, members))
    (out / "DriverConstants.java").write_text(driver_source(constants, version))


if __name__ == "__main__":
    main(*sys.argv[1:])

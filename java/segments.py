"""Writes the classes of the jar for Java 22 and later: each method that takes a Buffer or a HostData gets an overload that takes a
MemorySegment, HostData.of too, and HostBuffers gets segment(). javac of Java 17, which lacks that interface, compiles them beside an interface of the same name.

usage: segments.py out_dir sources...
out_dir/META-INF/versions/22 gets the sources, out_dir/java.base the interface. A source @file lists sources.
"""

import re
import shutil
import sys
from pathlib import Path

RELEASE = 22
SEGMENT = "java.lang.foreign.MemorySegment"
METHOD = re.compile(r"^ +((?:public|default) (?:[^()=]+ )??)(\w+)\(([^()]*\bHostData (\w+)[^()]*)\) \{$", re.MULTILINE)

OF_BUFFER = re.compile(r"^ +public static HostData of\(Buffer buffer\)", re.MULTILINE)
VIEW = re.compile(r"^ +<T> T (\w+)\(Class<T> type\);$", re.MULTILINE)


def overload(match):
    """The method with a segment instead of the object."""
    modifiers, name, parameters, host = match.groups()
    arguments = ", ".join(f"HostData.ofObject({word})" if word == host else word for word in re.findall(r"(\w+)(?:,|$)", parameters))
    call = f"{name if modifiers.split()[1:] else 'this'}({arguments});"
    if re.search(r"\bHostData\b", modifiers):
        body = f"{call}\n        return {host};"
    else:
        body = call if modifiers.split()[-1] in ("void", "public") else f"return {call}"
    header = re.sub(r"\bHostData\b", SEGMENT, f"{modifiers}{name}({parameters})")
    return f"\n    {header} {{\n        {body}\n    }}\n"


def view(match):
    """The method that returns a segment, without the name of its class."""
    return f"\n    default {SEGMENT} {match[1]}() {{\n        return {match[1]}({SEGMENT}.class);\n    }}\n"


def takes_buffers(name, source):
    """Whether the method has an overload for what HostData wraps: one that only takes a HostData has none for segments either."""
    return re.search(rf"\b{name}\([^()]*\b(?:Byte)?Buffer \w+|<T extends Buffer> T {name}\(", source)


def with_overloads(source):
    """The source of a class; None if it has no such method."""
    added = "".join([*(overload(match) for match in METHOD.finditer(source) if takes_buffers(match[2], source)), *map(view, VIEW.finditer(source))])
    if OF_BUFFER.search(source):
        added += f"\n    public static HostData of({SEGMENT} segment) {{\n        return ofObject(segment);\n    }}\n"
    if not added:
        return None
    end = source.rindex("}")
    return source[:end] + added + source[end:]


def listed(arguments):
    for argument in arguments:
        if argument.startswith("@"):
            yield from listed(Path(argument[1:]).read_text().split())
        else:
            yield Path(argument)


def main(out, *arguments):
    versioned, base = Path(out, f"META-INF/versions/{RELEASE}"), Path(out, "java.base", *SEGMENT.split(".")[:-1])
    shutil.rmtree(out, ignore_errors=True)
    base.mkdir(parents=True)
    (base / "MemorySegment.java").write_text(f"package {SEGMENT.rpartition('.')[0]};\n\npublic interface MemorySegment {{}}\n")
    names = []
    for source in listed(arguments):
        text = source.read_text()
        if written := with_overloads(text):
            package = re.search(r"^package ([\w.]+);", text, flags=re.MULTILINE)[1]
            target = versioned / package.replace(".", "/") / source.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(written)
            names.append(str(target))
    Path(out, "sources").write_text("\n".join(names) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

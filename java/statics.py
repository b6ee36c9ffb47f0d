"""Gives classes the static members of their generated bases, for Scala, which does not see static members that a Java class inherits.

usage: statics.py out_dir sources...
out_dir/sources lists all sources, with copies in out_dir in place of those that gained members, at their ends. A source @file lists sources.
"""

import re
import shutil
import sys
from pathlib import Path

from segments import listed

CLASS = re.compile(r"^(?:public |abstract |final )*class (\w+)(?: extends (\w+))?", re.MULTILINE)
METHOD = re.compile(r"^( +@Deprecated\n)? +public static ((?:<[^(]*?> )?[^(=]+? )(\w+)\(([^()]*)\) ([^;{]*)\{", re.MULTILINE)
FIELD = re.compile(r"^ +public static final (\S+) (\w+) =", re.MULTILINE)


def qualified(source):
    """Return a function that writes names of types in full, because another file may not import them."""
    names = {name.rpartition(".")[2]: name for name in re.findall(r"^import ([\w.]+);", source, flags=re.MULTILINE)}
    names.setdefault("Array", "org.pycuda.Array")
    return lambda text: re.sub(r"(?<![\w.])(" + "|".join(names) + r")\b", lambda match: names[match[1]], text)


def types_of(parameters):
    return tuple(re.sub(r"<.*>|.*\.", "", part.rsplit(" ", 1)[0].replace("...", "[]")) for part in re.split(r",\s*(?![^<]*>)", parameters) if part)


def forwarders(base, source, declared):
    """The members of a base that `declared` lacks; it gets them."""
    qualify = qualified(source)
    for kind, name in FIELD.findall(source):
        if name not in declared:
            declared.add(name)
            yield f"\n    public static final {kind} {name} = {base}.{name};\n"
    for deprecated, result, name, parameters, throws in METHOD.findall(source):
        if (key := (name, types_of(parameters))) in declared:
            continue
        declared.add(key)
        arguments = ", ".join(re.findall(r"(\w+)(?:,|$)", re.sub(r"<[^()]*?>", "", parameters)))
        call = f"{base}.{name}({arguments});"
        yield (f"\n{deprecated}    public static {qualify(result)}{name}({qualify(parameters)}) {throws}{{\n"
               f"        {call if result == 'void ' else f'return {call}'}\n    }}\n")


def main(out, *arguments):
    shutil.rmtree(out, ignore_errors=True)
    Path(out).mkdir(parents=True)
    sources, bases = list(listed(arguments)), {}
    texts = {path: path.read_text() for path in sources}
    for path, text in texts.items():
        if match := CLASS.search(text):
            bases[match[1]] = (match[2], text)
    for number, (path, text) in enumerate(texts.items()):
        match = CLASS.search(text)
        if not match or match[1].endswith(("Proxy", "Overloads")):
            continue
        declared = {(name, types_of(parameters)) for _, _, name, parameters, _ in METHOD.findall(text)} | {name for _, name in FIELD.findall(text)}
        added, base = [], match[2]
        while base in bases and base.endswith(("Proxy", "Overloads", "Constants")):
            added += forwarders(base, bases[base][1], declared)
            base = bases[base][0]
        if added:
            end = text.rindex("}")
            sources[number] = Path(out, path.name)
            sources[number].write_text(text[:end] + "".join(added) + text[end:])
    Path(out, "sources").write_text("\n".join(map(str, sources)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

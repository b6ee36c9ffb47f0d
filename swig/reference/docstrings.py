"""Writes the reference's texts as NumPy docstrings into the generated module, and for functions in C into a header: docstrings.py MODULE STUB HEADER.

Types and the signatures of functions in C come from the stub. A text whose name is not in the module, and a parameter without a description, are errors.
"""

import ast
import re
import sys
import textwrap
from pathlib import Path

import reference

# What the stub's annotations are called in texts.
TYPES = {
    "SupportsIndex": "int", "_Pointer": "int or object with a device address", "_Source": "buffer", "_Destination": "writable buffer",
    "_AnyStream": "Stream", "_Extents": "tuple of int", "_JitOptions": "iterable of pairs", "NDArray[Any]": "numpy.ndarray", "Any": "object",
    "Sequence[float]": "sequence of float", "Callable[[], object]": "callable", "Callable[[bool, str, str], object]": "callable",
    "_Argument": "numpy scalar, GPUArray, DeviceAllocation, TensorMap, ArgumentHandler or buffer", "_LaunchAttributes": "mapping",
    "Iterable[Any]": "sequence", "Sequence[TextureReference]": "sequence of TextureReference",
}


def type_name(annotation):
    if annotation is None:
        return "object"
    parts = [TYPES.get(part, part) for part in ast.unparse(annotation).split(" | ") if part != "None"]
    return " or ".join(dict.fromkeys(parts))


def stub_functions(path):
    """Return parameters as {name: type}, result types and the last overload's signature by dotted name; for overloads, all parameters."""
    found, bases = {}, {}

    def visit(node, prefix):
        for inner in node.body:
            if isinstance(inner, ast.ClassDef):
                bases[inner.name] = [base.id for base in inner.bases if isinstance(base, ast.Name)]
                visit(inner, f"{prefix}{inner.name}.")
            elif isinstance(inner, ast.FunctionDef):
                arguments = inner.args
                positional = arguments.posonlyargs + arguments.args
                optional = {argument.arg for argument in positional[len(positional) - len(arguments.defaults):]}
                optional |= {argument.arg for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults) if default}
                parameters, _, _ = found.setdefault(prefix + inner.name, ({}, inner.returns, arguments))
                for argument in (*positional, *filter(None, [arguments.vararg]), *arguments.kwonlyargs):
                    if argument.arg != "self":
                        parameters[argument.arg] = type_name(argument.annotation) + ", optional" * (argument.arg in optional)

    def inherit(name, base):
        for other in bases.get(base, ()):
            inherit(name, other)
            for key, value in list(found.items()):
                if key.startswith(f"{other}."):
                    found.setdefault(name + key[len(other):], value)

    visit(ast.parse(path.read_text()), "")
    for name in bases:
        inherit(name, name)
    return found


def section(title, body):
    return f"\n\n{title}\n{'-' * len(title)}\n{body}" if body else ""


def definitions(pairs):
    return "\n".join(f"{head}\n{textwrap.indent(text, '    ')}" for head, text in pairs)


def docstring(name, entry, functions, common):
    declared = name.lstrip("_")  # a class that Python code derives the public one from
    parameters, returns, _ = functions.get(name) or functions.get(declared) or functions.get(f"{name}.__init__") or ({}, None, None)
    described = {}
    for parameter, kind in parameters.items():
        text = entry.parameters.get(parameter) or common.get(parameter)
        if not text:
            raise SystemExit(f"{name}: no description of parameter {parameter}")
        described[f"{parameter} : {kind}"] = text
    for parameter in entry.parameters.keys() - parameters.keys():
        raise SystemExit(f"{name} has no parameter {parameter}")
    raises = entry.raises + [("Error", "The driver refused the call; the subclass says why.")] * bool(entry.calls)
    returned = type_name(returns) if returns and (name in functions or declared in functions) else ""
    return (entry.text + section("Parameters", definitions(described.items()))
            + section("Attributes", definitions(entry.attributes.items()))
            + section("Returns", definitions([(returned, entry.returns)] if entry.returns else []))
            + section("Raises", definitions(raises))
            + section("Notes", entry.calls and textwrap.fill(f"Driver call: {entry.calls}.", 100))
            + section("Examples", "\n".join(entry.example).strip()))


def documented(tree, entries):
    """Yield (node, name, entry) for everything with a text, and (node, name, None) for constructors whose class has one."""
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else []
        for found, name in ((node, getattr(node, "name", "")), *((member, f"{node.name}.{getattr(member, 'name', '')}") for member in inner)):
            if not isinstance(found, (ast.ClassDef, ast.FunctionDef)):
                continue
            if name in entries and entries[name].text:
                yield found, name, entries[name]
            elif name.endswith(".__init__") and entries.get(name[:-9], reference.Entry()).text:
                yield found, name, None


def fields(tree, entries):
    """Yield (line number, text) of each class's fields that have a text."""
    for node in tree.body:
        attributes = entries[node.name].attributes if isinstance(node, ast.ClassDef) and node.name in entries else {}
        for member in node.body if attributes else ():
            if isinstance(member, ast.Assign) and member.targets[0].id in attributes:
                yield member.lineno - 1, attributes[member.targets[0].id]


def in_c(name, entry, functions, common):
    """Return the definition of a text for a method in C, which begins with the signature."""
    arguments, short = functions[name][2], name.partition(".")[2]
    for argument in (*arguments.args, arguments.vararg, *arguments.kwonlyargs):
        if argument:
            argument.annotation = None
    return (f'constexpr const char {short.strip("_")}_doc[] =\n    R"~({short}(${ast.unparse(arguments)})\n--\n\n'
            f'{docstring(name, entry, functions, common)}\n)~";\n')


def write(path, stub, header):
    _, entries = reference.read()
    common, functions = reference.descriptions("parameters.txt"), stub_functions(stub)
    text = path.read_text()
    lines, missing = text.split("\n"), {name for name, entry in entries.items() if entry.text}
    for number, said in fields(ast.parse(text), entries):  # SWIG writes a field on one line
        lines[number] = re.sub(r"(, doc=r\"{3}.*\"{3})?\)$", lambda _: f", doc={said!r})", lines[number])
    for node, name, entry in sorted(documented(ast.parse(text), entries), key=lambda found: -found[0].lineno):
        missing.discard(name)
        first = node.body[0]
        start = end = first.lineno - 1
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            end = first.end_lineno
        while isinstance(first, ast.FunctionDef) and start == end and lines[start - 1].lstrip().startswith("@"):
            start = end = start - 1
        indent = " " * (node.col_offset + 4)
        made = entry and f'r"""{docstring(name, entry, functions, common)}'
        lines[start:end] = [] if not made else textwrap.indent(f'{made}\n"""' if "\n" in made else f'{made}"""', indent).split("\n")
    if unknown := missing - functions.keys():
        raise SystemExit(f"the reference has texts for names that the module lacks: {', '.join(sorted(unknown))}")
    path.write_text("\n".join(lines))
    header.write_text("#pragma once\n\n" + "\n".join(in_c(name, entries[name], functions, common) for name in sorted(missing)))


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:]))

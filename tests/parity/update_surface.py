"""Rewrites surface.golden and signatures.golden for what the packages show now. Run it as ctest runs surface_test.py; look at the diff.

Pairs that the file has are kept. A new name goes in by the rule where the other language follows it, and with an empty
side where not: join two such lines by hand if they are one thing under two names.
"""

import itertools
import re

from surface_test import GOLDEN, PLURALS, SIGNATURES, TYPE, in_java, parts_of, read_golden, signatures, surface

HEADER = """\
# The public surface of both packages; surface_test.py says how to read a line.
# "python =>" has no counterpart in Java, "=> java" none in Python, "python => java" is one thing under two names.
"""
WIDTH = 150
KINDS = ["exception", "data", "function", "class", "property", "method", "constant"]


def text(pair):
    python, java = pair
    if python and in_java(python[0]) == java:
        return python[0]
    return f"{', '.join(python)} => {', '.join(java)}".strip()


def group(pair):
    """How the line begins and ends that a member shares with others, ("=> methods Owner:", ""); of others their own line, ("", line)."""
    line = text(pair)
    member = re.fullmatch(r"(=> )?(\w+) (?:([\w.]+)\.)?\w+( = -?\d+)?( settable)?( =>)?", line)
    if not member or member[2] not in PLURALS:
        return "", line
    return f"{member[1] or ''}{'settable ' if member[5] else ''}{' '.join(filter(None, [PLURALS[member[2]], member[3]]))}:", member[6] or ""


def order(pair):
    """Exceptions, functions, classes with their members, then constants."""
    kind, name, *_ = (pair[0] or pair[1])[0].split(" ")
    place = KINDS.index("class" if kind in ("method", "property") else kind)
    owner = name if kind == "class" else name.rpartition(".")[0]
    return place, owner, KINDS.index(kind), group(pair), name


def wrapped(start, names, end=""):
    """Lines that begin and end so, with the names between."""
    line = start
    for name in names:
        if len(line) + len(name) + len(end) >= WIDTH and line != start:
            yield line + end
            line = start
        line += " " + name
    yield line + end


def lines_of(pairs):
    """A line for each pair, or for the members of a class that have the same counterparts."""
    for (start, end), pairs_of_group in itertools.groupby(sorted(pairs, key=order), group):
        if start:
            names = ((python or java)[0].replace(" = ", "=").split(" ")[1] for python, java in pairs_of_group)
            yield from wrapped(start, (name.rpartition(".")[2] for name in names), end)
        else:
            yield end


def joined(lines):
    """Overloads that differ in one parameter, in one line."""
    found = []
    for parts in map(parts_of, lines):
        for other in found:
            differ = [n for n, (a, b) in enumerate(zip(parts, other)) if a != b]
            if len(parts) == len(other) and len(differ) == 1 and differ[0] > 0 and all(p[differ[0]] for p in (parts, other)):
                other[differ[0]] += "|" + parts[differ[0]]
                break
        else:
            found.append(parts)
    return list(map("".join, found))


def by_owner(lines):
    """The declarations of a class that begin alike, in one line."""
    def start(line):
        member = re.fullmatch(rf"((?!{TYPE})[^(]+ [\w.]+)\.\w+(\(.*\))?", line)
        return (member[1] + ":", bool(member[2])) if member else (line, None)

    for (owner, is_method), declarations in itertools.groupby(lines, start):
        if is_method is None:
            yield from declarations
        else:
            yield from wrapped(owner, (line[len(owner):] for line in declarations))


def main():
    shown_python, shown_java = surface("python"), surface("java")
    pairs = [([name for name in python if name in shown_python], [name for name in java if name in shown_java])
             for python, java in read_golden()]
    known = {name for python, _ in pairs for name in python}
    taken = {name for _, java in pairs for name in java}
    for name in sorted(shown_python - known):
        java = [n for n in in_java(name) if n in shown_java - taken]
        taken.update(java)
        pairs.append(([name], java))
    # A name whose counterpart was added later has none yet.
    for python, java in pairs:
        if python and not java and set(in_java(python[0])) <= shown_java - taken:
            java.extend(in_java(python[0]))
            taken.update(java)
    pairs += [([], [name]) for name in sorted(shown_java - taken)]
    pairs = [pair for pair in pairs if pair[0] or pair[1]]
    GOLDEN.write_text(HEADER + "".join(line + "\n" for line in lines_of(pairs)))
    SIGNATURES.write_text("".join(line + "\n" for line in by_owner(joined(joined(signatures())))))  # joined lines may join, too


if __name__ == "__main__":
    main()

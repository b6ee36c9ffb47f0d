"""Rewrites surface.golden and signatures.golden for what the packages show now. Run it as ctest runs surface_test.py; look at the diff.

Pairs that the file has are kept. A new name goes in by the rule where the other language follows it, and with an empty
side where not: join two such lines by hand if they are one thing under two names.
"""

from surface_test import GOLDEN, SIGNATURES, in_java, read_golden, signatures, surface

HEADER = """\
# The public surface of both packages; surface_test.py says how to read a line.
# "python =>" has no counterpart in Java, "=> java" none in Python, "python => java" is one thing under two names.
"""
KINDS = ["exception", "data", "function", "class", "property", "method", "constant"]


def order(pair):
    """Exceptions, functions, classes with their members, then constants."""
    kind, name, *_ = (pair[0] or pair[1])[0].split(" ")
    owner = name.rpartition(".")[0] if kind in ("method", "property") else name
    place = KINDS.index("class" if kind in ("method", "property") else kind)
    return place, owner.split("=")[0], KINDS.index(kind), not pair[0], name


def text(pair):
    python, java = pair
    if python and in_java(python[0]) == java:
        return python[0]
    return f"{', '.join(python)} => {', '.join(java)}".strip()


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
    GOLDEN.write_text(HEADER + "".join(text(pair) + "\n" for pair in sorted(pairs, key=order)))
    SIGNATURES.write_text("".join(line + "\n" for line in signatures()))


if __name__ == "__main__":
    main()

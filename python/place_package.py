"""Link the package's hand-written files into the build: place_package.py SOURCE DESCRIBED PACKAGE FILE...

Docstrings share descriptions of parameters and exceptions: a line "@name" in one becomes the text of that name in swig/reference, on the same line, so that
tracebacks name the lines of the source. Such modules are written to the folder DESCRIBED and linked from there, all others from SOURCE.
"""

import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "swig/reference"))
import reference  # noqa: E402

SHARED = re.compile(r"^( +)@(\w+)$", flags=re.MULTILINE)
DOCSTRING = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""')


def filled(text, descriptions, where):
    """Return a module's text with the shared descriptions in its docstrings."""
    def description(found):
        if found[2] not in descriptions:
            raise SystemExit(f"{where}: swig/reference has no text {found[2]!r}")
        return found[1] + descriptions[found[2]]

    return DOCSTRING.sub(lambda docstring: SHARED.sub(description, docstring[0]), text)


def place(file, source, described, package, descriptions):
    text = (source / file).read_text() if file.endswith(".py") else ""
    made, origin = filled(text, descriptions, source / file), source / file
    if made != text:
        origin = described / file
        origin.parent.mkdir(parents=True, exist_ok=True)
        if not origin.exists() or origin.read_text() != made:
            origin.write_text(made)
    link = package / file
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink() or os.readlink(link) != str(origin):
        link.unlink(missing_ok=True)
        link.symlink_to(origin)


if __name__ == "__main__":
    folders = [Path(argument) for argument in sys.argv[1:4]]
    shared = reference.descriptions("parameters.txt") | reference.descriptions("python_parameters.txt")
    for name in sys.argv[4:]:
        place(name, *folders, shared)

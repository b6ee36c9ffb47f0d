"""oldest_glibc.py LIBRARY...: checks that these libraries need nothing newer than glibc 2.28, and nothing of the system's C++ library."""

import re
import subprocess
import sys

OLDEST = (2, 28)


def too_new(library):
    text = subprocess.run(["objdump", "-T", library], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        found = re.search(r"\*UND\*\s+\S+\s+\(?(GLIBC|GLIBCXX|CXXABI)_([0-9.]+)\)?\s+(\S+)", line)
        if found and (found[1] != "GLIBC" or tuple(map(int, found[2].split("."))) > OLDEST):
            yield f"{library}: {found[3]} of {found[1]}_{found[2]}"


wrong = [text for library in sys.argv[1:] for text in too_new(library)]
if wrong:
    sys.exit("\n".join(wrong) + "\nadd these functions to core/portable/glibc.cpp")

"""windows_libraries.py LIBRARY...: checks that these DLLs need only Windows' own, and Python's: nothing of the compiler."""

import re
import subprocess
import sys

OF_WINDOWS = {"advapi32.dll", "kernel32.dll", "msvcrt.dll", "shell32.dll", "user32.dll", "ole32.dll", "ntdll.dll", "gdi32.dll", "opengl32.dll",
              "bcrypt.dll", "ws2_32.dll"}


def foreign(library):
    text = subprocess.run(["x86_64-w64-mingw32-objdump", "-p", library], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"DLL Name: (\S+)", text):
        if name.lower() not in OF_WINDOWS and not re.fullmatch(r"python3\d+\.dll", name):
            yield f"{library} needs {name}"


if __name__ == "__main__":
    wrong = [text for library in sys.argv[1:] for text in foreign(library)]
    if wrong:
        sys.exit("\n".join(wrong))

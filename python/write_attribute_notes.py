"""Write what the attributes of Device and Function mean, from the notes in constants.def: write_attribute_notes.py CONSTANTS FILE

The file is a module: NOTES[name of the enum in Python][name of the attribute] is a note, and CUDA's name.
"""

import re
import sys
from pathlib import Path

ENUM = re.compile(r"PYCUDA_ENUM_BEGIN\(\w+, (device_attribute|function_attribute),.*?\n(.*?)PYCUDA_ENUM_END", flags=re.DOTALL)
VALUE = re.compile(r"PYCUDA_ENUM_VALUE\((\w+), \d+, (\w+)\)  ///< (.+)")
ALIAS = re.compile(r"PYCUDA_ENUM_ALIAS\((\w+), \d+, (\w+), (\w+)\)")


def notes_of(rows):
    notes = {name: (note, cuda) for name, cuda, note in VALUE.findall(rows)}
    return notes | {alias: (notes[name][0], cuda) for alias, cuda, name in ALIAS.findall(rows)}


def notes(text):
    return {enum: notes_of(rows) for enum, rows in ENUM.findall(text)}


if __name__ == "__main__":
    lines = [f'"""Generated from {Path(sys.argv[1]).name}."""', "", "NOTES = {"]
    for enum, rows in notes(Path(sys.argv[1]).read_text()).items():
        lines += [f"    {enum!r}: {{", *(f"        {name!r}: {note!r}," for name, note in rows.items()), "    },"]
    Path(sys.argv[2]).write_text("\n".join([*lines, "}", ""]))

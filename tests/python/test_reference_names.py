"""Every public name of PyCUDA exists, except those that reference_names.txt lists as missing, with the reason."""

import importlib
import importlib.util
from pathlib import Path

import pycuda.driver as drv
import pytest

SECTIONS = {}
for line in (Path(__file__).parent / "reference_names.txt").read_text().splitlines():
    if line.startswith("["):
        SECTIONS[line[1:-1]] = section = []
    elif line and not line.startswith("#"):
        section.append(line)

MISSING = dict(line.split(": ", 1) for line in SECTIONS.pop("missing"))
INSTANCES = "instances of "
OWNERS = {owner: " ".join(lines).split() for owner, lines in SECTIONS.items() if not owner.startswith(INSTANCES)}


def find(dotted):
    """The object with this name, a module or a member of one; AttributeError if there is none."""
    parts = dotted.split(".")
    found = importlib.import_module(parts[0])
    for i, part in enumerate(parts[1:], start=2):
        if not hasattr(found, part) and hasattr(found, "__path__") and importlib.util.find_spec(".".join(parts[:i])):
            importlib.import_module(".".join(parts[:i]))
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("owner", OWNERS)
def test_names_exist(owner):
    found = find(owner)
    assert [name for name in OWNERS[owner] if not hasattr(found, name)] == []


def test_compile_error_has_the_command_line():
    error = drv.CompileError("it failed", ["nvcc"])
    names = " ".join(SECTIONS[INSTANCES + "pycuda.driver.CompileError"]).split()
    assert names and [name for name in names if not hasattr(error, name)] == []


@pytest.mark.parametrize("name", MISSING)
def test_missing_names_have_a_reason(name):
    assert MISSING[name].strip()
    with pytest.raises((AttributeError, ImportError)):
        find(name)

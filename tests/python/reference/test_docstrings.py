"""Every public name is documented: a summary, its parameters, what it returns and raises, and the driver call behind it."""

import inspect
import re

import pytest
from public_names import public_names

NAMES = dict(public_names())

# Words of C++ and of its standard library, and phrases from comments in the core.
FOREIGN = re.compile(r"std::|shared_ptr|\bnullptr\b|::[A-Za-z_]|\bconst char\b|\bthis function's caller\b|\bstd\b(?!\()|\bnoexcept\b|\*Overload")
# PyCUDA names that make no driver call, or only read the package's own state.
NO_DRIVER_CALL = re.compile(
    r"SMGroups\.|\.(get_version|driver_info|have_gl_ext|set_debugging|init)$|DeviceMemoryPool\.|PageLocked|ArgumentHandler|\.(In|Out|InOut)\b|aligned_|"
    r"dtype_to_array_format|MemoryOperations\.texts|Memcpy\w+\.|Linker\.add|TextureDescriptor|\.gl_handle|get_device_pointer|PointerHolderBase|as_buffer|"
    r"Function\.(param_set|set_|prepare$)|Array(Descriptor)?\w*\.(width|height|depth|format|num_channels|flags)|Pooled\w+\.")


def summary(text):
    return text.split("\n\n")[0].replace("\n", " ")


def sections(text):
    """The names and the bodies of the NumPy sections."""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def parameters(value):
    """The names of the parameters that a caller passes, and whether something is returned; for classes, of the constructor."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return []
    kinds = inspect.Parameter
    return [name for name, parameter in signature.parameters.items()
            if name not in ("self", "cls") and parameter.kind != kinds.VAR_KEYWORD and not name.startswith("_")
            and not (isinstance(value, type) and parameter.kind == kinds.VAR_POSITIONAL)]


def is_function(value):
    return callable(value) and not isinstance(value, type)


def test_names_were_found():
    assert len(NAMES) > 650


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_one_sentence_summary(name):
    text = inspect.getdoc(NAMES[name])
    assert text, "no docstring"
    assert re.match(r"[A-Z`0-9\"].*[.:)]$|^OpenGL", summary(text)), summary(text)
    assert not FOREIGN.search(text), FOREIGN.search(text)[0]


# The array API standard describes the parameters of its functions.
@pytest.mark.parametrize("name", [name for name, value in NAMES.items()
                                  if (is_function(value) or isinstance(value, type)) and not name.startswith("array_api.")])
def test_every_parameter_is_described(name):
    wanted = parameters(NAMES[name])
    if wanted == ["args"]:
        wanted = []  # overloads, whose parameters are named only in the stub
    listed = re.findall(r"^\*{0,2}(\w+) : ", sections(inspect.getdoc(NAMES[name])).get("Parameters", ""), flags=re.MULTILINE)
    assert set(wanted) <= set(listed), f"no description of {sorted(set(wanted) - set(listed))}"


@pytest.mark.parametrize("name", [name for name, value in NAMES.items() if is_function(value)])
def test_results_are_documented(name):
    text = inspect.getdoc(NAMES[name])
    if re.match(r"Return|Create|Allocate|Take|Compile|Load|Wrap|Open|Join|Limit ", text) and "(self" not in text and not name.startswith("array_api."):
        assert "Returns" in sections(text), summary(text)


@pytest.mark.parametrize("name", [name for name, value in NAMES.items() if name.startswith("driver.") and is_function(value)])
def test_driver_functions_document_their_call_and_errors(name):
    text = inspect.getdoc(NAMES[name])
    if re.match(r"Deprecated|.*Deprecated:", summary(text)) or NO_DRIVER_CALL.search(name):
        return
    assert re.search(r"\bcu[A-Z]\w+", text), "no driver call"
    assert "Raises" in sections(text)


def test_help_of_a_launch_lists_every_keyword():
    import pydoc

    import pycuda.driver as drv

    text = pydoc.render_doc(drv.Function.__call__, renderer=pydoc.plaintext)
    for keyword in ("block", "grid", "stream", "shared", "texrefs", "time_kernel", "cooperative", "cluster", "attributes"):
        assert re.search(rf"{keyword} : ", text), keyword

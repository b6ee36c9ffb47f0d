"""The table of arguments: every row works, and there is a row for every public function. test_memory_arguments and test_wrong_values run its
cells."""

import faulthandler
import pathlib
import re
import subprocess
import sys

import pytest
from cells import MEMORY, context_stays, shared_values  # noqa: F401
from surface import SURFACE
from table import ROWS, call, is_missing, named

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


@pytest.mark.parametrize("name", ROWS)
def test_row_works(name):
    row = ROWS[name]
    try:
        named(name, lambda: call(row, {}))
    except Exception as error:
        if is_missing(error):
            pytest.skip(str(error))
        if not row.fails or not isinstance(error, row.fails):
            raise
    else:
        assert not row.fails


def test_every_public_parameter_is_in_the_table():
    missing = sorted(set(SURFACE) - set(ROWS) - set(LEFT_OUT))
    assert missing == [], "no row of these: see docs/contributing.md, \"Every kind of argument in every place\""
    assert sorted(set(LEFT_OUT) - set(SURFACE)) == []


def test_rows_pass_memory_to_every_parameter_that_accepts_it():
    forgotten = [f"{name}: {parameter.name}" for name, parameter in MEMORY if parameter.name not in ROWS[name].values]
    assert forgotten == []


OPENGL = "objects of OpenGL: test_gl"
PYTHON_ONLY = "an exception, made by Python code as any other"
NDARRAYS_METHODS = ("argpartition", "byteswap", "choose", "compress", "cumprod", "diagonal", "flat", "mT", "nonzero", "partition", "put", "searchsorted",
                    "sort", "swapaxes", "take", "tobytes", "trace")
LEFT_OUT = {
    **{name: "ndarray's method, which calls NumPy's function: tests/python/arrays/families" for name in SURFACE
       if name.startswith("gpuarray.GPUArray.") and name.rpartition(".")[2] in NDARRAYS_METHODS},
    **{name: "vectors' components: test_gpuarray" for name in SURFACE if name.startswith("gpuarray.vec.make_")},
    **{f"compiler.CacheEntry.{name}": "information about a file" for name in ("key", "name", "kind", "arch", "compiler", "nbytes", "last_used")},
    "driver.CompileError": PYTHON_ONLY,
    "driver.initialize_profiler": "drivers differ in what they say of files: test_profiler",
    **{name: "numbers, Python code" for name in SURFACE if re.match(r"tools\.(DeviceData\.|bitlog2|get_default_device|make_default_context)", name)
       and name != "tools.DeviceData.make_valid_tex_channel_count"},
    **{f"tools.{name}": "takes functions and keeps them: test_tools" for name in ("context_dependent_memoize", "mark_cuda_test")},
    "tools.trace": "writes a file: test_trace", "tools.record_allocations": "a flag: test_places",
    "tools.DebugMemoryPool": "keeps what it is given", "tools.DebugMemoryPool.describe": "text of a stack",
    "tools.register_dtype": "changes the table of types for good: test_dtypes",
    "driver.IPCMemoryHandle.as_buffer": "memory of another process: test_ipc_memory; the method is DeviceAllocation's",
    "driver.ArgumentHandler.pre_call": "does nothing", "driver.ArgumentHandler.post_call": "does nothing",
    **{f"driver.{owner}.{name}": "keeps what it is given" for owner in ("ArgumentHandler", "In", "Out", "InOut") for name in ("array", "dev_alloc")},
    "driver.ExecutableNode": "keeps what it is given",
    "driver.PageLockedAllocator": "keeps its flags for __call__",
    "driver.RegisteredBuffer": OPENGL, "driver.RegisteredBuffer.map": OPENGL, "driver.RegisteredBuffer.set_map_flags": OPENGL,
    "driver.RegisteredImage": OPENGL, "driver.RegisteredImage.map": OPENGL, "driver.RegisteredImage.set_map_flags": OPENGL,
    "driver.RegisteredMapping.array": OPENGL, "driver.RegisteredMapping.unmap": OPENGL, "driver.make_gl_context": OPENGL,
}

CRASHES = """
import sys
sys.path.insert(0, {folder!r})
from table import named
import ctypes, faulthandler
faulthandler.enable()
named("driver.memcpy_htod(dest=an int)", lambda: ctypes.string_at(0))
"""


def test_a_crash_names_its_cell():
    assert faulthandler.is_enabled()
    ended = subprocess.run([sys.executable, "-c", CRASHES.format(folder=str(pathlib.Path(__file__).parent))], capture_output=True, text=True, timeout=60)
    assert ended.returncode != 0
    assert "in driver.memcpy_htod(dest=an int)" in ended.stderr

"""cuda.core: programs, launches, buffers; and what it does with machine code."""

import numpy as np
import pytest
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
template <class T> __global__ void scale(T *values, T by, unsigned long long n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= by;
}
"""


@pytest.fixture
def device():
    made = Device()
    made.set_current()
    return made


def kernel(code_type):
    program = Program(SOURCE, code_type="c++", options=ProgramOptions(std="c++17", arch="sm_90"))
    return program.compile(code_type, name_expressions=("scale<float>",)).get_kernel("scale<float>")


def test_a_template_computes(device):
    stream = device.create_stream()
    n = 1000
    buffer = device.memory_resource.allocate(4 * n, stream=stream)
    host = np.arange(n, dtype=np.float32)
    from cuda.bindings import driver

    assert driver.cuMemcpyHtoDAsync(int(buffer.handle), host, host.nbytes, int(stream.handle))[0] == 0
    launch(stream, LaunchConfig(grid=4, block=256), kernel("ptx"), buffer, np.float32(3), np.uint64(n))
    seen = np.empty_like(host)
    assert driver.cuMemcpyDtoHAsync(seen, int(buffer.handle), seen.nbytes, int(stream.handle))[0] == 0
    stream.sync()
    np.testing.assert_array_equal(seen, 3 * host)
    buffer.close(stream)


def test_machine_code_is_refused_with_the_way_out(device, capfd):
    if "PyCUDA CPU" not in device.name:
        pytest.skip("a GPU runs it")
    with pytest.raises(Exception, match="CUDA_ERROR_NO_BINARY_FOR_GPU"):
        kernel("cubin")
    assert "pip uninstall nvidia-nvjitlink" in capfd.readouterr().err

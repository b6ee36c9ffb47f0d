"""The cost of graphs: counts the driver calls of a launch, an update of a node and a captured launch."""

import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
    import os, sys
    import numpy as np, pycuda.driver as drv, pycuda.gpuarray as gpuarray
    drv.init()
    context = drv.Device(0).make_context()
    module = drv.module_from_buffer(open(sys.argv[1], "rb").read())
    add = module.get_function("add")
    block, grid, stream, memory = (32, 1, 1), (1, 1), drv.Stream(), [drv.mem_alloc(128) for _ in range(3)]
    array, n = gpuarray.zeros(32, np.int32), np.int32(1)
    graph = drv.Graph()
    node = graph.kernel(add, (memory[0], n), block=block)
    run = graph.instantiate()
    changed = run[node]

    def steps(statement, times=3):
        for number in range(times):
            os.write(2, b"--- begin\\n")
            eval(statement)
            os.write(2, b"--- end\\n")

    {body}
    context.pop()
"""

CASES = {
    "launch": ("steps('run.launch(stream)')", ["cuGraphLaunch"]),
    "update": ("changed.update(args=(memory[0], n)); steps('changed.update(args=(memory[0], n))')", ["cuGraphExecKernelNodeSetParams"]),
    "update to other memory": ("changed.update((memory[0], n)); steps('changed.update((memory[number], n))')", ["cuGraphExecKernelNodeSetParams"]),
    "update to an array": ("changed.update((array, n)); steps('changed.update((array, n))')", ["cuGraphExecKernelNodeSetParams"]),
    "update of the geometry": ("changed.update((array, n)); steps('changed.update((array, n), grid=(2, 1))')", ["cuGraphExecKernelNodeSetParams"]),
    "captured launch": ("stream.begin_capture(); steps('add(memory[number], n, block=block, stream=stream)'); stream.end_capture()", ["cuLaunchKernel"]),
    "captured launch of an array": ("stream.begin_capture(); add(array, n, block=block, stream=stream); steps('add(array, n, block=block, stream=stream)'); "
                                    "stream.end_capture()", ["cuLaunchKernel"]),
}


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    path = tmp_path_factory.mktemp("driver_calls") / "add.ptx"
    path.write_text("""
        .version 7.0
        .target sm_70
        .address_size 64
        .visible .entry add(.param .u64 memory, .param .u32 number) { ret; }
    """)
    return path


@pytest.mark.parametrize("case", CASES)
def test_driver_calls(case, image):
    body, expected = CASES[case]
    code = textwrap.dedent(PROGRAM).replace("{body}", body)
    ran = subprocess.run([sys.executable, "-c", code, image], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    counted = [[line.split()[1].partition("(")[0] for line in part.partition("--- end")[0].splitlines() if line.startswith("[pycuda]")]
               for part in ran.stderr.split("--- begin\n")[1:]]
    assert counted == [expected] * 3


@pytest.fixture(autouse=True)
def traced(monkeypatch):
    monkeypatch.setenv("PYCUDA_TRACE", "1")

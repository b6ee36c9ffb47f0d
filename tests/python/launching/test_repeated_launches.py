"""Repeated launches go through executable graphs: the same results, errors and order as plain launches, whatever is released meanwhile."""

import textwrap

import pytest

START = """
import threading
import numpy as np
import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule
drv.init()
context = drv.Device(0).make_context()
SOURCE = '''
__global__ void step(unsigned *x, unsigned v) { if (threadIdx.x == 0 && blockIdx.x == 0) x[0] = x[0] * 3 + v; }
__global__ void count(unsigned *x, unsigned *y) {
    extern __shared__ unsigned shared[];
    shared[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) for (unsigned i = 0; i < blockDim.x; ++i) atomicAdd(x, shared[i]);
}
__global__ void nothing() {}
'''
module = SourceModule(SOURCE)
step, count, nothing = map(module.get_function, ("step", "count", "nothing"))
x = drv.mem_alloc(64)
def value():
    return int(drv.from_device(x, 1, np.uint32)[0])
def graphs():
    return _driver._live_handles("launch graph")
def steps(function, n, stream=None, first=0):
    drv.memset_d32(x, 0, 1)
    drv.Context.synchronize()
    expected = 0
    for i in range(first, first + n):
        function(x, np.uint32(i), block=(32, 1, 1), stream=stream)
        expected = (expected * 3 + i) % 2**32
    drv.Context.synchronize()
    assert value() == expected
"""
WAYS = ("plain", "auto", "graph")


@pytest.fixture(params=WAYS)
def program(request, run_python):
    """Run a program with each kind of launch; `launch` is the kind."""

    def run(text):
        done = run_python(START + f"launch = {request.param!r}\n" + textwrap.dedent(text) + "\ncontext.detach()\nassert graphs() == 0\n",
                          PYCUDA_LAUNCH=request.param)
        assert done.returncode == 0, done.stderr[-3000:]

    return run


def test_arguments_and_order(program):
    program("""
        streams = [None, drv.Stream(), drv.Stream(drv.stream_flags.NON_BLOCKING), drv.Stream.from_handle(1), drv.Stream.from_handle(2)]
        for stream in streams:
            steps(step, 300, stream)
        assert launch != "graph" or graphs() == 4, graphs()
        assert launch != "plain" or graphs() == 0
        """)


def test_every_form_of_launch(program):
    program("""
        step.prepare("Pi")
        stream = drv.Stream()
        drv.memset_d32(x, 0, 1)
        drv.Context.synchronize()
        expected = 0
        invoke = (lambda i: step(x, np.uint32(i), block=(32, 1, 1), stream=stream),
                  lambda i: step.prepared_async_call((1, 1), (32, 1, 1), stream, x, i),
                  lambda i: step.prepared_call((1, 1), (32, 1, 1), x, i))
        for i in range(600):
            invoke[i % 3](i)
            expected = (expected * 3 + i) % 2**32
        drv.Context.synchronize()
        assert value() == expected
        for _ in range(100):
            nothing(block=(1, 1, 1))
        y = np.zeros(1, np.uint32)
        for i in range(100):
            step(drv.InOut(y), np.uint32(1), block=(1, 1, 1))
        assert y[0] == (3**100 - 1) // 2 % 2**32
        """)


def test_geometry_and_shared_memory_change(program):
    program("""
        drv.memset_d32(x, 0, 1)
        expected = 0
        for i in range(400):
            threads, blocks = 1 + i * 7 % 200, 1 + i // 50
            count(x, np.intp(0), block=(threads, 1, 1), grid=(blocks, 1), shared=4 * threads)
            expected += threads * blocks
        assert value() == expected
        """)


def test_array_operations(program):
    program("""
        a = gpuarray.arange(1000, dtype=np.int64)
        total = gpuarray.zeros(1000, np.int64)
        for i in range(200):
            total += a * i
        assert (total.get() == np.arange(1000) * sum(range(200))).all()
        assert launch != "graph" or graphs() >= 2
        del a, total
        """)


def test_errors_match_those_of_plain_launches(program):
    program("""
        steps(step, 100)
        for wrong, words in (dict(block=(2048, 1, 1)), "at most 1024 threads per block"), (dict(block=(32, 1, 1), shared=2**30), "dynamic shared memory"):
            try:
                step(x, np.uint32(1), **wrong)
            except drv.LogicError as error:
                assert "'step'" in str(error) and words in str(error), error
            else:
                raise AssertionError(wrong)
        steps(step, 100)
        other = drv.Device(0).make_context()
        try:
            step(x, np.uint32(1), block=(1, 1, 1))
        except drv.LogicError as error:
            assert "current context" in str(error) or "context" in str(error), error
        else:
            raise AssertionError("launched in another context")
        other.pop()
        other.detach()
        steps(step, 100)
        """)


def test_owners_of_launch_graphs_are_released(program):
    program("""
        for _ in range(5):
            stream = drv.Stream()
            steps(step, 100, stream)
            del stream
            one = SourceModule(SOURCE.replace("nothing", "void_"))
            steps(one.get_function("step"), 100)
            del one
        before = graphs()
        step.set_cache_config(drv.func_cache.PREFER_L1)
        assert graphs() == 0 or graphs() < before
        steps(step, 100)
        drv.Context.set_limit(drv.limit.STACK_SIZE, 2048)
        assert graphs() == 0
        steps(step, 100)
        """)


def test_contexts_come_and_go(program):
    program("""
        global_x = x
        for _ in range(3):
            inner = drv.Device(0).make_context()
            x = drv.mem_alloc(64)
            function = SourceModule(SOURCE).get_function("step")
            steps(function, 100)
            del function, x
            inner.pop()
            inner.detach()
        x = global_x
        steps(step, 100)
        """)


def test_more_kernels_than_graphs(program):
    program("""
        names = [f"step{i}" for i in range(40)]
        many = SourceModule("".join(SOURCE.replace("step", name).replace("count", name + "c").replace("nothing", name + "n") for name in names))
        functions = [many.get_function(name) for name in names]
        for _ in range(3):
            for function in functions:
                steps(function, 70)
        assert graphs() <= 32
        assert launch != "graph" or graphs() == 32, graphs()
        """)


def test_many_threads_launch_one_kernel(program):
    program("""
        drv.memset_d32(x, 0, 1)
        drv.Context.synchronize()
        streams = [drv.Stream() for _ in range(6)]
        def work(stream):
            context.push()
            for _ in range(300):
                count(x, np.intp(0), block=(2, 1, 1), shared=8, stream=stream)
                count(x, np.intp(0), block=(1, 1, 1), shared=8, stream=streams[0])
            context.pop()
        threads = [threading.Thread(target=work, args=(stream,)) for stream in streams]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        drv.Context.synchronize()
        assert value() == 6 * 300 * 3
        """)


def test_graphs_in_flight_when_the_module_ends(program):
    program("""
        stream = drv.Stream()
        drv.memset_d32(x, 0, 1)
        drv.Context.synchronize()
        for turn in range(10):
            function = SourceModule(SOURCE).get_function("count")
            for _ in range(100):
                function(x, np.intp(0), block=(32, 1, 1), grid=(16, 1), shared=128, stream=stream)
            del function
        drv.Context.synchronize()
        assert value() == 10 * 100 * 32 * 16
        """)


def test_a_trace_shows_plain_launches(run_python):
    done = run_python(START + "steps(step, 100)\nassert graphs() == 0\ncontext.detach()\n", PYCUDA_LAUNCH="graph", PYCUDA_TRACE="1")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stderr.count("cuLaunchKernel(") == 100 and "cuGraph" not in done.stderr

"""Arrays: `with stream:`, and operations during capture."""

import gc

import numpy as np
import pycuda.cumath as cumath
import pycuda.curandom as curandom
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel


@pytest.fixture
def values():
    return np.linspace(1, 50, 400).astype(np.float32)


@pytest.fixture
def array(context, values):
    return gpuarray.to_gpu(values)


def test_operations_run_on_the_stream_in_use(stream, array, values):
    go, flag = drv.pagelocked_zeros(1, np.int32), []
    with stream:
        stream.add_callback(lambda: flag.append(1))
        made = array * 2 + array
        total = gpuarray.sum(made)
        assert np.allclose(made.get(), values * 3)  # a blocking copy waits for the stream
        assert flag == [1]
        made.set(values)
        assert np.allclose((made + made).get(), 2 * values)
    assert np.allclose(total.get(), (values * 3).sum(), rtol=1e-4)
    assert go[0] == 0


def test_uses_are_nested(stream, array, values):
    inner = drv.Stream()
    with stream:
        a = array + 1
        with inner:
            b = array + 2
        c = array + 3
    for made, more in ((a, 1), (b, 2), (c, 3)):
        assert np.allclose(made.get(), values + more)


def test_a_stream_of_another_context_has_no_effect(device, array, values):
    stream = drv.Stream()
    with stream:
        other = device.make_context()
        mine = gpuarray.to_gpu(values)
        result = (mine * 2).get()
        del mine
        other.pop()
        del other
    assert np.allclose(result, values * 2)


scale = "z[i] = 3 * x[i]"
OPERATIONS = {
    "arithmetic": lambda a: a * 2 + a / 3 - 1,
    "in place": lambda a: a.__iadd__(a * 2).copy(),
    "comparison": lambda a: a > 10,
    "function": lambda a: cumath.sqrt(a),
    "ufunc": lambda a: np.exp(a / 50),
    "sum": lambda a: gpuarray.sum(a),
    "max": lambda a: gpuarray.max(a),
    "axis": lambda a: a.reshape(20, 20).sum(axis=1),
    "dot": lambda a: gpuarray.dot(a, a),
    "index": lambda a: a[3:300:7].copy(),
    "assign": lambda a: _assigned(a),
    "astype": lambda a: a.astype(np.float64),
    "transpose": lambda a: a.reshape(20, 20).T.copy(),
    "where": lambda a: gpuarray.if_positive(a - 20, a, 2 * a),
    "take": lambda a: gpuarray.take(a, gpuarray.arange(0, 40, 4, dtype=np.int32)),
    "cumsum": lambda a: gpuarray.cumsum(a) if hasattr(gpuarray, "cumsum") else InclusiveScanKernel(np.float32, "a+b")(a.copy()),
    "sort": lambda a: gpuarray.sort(-a) if hasattr(gpuarray, "sort") else -a,
    "zeros": lambda a: gpuarray.zeros_like(a) + a,
    "ElementwiseKernel": lambda a: _elementwise(a),
    "ReductionKernel": lambda a: ReductionKernel(np.float32, "0", "a+b", "x[i]*x[i]", "float *x")(a),
    "InclusiveScanKernel": lambda a: InclusiveScanKernel(np.float32, "a+b")(a.copy()),
}


def _assigned(a):
    result = a.copy()
    result[5:50] = 3
    return result


def _elementwise(a):
    result = gpuarray.empty_like(a)
    ElementwiseKernel("float *x, float *z", scale)(a, result)
    return result


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_under_capture(stream, values, name, context):
    operation = OPERATIONS[name]
    array = gpuarray.to_gpu(values)
    with stream.capture() as graph:
        made = operation(array)
    run = graph.instantiate()
    for factor in (1, 2):
        array.set(factor * values)
        run.launch(stream)
        stream.synchronize()
        expected = operation(gpuarray.to_gpu((factor * values).astype(np.float32)))
        assert np.array_equal(made.get(), expected.get()), factor


def test_random_numbers_under_capture(stream, context):
    generator = curandom.XORWOWRandomNumberGenerator()
    with stream.capture() as graph:
        made = generator.gen_uniform(1000, np.float32)
    run = graph.instantiate()
    seen = []
    for _ in range(2):
        run.launch(stream)
        stream.synchronize()
        seen.append(made.get())
    assert all(((0 <= s) & (s <= 1)).all() for s in seen)
    assert not np.array_equal(*seen)  # the generator's state is on the device, and advances


def test_memory_of_a_graph_is_not_reused_elsewhere(stream, array, values):
    with stream.capture() as graph:
        made = ((array * 2) + (array * 3)) * array
    run = graph.instantiate()
    del graph
    gc.collect()
    others = [gpuarray.zeros(400, np.float32) + 7 for _ in range(50)]
    for _ in range(3):
        run.launch(stream)
    stream.synchronize()
    assert np.allclose(made.get(), 5 * values * values)
    assert all((other.get() == 7).all() for other in others)


def test_inputs_live_as_long_as_the_graph(stream, values, context):
    array = gpuarray.to_gpu(values)
    with stream.capture() as graph:
        made = array * 2
    del array
    others = [gpuarray.zeros(400, np.float32) for _ in range(50)]
    run = graph.instantiate()
    run.launch(stream)
    stream.synchronize()
    assert np.allclose(made.get(), values * 2)
    assert len(others) == 50


def test_results_outlive_their_graph(stream, array, values):
    with stream.capture() as graph:
        made = array * 2
    run = graph.instantiate()
    run.launch(stream)
    stream.synchronize()
    del run, graph
    gc.collect()
    others = [gpuarray.zeros(400, np.float32) for _ in range(50)]
    assert np.allclose(made.get(), values * 2)
    assert np.allclose((made + others[0]).get(), values * 2)


def test_memory_is_freed_with_the_graph(stream, array, is_cpu_device):
    before = drv.mem_get_info()[0]
    for _ in range(20):
        big = gpuarray.zeros(1 << 20, np.float32)
        with stream.capture() as graph:
            big * 2 + 1
        run = graph.instantiate()
        run.launch(stream)
        stream.synchronize()
        del big, run, graph
        gc.collect()
    if is_cpu_device:  # other processes share a GPU's memory
        assert before - drv.mem_get_info()[0] < 200 << 20


def test_temporaries_of_one_capture_share_memory(stream, array):
    with stream.capture() as graph:
        made = array
        for _ in range(100):
            made = made + 1
    run = graph.instantiate()
    run.launch(stream)
    stream.synchronize()
    assert np.allclose(made.get(), array.get() + 100)

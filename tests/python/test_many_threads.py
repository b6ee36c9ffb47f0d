"""Many threads that use the same objects at once: what the GIL orders elsewhere must also be ordered without it."""

import gc
import sys
import threading

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE
from pycuda import gpuarray
from together import THREADS, together  # noqa: F401  (a fixture)

ROUNDS = 60


def test_the_module_needs_no_gil():
    is_gil_enabled = getattr(sys, "_is_gil_enabled", lambda: True)
    assert is_gil_enabled() == (sys.version_info < (3, 13) or not __import__("sysconfig").get_config_var("Py_GIL_DISABLED"))


def test_results_of_shared_operands(together):
    a, b = (gpuarray.to_gpu(np.arange(100, dtype=np.float32) + k) for k in range(2))
    expected = (a + b).get()
    wrong = []

    def work(number):
        kept = []
        for k in range(ROUNDS):
            kept.append(a + b)
            kept.append(a > b)
            kept.append(a * (number + k))
        for k in range(ROUNDS):
            if not (kept[3 * k].get() == expected).all() or kept[3 * k + 1].get().any():
                wrong.append((number, k))
            if not (kept[3 * k + 2].get() == a.get() * np.float32(number + k)).all():
                wrong.append((number, k))

    together(work)
    assert wrong == []


def test_forms_change_while_others_read_them(together):
    array = gpuarray.zeros((4, 6), np.float32)
    seen = set()

    def work(number):
        for k in range(20 * ROUNDS):
            if number < 4:
                array.shape = (24,) if k % 2 else (4, 6)
                array.strides = (4,) if k % 2 else (24, 4)
            elif number < 8:
                seen.add((array.shape, array.size, array.nbytes, array.ndim, array.itemsize))
            else:
                try:
                    result = array + 1
                    assert result.size == 24
                except ValueError:  # shape and strides did not match, or changed meanwhile
                    pass

    together(work)
    assert {shape for shape, *_ in seen} <= {(24,), (4, 6)}
    assert {rest[0] for _, *rest in seen} == {24}


def test_all_threads_get_the_same_gpudata(together):
    for _ in range(ROUNDS):
        array = gpuarray.to_gpu(np.arange(64, dtype=np.int32))
        found = [None] * THREADS

        def work(number):
            found[number] = (array.gpudata, array.ptr, array[8:].ptr, (array + 1).get())

        together(work)
        assert all(gpudata is array.gpudata and address == array.ptr and view == address + 32 for gpudata, address, view, _ in found)
        assert all((values == np.arange(1, 65)).all() for *_, values in found)


def test_memory_is_replaced_while_others_use_it(together):
    array = gpuarray.zeros(256, np.float32)
    memories = [drv.mem_alloc(1024) for _ in range(4)]
    known = {int(memory) for memory in memories} | {array.ptr}

    def work(number):
        for k in range(10 * ROUNDS):
            if number < 4:
                array.gpudata = memories[(number + k) % 4]
            elif number < 8:
                array.allocator = drv.mem_alloc if k % 2 else None
                array.base = memories[0] if k % 2 else None
            elif number < 12:
                assert array.ptr in known
                assert array.gpudata is not None
            else:
                array[2:4].fill(1)
                assert (array + array).size == 256

    together(work)


def test_attributes_set_by_programs(together):
    array = gpuarray.zeros(4, np.float32)

    def work(number):
        for k in range(10 * ROUNDS):
            array.note = (number, k)
            assert len(array.note) == 2
            array._grid = (number, 1)
            assert array._grid[1] == 1
            array.size = 4
            assert array.size == 4

    together(work)


def test_a_function_is_prepared_again_while_other_threads_launch_it(together):
    function = drv.module_from_buffer(SCALE.encode()).get_function("scale")
    memory = drv.mem_alloc(16)
    drv.memset_d32(memory, 0x3F800000, 4)
    function.prepare("Pfi")

    def work(number):
        for _ in range(2 * ROUNDS):
            if number % 4 == 0:
                function.prepare("Pfi" if number else [np.uint64, np.float32, np.int32])
            elif number % 4 == 1:
                function(memory, np.float32(1), np.int32(4), block=(4, 1, 1))
            else:
                function.prepared_call((1, 1), (4, 1, 1), memory, 1.0, 4)

    together(work)
    result = np.empty(4, np.float32)
    drv.memcpy_dtoh(result, memory)
    assert result.tolist() == [1, 1, 1, 1]


def test_last_references_are_released_by_other_threads(together):
    pool = drv.DeviceMemoryPool()
    shared = [None] * 64

    def work(number):
        for k in range(4 * ROUNDS):
            kinds = (
                lambda: gpuarray.zeros(16, np.float32), lambda: pool.allocate(64), lambda: drv.mem_alloc(16), drv.Event, drv.Stream,
                lambda: drv.pagelocked_empty(16, np.float32), lambda: gpuarray.zeros(16, np.float32)[2:], lambda: gpuarray.zeros((2, 3), np.int8) + 1)
            shared[(7 * number + 5 * k) % len(shared)] = kinds[(number + k) % len(kinds)]()
            if k % 50 == 0 and number == 0:
                gc.collect()

    together(work)
    shared.clear()
    gc.collect()
    assert pool.active_blocks == 0


def test_a_pool_gives_each_block_to_one_thread(together):
    pool = drv.DeviceMemoryPool()
    overlaps = []
    owners, lock = {}, threading.Lock()

    def work(number):
        stream = drv.Stream()
        for k in range(5 * ROUNDS):
            block = pool.allocate(256 << (k % 3), stream)
            address = int(block)
            with lock:
                if owners.setdefault(address, number) != number:
                    overlaps.append(address)
                    owners[address] = number
            with lock:
                del owners[address]
            block.free()
        stream.synchronize()

    together(work)
    assert overlaps == []
    assert pool.active_blocks == 0


def test_a_block_is_freed_once(together):
    pool = drv.DeviceMemoryPool()
    for _ in range(ROUNDS):
        block, done = pool.allocate(100), []

        def work(number):
            try:
                block.free()
                done.append(number)
            except drv.LogicError:
                pass

        together(work)
        assert len(done) == 1


def test_callbacks_while_others_collect_garbage(together):
    counts = [0] * THREADS

    def work(number):
        stream = drv.Stream()
        array = gpuarray.zeros(8, np.float32)

        def count():
            counts[number] += 1

        for k in range(ROUNDS // 2):
            stream.add_callback(count)
            array += 1
            if number == 0 and k % 5 == 0:
                gc.collect()
        stream.synchronize()
        drv.Context.synchronize()
        assert array.get().tolist() == [ROUNDS // 2] * 8

    together(work)
    assert counts == [ROUNDS // 2] * THREADS


def test_captures_of_threads(together):
    function = drv.module_from_buffer(SCALE.encode()).get_function("scale")

    def work(number):
        stream, values = drv.Stream(), drv.pagelocked_empty(4, np.float32)
        memory = drv.mem_alloc(16)
        drv.memset_d32_async(memory, 0x3F800000, 4, stream)
        for _ in range(ROUNDS // 10):
            with stream.capture() as graph:
                function(memory, np.float32(2), np.int32(4), block=(4, 1, 1), stream=stream)
            graph.instantiate().launch(stream)
        drv.memcpy_dtoh_async(values, memory, stream)
        stream.synchronize()
        assert values.tolist() == [2 ** (ROUNDS // 10)] * 4

    together(work)


def test_exceptions_of_threads(together):
    array = gpuarray.zeros(4, np.float32)

    def work(number):
        for k in range(ROUNDS):
            with pytest.raises(ValueError, match=f"'{1000 * number + k}'"):
                gpuarray.GPUArray(4, np.float32, order=str(1000 * number + k))
            with pytest.raises(drv.LogicError):
                drv.memcpy_dtoh(np.empty(4, np.float32), 8)
            with pytest.raises(TypeError):
                array + object()

    together(work)


def test_a_capsule_is_consumed_once(together):
    for _ in range(ROUNDS // 4):
        array = gpuarray.zeros(4, np.float32)
        capsule, taken = array.__dlpack__(), []

        class Holder:
            def __dlpack__(self, **_):
                return capsule

            def __dlpack_device__(self):
                return array.__dlpack_device__()

        def work(number):
            try:
                taken.append(gpuarray.from_dlpack(Holder()))
            except BufferError:
                pass

        together(work)
        assert len(taken) == 1

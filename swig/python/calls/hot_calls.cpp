#include "calls/hot_calls.hpp"

#include <cstdint>
#include <memory>
#include <utility>

#include "calls/hot_call.hpp"
#include "handle_types.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/streams/event.hpp"

namespace pycuda::python {
namespace {

std::unique_ptr<DeviceAllocation> allocate_device_memory(std::size_t bytes) {
    return std::make_unique<DeviceAllocation>(bytes);
}
void free_memory(DeviceMemory* memory) {
    memory->free();
}
void record_event(Event* event, const Stream* stream) {
    event->record(stream);
}
void wait_for_event(Stream* stream, const Event* event) {
    stream->wait_for_event(*event);
}
void synchronize_stream(Stream* stream) {
    stream->synchronize();
}

template <auto function, Waits waits, class... Parameters>
int take(PyObject* space, const char* name, const char* parameters, bool returns_self = false) {
    HotCall& row = hot_call<function>;
    row = {name, parameters, call<function, waits, Parameters...>, returns_self};
    return install(row, space);
}

int take_all(PyObject* space) {
    using Byte = Number<std::uint8_t>;
    using Word = Number<std::uint32_t>;
    using Size = Number<std::size_t>;
    constexpr Waits always = Waits::Always, for_host = Waits::ForHostMemory, without_lock = Waits::WithoutLock;
    const int failed[] = {
        take<allocate_device_memory, always, Size>(space, "mem_alloc", "bytes"),
        take<free_memory, without_lock, Self<DeviceMemory>>(space, "DeviceAllocation.free", "$self"),
        take<memcpy_htod, always, WrittenMemory, HostSource>(space, "memcpy_htod", "dest, src"),
        take<memcpy_dtoh, always, HostDestination, ReadMemory>(space, "memcpy_dtoh", "dest, src"),
        take<memcpy_dtod, always, WrittenMemory, ReadMemory, Size>(space, "memcpy_dtod", "dest, src, size"),
        take<memcpy_htod_async, for_host, WrittenMemory, HostSource, OnStream>(space, "memcpy_htod_async",
                                                                               "dest, src, stream=None"),
        take<memcpy_dtoh_async, for_host, HostDestination, ReadMemory, OnStream>(space, "memcpy_dtoh_async",
                                                                                 "dest, src, stream=None"),
        take<memcpy_dtod_async, for_host, WrittenMemory, ReadMemory, Size, OnStream>(space, "memcpy_dtod_async",
                                                                                     "dest, src, size, stream=None"),
        take<memset_d8, always, WrittenMemory, Byte, Size>(space, "memset_d8", "dest, data, count"),
        take<memset_d32, always, WrittenMemory, Word, Size>(space, "memset_d32", "dest, data, count"),
        take<memset_d8_async, for_host, WrittenMemory, Byte, Size, OnStream>(space, "memset_d8_async",
                                                                             "dest, data, count, stream=None"),
        take<memset_d32_async, for_host, WrittenMemory, Word, Size, OnStream>(space, "memset_d32_async",
                                                                              "dest, data, count, stream=None"),
        take<record_event, for_host, Self<Event>, OnStream>(space, "Event.record", "$self, stream=None", true),
        take<wait_for_event, for_host, Self<Stream>, GivenEvent>(space, "Stream.wait_for_event", "$self, event"),
        take<synchronize_stream, always, Self<Stream>>(space, "Stream.synchronize", "$self"),
    };
    for (const int one : failed)
        if (one < 0) return -1;
    return 0;
}

}  // namespace

PyObject* replace_hot_calls(PyObject*, PyObject* space) {
    PyObject* const page_locked = PyDict_GetItemString(space, "PagelockedHostAllocation");
    PyObject* const allocation = PyDict_GetItemString(space, "DeviceAllocation");
    if (!page_locked || !allocation) {
        PyErr_SetString(PyExc_RuntimeError, "replace_hot_calls: expected the dict of the generated module");
        return nullptr;
    }
    static bool is_taken = false;  // a module that is imported again uses SWIG's functions
    if (std::exchange(is_taken, true)) Py_RETURN_NONE;
    set_page_locked_class(page_locked);
    set_allocation_class(allocation);
    if (load_numpy_arrays() < 0 || take_all(space) < 0) return nullptr;
    Py_RETURN_NONE;
}

}  // namespace pycuda::python

#include "memory_types.hpp"

#include <cstdio>
#include <new>

#include "buffers.hpp"
#include "exceptions.hpp"
#include "handle_types.hpp"
#include "interpreter/forked_child.hpp"
#include "interpreter/free_threading.hpp"
#include "lifetime.hpp"
#include "numpy_scalars.hpp"
#include "pycuda/memory/host_memory.hpp"
#include "pycuda/threads/waiting.hpp"
#include "slot.hpp"

namespace pycuda::python {
namespace {

PyTypeObject *host_pointer_type, *managed_allocation_base, *pooled_allocation_type;

// ---- host memory: a buffer, so that arrays can lie over it

struct HostPointerObject {
    HandleObject handle;
    PyObject* base;  ///< for registered memory: the owner of the memory; else null
};

HostPointer& host_pointer_of(PyObject* proxy) {
    return *static_cast<HostPointer*>(checked_pointer(proxy));
}

int host_buffer(PyObject* self, Py_buffer* view, int flags) {
    view->obj = nullptr;
    return guarded([&] {
        const HostPointer& memory = host_pointer_of(self);
        return PyBuffer_FillInfo(view, self, memory.data(), static_cast<Py_ssize_t>(memory.size()), 0, flags);
    });
}

PyObject* get_host_base(PyObject* self, void*) {
    const ObjectLock lock(self);
    PyObject* const base = reinterpret_cast<HostPointerObject*>(self)->base;
    if (!base) {
        PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute 'base'", Py_TYPE(self)->tp_name);
        return nullptr;
    }
    Py_INCREF(base);
    return base;
}

int set_host_base(PyObject* self, PyObject* value, void*) {
    auto* const object = reinterpret_cast<HostPointerObject*>(self);
    const ObjectLock lock(self);
    if (object->base || !value) {
        PyErr_SetString(PyExc_AttributeError, "base is read-only");
        return -1;
    }
    Py_INCREF(value);
    object->base = value;
    return 0;
}

PyObject* get_device_pointer(PyObject* self, PyObject*) {
    return guarded(
        [&]() -> PyObject* { return PyLong_FromUnsignedLongLong(host_pointer_of(self).get_device_pointer()); });
}

void dealloc_host_pointer(PyObject* self) {
    auto* const object = reinterpret_cast<HostPointerObject*>(self);
    PyTypeObject* const type = Py_TYPE(self);
    Py_XDECREF(object->handle.swig_this);  // first, because the memory must still exist when the page-lock ends
    Py_XDECREF(object->base);
    type->tp_free(self);
    Py_DECREF(type);
}

constexpr const char host_pointer_doc[] = R"(get_device_pointer($self)
--

Return the address at which kernels access the memory.

Returns
-------
int
    The device address.

Raises
------
LogicError
    The memory is not mapped: create it with ``host_alloc_flags.DEVICEMAP``.

Notes
-----
Driver call: cuMemHostGetDevicePointer.
)";
PyMethodDef host_pointer_methods[] = {{"get_device_pointer", get_device_pointer, METH_NOARGS, host_pointer_doc}, {}};
PyGetSetDef host_pointer_attributes[] = {
    {"this", get_this, set_this, nullptr, nullptr},
    {"base", get_host_base, set_host_base, "The object whose memory it is, or None.", nullptr},
    {}};
PyType_Slot host_pointer_slots[] = {
    {Py_tp_dealloc, slot(dealloc_host_pointer)},
    {Py_tp_getset, host_pointer_attributes},
    {Py_tp_methods, host_pointer_methods},
    {Py_bf_getbuffer, slot(host_buffer)},
    {Py_tp_doc, const_cast<char*>("Host memory that devices can access: the base class of its kinds.")},
    {}};
PyType_Spec host_pointer_spec{"pycuda.driver.HostPointer", sizeof(HostPointerObject), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, host_pointer_slots};

// ---- managed memory: a device address and a buffer

int managed_buffer(PyObject* self, Py_buffer* view, int flags) {
    view->obj = nullptr;
    return guarded([&] {
        const DeviceMemory& memory = memory_of(self);
        return PyBuffer_FillInfo(view, self, reinterpret_cast<void*>(memory.pointer()),
                                 static_cast<Py_ssize_t>(memory.size()), 0, flags);
    });
}

PyType_Slot managed_slots[] = {{Py_bf_getbuffer, slot(managed_buffer)}, {}};
PyType_Spec managed_spec{"pycuda._native.ManagedAllocationBase", sizeof(HandleObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, managed_slots};

// ---- pooled device memory: created and dropped too often for a proxy

struct PooledObject {
    HandleObject handle;
    alignas(PooledDeviceAllocation) unsigned char memory[sizeof(PooledDeviceAllocation)];
};

PooledDeviceAllocation& pooled_of(PyObject* self) {
    return *static_cast<PooledDeviceAllocation*>(reinterpret_cast<HandleObject*>(self)->pointer);
}

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
    PyErr_SetString(PyExc_TypeError, "a PooledDeviceAllocation cannot be made directly; use DeviceMemoryPool.allocate");
    return nullptr;
}

void dealloc_pooled(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    if (!is_forked_child()) pooled_of(self).~PooledDeviceAllocation();
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* free_pooled(PyObject* self, PyObject*) {
    if (guarded([&] {
            if (may_call("PooledDeviceAllocation.free", "PooledDeviceAllocation")) pooled_of(self).free();
            return 0;
        }) < 0)
        return nullptr;
    Py_RETURN_NONE;
}

Py_ssize_t pooled_length(PyObject* self) {
    return static_cast<Py_ssize_t>(pooled_of(self).size());
}

PyObject* pooled_repr(PyObject* self) {
    try {
        char text[120];
        std::snprintf(text, sizeof text, "<pycuda.driver.PooledDeviceAllocation of %zu bytes at 0x%llx>",
                      pooled_of(self).size(), static_cast<unsigned long long>(pooled_of(self).address()));
        return PyUnicode_FromString(text);
    } catch (const Error& error) {
        return PyUnicode_FromFormat("<pycuda.driver.PooledDeviceAllocation (%s)>", error.what());
    }
}

PyMethodDef pooled_methods[] = {{"free", free_pooled, METH_NOARGS,
                                 "free($self)\n--\n\nGive the memory back to the pool "
                                 "now.\n\nRaises\n------\nLogicError\n    The memory is free already."},
                                {}};
PyType_Slot pooled_slots[] = {
    {Py_tp_new, slot(refuse_new)},
    {Py_tp_dealloc, slot(dealloc_pooled)},
    {Py_tp_methods, pooled_methods},
    {Py_tp_repr, slot(pooled_repr)},
    {Py_sq_length, slot(pooled_length)},
    {Py_tp_doc,
     const_cast<char*>("Device memory from a `DeviceMemoryPool`, returned to it when the object is collected.")},
    {}};
PyType_Spec pooled_spec{"pycuda.driver.PooledDeviceAllocation", sizeof(PooledObject), 0, Py_TPFLAGS_DEFAULT,
                        pooled_slots};

constexpr const char* allocate_signature = "allocate(size, stream=None)";
constexpr const char allocate_doc[] = R"(allocate($self, size, stream=None)
--

Take memory from the pool.

Parameters
----------
size : int
    Size in bytes.
stream : Stream, optional
    The stream that will use the memory first; None is the default stream.

Returns
-------
PooledDeviceAllocation
    The memory, returned to the pool when the object is collected.

Raises
------
MemoryError
    The device has too little free memory.

Notes
-----
Driver call: cuMemAlloc, if the pool holds no block of the size.

Examples
--------
>>> block = drv.DeviceMemoryPool().allocate(1000)
>>> len(block)
1000
)";

/// The arguments of allocate, by position or name; false with a TypeError set.
bool read_allocate(PyObject* const* args, Py_ssize_t count, PyObject* kwnames, PyObject* (&values)[2]) {
    const Py_ssize_t named = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    bool fits = count + named >= 1 && count + named <= 2;
    for (Py_ssize_t i = 0; fits && i < count; ++i) values[i] = args[i];
    for (Py_ssize_t i = 0; fits && i < named; ++i) {
        PyObject* const name = PyTuple_GET_ITEM(kwnames, i);
        const int at = PyUnicode_CompareWithASCIIString(name, "size") == 0     ? 0
                       : PyUnicode_CompareWithASCIIString(name, "stream") == 0 ? 1
                                                                               : -1;
        fits = at >= 0 && !values[at];
        if (fits) values[at] = args[count + i];
    }
    if (fits && values[0]) return true;
    PyErr_Format(PyExc_TypeError, "expected %s", allocate_signature);
    return false;
}

PyObject* allocate(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    PyObject* values[2] = {};
    std::size_t bytes;
    if (!read_allocate(args, count, kwnames, values) || !integer_from_python(values[0], bytes)) return nullptr;
    return guarded([&]() -> PyObject* {
        const auto& pool = *static_cast<DeviceMemoryPool*>(checked_pointer(self));
        return new_pooled(pool.pool(), bytes, stream_handle_of(values[1]));
    });
}

PyMethodDef pool_methods[] = {{"allocate", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(allocate)),
                               METH_FASTCALL | METH_KEYWORDS, allocate_doc},
                              {}};
PyGetSetDef pool_attributes[] = {{"this", get_this, set_this, nullptr, nullptr}, {}};
PyType_Slot pool_slots[] = {
    {Py_tp_dealloc, slot(dealloc_handle)}, {Py_tp_getset, pool_attributes}, {Py_tp_methods, pool_methods}, {}};
PyType_Spec pool_spec{"pycuda._native.DeviceMemoryPoolBase", sizeof(HandleObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, pool_slots};

int add_type(PyObject* module, const char* name, PyType_Spec& spec, PyTypeObject* base, PyTypeObject*& type) {
    const Ref bases(base ? PyTuple_Pack(1, base) : nullptr);
    if (base && !bases) return -1;
    type = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, bases.get()));
    return type ? PyModule_AddObjectRef(module, name, reinterpret_cast<PyObject*>(type)) : -1;
}

}  // namespace

PyObject* pooled_allocation(std::shared_ptr<MemoryPool> pool, const PoolBlock& block, bool was_of_array) {
    PyObject* const self = pooled_allocation_type->tp_alloc(pooled_allocation_type, 0);
    if (!self) throw PythonError{};
    auto* const object = reinterpret_cast<PooledObject*>(self);
    object->handle.pointer = new (object->memory) PooledDeviceAllocation(std::move(pool), block, was_of_array);
    return self;
}

PyObject* new_pooled(const std::shared_ptr<MemoryPool>& pool, std::size_t bytes, CUstream stream) {
    PoolBlock block = pool->take(bytes, stream);
    try {
        return pooled_allocation(pool, block, false);
    } catch (...) {
        pool->give(block);
        throw;
    }
}

bool managed_array_pointer(PyObject* array, DevicePtr& pointer, const CUstream* user) {
    Ref owner = borrow(array);
    while (owner && is_numpy_array(owner.get())) owner.reset(PyObject_GetAttrString(owner.get(), "base"));
    if (!owner) throw PythonError{};
    if (!PyObject_TypeCheck(owner.get(), managed_allocation_base)) return false;
    DeviceMemory& memory = memory_of(owner.get());
    static_cast<void>(user ? memory.pointer_for(*user) : memory.pointer());  // raises after free
    const Ref interface(PyObject_GetAttrString(array, "__array_interface__"));
    const Ref data(interface ? PyMapping_GetItemString(interface.get(), "data") : nullptr);
    const Ref address(data ? PySequence_GetItem(data.get(), 0) : nullptr);
    if (!address) throw PythonError{};
    pointer = PyLong_AsUnsignedLongLong(address.get());
    if (PyErr_Occurred()) throw PythonError{};
    return true;
}

int add_memory_types(PyObject* module) {
    PyTypeObject* pool = nullptr;
    if (add_type(module, "HostPointer", host_pointer_spec, nullptr, host_pointer_type) < 0) return -1;
    if (add_type(module, "ManagedAllocationBase", managed_spec, device_memory_base, managed_allocation_base) < 0)
        return -1;
    if (add_type(module, "PooledDeviceAllocation", pooled_spec, device_memory_base, pooled_allocation_type) < 0)
        return -1;
    return add_type(module, "DeviceMemoryPoolBase", pool_spec, nullptr, pool);
}

}  // namespace pycuda::python

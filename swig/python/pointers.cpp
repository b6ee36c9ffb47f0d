#include "pointers.hpp"

#include <stdexcept>
#include <string>

#include "device_arrays.hpp"
#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "handle_types.hpp"
#include "lifetime.hpp"
#include "memory_types.hpp"
#include "numpy_scalars.hpp"
#include "optional_attribute.hpp"
#include "slot.hpp"

namespace pycuda::python {
namespace {

PyTypeObject* pointer_holder_base;
PyTypeObject* device_buffer_type;

struct PointerHolderObject {
    PyObject_HEAD bool initialised;
};

[[noreturn]] void raise_python() {
    throw PythonError{};
}

/// Counts nested objects that return another object for their address. PythonError (RecursionError) if there are too
/// many. CPython's own limit is thousands of calls, for which the stack may be too small.
class Recursion {
public:
    Recursion() {
        if (depth_ >= max_) {
            PyErr_Format(PyExc_RecursionError,
                         "asked %d objects in turn for a device address; each gave another object", max_);
            raise_python();
        }
        ++depth_;
    }
    ~Recursion() { --depth_; }
    Recursion(const Recursion&) = delete;
    Recursion& operator=(const Recursion&) = delete;

private:
    static constexpr int max_ = 100;
    static inline thread_local int depth_ = 0;
};

DevicePtr from_integer(PyObject* object) {
    const Ref index(PyNumber_Index(object));
    if (!index) raise_python();
    const DevicePtr pointer = PyLong_AsUnsignedLongLong(index.get());
    if (pointer == static_cast<DevicePtr>(-1) && PyErr_Occurred()) raise_python();
    return pointer;
}

/// `address`, which `object` gave: a graph keeps the object, and memory of ours that begins there.
DevicePtr noted(PyObject* object, DevicePtr address, const CUstream* user) {
    if (!any_capture_is_open()) [[likely]]
        return address;
    note_memory_of_graph(user ? *user : nullptr, address);
    note_owner(object, user);
    return address;
}

/// The address of the object that `object` returned for its address.
DevicePtr from_substitute(Ref substitute, Owners& owners, const CUstream* user) {
    const DevicePtr pointer = device_pointer(substitute.get(), owners, user);
    if (!PyLong_CheckExact(substitute.get())) owners.push_back(std::move(substitute));
    return pointer;
}

DevicePtr from_pointer_holder(PyObject* object, Owners& owners, const CUstream* user) {
    if (!reinterpret_cast<PointerHolderObject*>(object)->initialised) {
        PyErr_Format(PyExc_TypeError, "%s.__init__ must call PointerHolderBase.__init__", Py_TYPE(object)->tp_name);
        raise_python();
    }
    Ref value(PyObject_CallMethod(object, "get_pointer", nullptr));
    if (!value) raise_python();
    return noted(object, from_substitute(std::move(value), owners, user), user);
}

DevicePtr from_array_interface(PyObject* interface, PyObject* object, const CUstream* user) {
    refuse_masked(interface, object);
    order_after_interface(interface, object, user);
    const Ref data(PyMapping_GetItemString(interface, "data"));
    if (!data) raise_python();
    const Ref address(PySequence_GetItem(data.get(), 0));
    if (!address) raise_python();
    return address.get() == Py_None ? 0 : noted(object, from_integer(address.get()), user);
}

/// `object`, and the object that it created on demand for its memory.
Ref with_owners(PyObject* object, Owners& owners) {
    if (owners.empty()) return borrow(object);
    owners.push_back(borrow(object));
    std::vector<Ref> references = owners.take();
    Ref all(PyTuple_New(static_cast<Py_ssize_t>(references.size())));
    if (!all) raise_python();
    for (std::size_t i = 0; i < references.size(); ++i)
        PyTuple_SET_ITEM(all.get(), static_cast<Py_ssize_t>(i), references[i].release());
    return all;
}

// An object with the buffer interface over device memory, for libraries that read only address and size (MPI, RDMA). It
// keeps the owner of the memory alive.
struct DeviceBufferObject {
    PyObject_HEAD PyObject* owner;
    void* address;
    Py_ssize_t size;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    auto* const buffer = reinterpret_cast<DeviceBufferObject*>(self);
    return PyBuffer_FillInfo(view, self, buffer->address, buffer->size, 0, flags);
}

void dealloc_buffer(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    Py_XDECREF(reinterpret_cast<DeviceBufferObject*>(self)->owner);
    type->tp_free(self);
    Py_DECREF(type);
}

/// The size of memory that only the program knows, or of another process, may be unknown.
void check_part(PyObject* memory, Py_ssize_t size, Py_ssize_t offset) {
    if (size < 0 || offset < 0)
        throw std::invalid_argument("as_buffer: size and offset must not be negative, given " + std::to_string(size) +
                                    " and " + std::to_string(offset));
    const std::size_t all = PyObject_TypeCheck(memory, device_memory_base) ? memory_of(memory).size() : 0;
    const auto end = static_cast<std::size_t>(offset) + static_cast<std::size_t>(size);
    if (all != 0 && end > all)
        throw std::invalid_argument("as_buffer: " + std::to_string(size) + " bytes from byte " +
                                    std::to_string(offset) + " on exceed the memory, which has " + std::to_string(all) +
                                    " bytes");
}

PyObject* as_buffer(PyObject* self, PyObject* args, PyObject* kwargs) {
    Py_ssize_t size, offset = 0;
    static const char* names[] = {"size", "offset", nullptr};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "n|n:as_buffer", const_cast<char**>(names), &size, &offset))
        return nullptr;
    return guarded([&]() -> PyObject* {
        check_part(self, size, offset);
        Owners owners;
        const DevicePtr pointer = device_pointer(self, owners);
        Ref owner = with_owners(self, owners);
        const Ref buffer(device_buffer_type->tp_alloc(device_buffer_type, 0));
        if (!buffer) return nullptr;
        auto* const b = reinterpret_cast<DeviceBufferObject*>(buffer.get());
        b->owner = owner.release();
        b->address = reinterpret_cast<void*>(pointer + static_cast<DevicePtr>(offset));
        b->size = size;
        return PyMemoryView_FromObject(buffer.get());
    });
}

int init_holder(PyObject* self, PyObject* args, PyObject* kwargs) {
    if (PyTuple_GET_SIZE(args) || (kwargs && PyDict_GET_SIZE(kwargs))) {
        PyErr_SetString(PyExc_TypeError, "PointerHolderBase.__init__ takes no arguments");
        return -1;
    }
    reinterpret_cast<PointerHolderObject*>(self)->initialised = true;
    return 0;
}

void dealloc_holder(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* holder_as_int(PyObject* self) {
    return guarded([&]() -> PyObject* {
        Owners owners;
        return PyLong_FromUnsignedLongLong(from_pointer_holder(self, owners, nullptr));
    });
}

PyObject* get_pointer(PyObject* self, PyObject*) {
    PyErr_Format(PyExc_NotImplementedError, "%s does not define get_pointer()", Py_TYPE(self)->tp_name);
    return nullptr;
}

PyCFunction with_keywords(PyCFunctionWithKeywords function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

constexpr const char as_buffer_doc[] = R"(as_buffer($self, size, offset=0)
--

Return the device memory as a buffer, for libraries that accept one. The host must not read it.

Parameters
----------
size : int
    Size of the buffer, in bytes.
offset : int, optional
    Offset of its first byte.

Returns
-------
memoryview
    The buffer.

Raises
------
LogicError
    The memory is free.
ValueError
    `size` or `offset` is negative, or the buffer would exceed the memory.
)";

constexpr const char get_pointer_doc[] = R"(get_pointer($self)
--

Return the device address. Subclasses define it.

Returns
-------
int
    The address.

Raises
------
NotImplementedError
    The subclass does not define it.
)";

PyMethodDef holder_methods[] = {{"get_pointer", get_pointer, METH_NOARGS, get_pointer_doc},
                                {"as_buffer", with_keywords(as_buffer), METH_VARARGS | METH_KEYWORDS, as_buffer_doc},
                                {}};

constexpr char holder_doc[] =
    "Base class for custom pointer types: a subclass defines `get_pointer`.\n\n"
    "If the subclass has an ``__init__``, it must call the base class's.";
PyType_Slot holder_slots[] = {{Py_tp_dealloc, slot(dealloc_holder)},
                              {Py_tp_init, slot(init_holder)},
                              {Py_tp_methods, holder_methods},
                              {Py_nb_int, slot(holder_as_int)},
                              {Py_nb_index, slot(holder_as_int)},
                              {Py_tp_doc, const_cast<char*>(holder_doc)},
                              {}};
PyType_Spec holder_spec{"pycuda.driver.PointerHolderBase", sizeof(PointerHolderObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, holder_slots};

PyType_Slot buffer_slots[] = {{Py_tp_dealloc, slot(dealloc_buffer)}, {Py_bf_getbuffer, slot(get_buffer)}, {}};
PyType_Spec buffer_spec{"pycuda._native.DeviceBuffer", sizeof(DeviceBufferObject), 0, Py_TPFLAGS_DEFAULT, buffer_slots};

PyObject *name_gpudata, *name_array_interface;

DevicePtr address_of(DeviceMemory& memory, const CUstream* user) {
    return user ? memory.pointer_for(*user) : memory.pointer();
}

/// Version 3 of the interface: the memory as an array of bytes.
PyObject* cuda_array_interface(PyObject* self, void*) {
    return guarded([&]() -> PyObject* {
        const DeviceMemory& memory = memory_of(self);
        return Py_BuildValue("{s:(n),s:s,s:(KO),s:O,s:i}", "shape", static_cast<Py_ssize_t>(memory.size()), "typestr",
                             "|u1", "data", static_cast<unsigned long long>(memory.pointer()), Py_False, "strides",
                             Py_None, "version", 3);
    });
}

}  // namespace

void note_owner(PyObject* object, const CUstream* user) {
    if (!any_capture_is_open()) [[likely]]
        return;
    if (is_graph_node(object)) return;  // the memory is its graph's, which would keep itself
    note_owner_of_graph(user ? *user : nullptr, object, [object] { return keep_alive(object); });
}

PyGetSetDef memory_attributes[] = {{"this", get_this, set_this, nullptr, nullptr},
                                   {"__cuda_array_interface__", cuda_array_interface, nullptr,
                                    "The memory as an array of bytes, for other libraries.", nullptr},
                                   {}};

PyMethodDef memory_methods[] = {{"as_buffer", with_keywords(as_buffer), METH_VARARGS | METH_KEYWORDS, as_buffer_doc},
                                {}};

bool try_device_pointer(PyObject* object, DevicePtr& pointer, Owners& owners, const CUstream* user) {
    if (PyObject_TypeCheck(object, device_memory_base)) {
        pointer = address_of(memory_of(object), user);
        return true;
    }
    const Recursion level;  // an object may return itself
    if (Py_TYPE(object) == gpuarray::array_class) {
        pointer = user ? gpuarray::address_of(gpuarray::as_array(object), user, &owners)
                       : gpuarray::escaped_address(gpuarray::as_array(object), &owners);
        return true;
    }
    if (is_numpy_array(object)) return managed_array_pointer(object, pointer, user);
    // This order matters: some programs have classes with a broken or missing get_pointer, and a subclass of GPUArray
    // has gpudata, which describes the memory better.
    if (const Ref interface = array_interface_of(object)) {
        pointer = from_array_interface(interface.get(), object, user);
        return true;
    }
    if (Ref data = optional_attribute(object, name_gpudata)) {
        // An empty array has no memory.
        pointer = data.get() == Py_None ? 0 : noted(object, from_substitute(std::move(data), owners, user), user);
        return true;
    }
    if (PyObject_TypeCheck(object, pointer_holder_base)) {
        pointer = from_pointer_holder(object, owners, user);
        return true;
    }
    return false;
}

DevicePtr device_pointer(PyObject* object, Owners& owners, const CUstream* user) {
    DevicePtr pointer;
    if (Py_TYPE(object)->tp_base == device_memory_base) return address_of(memory_of(object), user);
    if (PyLong_Check(object)) return from_integer(object);
    if (try_device_pointer(object, pointer, owners, user)) return pointer;
    if (PyIndex_Check(object) && !is_numpy_array(object)) {
        const DevicePtr address = from_integer(object);
        return is_numpy_scalar(object) ? address : noted(object, address, user);
    }
    PyErr_Format(PyExc_TypeError,
                 "expected a device address (int, DeviceAllocation, PointerHolderBase or device array), not %s%s",
                 Py_TYPE(object)->tp_name,
                 PyObject_CheckBuffer(object) ? ", which is host memory (the destination of a copy comes first, then "
                                                "its source)"
                                              : "");
    raise_python();
}

DevicePtr device_pointer_for_call(PyObject* object, Owners& owners, std::span<PyObject* const> args) {
    PyObject* const last = args.back();
    if (PyObject_TypeCheck(last, stream_base)) {
        const auto in_use = stream_of(last).use();
        const CUstream stream = in_use;
        return device_pointer(object, owners, &stream);
    }
    const CUstream default_stream = nullptr;
    const bool is_foreign_stream = !PyLong_Check(last) && optional_attribute(last, name_cuda_stream);
    return device_pointer(object, owners, is_foreign_stream ? nullptr : &default_stream);
}

DevicePtr device_pointer(PyObject* object, std::shared_ptr<void>& owner) {
    Owners owners;
    const DevicePtr pointer = device_pointer(object, owners);
    if (!PyLong_Check(object)) owner = keep_alive(with_owners(object, owners).get());
    return pointer;
}

Ref array_interface_of(PyObject* object) {
    return gpuarray::is_array(object) ? nullptr : optional_attribute(object, name_array_interface);
}

int add_pointer_types(PyObject* module) {
    name_gpudata = PyUnicode_InternFromString("gpudata");
    name_array_interface = PyUnicode_InternFromString("__cuda_array_interface__");
    if (!name_gpudata || !name_array_interface) return -1;
    device_buffer_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&buffer_spec));
    pointer_holder_base = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&holder_spec));
    if (!device_buffer_type || !pointer_holder_base) return -1;
    return PyModule_AddObjectRef(module, "PointerHolderBase", reinterpret_cast<PyObject*>(pointer_holder_base));
}

}  // namespace pycuda::python

#include "dlpack/dlpack.hpp"

#include <memory>
#include <optional>
#include <vector>

#include "dlpack/abi.hpp"
#include "exceptions.hpp"
#include "handle_types.hpp"
#include "interpreter/free_threading.hpp"
#include "lifetime.hpp"
#include "pycuda/memory/pointer_info.hpp"

namespace pycuda::python::dlpack {
namespace {

// ---- exports

/// A capsule's tensor together with the data that it points to.
template <class Kind>
struct Exported {
    Kind managed{};
    std::vector<std::int64_t> shape, strides;
    PyObject* owner = nullptr;  ///< a reference, dropped by the deleter
};

/// Called by the consumer when it is done: on any thread, with or without the GIL, possibly while the interpreter ends.
template <class Kind>
void delete_exported(Kind* managed) {
    auto* const exported = static_cast<Exported<Kind>*>(managed->owner);
    drop_from_any_thread(exported->owner);
    delete exported;
}

/// For a capsule without a consumer: do what the consumer would have done.
template <class Kind>
void destroy_capsule(PyObject* capsule) {
    if (!PyCapsule_IsValid(capsule, Kind::fresh)) return;
    auto* const managed = static_cast<Kind*>(PyCapsule_GetPointer(capsule, Kind::fresh));
    if (managed->deleter) managed->deleter(managed);
}

std::vector<std::int64_t> to_numbers(PyObject* tuple) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(PyTuple_GET_SIZE(tuple)));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(i)));
    if (PyErr_Occurred()) throw PythonError{};
    return numbers;
}

template <class Kind>
PyObject* capsule_of(Tensor tensor, PyObject* shape, PyObject* strides, PyObject* owner, std::uint64_t flags) {
    auto exported = std::make_unique<Exported<Kind>>();
    exported->shape = to_numbers(shape);
    exported->strides = to_numbers(strides);
    tensor.ndim = static_cast<std::int32_t>(exported->shape.size());
    tensor.shape = exported->shape.data();
    tensor.strides = exported->strides.data();
    exported->managed.tensor = tensor;
    exported->managed.owner = exported.get();
    exported->managed.deleter = delete_exported<Kind>;
    if constexpr (std::is_same_v<Kind, ManagedVersioned>) {
        exported->managed.major = major_version;
        exported->managed.minor = minor_version;
        exported->managed.flags = flags;
    }
    PyObject* const capsule = PyCapsule_New(&exported->managed, Kind::fresh, destroy_capsule<Kind>);
    if (!capsule) return nullptr;
    Py_INCREF(owner);
    exported->owner = owner;
    exported.release();  // the capsule owns it now
    return capsule;
}

// ---- imports

/// Keeps the contents of a capsule alive.
struct HolderObject {
    PyObject_HEAD void* managed;
    void (*end)(void*);
};

PyTypeObject* holder_type;

template <class Kind>
void end_managed(void* pointer) {
    auto* const managed = static_cast<Kind*>(pointer);
    if (managed->deleter) managed->deleter(managed);
}

void dealloc_holder(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    auto* const holder = reinterpret_cast<HolderObject*>(self);
    PyObject *kind, *value, *traceback;
    PyErr_Fetch(&kind, &value, &traceback);  // foreign code may check for its own errors
    if (holder->managed) holder->end(holder->managed);
    PyErr_Restore(kind, value, traceback);
    type->tp_free(self);
    Py_DECREF(type);
}

PyType_Slot holder_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_holder)},
    {Py_tp_doc, const_cast<char*>("Memory of another library, which gets it back when this goes.")},
    {}};
PyType_Spec holder_spec{"pycuda._native.DLPackMemory", sizeof(HolderObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, holder_slots};

/// Takes the tensor out of the capsule, and renames the capsule as used.
template <class Kind>
Kind* take(PyObject* capsule, PyObject* holder) {
    auto* const managed = static_cast<Kind*>(PyCapsule_GetPointer(capsule, Kind::fresh));
    if (!managed || PyCapsule_SetName(capsule, Kind::used) < 0) throw PythonError{};
    reinterpret_cast<HolderObject*>(holder)->managed = managed;
    reinterpret_cast<HolderObject*>(holder)->end = end_managed<Kind>;
    return managed;
}

Ref numbers_of(const std::int64_t* numbers, std::int32_t count) {
    Ref tuple(PyTuple_New(count));
    for (std::int32_t i = 0; tuple && i < count; ++i) {
        PyObject* const number = PyLong_FromLongLong(numbers[i]);
        if (!number) throw PythonError{};
        PyTuple_SET_ITEM(tuple.get(), i, number);
    }
    if (!tuple) throw PythonError{};
    return tuple;
}

PyObject* contents(const Tensor& tensor, std::uint64_t flags, PyObject* holder) {
    if (tensor.ndim < 0 || (tensor.ndim > 0 && !tensor.shape)) {
        PyErr_SetString(PyExc_BufferError, "the DLPack capsule holds no valid tensor: it has no shape");
        throw PythonError{};
    }
    const Ref shape = numbers_of(tensor.shape, tensor.ndim);
    const Ref strides = tensor.strides || !tensor.ndim ? numbers_of(tensor.strides, tensor.ndim) : borrow(Py_None);
    return Py_BuildValue("(KOO(iii)(ii)KO)",
                         static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(tensor.data)) +
                             static_cast<unsigned long long>(tensor.byte_offset),
                         shape.get(), strides.get(), tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes,
                         tensor.device.type, tensor.device.id, static_cast<unsigned long long>(flags), holder);
}

PyObject* refuse_capsule(PyObject* capsule) {
    if (!PyCapsule_CheckExact(capsule))
        PyErr_Format(PyExc_TypeError, "__dlpack__ must give a capsule, not %s", Py_TYPE(capsule)->tp_name);
    else if (PyCapsule_IsValid(capsule, Managed::used) || PyCapsule_IsValid(capsule, ManagedVersioned::used))
        PyErr_SetString(PyExc_BufferError, "the DLPack capsule has been taken already: each holds its tensor once");
    else
        PyErr_SetString(PyExc_BufferError, "expected a capsule called dltensor or dltensor_versioned");
    return nullptr;
}

DeviceMemory* memory_if_ours(PyObject* object) {
    return PyObject_TypeCheck(object, device_memory_base) ? &memory_of(object) : nullptr;
}

/// LogicError after free.
std::shared_ptr<Context> context_of(const DeviceMemory& memory) {
    auto context = memory.context();
    static_cast<void>(memory.pointer());
    return context;
}

}  // namespace

PyObject* export_capsule(PyObject*, PyObject* args) {
    unsigned long long address, flags;
    PyObject *shape, *strides, *owner;
    int code, bits, device_type, device_id, versioned;
    if (!PyArg_ParseTuple(args, "KO!O!(ii)(ii)OpK", &address, &PyTuple_Type, &shape, &PyTuple_Type, &strides, &code,
                          &bits, &device_type, &device_id, &owner, &versioned, &flags))
        return nullptr;
    return guarded([&]() -> PyObject* {
        Tensor tensor{};
        tensor.data = reinterpret_cast<void*>(address);
        tensor.device = {device_type, device_id};
        tensor.dtype = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
        return versioned ? capsule_of<ManagedVersioned>(tensor, shape, strides, owner, flags)
                         : capsule_of<Managed>(tensor, shape, strides, owner, flags);
    });
}

/// What an array over an imported tensor has as its base: the holder of the capsule's contents or, if they are memory
/// of ours, the memory itself. A graph then keeps that, even if the program frees it.
template <class Kind>
PyObject* memory_behind(const Kind& managed, const Ref& holder) {
    if (managed.deleter != delete_exported<Kind>) return holder.get();
    PyObject* const owner = static_cast<Exported<Kind>*>(managed.owner)->owner;
    return memory_if_ours(owner) ? owner : holder.get();
}

PyObject* import_capsule(PyObject*, PyObject* capsule) {
    const ObjectLock lock(capsule);  // two threads may try to take it
    const bool versioned = PyCapsule_IsValid(capsule, ManagedVersioned::fresh);
    if (!versioned && !PyCapsule_IsValid(capsule, Managed::fresh)) return refuse_capsule(capsule);
    return guarded([&]() -> PyObject* {
        const Ref holder(holder_type->tp_alloc(holder_type, 0));
        if (!holder) return nullptr;
        if (!versioned) {
            const Managed& managed = *take<Managed>(capsule, holder.get());
            return contents(managed.tensor, 0, memory_behind(managed, holder));
        }
        const ManagedVersioned& managed = *take<ManagedVersioned>(capsule, holder.get());
        if (managed.major == major_version)
            return contents(managed.tensor, managed.flags, memory_behind(managed, holder));
        PyErr_Format(PyExc_BufferError, "the capsule is of DLPack %u.%u; this understands %u.x", managed.major,
                     managed.minor, major_version);
        return nullptr;
    });
}

PyObject* describe_pointer(PyObject*, PyObject* args) {
    unsigned long long address;
    PyObject* memory;
    if (!PyArg_ParseTuple(args, "KO", &address, &memory)) return nullptr;
    return guarded([&]() -> PyObject* {
        std::optional<ContextScope> scope;
        if (DeviceMemory* const ours = memory_if_ours(memory)) scope.emplace(*context_of(*ours));
        const auto info = pointer_info(address);
        if (!info) Py_RETURN_NONE;
        return Py_BuildValue("(OOiNK)", info->on_host ? Py_True : Py_False, info->managed ? Py_True : Py_False,
                             info->device, PyLong_FromVoidPtr(info->context),
                             static_cast<unsigned long long>(info->device_pointer));
    });
}

PyObject* hand_over_memory(PyObject*, PyObject* args) {
    PyObject *memory, *stream;
    if (!PyArg_ParseTuple(args, "OO", &memory, &stream)) return nullptr;
    return guarded([&]() -> PyObject* {
        DeviceMemory* const object = memory_if_ours(memory);
        auto* const handle = stream == Py_None ? nullptr : static_cast<CUstream>(PyLong_AsVoidPtr(stream));
        if (PyErr_Occurred()) return nullptr;
        GilRelease released;
        hand_over(object, stream == Py_None ? nullptr : &handle);
        released.end();
        Py_RETURN_NONE;
    });
}

int add_dlpack(PyObject* module) {
    static PyMethodDef functions[] = {{"dlpack_export", export_capsule, METH_VARARGS, nullptr},
                                      {"dlpack_import", import_capsule, METH_O, nullptr},
                                      {"pointer_info", describe_pointer, METH_VARARGS, nullptr},
                                      {"hand_over", hand_over_memory, METH_VARARGS, nullptr},
                                      {}};
    holder_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&holder_spec));
    return holder_type ? PyModule_AddFunctions(module, functions) : -1;
}

}  // namespace pycuda::python::dlpack
